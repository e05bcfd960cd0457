"""Test an answer on the rungs of an exercise, and record the outcome of each call."""

import contextlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch

from plaincourse.checking import memory, readable
from plaincourse.checking.calling import Outcome, call, call_all
from plaincourse.checking.compare import (
    Types,
    as_tensor,
    has_nan,
    is_array,
    is_number,
    plain,
    same,
    widened,
)
from plaincourse.checking.drawing import (
    BITS,
    LEAST_GAIN,
    MOST,
    VISIBLE,
    Replays,
    generator,
    rounds,
    turns,
)
from plaincourse.checking.in_words import difference, kind, nan_in, with_rule
from plaincourse.checking.limits import clean_state
from plaincourse.checking.mistake import complaint
from plaincourse.checking.untouched import LEFT_ALONE, changed
from plaincourse.exercise import Exercise, Inputs, Rung
from plaincourse.exercise.task import Law

#: The reason for the failure of a trial that was not reached.
NOT_TRIED = "not tried, because an earlier call did not end"
#: PyTorch's messages for a product of two float types, for a write from one into the other, and for
#: a type that NumPy lacks.
_MIXED = re.compile(
    r"dtypes? match|same dtype|[Ss]calar ?[Tt]ype|but got \w*(?:Float|Double)|dtype mismatch"
)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One draw of a rung, with the reference's output.

    Attributes:
        rung: the requirement that it tests.
        inputs: the answer's arguments.
        expected: the reference's outcome.
        visible: whether a student may see the inputs.
        turn: sort key of its call: visible trials first, in a notebook in their order.
        wrong: outcomes of known mistakes, by their keys, as far as they were computed.
    """

    rung: Rung
    inputs: Inputs
    expected: Outcome
    visible: bool
    turn: tuple[int, int] = (0, 0)
    wrong: dict[str, Outcome] = field(default_factory=dict, compare=False)

    @property
    def size(self) -> int:
        """The number of elements in the input arrays."""
        parts = (x for x in self.inputs.values() if is_array(x))
        return sum(as_tensor(x).numel() for x in parts)


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A trial that an answer did not pass, with the reason in words."""

    trial: Trial
    outcome: Outcome
    why: str
    kind: str

    @property
    def rule(self) -> str:
        """The violated rule: a requirement, or that arguments are left unchanged."""
        return LEFT_ALONE if self.kind == "input" else self.trial.rung.name


def draw(exercise: Exercise, seed: int | None) -> list[Trial]:
    """Draw all trials: the visible ones, and those of a hidden seed if one is given.

    They are ordered by rung, with the visible trials of a rung first; :func:`run` calls the answer
    in the order of their turns.

    Raises:
        ValueError: a rung draws nothing, or the seed is negative.
    """
    numbers = range(len(exercise.rungs))
    visible = [memory.drawn(_shown, exercise, number, VISIBLE) for number in numbers]
    if not seed:
        return [trial for each in visible for trial in each]
    known = [trial.expected for each in visible for trial in each]
    replays = Replays(known, partial(_passes, exercise))
    trials = []
    for number in numbers:
        fresh = memory.drawn(partial(_fresh, replays), exercise, number, seed)
        trials += [*visible[number], *fresh]
    return trials


def _shown(exercise: Exercise, number: int, seed: int) -> list[Trial]:
    """Draw the visible trials of one rung."""
    rung = exercise.rungs[number]
    drawn = next(rounds(rung, generator(seed, number)))
    if not drawn:
        raise ValueError(f"{exercise.id}: the rung {rung.name!r} draws no inputs")
    trials = [_trial(exercise, rung, inputs, visible=True) for inputs in drawn]
    return [
        replace(trial, turn=(0, memory.place(exercise.id, number, i)))
        for i, trial in enumerate(trials)
    ]


def _fresh(replays: Replays, exercise: Exercise, number: int, seed: int) -> list[Trial]:
    """Draw the hidden trials of one rung, enough that no replay of visible results passes.

    The trials of all rungs that a replay could pass are mixed, so that it cannot distinguish them.
    The others keep their order, so that an answer that is too slow loses only the last of them.
    """
    rung, source = exercise.rungs[number], generator(seed, number)
    trials: list[Trial] = []
    bits = 0.0
    for times, drawn in enumerate(rounds(rung, source)):
        before = bits
        for inputs in drawn:
            trials.append(_trial(exercise, rung, inputs, visible=False))
            bits += replays.bits(trials[-1]) if bits < BITS else 0.0
        full = bits >= BITS or len(trials) >= MOST
        if times and (full or (times > 1 and bits - before < LEAST_GAIN)):
            break
    stage = number + 1 if math.isinf(bits) else 0
    places = turns(source, len(trials))
    return [
        replace(trial, turn=(1 + stage, place)) for trial, place in zip(trials, places, strict=True)
    ]


def _trial(exercise: Exercise, rung: Rung, inputs: Inputs, *, visible: bool) -> Trial:
    """Make a trial of inputs by calling the reference."""
    expected = call(exercise, exercise.reference, inputs)
    if expected.slow:
        raise ValueError(f"{exercise.id}: the reference needs over {exercise.seconds} s")
    return Trial(rung=rung, inputs=inputs, expected=expected, visible=visible)


def _passes(exercise: Exercise, trial: Trial, outcome: Outcome) -> bool:
    """Return whether an outcome of another trial passes this one."""
    expected = trial.expected
    if expected.error is not None or outcome.error is not None:
        return expected.error is not None and isinstance(outcome.error, type(expected.error))
    if trial.rung.compare and not _equal(exercise, trial, outcome):
        return False
    if trial.rung.law is None:
        return True
    with clean_state():
        return _apply(trial.rung.law, trial, outcome) is None


def _equal(exercise: Exercise, trial: Trial, outcome: Outcome) -> bool:
    """Return whether the output of an answer that returned equals the reference's."""
    return same(
        trial.expected.value, outcome.value, rtol=exercise.precision.rtol,
        atol=exercise.precision.atol, dtype=_types(trial.rung),
    )  # fmt: skip


def gives_the_right(exercise: Exercise, failure: Failure) -> bool:
    """Return whether the output of an answer that broke another rule equals the reference's.

    A requirement may concern only a part of the output, and the rest may be wrong.
    """
    return _equal(exercise, failure.trial, failure.outcome)


def run(exercise: Exercise, answer: Callable[..., Any], trials: list[Trial]) -> list[Outcome]:
    """Call an answer once for each trial; trials after one that takes too long do not count.

    Inputs are drawn in float64, a few in half precision. An answer that makes tensors in PyTorch's
    default float32, which suits the inputs of every example, cannot multiply the two, and one that
    goes through NumPy fails on bfloat16. Unless the requirement is about the dtype, such an answer
    is called again with float32.
    """
    outcomes = _in_turn(exercise, answer, trials)
    mixed = [
        i
        for i, (trial, outcome) in enumerate(zip(trials, outcomes, strict=False))
        if not trial.rung.dtype and _mixes(outcome)
    ]
    if mixed:
        inputs = [{n: _in_float32(x) for n, x in trials[i].inputs.items()} for i in mixed]
        for i, outcome in zip(mixed, call_all(exercise, answer, inputs), strict=False):
            outcomes = [*outcomes[:i], outcome, *outcomes[i + 1 :]]
    return outcomes


def _in_turn(exercise: Exercise, answer: Callable[..., Any], trials: list[Trial]) -> list[Outcome]:
    """Call an answer for each trial in its turn; return the outcomes in the order of the trials.

    Nothing is returned for trials after one that takes too long; all before it are still called.
    """
    came: dict[int, Outcome] = {}
    end = len(trials)
    while todo := sorted((i for i in range(end) if i not in came), key=lambda i: trials[i].turn):
        found = memory.answered(call_all, exercise, answer, [trials[i] for i in todo])
        came |= zip(todo, found, strict=False)
        end = next((i + 1 for i in todo[: len(found)] if came[i].slow), end)
        if not found:
            break
    return [came[i] for i in range(end) if i in came]


def _mixes(outcome: Outcome) -> bool:
    error = outcome.error
    return isinstance(error, (RuntimeError, TypeError)) and bool(_MIXED.search(str(error)))


def _in_float32(x: Any) -> Any:
    return x.float() if isinstance(x, torch.Tensor) and x.is_floating_point() else x


def warm(exercise: Exercise, seed: int | None) -> None:
    """Draw inputs, and run mistakes on visible ones, for a process that caches both and will fork.

    On a machine with a GPU, an exercise with a ``call`` of its own is left out: it may compute
    gradients, for which PyTorch starts threads, and PyTorch then refuses to compute any in the
    forks.
    """
    if exercise.call is Exercise.call or not torch.cuda.is_available():
        for trial in filter(lambda trial: trial.visible, draw(exercise, seed)):
            for each in exercise.misconceptions:
                for key, way in each.ways.items():
                    trial.wrong[key] = call(exercise, way, trial.inputs)


def failures(
    exercise: Exercise, answer: Any, trials: list[Trial], outcomes: list[Outcome]
) -> list[Failure]:
    """Return the trials that an answer did not pass, in order, including those not reached.

    An answer that writes into an input but otherwise meets several requirements loses only the
    cheapest of these, because it is one slip, regardless of the inputs. The report names the rule
    instead of that requirement.
    """
    failed = []
    with clean_state() as afresh:
        for trial, outcome in zip(trials, outcomes, strict=False):
            afresh()
            found = _judge(exercise, answer, trial, outcome)
            if found:
                failed.append(Failure(trial=trial, outcome=outcome, why=found[1], kind=found[0]))
    wrote = min((f.trial.rung for f in failed if f.kind == "input"), key=_worth, default=None)
    failed = [f for f in failed if f.kind != "input" or f.trial.rung is wrote]
    return failed + [
        Failure(trial=trial, outcome=Outcome(slow=True), why=NOT_TRIED, kind="slow")
        for trial in trials[len(outcomes) :]
    ]


def _worth(rung: Rung) -> float:
    return rung.points


def alike(
    exercise: Exercise, trial: Trial, a: Outcome, b: Outcome, *, dtype: bool = True,
    changes: bool = True,
) -> bool:  # fmt: skip
    """Return whether two answers had the same outcome in a trial.

    Differences in dtype, and changes of their inputs, can be ignored.
    """
    if a.slow or b.slow or (a.error is None) != (b.error is None):
        return a.slow and b.slow
    if changes and a.changed != b.changed:
        return False
    if a.error is not None:
        return type(a.error) is type(b.error)
    if not trial.rung.compare and trial.rung.law is not None:
        first, second = (_ruled(trial, each) for each in (a, b))
        if first == second or None in (first, second):
            return first == second
    types = _types(trial.rung) if dtype else "any"
    return same(
        a.value, b.value, rtol=exercise.precision.rtol, atol=exercise.precision.atol, dtype=types
    )


def _types(rung: Rung) -> Types:
    return "exact" if rung.dtype else "kind"


def _judge(
    exercise: Exercise, answer: Any, trial: Trial, outcome: Outcome
) -> tuple[str, str] | None:
    expected = trial.expected
    if outcome.slow:
        seconds = f"{exercise.seconds:g} seconds"
        return (
            "slow",
            f"your function did not come back within {seconds}: it is too slow for this input, or "
            "it has an endless loop",
        )
    if expected.error is not None:
        wanted = type(expected.error)
        if isinstance(outcome.error, wanted):
            return None
        if outcome.error is None:
            return "error", f"here your function should raise {wanted.__name__}; it returns"
        return "error", f"{complaint(outcome.error, answer)} Expected {wanted.__name__}."
    if outcome.error is not None:
        return "error", complaint(outcome.error, answer)
    said = None
    if unread := readable.complaint(outcome.value):
        return "difference", unread
    if trial.rung.compare:
        said = difference(
            expected.value, outcome.value, exercise.precision, axes=axes(exercise),
            dtype=_types(trial.rung),
        )  # fmt: skip
    elif has_nan(outcome.value) and not has_nan(expected.value):  # a law's `>` overlooks nan
        said = f"{nan_in(outcome.value)} nan"
    broken = _broken(trial, outcome)
    if said and broken and (both := with_rule(broken, said)):
        return "law", both
    if broken and not said and is_array(expected.value) and not is_array(outcome.value):
        broken = f"your function returns {kind(outcome.value)}; expected {kind(expected.value)}"
    if said or broken:
        return ("difference", said) if said else ("law", str(broken))
    if extra := written_into(trial, outcome):
        return "input", changed(extra, trial.inputs)
    return None


def written_into(trial: Trial, outcome: Outcome) -> list[str]:
    """Return the names of the inputs that an answer changed and the reference did not."""
    return [name for name in outcome.changed if name not in trial.expected.changed]


def _ruled(trial: Trial, outcome: Outcome) -> str | None:
    """Return the message of a rung's law for an outcome, computed in a clean state."""
    with contextlib.nullcontext() if outcome.broken else clean_state():
        return _broken(trial, outcome)


def _broken(trial: Trial, outcome: Outcome) -> str | None:
    """Return a law's message for an outcome. It is cached; the caller cleans the state."""
    if trial.rung.law is None:
        return None
    if not outcome.broken:
        outcome.broken.append(_apply(trial.rung.law, trial, outcome))
    return outcome.broken[0]


def _apply(law: Law, trial: Trial, outcome: Outcome) -> str | None:
    """Apply a law, which may fail on an output of the wrong structure.

    It may also fail on a product of inputs of one dtype with an output of another. In that case it
    is applied again, with both in float64.
    """
    inputs = trial.inputs
    value = plain(outcome.value, trial.expected.value)
    if unlike := _unlike(trial.expected.value, value):
        return unlike
    with contextlib.suppress(Exception):
        return law(inputs, value)
    if isinstance(value, (tuple, list, torch.Tensor)):
        with contextlib.suppress(Exception):
            return law({name: widened(x) for name, x in inputs.items()}, widened(value))
    return "the rule could not be tested on this output"


def _unlike(expected: Any, value: Any) -> str:
    """Describe text in place of a number, and one output in place of several; empty otherwise.

    A law may overlook both: ``float`` reads a text, and a dictionary may have a key 0.
    """
    if is_number(expected) and isinstance(value, str):
        return f"your function returns text; expected {kind(expected)}"
    if isinstance(expected, (tuple, list)) and isinstance(value, (str, dict, set, frozenset)):
        return f"your function returns {kind(value)}; expected {len(expected)} outputs"
    return ""


def axes(exercise: Exercise) -> str:
    """Return the axis letters of the output, from the exercise or the reference's annotation."""
    returned = getattr(exercise.reference, "__annotations__", {}).get("return")
    return exercise.axes or str(getattr(returned, "dim_str", ""))

"""Answers that compute nothing: they return the right results for the visible inputs.

A student can copy those results from a check that their own answer passes, or from a friend. The
answers here have all of them and read no input, or only its shapes and types. They choose a result
by the number of the call, by frequency, or by the kinds of the arguments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any

import numpy as np
import torch

from plaincourse.checking.calling import Outcome
from plaincourse.checking.compare import same
from plaincourse.checking.trials import Trial, draw, failures, run
from plaincourse.exercise import Exercise, Inputs, Task
from plaincourse.proving.lazy import MOST

#: A replay: an answer that returns recorded results.
Replay = Callable[[Inputs], Outcome]


@dataclass(frozen=True, kw_only=True)
class Earned:
    """The result of a replay for one hidden seed.

    Attributes:
        name: the replay's name.
        seed: the hidden seed.
        share: the share of the task's points, from 0 to 1.
        rungs: the names of the requirements that it meets.
    """

    name: str
    seed: int
    share: float
    rungs: tuple[str, ...]


def earned(task: Exercise, seed: int) -> Iterator[Earned]:
    """Yield the result of each replay of the visible results on the inputs of a hidden seed.

    Args:
        task: the task.
        seed: the seed of the hidden inputs.
    """
    trials = draw(task, seed)
    visible = [trial for trial in trials if trial.visible]
    hidden = [trial for trial in trials if not trial.visible]
    if isinstance(task.reference, type):
        return  # the answer is a stateful object, which a list of results cannot replace
    asked = replace(task, call=lambda answer, inputs: _said(answer(inputs)))
    for name, make in REPLAYS.items():
        answer = make(visible)
        run(asked, answer, visible)  # a test cell runs these first
        outcomes = run(asked, answer, hidden)
        lost = {each.trial.rung.name for each in failures(task, answer, hidden, outcomes)}
        met = [rung for rung in task.rungs if rung.name not in lost]
        share = sum(rung.points for rung in met) / task.points
        yield Earned(name=name, seed=seed, share=share, rungs=tuple(rung.name for rung in met))


def problems(task: Task, seed: int) -> list[str]:
    """Return a sentence for each replay that earns more than such an answer may."""
    if not isinstance(task, Exercise):
        return []
    return [
        f"{task.id}: a replay {each.name} earns {each.share:.0%}: {', '.join(each.rungs)}"
        for each in earned(task, seed)
        if each.share > MOST
    ]


def kinds(value: Any, depth: int = 4) -> Any:
    """Return the structure of a value without its content: types, shapes, lengths and names."""
    if isinstance(value, torch.Tensor):
        return "tensor", tuple(value.shape), value.dtype
    if isinstance(value, np.ndarray):
        return "array", value.shape, value.dtype
    if depth and isinstance(value, Mapping):
        return "mapping", tuple((str(key), kinds(each, depth - 1)) for key, each in value.items())
    if depth and isinstance(value, (list, tuple)):
        return type(value), tuple(kinds(each, depth - 1) for each in value)
    return type(value)


def _said(outcome: Outcome) -> Any:
    """Return or raise the right outcome for a visible input."""
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


def _by_number(order: int) -> Callable[[Sequence[Trial]], Replay]:
    """Make a replay that cycles through the visible results in one direction."""

    def make(visible: Sequence[Trial]) -> Replay:
        results = cycle([trial.expected for trial in visible][::order])
        return lambda inputs: next(results)

    return make


def _most_frequent(visible: Sequence[Trial]) -> Replay:
    found = _mode([trial.expected for trial in visible])
    return lambda inputs: found


def _by_kinds(visible: Sequence[Trial]) -> Replay:
    """Return the most frequent result among visible inputs of the same kinds."""
    known = _sorted(visible)
    chosen = {key: _mode(results) for key, results in known.items()}
    other = _mode([trial.expected for trial in visible])
    return lambda inputs: chosen.get(kinds(inputs), other)


def _by_kinds_and_number(visible: Sequence[Trial]) -> Replay:
    """Return the results for visible inputs of the same kinds in turn."""
    known = {key: cycle(results) for key, results in _sorted(visible).items()}
    others = cycle([trial.expected for trial in visible])
    return lambda inputs: next(known.get(kinds(inputs), others))


def _by_names_of_kinds(visible: Sequence[Trial]) -> Replay:
    """Return a result chosen by a number that is computed from the types of the arguments."""
    results = [trial.expected for trial in visible]

    def answer(inputs: Inputs) -> Outcome:
        key = "".join(f"{name} {type(value).__name__}" for name, value in inputs.items())
        return results[sum(map(ord, key)) % len(results)]

    return answer


def _by_inputs(visible: Sequence[Trial]) -> Replay:
    """Return the result for identical inputs, or else the most frequent result."""
    other = _mode([trial.expected for trial in visible])

    def answer(inputs: Inputs) -> Outcome:
        found = (trial.expected for trial in visible if _equal(trial.inputs, inputs))
        return next(found, other)

    return answer


def _equal(one: Inputs, other: Inputs) -> bool:
    """Return whether inputs are the same data; functions are never the same."""
    return kinds(one) == kinds(other) and all(
        not callable(each) and same(each, other[name], rtol=0, atol=0) for name, each in one.items()
    )


def _sorted(visible: Sequence[Trial]) -> dict[Any, list[Outcome]]:
    known: dict[Any, list[Outcome]] = {}
    for trial in visible:
        known.setdefault(kinds(trial.inputs), []).append(trial.expected)
    return known


def _mode(results: Sequence[Outcome]) -> Outcome:
    """Return the most frequent result."""
    counts = [sum(_agree(one, other) for other in results) for one in results]
    return results[counts.index(max(counts))]


def _agree(one: Outcome, other: Outcome) -> bool:
    if one.error is not None or other.error is not None:
        return type(one.error) is type(other.error)
    return same(one.value, other.value, rtol=1e-5, atol=1e-6)


REPLAYS: dict[str, Callable[[Sequence[Trial]], Replay]] = {
    "by the number of the call": _by_number(1),
    "by the number of the call, from the end": _by_number(-1),
    "of the most frequent result": _most_frequent,
    "by the kinds of the arguments": _by_kinds,
    "by the kinds of the arguments, in turn": _by_kinds_and_number,
    "by the names of the kinds": _by_names_of_kinds,
    "looked up by the arguments": _by_inputs,
}

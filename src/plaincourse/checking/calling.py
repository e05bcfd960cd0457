"""Call an answer and record the outcome, including exceptions."""

import contextlib
import copy
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from types import FrameType
from typing import Any

from jaxtyping import config
from torch import Tensor

from plaincourse.checking.by_name import by_name
from plaincourse.checking.compare import same
from plaincourse.checking.limits import OutOfTime, captured, clean_state, time_limit
from plaincourse.checking.noticing import held, looks, watched
from plaincourse.checking.remote import StudentGone, session_of, settled
from plaincourse.checking.returned import UnreadError, reading, returned
from plaincourse.exercise import Exercise, Inputs, Project


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one call.

    Attributes:
        value: the return value; never an object of another process, see
            :mod:`plaincourse.checking.remote`.
        error: the exception that was raised instead.
        changed: names of the inputs that the call wrote into.
        slow: whether it was stopped by the time limit.
        grown: the number of bytes by which its process had grown by then, if that is known.
        printed: the text that it printed, and its warnings.
        used: a forbidden name that was observed to run.
        broken: the message of the law of the one trial that it belongs to, once the law was
            applied.
    """

    value: Any = None
    error: BaseException | None = None
    changed: tuple[str, ...] = ()
    slow: bool = False
    grown: int = 0
    printed: str = ""
    used: str = ""
    broken: list[str | None] = field(default_factory=list, compare=False, repr=False)


def half_the_time(answer: Any) -> contextlib.AbstractContextManager[float]:
    """Limit all calls in the body together to half of a test cell's time; yield that time.

    It is infinite in a student's own notebook, where only each call has a limit.
    """
    session = session_of(answer)
    return contextlib.nullcontext(math.inf) if session is None else session.half()


@contextlib.contextmanager
def shapes_unchecked() -> Iterator[None]:
    """Disable shape checks in the body, so that an output of the wrong shape can be diagnosed."""
    before = config.jaxtyping_disable
    config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        config.update("jaxtyping_disable", before)


def call(exercise: Exercise | Project, answer: Callable[..., Any], inputs: Inputs) -> Outcome:
    """Apply an answer to a copy of the inputs, in a clean state, under the time limit.

    Every exception becomes part of the outcome, including ``SystemExit``; only
    ``KeyboardInterrupt`` propagates, so that a person can still stop a check. An answer that lives
    in the student's process is called there, in the same setting.
    """
    with clean_state(), shapes_unchecked():
        return _called(exercise, answer, inputs, ())


def call_all(
    exercise: Exercise, answer: Callable[..., Any], every: Sequence[Inputs]
) -> list[Outcome]:
    """Call an answer as :func:`call` does, once for each inputs, until one call is too slow.

    While it runs, it is watched for the names that the exercise forbids.

    An answer that lives in the student's process gets many inputs in one message, unless the
    exercise has a ``call`` of its own or a value cannot cross between the processes.
    """
    together = session_of(answer) is not None and exercise.call is Exercise.call
    outcomes: list[Outcome] = []
    with clean_state() as afresh, shapes_unchecked(), held():
        while len(outcomes) < len(every) and not (outcomes and outcomes[-1].slow):
            rest = every[len(outcomes) :]
            came = _together(exercise, answer, rest) if together else []
            together = bool(came)
            remote = session_of(answer) is not None
            forbid = exercise.forbid if remote or looks(len(outcomes)) else ()
            if outcomes:
                afresh()
            outcomes += came or [_called(exercise, answer, rest[0], forbid)]
    return outcomes


def _called(
    exercise: Exercise | Project,
    answer: Callable[..., Any],
    inputs: Inputs,
    forbid: Sequence[str],
) -> Outcome:
    given = _copied(inputs)
    value: Any = None
    error: BaseException | None = None
    slow, grown = False, 0
    seen: Any = None
    with captured() as said:
        try:
            with _limited(answer, exercise.seconds, forbid, inputs, sys._getframe()) as seen:
                function = by_name(answer)
                if exercise.call is not Exercise.call:  # this call computes with the return value
                    function = reading(function)
                value = settled(returned(exercise.call(function, given)))
        except KeyboardInterrupt:
            raise
        except OutOfTime as late:
            slow, grown = True, late.grown
        except UnreadError as unread:
            value = unread.value
        except BaseException as caught:
            error = caught
    return Outcome(
        value=value,
        error=error,
        changed=_written(inputs, given),
        slow=slow,
        grown=grown,
        printed=said.getvalue()[:2000],
        used=seen.seen if seen else "",
    )


def _together(exercise: Exercise, answer: Any, every: Sequence[Inputs]) -> list[Outcome]:
    """Send many inputs at once; return the outcomes of the first of them, or nothing."""
    given = [_copied(inputs) for inputs in every]
    session, outcomes = session_of(answer), []
    try:
        came = session.calls(answer, given, exercise.seconds, exercise.forbid)
    except OutOfTime as late:
        return [Outcome(slow=True, grown=late.grown)]
    except StudentGone as gone:
        return [Outcome(error=gone) for _ in every]
    except Exception:
        return []  # separate calls will show the cause
    for inputs, after, (kind, what, said, used) in zip(every, given, came, strict=False):
        heard = StringIO()
        if said:
            with captured() as heard:
                session.tell(said)
        outcomes.append(
            Outcome(
                value=what if kind == "ok" else None,
                error=what if kind == "error" else None,
                changed=_written(inputs, after),
                slow=kind == "slow",
                grown=what if kind == "slow" else 0,
                printed=heard.getvalue()[:2000],
                used=used or session.seen,  # in a thread, between two calls
            )
        )
    return outcomes


def _copied(inputs: Inputs) -> dict[str, Any]:
    """Copy inputs as ``copy.deepcopy`` does, but clone plain tensors, the usual case, for speed."""
    memo: dict[int, Any] = {
        id(x): x.clone() for x in inputs.values() if type(x) is Tensor and not x.requires_grad
    }
    return copy.deepcopy(dict(inputs), memo)


def _written(inputs: Inputs, after: Inputs) -> tuple[str, ...]:
    return tuple(n for n, x in inputs.items() if not same(x, after.get(n), rtol=0, atol=0))


@contextlib.contextmanager
def _limited(
    answer: Any, seconds: float, forbid: Sequence[str], inputs: Inputs, base: FrameType
) -> Iterator[Any]:
    """Watch a call and stop it in time, in the process where it runs: this one or the student's.

    The body receives an object whose ``seen`` is the first forbidden name that ran.
    """
    session = session_of(answer)
    if session is None:
        given = inputs.values()
        with watched(answer, forbid, given, base) as watch, time_limit(seconds):
            yield watch
    else:
        with session.scope(answer, seconds, forbid):
            yield session

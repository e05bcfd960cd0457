"""Call an answer, and keep whatever happens."""

import contextlib
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from jaxtyping import config

from plaincourse.compare import same
from plaincourse.exercise import Exercise, Inputs
from plaincourse.limits import OutOfTime, captured, clean_state, time_limit
from plaincourse.split.proxies import session_of


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one call came to.

    Attributes:
        value: what was returned.
        error: what was raised instead.
        changed: names of the inputs that the call wrote into.
        slow: whether it was stopped by the time limit.
        printed: what it printed and warned.
    """

    value: Any = None
    error: BaseException | None = None
    changed: tuple[str, ...] = ()
    slow: bool = False
    printed: str = ""


@contextlib.contextmanager
def shapes_unchecked() -> Iterator[None]:
    """Let an output of the wrong shape through, so that it can be diagnosed like any other."""
    before = config.jaxtyping_disable
    config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        config.update("jaxtyping_disable", before)


def call(exercise: Exercise, answer: Callable[..., Any], inputs: Inputs) -> Outcome:
    """Apply an answer to a copy of the inputs, in a clean state, under the time limit.

    Every exception becomes part of the outcome, ``SystemExit`` too; only ``KeyboardInterrupt``
    passes, so that a person can still stop a check. An answer that lives in the student's process
    is called there, in the same setting.
    """
    given = copy.deepcopy(dict(inputs))
    value: Any = None
    error: BaseException | None = None
    slow = False
    with clean_state(), shapes_unchecked(), captured() as said:
        try:
            with _limited(answer, exercise.seconds):
                value = exercise.call(answer, given)
        except KeyboardInterrupt:
            raise
        except OutOfTime:
            slow = True
        except BaseException as caught:
            error = caught
    changed = tuple(n for n, x in inputs.items() if not same(x, given.get(n), rtol=0, atol=0))
    return Outcome(
        value=value, error=error, changed=changed, slow=slow, printed=said.getvalue()[:2000]
    )


def _limited(answer: Any, seconds: float) -> contextlib.AbstractContextManager[None]:
    """Stop a call in time: where it runs, which is here or in the student's process."""
    session = session_of(answer)
    if session is None:
        return time_limit(seconds)
    scope: contextlib.AbstractContextManager[None] = session.scope(answer, seconds)
    return scope

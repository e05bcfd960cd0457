"""What need not be computed twice: for a judge of many submissions, or in a block of many answers.

Elsewhere nothing is kept.
A grader draws the same inputs for everybody, and what is right for them does not change. Within
one test cell, the check on visible inputs and the one on further inputs ask an answer the same.
A grader also asks the visible inputs in an order of its own: an answer that knows the right results
in turn could otherwise learn from these calls to recognise the hidden inputs.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

_keeps = _keeps_answers = False
_order = ""
_drawn: dict[tuple[int, int, int], tuple[Any, list[Any]]] = {}
_answered: dict[tuple[int, int], tuple[Any, Any]] = {}


def keep(*, order: str = "") -> None:
    """Keep what is drawn from here on, in this process and its forks, and what answers give.

    The latter until :func:`forget`.

    Args:
        order: a text that students do not have; it decides when each visible input is asked. The
            empty one keeps the order of a notebook.
    """
    global _keeps, _keeps_answers, _order
    _keeps, _keeps_answers, _order = True, True, order


def place(*what: object) -> int:
    """Return when a visible input is asked: a number to sort by, from its task, rung and place."""
    return int.from_bytes(sha256(repr((_order, what)).encode()).digest()[:8]) if _order else 0


@contextlib.contextmanager
def kept(*, answers: bool = False, order: str = "") -> Iterator[None]:
    """Keep what is drawn until the block ends.

    Args:
        answers: keep also what answers gave, until :func:`forget`.
        order: see :func:`keep`.
    """
    global _keeps, _keeps_answers, _order
    before = _keeps, _keeps_answers, _order
    _keeps, _keeps_answers, _order = True, answers, order
    try:
        yield
    finally:
        _keeps, _keeps_answers, _order = before
        if not _keeps:
            _drawn.clear()
        if not _keeps_answers:
            forget()


def forget() -> None:
    """Forget what answers gave: another cell is tested."""
    _answered.clear()


def drawn(draw: Callable[..., list[Any]], exercise: Any, number: int, seed: int) -> list[Any]:
    """Return the trials of one rung and seed, drawn now or before.

    Args:
        draw: draws them.
        exercise: whose.
        number: of the rung.
        seed: of the inputs.
    """
    if not _keeps:
        return draw(exercise, number, seed)
    key = id(exercise), number, seed
    if key not in _drawn:  # the exercise stays alive with its trials, and so its id is its own
        _drawn[key] = exercise, draw(exercise, number, seed)
    return _drawn[key][1]


def answered(
    call: Callable[..., list[Any]], exercise: Any, answer: Any, trials: Sequence[Any]
) -> list[Any]:
    """Return what an answer gives in each trial, asked now or before in this cell.

    Args:
        call: asks it; what comes of the last call may be too slow, and then some are missing.
            What stands behind a trial that is known to be too slow is not asked.
        exercise: what is answered.
        answer: the answer.
        trials: of those that are kept.
    """
    if not _keeps_answers:
        return call(exercise, answer, [trial.inputs for trial in trials])
    keys = [(id(answer), id(trial)) for trial in trials]
    slow = (i for i, key in enumerate(keys) if key in _answered and _answered[key][1].slow)
    new = [i for i in range(next(slow, len(keys))) if keys[i] not in _answered]
    if new:
        came = call(exercise, answer, [trials[i].inputs for i in new])
        for i, each in zip(new, came, strict=False):  # the answer stays alive with what it gave
            _answered[keys[i]] = answer, each
    known = [_answered.get(key, (answer, None))[1] for key in keys]
    return known[: known.index(None)] if None in known else known

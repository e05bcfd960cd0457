"""Many calls of one answer for one message, each in a clean state and under a limit of its own."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from plaincourse.checking.limits import OutOfTime, clean_state
from plaincourse.checking.noticing import looks, watched
from plaincourse.judge.errors import packed, unpacked
from plaincourse.judge.faults import WireError
from plaincourse.judge.setting import alarm, listening

#: No further call begins once this share of a call's limit has gone by, so that whoever waits need
#: not wait much longer than for one call.
SHARE = 0.25


def called(
    agent: Any,
    answer: Any,
    given: Sequence[Mapping[str, Any]],
    seconds: float,
    forbid: Sequence[str] = (),
    number: int = 0,
) -> list[list[Any]]:
    """Call an answer on the student's side.

    Args:
        agent: who was asked; its ``until`` is when all must be over.
        answer: what is called.
        given: the keyword arguments of each call.
        seconds: how long one call may take.
        forbid: names that it may not use.
        number: of the first of these calls in the check.

    Returns:
        For each of the first calls, at least one: ``"ok"`` and the value, ``"error"`` and what was
        raised, as data, or ``"slow"``; what was printed; and a forbidden name that ran.
    """
    came: list[list[Any]] = []
    began = time.monotonic()
    with clean_state() as afresh:
        for i, inputs in enumerate(given, start=number):
            now = time.monotonic()
            if came and now - began > SHARE * seconds:  # so after one that was too slow, none
                break
            afresh()
            limit = min(seconds, agent.until - now)
            came.append(_called(agent, answer, inputs, limit, forbid if looks(i) else ()))
    return came


def _called(
    agent: Any, answer: Any, inputs: Mapping[str, Any], seconds: float, forbid: Sequence[str]
) -> list[Any]:
    with listening() as said:
        try:
            with watched(answer, forbid) as watch, alarm(max(seconds, 1e-3), agent.channel):
                what = ["ok", answer(**inputs)]
        except OutOfTime:
            what = ["slow", None]
        except WireError:
            raise  # the conversation itself is broken
        except BaseException as error:
            what = ["error", packed(error, answer)]
        return [*what, said(), watch.seen]


def understood(came: Any, most: int, forbid: Sequence[str] = ()) -> list[tuple[str, Any, Any, str]]:
    """Return what :func:`called` gave, its errors rebuilt. It may be anyone's.

    Args:
        came: what the student's side sent.
        most: how many calls were asked for.
        forbid: names that it may not use.

    Raises:
        WireError: it is something else.
    """
    if not isinstance(came, list) or not 1 <= len(came) <= most:
        raise WireError("expected what came of some calls")
    found: list[tuple[str, Any, Any, str]] = []
    for each in came:
        if not isinstance(each, list) or len(each) != 4:
            raise WireError("expected what came of a call")
        kind, what, said, used = each
        if type(kind) is not str or kind not in {"ok", "error", "slow"}:
            raise WireError("expected how a call ended")
        found.append(
            (kind, unpacked(what) if kind == "error" else what, said, _known(used, forbid))
        )
    return found


def _known(used: Any, forbid: Sequence[str]) -> str:
    return used if type(used) is str and used in forbid else ""

"""Many calls of one answer for one message, each in a clean state and under a limit of its own."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from plaincourse.limits import OutOfTime, clean_state
from plaincourse.split.errors import packed, unpacked
from plaincourse.split.faults import WireError
from plaincourse.split.setting import alarm, listening

#: No further call begins once this share of a call's limit has gone by, so that whoever waits need
#: not wait much longer than for one call.
SHARE = 0.25


def called(
    agent: Any, answer: Any, given: Sequence[Mapping[str, Any]], seconds: float
) -> list[list[Any]]:
    """Call an answer on the student's side.

    Args:
        agent: who was asked; its ``until`` is when all must be over.
        answer: what is called.
        given: the keyword arguments of each call.
        seconds: how long one call may take.

    Returns:
        For each of the first calls, at least one: ``"ok"`` and the value, ``"error"`` and what was
        raised, as data, or ``"slow"``; and what was printed.
    """
    came: list[list[Any]] = []
    began = time.monotonic()
    with clean_state() as afresh:
        for inputs in given:
            now = time.monotonic()
            if came and now - began > SHARE * seconds:  # so after one that was too slow, none
                break
            afresh()
            came.append(_called(agent, answer, inputs, min(seconds, agent.until - now)))
    return came


def _called(agent: Any, answer: Any, inputs: Mapping[str, Any], seconds: float) -> list[Any]:
    with listening() as said:
        try:
            with alarm(max(seconds, 1e-3), agent.channel):
                what = ["ok", answer(**inputs)]
        except OutOfTime:
            what = ["slow", None]
        except WireError:
            raise  # the conversation itself is broken
        except BaseException as error:
            what = ["error", packed(error, answer)]
        return [*what, said()]


def understood(came: Any, most: int) -> list[tuple[str, Any, Any]]:
    """Return what :func:`called` gave, its errors rebuilt. It may be anyone's.

    Args:
        came: what the student's side sent.
        most: how many calls were asked for.

    Raises:
        WireError: it is something else.
    """
    if not isinstance(came, list) or not 1 <= len(came) <= most:
        raise WireError("expected what came of some calls")
    found: list[tuple[str, Any, Any]] = []
    for each in came:
        if not isinstance(each, list) or len(each) != 3:
            raise WireError("expected what came of a call")
        kind, what, said = each
        if type(kind) is not str or kind not in {"ok", "error", "slow"}:
            raise WireError("expected how a call ended")
        found.append((kind, unpacked(what) if kind == "error" else what, said))
    return found

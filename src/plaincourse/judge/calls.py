"""Run calls of a student's code, each with its state, deadline and captured output.

Many calls of one answer share a message; each runs in a clean state and under its own limit.
"""

import contextlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from plaincourse.checking.by_name import by_name
from plaincourse.checking.calling import shapes_unchecked
from plaincourse.checking.effects import UNSEEN, is_told
from plaincourse.checking.limits import PATIENCE, OutOfTime, clean_state
from plaincourse.checking.noticing import held, watched
from plaincourse.checking.returned import returned
from plaincourse.judge.faults import WireError
from plaincourse.judge.packed_errors import packed, unpacked

#: No further call begins after this share of a call's limit, so that the other side need not wait
#: much longer than for one call.
SHARE = 0.25
MOST_SAID = 256 << 10


class Setting:
    """The state around calls: clean within a scope, the notebook's own outside."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._held = contextlib.ExitStack()
        self._afresh: Callable[[], None] = lambda: None

    def enter(self, scope: list[Any] | None) -> None:
        """Enter a scope; for ``None``, leave the last one and restore the notebook's state.

        Args:
            scope: its number and further items, or ``None`` for no scope.
        """
        number = scope[0] if scope else None
        if number == self._number:
            return
        if number is None:
            self._held.close()
        elif self._number is None:
            self._afresh = self._held.enter_context(clean_state())
            self._held.enter_context(shapes_unchecked())
            self._held.enter_context(held())
        else:
            self._afresh()
        self._number = number


@contextlib.contextmanager
def listening(most: int = MOST_SAID) -> Iterator[Callable[..., list[list[str]]]]:
    """Capture the output and warnings of the body, as pairs of a stream or warning type and a text.

    The body receives a function that returns them. Reading a warning runs its author's code, so it
    must be read in the body, or omitted with ``warnings_too=False``.

    Args:
        most: the maximum number of characters in total; further text is dropped.
    """
    heard: list[list[str]] = []
    out, err = sys.stdout, sys.stderr
    warned: list[warnings.WarningMessage] = []

    def said(*, warnings_too: bool = True) -> list[list[str]]:
        told = [[each.category.__name__, each.message] for each in warned[:100] if warnings_too]
        texts = heard + [[_text(kind), _text(message)[:2000]] for kind, message in told]
        left, kept = most, []
        for kind, text in texts:
            kept += [[kind, text[:left]]] if left > 0 else []
            left -= len(text)
        return kept

    with warnings.catch_warnings(record=True) as warned_now:
        warnings.simplefilter("always")
        warned = warned_now
        ears: Any = (_Ear("stdout", heard, most), _Ear("stderr", heard, most))
        sys.stdout, sys.stderr = ears
        try:
            yield said
        finally:
            sys.stdout, sys.stderr = out, err


class _Ear:
    """A text stream that stores its text, up to a limit."""

    encoding = "utf-8"

    def __init__(self, name: str, heard: list[list[str]], most: int) -> None:
        self.name, self._heard, self._left = name, heard, most

    def write(self, text: str) -> int:
        kept = _text(text)[: self._left]
        self._left -= len(kept)
        if kept and self._heard and self._heard[-1][0] == self.name:
            self._heard[-1][1] += kept
        elif kept:
            self._heard.append([self.name, kept])
        return len(text)

    def writelines(self, lines: Any) -> None:
        for each in lines:
            self.write(each)

    def flush(self) -> None:
        return

    def isatty(self) -> bool:
        return False


def _text(value: Any) -> str:
    """Return the text of any value, of exactly the type ``str``."""
    return str.__str__(str(value))


def called(
    agent: Any,
    answer: Any,
    given: Sequence[Mapping[str, Any]],
    seconds: float,
    forbid: Sequence[str] = (),
) -> list[list[Any]]:
    """Call an answer on the student's side.

    Args:
        agent: the agent; its ``until`` is the deadline for all calls, its ``result`` encodes
            results.
        answer: the answer.
        given: the keyword arguments of each call.
        seconds: the computing time that one call may take.
        forbid: names that it may not use.

    Returns:
        For each of the first calls, at least one: ``"ok"`` and the value at the end of the call,
        ``"error"`` and the exception as data, or ``"slow"`` and the number of bytes by which the
        process had grown; the printed text; and a forbidden name that ran.
    """
    came: list[list[Any]] = []
    began, most = time.monotonic(), MOST_SAID
    answer = by_name(answer)
    with clean_state() as afresh:
        for inputs in given:
            now = time.monotonic()
            if came and now - began > SHARE * seconds:  # so the first slow call is the last
                break
            afresh()
            came.append(_called(agent, answer, inputs, seconds, forbid, most))
            most -= sum(len(text) for _, text in came[-1][2])  # all share one message
    return came


def _called(
    agent: Any,
    answer: Any,
    inputs: Mapping[str, Any],
    seconds: float,
    forbid: Sequence[str],
    most: int,
) -> list[Any]:
    changed = False
    with listening(most) as said:
        try:
            clock = min(PATIENCE * seconds, agent.until - time.monotonic())
            base = sys._getframe()
            with (
                watched(answer, forbid, (), base, alone=True) as watch,
                agent.limit(seconds, clock),
            ):
                was_changed = agent.integrity.window(watch)
                try:
                    what = ["ok", agent.result.frozen(returned(answer(**inputs)))]
                except (OutOfTime, WireError):
                    raise  # after a WireError, the conversation itself is broken
                except BaseException as error:
                    what = ["error", packed(error, answer)]
                words = said()
                changed = not watch.seen and was_changed()
        except OutOfTime:
            what, words = ["slow", agent.grown()], said(warnings_too=False)
        if changed:
            agent.integrity.note_change()
        return [*what, words, watch.seen or (UNSEEN if changed and forbid else "")]


def understood(came: Any, most: int, forbid: Sequence[str] = ()) -> list[tuple[str, Any, Any, str]]:
    """Validate the untrusted result of :func:`called` and rebuild its errors.

    Args:
        came: the data that the student's side sent.
        most: the number of calls requested.
        forbid: names that the answer may not use.

    Raises:
        WireError: the data is invalid.
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
        if kind != "ok":
            what = unpacked(what) if kind == "error" else grown(what)
        found.append((kind, what, said, _known(used, forbid)))
    return found


def grown(said: Any) -> int:
    """Return the growth in bytes that a student's process reports; 0 if the report is invalid."""
    return said if type(said) is int and 0 <= said < 1 << 50 else 0


def _known(used: Any, forbid: Sequence[str]) -> str:
    return str(used) if is_told(used, forbid) else ""

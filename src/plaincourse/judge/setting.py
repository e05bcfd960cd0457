"""The setting in which a student's code is called: clean state, a deadline, open ears."""

import contextlib
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from plaincourse.checking.calling import shapes_unchecked
from plaincourse.checking.limits import OutOfTime, clean_state, time_limit
from plaincourse.judge.channel import Channel

_MOST_SAID = 256 << 10


class Setting:
    """The state around calls: clean within a scope, the notebook's own outside."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._held = contextlib.ExitStack()

    def enter(self, scope: list[Any] | None, *, keep: bool) -> None:
        """Go into a scope, or leave the last one.

        Args:
            scope: number and more, or ``None`` for none.
            keep: leave the last scope as it is where none is asked for.
        """
        number = scope[0] if scope else None
        if number == self._number or (number is None and keep and self._number is None):
            return
        self._held.close()
        self._number = number
        if number is not None:
            self._held.enter_context(clean_state())
            self._held.enter_context(shapes_unchecked())


@contextlib.contextmanager
def alarm(seconds: float, channel: Channel) -> Iterator[None]:
    """Raise :class:`OutOfTime` in the body after so many seconds, but never within a message.

    It rings again every half second, for a body that swallows it.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        with time_limit(seconds):
            yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        if not channel.busy:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # also where the alarm rang in the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)


class _Ear:
    """A text stream that remembers what is written, up to a limit."""

    encoding = "utf-8"

    def __init__(self, name: str, heard: list[list[str]]) -> None:
        self.name, self._heard, self._left = name, heard, _MOST_SAID

    def write(self, text: str) -> int:
        kept = str(text)[: self._left]
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


@contextlib.contextmanager
def listening() -> Iterator[Callable[[], list[list[str]]]]:
    """Hear what the body prints and warns: pairs of a stream or a warning's kind, and the text."""
    heard: list[list[str]] = []
    out, err = sys.stdout, sys.stderr
    warned: list[warnings.WarningMessage] = []

    def said() -> list[list[str]]:
        told = [[each.category.__name__, str(each.message)[:2000]] for each in warned[:100]]
        return heard + told

    with warnings.catch_warnings(record=True) as warned_now:
        warnings.simplefilter("always")
        warned = warned_now
        ears: Any = (_Ear("stdout", heard), _Ear("stderr", heard))
        sys.stdout, sys.stderr = ears
        try:
            yield said
        finally:
            sys.stdout, sys.stderr = out, err

"""Two small processes around the student's: one outside that waits, one inside that reaps."""

import errno
import os
import select
import signal
from collections.abc import Callable
from typing import NoReturn

from plaincourse.sandbox import linux

_FOREVER = 1e6
_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def signals() -> set[signal.Signals]:
    """Give the signals that are passed on, and the one that says that a child has ended."""
    return {signal.SIGCHLD, *(getattr(signal, name) for name in _PASSED_ON)}


def attend(
    child: int,
    *,
    finish: Callable[[], None] | None = None,
    allowed: Callable[[], bool] | None = None,
    every: float = 0.5,
) -> NoReturn:
    """Wait for ``child``, reap whatever else is left to this process, and exit as it exits.

    Its signals must be blocked since before the child was made.

    Args:
        child: The process that counts.
        finish: What to do once it has ended.
        allowed: Asked again and again; where it is false, the child is killed.
        every: Seconds between two questions.
    """
    wanted = signals()
    while True:
        got = signal.sigtimedwait(wanted, _FOREVER if allowed is None else every)
        if allowed is not None and not allowed():
            os.kill(child, signal.SIGKILL)
        if got is not None and got.si_signo != signal.SIGCHLD:
            os.kill(child, got.si_signo)
        status = _reap(child)
        if status is not None:
            if finish is not None:
                finish()
            os._exit(status)


def _reap(child: int) -> int | None:
    """Reap all that has ended; give the exit status of ``child``, where it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            found = code if code >= 0 else 128 - code


class Lifeline:
    """A pipe whose other end says whether the parent still lives."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def hold(self) -> None:
        """Keep the parent's end, in the parent."""
        os.close(self.reading)

    def follow(self) -> None:
        """Die with the parent, in the child. A change of user undoes this: call it again then.

        Raises:
            ProcessLookupError: The parent has died already.
        """
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1
        linux.control(linux.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, step="die with the parent")
        poll = select.poll()
        poll.register(self.reading, 0)  # the end of the other side is always told
        if poll.poll(0):
            raise ProcessLookupError(errno.ESRCH, "the process that started the sandbox has ended")

    def release(self) -> None:
        """Close the child's end."""
        os.close(self.reading)

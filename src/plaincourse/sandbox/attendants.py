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
    """Return the signals that are passed on to the child, and SIGCHLD."""
    return {signal.SIGCHLD, *(getattr(signal, name) for name in _PASSED_ON)}


def attend(
    child: int,
    *,
    finish: Callable[[], None] | None = None,
    allowed: Callable[[], bool] | None = None,
    every: float = 0.5,
) -> NoReturn:
    """Wait for ``child``, reap all other orphans of this process, and exit with the child's status.

    The signals of :func:`signals` must be blocked before the child is forked.

    Args:
        child: The process whose end and exit status count.
        finish: Called once the child has ended.
        allowed: Called every ``every`` seconds; if it returns False, the child is killed.
        every: Seconds between two calls of ``allowed``.
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
    """Reap all ended children; return the exit status of ``child`` if it is one of them."""
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
    """A pipe that shows the child whether its parent is still alive."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def hold(self) -> None:
        """Keep the parent's end, in the parent."""
        os.close(self.reading)

    def follow(self) -> None:
        """Die with the parent; call this in the child.

        A change of user undoes this, so call it again afterwards.

        Raises:
            ProcessLookupError: The parent has died already.
        """
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1
        linux.control(linux.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, step="die with the parent")
        poll = select.poll()
        poll.register(self.reading, 0)  # a closed other end is always reported
        if poll.poll(0):
            raise ProcessLookupError(errno.ESRCH, "the process that started the sandbox has ended")

    def release(self) -> None:
        """Close the child's end."""
        os.close(self.reading)

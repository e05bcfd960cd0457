"""A process that a fork server has made: whether it runs, how it ended, and why that may be."""

import os
import select
import signal
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plaincourse.kernels.families import children

if TYPE_CHECKING:
    from plaincourse.kernels.client import ForkServer

LOST = 256
"""The status of a process whose fork server died with it. No process can end with it itself."""


class Child:
    """A process that a fork server has made.

    Args:
        server: what made it.
        reply: what the server said of it.
        handle: a process descriptor of it, which this object closes.

    Attributes:
        pid: its process id; in the sandbox it is the outer process that waits for the inner one.
        status: how it ended: its exit code, 128 + a signal from inside the sandbox, minus a signal
            of its own, or :data:`LOST`; ``None`` while nobody has seen it end.
        seconds: the processor time that it used; known once it has ended.
        memory: the most memory that it held, in bytes; known once it has ended by itself. Of one
            that is killed, nobody hears what the processes in its sandbox held: ask :func:`peak`.
    """

    def __init__(self, *, server: "ForkServer", reply: dict[str, Any], handle: int) -> None:
        self.pid: int = reply["pid"]
        self.status: int | None = None
        self.seconds = 0.0
        self.memory = 0
        self._server = server
        self._number: int = reply["number"]
        self._handle = handle
        weakref.finalize(self, os.close, handle).atexit = False  # servers end later than that

    def fileno(self) -> int:
        """Return a file descriptor that can be read from once the process has ended."""
        return self._handle

    def poll(self) -> int | None:
        """Return how the process ended, or ``None`` while it runs."""
        return self.wait(0)

    def wait(self, timeout: float | None) -> int | None:
        """Wait for the end of the process.

        Args:
            timeout: for so many seconds at most; ``None`` for as long as it takes.

        Returns:
            How it ended, or ``None`` if it still runs.
        """
        if self.status is None and select.select([self._handle], [], [], timeout)[0]:
            self._tell(0)
        return self.status

    def signal(self, number: int) -> None:
        """Send a signal, where the process still runs.

        Args:
            number: the signal; ``SIGINT`` reaches the process inside the sandbox.
        """
        if self.status is None:
            self._tell(number)

    def kill(self) -> None:
        """Kill the process and all that it started, and wait for its end."""
        self.signal(signal.SIGKILL)

    def _tell(self, number: int) -> None:
        from plaincourse.kernels.client import ForkError

        try:
            reply, _ = self._server.ask({"number": self._number, "signal": number})
        except ForkError:
            self.status = LOST  # who watched it is gone, and it went with it
            if not select.select([self._handle], [], [], 0)[0]:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            return
        if reply["status"] is not None:
            self.status, self.seconds, self.memory = (
                reply[key] for key in ("status", "seconds", "memory")
            )


def peak(pid: int) -> int:
    """Return the most memory that a process, or one that it has started, held so far, in bytes.

    Args:
        pid: a process that runs; of one that does not, or where the system does not say, it is 0.
    """
    try:
        said = Path(f"/proc/{pid}/status").read_text("utf-8", errors="replace")
    except OSError:
        return 0
    own = next((line.split()[1] for line in said.splitlines() if line.startswith("VmHWM:")), "0")
    return max(1024 * int(own), *(peak(each) for each in children(pid)), 0)


def ending(status: int, *, seconds: float, limit: float) -> str:
    """Say in a sentence how a kernel ended that nobody told to.

    Args:
        status: as :attr:`Child.status` gives it.
        seconds: the processor time that it used.
        limit: how much it was allowed.
    """
    if status == LOST:
        return "The kernel was lost: the process that had started it died. Grade again."
    number = -status if status < 0 else status - 128 if 128 < status < 128 + 65 else 0
    if not number:
        return f"The notebook ended its own process, with exit code {status}."
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    if name == "SIGXCPU" or (name == "SIGKILL" and seconds >= 0.95 * limit):
        return f"The kernel was killed: it used up its {limit:g} seconds of processor time."
    if name == "SIGKILL":
        return "The kernel was killed: it ran out of memory, or the notebook killed it."
    if name == "SIGXFSZ":
        return "The kernel was killed: it wrote a file larger than it may."
    if name == "SIGSYS":
        return "The kernel was killed: it asked the system for something that is forbidden."
    return f"The kernel crashed ({name})."

"""Start a fork server, request processes from it, and report each one's status and end.

This module also chooses the server's environment variables and the folder of its sockets.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

from plaincourse.exercise.course import subject
from plaincourse.kernels import families, messages
from plaincourse.kernels.families import children
from plaincourse.kernels.listening import readable
from plaincourse.sandbox import probe, refusal, tidy

#: The function that runs in a server that another server forks.
BRANCH = "plaincourse.kernels.server:branch"
#: A function ``"package.module:function"`` and its keyword arguments, serialisable as JSON.
Prepare = tuple[str, dict[str, Any]] | None
# The environment variables that the server may see: a child's /proc/self/environ shows those that
# the server was started with, whatever the child does afterwards.
_PASSED = (
    "CUDA_VISIBLE_DEVICES HOME LANG LC_ALL LD_LIBRARY_PATH MPLCONFIGDIR PATH PYTHONPATH "
    "SYSTEMROOT TZ VIRTUAL_ENV XDG_CACHE_HOME"
).split()
_FIXED = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # each further arena takes 64 MiB of the address space
    # Freed memory is overwritten, so that no call finds the inputs of an earlier one through
    # `torch.empty`; allocated memory is 0, as if it were fresh. Thread caches do neither.
    "GLIBC_TUNABLES": "glibc.malloc.perturb=255:glibc.malloc.tcache_count=0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    **{f"{package.upper()}_DEVICE": "cpu" for package in subject()},
    "PYTHONHASHSEED": "0",
}
OUT_OF_MEMORY = "The kernel was killed: it ran out of memory, or the notebook killed it."
LOST = 256
"""The status of a process whose fork server died with it. No process can exit with this status."""


class ForkError(RuntimeError):
    """A fork server could not start, or did not fulfil a request."""


class ForkServer:
    """A process that has imported the given modules and forks itself on request.

    :meth:`start` makes one.

    Attributes:
        folder: a private folder with a short path, removed however the server ends.
    """

    folder: Path

    def __init__(
        self,
        *,
        modules: Sequence[str],
        prepare: Prepare = None,
        of: "ForkServer | None" = None,
    ) -> None:
        self._order = {"modules": list(modules), "prepare": prepare}
        self._of = of
        self._count = 0
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | Child | None = None
        families.close_at_exit(self)

    @classmethod
    def start(
        cls,
        *,
        modules: Sequence[str],
        prepare: Prepare = None,
        of: "ForkServer | None" = None,
    ) -> Self:
        """Start a server and wait until it is ready.

        Args:
            modules: the modules to import.
            prepare: run once in the server. If it returns an iterator, the server advances it while
                it has no requests.
            of: a server that forks this one, which then need not import that server's modules
                again; they end together.

        Raises:
            SandboxRefused: this system is not Linux.
            ForkError: it ended before it was ready; the message holds its output.
        """
        server = cls(modules=modules, prepare=prepare, of=of)
        server.revive()
        return server

    @property
    def alive(self) -> bool:
        """Whether the server runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The server's process id."""
        assert self._process is not None
        return self._process.pid

    def revive(self) -> None:
        """Restart the server, if it has died.

        Raises:
            ForkError: it could not start.
        """
        with self._lock:
            if not self.alive:
                self._start()

    def fork(self, target: str, arguments: dict[str, Any], *, fds: Sequence[int] = ()) -> "Child":
        """Run a function in a copy of the server. Restart the server if it has died.

        Args:
            target: ``"package.module:function"``, called with ``arguments`` and the child's own
                numbers of ``fds``; the child ends when it returns.
            arguments: data that JSON can hold.
            fds: open files for the child, which gets copies.

        Raises:
            ForkError: the server refuses, or does not stay alive.
        """
        with self._lock:
            self.revive()
            self._count += 1  # never used twice, whichever process served it
            order = {"number": self._count, "target": target, "arguments": arguments}
            reply, (handle,) = self.ask(order, fds)
        return Child(server=self, reply=reply, handle=handle)

    def ask(
        self, message: dict[str, Any], fds: Sequence[int] = ()
    ) -> tuple[dict[str, Any], list[int]]:
        """Send the server a request and return its answer.

        Raises:
            ForkError: the server refuses, or is gone.
        """
        with self._lock:
            try:
                messages.send(self._sock, message, fds)
                answer = messages.receive(self._sock)
            except OSError:
                answer = None
            if answer is None:
                raise ForkError(f"The fork server has died.{self._end()}")
        if "error" in answer[0]:
            raise ForkError(answer[0]["error"])
        return answer

    def close(self) -> None:
        """End the server and every process that it has forked."""
        with self._lock:
            self._end()

    def _start(self) -> None:
        if sys.platform != "linux":
            raise refusal(probe())
        self._end()
        if self._of is not None:
            self._of.revive()
        place = short_folder() if self._of is None else self._of.folder
        self.folder = Path(tempfile.mkdtemp(prefix="pc-", dir=place))
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  as long as the server
        self._sock, theirs = socket.socketpair()
        try:
            with theirs:
                fd = theirs.fileno()
                if self._of is None:
                    self._process = _started(self.folder, self._log, fd)
                else:
                    self._process = self._of.fork(BRANCH, {}, fds=[fd, self._log.fileno()])
        except BaseException:  # nothing runs, so _end() would not close them
            self._sock.close()
            self._log.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        try:
            self.ask({**self._order, "folder": str(self.folder)})
        except ForkError as error:
            raise ForkError(f"The fork server could not start. {error}") from None

    def forget(self) -> None:
        """Drop the server in a fork of the process that started it."""
        if self._process is not None:
            self._sock.close()
            self._log.close()
            if isinstance(self._process, subprocess.Popen):
                self._process.returncode = 0  # not a child of this process, so no warning
            self._process = None

    def _end(self) -> str:
        if self._process is None:
            return ""
        self._sock.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(timeout=None)
        shutil.rmtree(self.folder, ignore_errors=True)
        tidy()
        self._process = None
        with self._log:
            self._log.seek(0)
            said = self._log.read()[-4000:].decode(errors="replace").strip()
        return f" It said:\n{said}" if said else ""


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return a fork server's environment: allowed variables of ours, budgets, and fixed ones."""
    budgets = [x for x in ours if x.startswith("PLAINCOURSE_") and x.endswith("_SECONDS")]
    return {name: ours[name] for name in (*_PASSED, *budgets) if name in ours} | _FIXED


def _started(folder: Path, log: IO[bytes], fd: int) -> "subprocess.Popen[bytes]":
    """Start the first fork server, which no other server forks.

    Args:
        folder: its working folder.
        log: the file for its output.
        fd: its end of the socket to its client.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "plaincourse.kernels.server", str(fd)],
        cwd=folder,
        env=environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=[fd],
        start_new_session=True,
    )


def short_folder() -> str:
    """Choose a folder for sockets, whose paths the system limits to 107 bytes.

    A folder below ``/tmp`` comes last, because the sandbox has a writable ``/tmp`` of its own.
    """
    usual = tempfile.gettempdir()
    for folder in ("/var/tmp", usual, "/tmp"):
        if len(os.fsencode(folder)) <= 60 and os.access(folder, os.W_OK | os.X_OK):
            return folder
    return usual


class Child:
    """A process that a fork server has made.

    Args:
        server: the server that made it.
        reply: the server's reply about it.
        handle: a process descriptor of it, which this object closes.

    Attributes:
        pid: its process id; in the sandbox it is the outer process that waits for the inner one.
        status: its exit code, 128 + a signal from inside the sandbox, minus a signal of its own, or
            :data:`LOST`; ``None`` until its end is noticed.
        seconds: the processor time that it used; known once it has ended.
        memory: its peak memory, in bytes; known once it has ended by itself. If it was killed, the
            memory of the processes in its sandbox is missing; call :func:`peak` before.
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
        """Return a file descriptor that becomes readable once the process has ended."""
        return self._handle

    def poll(self) -> int | None:
        """Return the status of the process, or ``None`` while it runs."""
        return self.wait(0)

    def wait(self, timeout: float | None) -> int | None:
        """Wait for the end of the process.

        Args:
            timeout: the longest wait, in seconds; ``None`` for no limit.

        Returns:
            Its status, or ``None`` if it still runs.
        """
        if self.status is None and readable(self._handle, timeout):
            self._tell(0)
        return self.status

    def signal(self, number: int) -> None:
        """Send a signal, if the process still runs.

        Args:
            number: the signal; ``SIGINT`` reaches the process inside the sandbox.
        """
        if self.status is None:
            self._tell(number)

    def kill(self) -> None:
        """Kill the process and all that it started, and wait for its end."""
        self.signal(signal.SIGKILL)

    def _tell(self, number: int) -> None:

        try:
            reply, _ = self._server.ask({"number": self._number, "signal": number})
        except ForkError:
            self.status = LOST  # its server is gone, and the process ended with it
            if not readable(self._handle, 0):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            return
        if reply["status"] is not None:
            self.status, self.seconds, self.memory = (
                reply[key] for key in ("status", "seconds", "memory")
            )


def peak(pid: int) -> int:
    """Return the peak memory so far of a process and of each that it has started, in bytes.

    Args:
        pid: a process that runs; the result is 0 if it does not, or if the system gives no figure.
    """
    lines = _of(pid, "status").splitlines()
    own = next((line.split()[1] for line in lines if line.startswith("VmHWM:")), "0")
    return max(1024 * int(own), *map(peak, children(pid)), 0)


def computed(pid: int) -> float:
    """Return the processor time so far of a process and all that it has started, in seconds.

    This is a lower bound: children of threads other than the first are left out, and so are ended
    children whose parent has not waited for them. The value can therefore fall; use a wall-clock
    limit as well.

    Args:
        pid: a process that runs; the result is 0 if it does not, or if the system gives no figure.
    """
    after_the_name = _of(pid, "stat").rpartition(")")[2].split()
    ticks = sum(map(int, after_the_name[11:15]))  # including children that ended
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(computed, children(pid)))


def _of(pid: int, file: str) -> str:
    """Return the content of a process's file in /proc; empty if it cannot be read."""
    try:
        return Path(f"/proc/{pid}/{file}").read_text("utf-8", errors="replace")
    except OSError:
        return ""


def ending(status: int, *, seconds: float, limit: float) -> str:
    """Return a sentence on how a kernel ended that was not asked to end.

    Args:
        status: the value of :attr:`Child.status`.
        seconds: the processor time that it used.
        limit: the processor time that it was allowed.
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
        return OUT_OF_MEMORY
    if name == "SIGXFSZ":
        return "The kernel was killed: it wrote a file larger than it may."
    if name == "SIGSYS":
        return "The kernel was killed: it asked the system for something that is forbidden."
    return f"The kernel crashed ({name})."

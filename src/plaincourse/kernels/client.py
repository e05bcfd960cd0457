"""Start a fork server, ask it for processes, and know how each of them ended."""

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from plaincourse.kernels import messages, surroundings
from plaincourse.kernels.child import Child
from plaincourse.sandbox import probe, refusal, tidy

_LIVE: weakref.WeakSet["ForkServer"] = weakref.WeakSet()


class ForkError(RuntimeError):
    """A fork server could not start, or did not do what it was asked."""


class ForkServer:
    """A process that has imported what is named and forks itself on request.

    Args:
        modules: what it imports.
        prepare: a function ``"package.module:function"`` and its keyword arguments, which JSON
            can hold; run once in the server.

    Attributes:
        folder: a private folder with a short path, removed when the server ends, in whatever way.
    """

    def __init__(
        self, *, modules: Sequence[str], prepare: tuple[str, dict[str, Any]] | None
    ) -> None:
        self._order = {"modules": list(modules), "prepare": prepare}
        self._count = 0
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        _LIVE.add(self)

    @classmethod
    def start(
        cls, *, modules: Sequence[str], prepare: tuple[str, dict[str, Any]] | None = None
    ) -> Self:
        """Start a server and wait until it is ready.

        Args:
            modules: what it imports.
            prepare: a function ``"package.module:function"`` and its keyword arguments, which
                JSON can hold; run once in the server.

        Raises:
            SandboxRefused: this system is not Linux.
            ForkError: it ended before it was ready; the message holds what it said.
        """
        server = cls(modules=modules, prepare=prepare)
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
        """Start the server anew, if it has died.

        Raises:
            ForkError: it could not start.
        """
        with self._lock:
            if not self.alive:
                self._start()

    def fork(self, target: str, arguments: dict[str, Any], *, fds: Sequence[int] = ()) -> Child:
        """Run a function in a copy of the server. Where the server has died, start it anew.

        Args:
            target: ``"package.module:function"``, called with ``arguments`` and the child's own
                numbers of ``fds``; the child ends when it returns.
            arguments: what JSON can hold.
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
        self.folder = Path(tempfile.mkdtemp(prefix="pc-", dir=surroundings.short_folder()))
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  as long as the server
        self._sock, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "plaincourse.kernels.server", str(theirs.fileno())],
                cwd=self.folder,
                env=surroundings.environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        try:
            self.ask({**self._order, "folder": str(self.folder)})
        except ForkError as error:
            raise ForkError(f"The fork server could not start. {error}") from None

    def _forget(self) -> None:
        """Let go of the server in a fork of the process that started it."""
        if self._process is not None:
            self._sock.close()
            self._log.close()
            self._process.returncode = 0  # it is not a child of this process to warn about
            self._process = None

    def _end(self) -> str:
        if self._process is None:
            return ""
        self._sock.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        tidy()
        self._process = None
        with self._log:
            self._log.seek(0)
            said = self._log.read()[-4000:].decode(errors="replace").strip()
        return f" It said:\n{said}" if said else ""


@atexit.register
def _close_all() -> None:
    for server in list(_LIVE):
        server.close()


def _forget_all() -> None:
    for server in list(_LIVE):
        server._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)

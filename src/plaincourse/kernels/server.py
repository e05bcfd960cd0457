"""The process that forks: it imports once, keeps to one thread, and copies itself on request.

:class:`plaincourse.kernels.client.ForkServer` starts ``python -m plaincourse.kernels.server N``
with a socket as its file descriptor ``N``. The server ends when the other end of that socket
closes, and every process that it forked ends with it. This module also holds the first steps of a
forked process: it ties itself to its server, and runs the requested function.
"""

import ctypes
import gc
import importlib
import itertools
import os
import select
import shutil
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plaincourse.kernels import families, messages, warm
from plaincourse.kernels.listening import readable
from plaincourse.kernels.messages import function_named

#: Milliseconds without a request for a first child before a server begins its spare work.
_UNASKED = 1000
#: After this number of children more are expected, and gathering memory for them pays off.
_MANY = 12
#: The size of a large page, and the number of the request for them in ``madvise``.
_LARGE, _COLLAPSE = 1 << 21, 25


class Server:
    """Answers requests until the client is gone.

    Args:
        sock: the socket to the client.
        folder: the private folder of this server, removed at the end.
        spare: work done in steps while there are no requests; each step yields the event that the
            next must wait for, or None.
    """

    def __init__(
        self, *, sock: socket.socket, folder: Path, spare: Iterator[warm.Waiting | None]
    ) -> None:
        self._sock = sock
        self._folder = folder
        self._alive: dict[int, tuple[int, int]] = {}  # number → process id and its descriptor
        self._ended: dict[int, dict[str, Any]] = {}
        self._spare: Iterator[warm.Waiting | None] | None = spare
        self._waiting: warm.Waiting | None = None
        self._gathered = False

    def serve(self) -> None:
        """Answer until the client closes its end, then kill the remaining processes."""
        try:
            while True:
                poll = select.poll()
                poll.register(self._sock, select.POLLIN)
                for _, handle in self._alive.values():
                    poll.register(handle, select.POLLIN)
                if self._waiting:
                    poll.register(self._waiting.fd, select.POLLIN)
                ready = {fd for fd, _ in poll.poll(self._patience())}
                if not ready or (self._waiting and ready == {self._waiting.fd}):
                    self._work()
                    continue
                for number, (_, handle) in list(self._alive.items()):
                    if handle in ready:
                        self._bury(number)
                if self._sock.fileno() in ready and not self._answer():
                    return
        finally:
            for number in list(self._alive):
                self._kill(number)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _patience(self) -> int | None:
        """Return how long to wait before a step of the spare work, in milliseconds; None: for ever.

        The first child comes before the spare work, because its client is waiting and it needs the
        processor.
        """
        if self._spare is None:
            return 0 if len(self._ended) >= _MANY and not self._gathered else None
        if self._waiting:
            return None
        if self._ended:
            return 0
        return None if self._alive else _UNASKED

    def _work(self) -> None:
        """Do a step of the spare work."""
        if self._spare is None:
            _gather()
            self._gathered = True
            return
        try:
            self._waiting = next(self._spare)
        except Exception as error:
            if not isinstance(error, StopIteration):
                traceback.print_exc()  # everything works without it, only slower
            self._spare = self._waiting = None
            _freeze()

    def _answer(self) -> bool:
        request = messages.receive(self._sock)
        if request is None:
            return False
        message, fds = request
        give: list[int] = []
        try:
            reply = self._fork(message, fds, give) if "target" in message else self._act(message)
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        finally:
            for fd in fds:
                os.close(fd)
        try:
            messages.send(self._sock, reply, give)
        except ConnectionError:
            return False
        return True

    def _fork(self, message: dict[str, Any], fds: list[int], give: list[int]) -> dict[str, Any]:
        families.refuse_threads()
        sys.stdout.flush()
        sys.stderr.flush()
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            own = (self._sock.fileno(), *(handle for _, handle in self._alive.values()))
            for fd in (*own, *([self._waiting.fd] if self._waiting else [])):
                os.close(fd)  # only ours: matplotlib keeps font files open, and reads them later
            _run_forked(server, message, fds)
        handle = os.pidfd_open(pid)
        self._alive[message["number"]] = pid, handle
        give.append(handle)
        return {"number": message["number"], "pid": pid}

    def _act(self, message: dict[str, Any]) -> dict[str, Any]:
        number = message["number"]
        if number in self._alive:
            if message["signal"] == signal.SIGKILL:
                self._kill(number)
            elif message["signal"]:
                os.kill(self._alive[number][0], message["signal"])
            elif readable(self._alive[number][1], 0):
                self._bury(number)
        elif number not in self._ended:
            raise LookupError(f"This server has made no process {number}.")
        return self._ended.get(number, {"status": None})

    def _kill(self, number: int) -> None:
        pid, handle = self._alive[number]
        families.kill(pid, handle)
        self._bury(number)

    def _bury(self, number: int) -> None:
        pid, handle = self._alive.pop(number)
        _, status, usage = os.wait4(pid, 0)
        os.close(handle)
        rehearsing = {self._waiting.pid} if self._waiting else set()
        families.sweep(keep={pid for pid, _ in self._alive.values()} | rehearsing)
        self._ended[number] = {
            "status": os.waitstatus_to_exitcode(status),
            "seconds": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss * 1024,
        }


def serve(fd: int) -> None:
    """Import the client's modules, report readiness, and serve.

    Args:
        fd: the socket to the client.
    """
    sock = socket.socket(fileno=fd)
    os.set_inheritable(fd, False)
    request = messages.receive(sock)
    if request is None:
        return
    start = request[0]
    families.adopt_orphans()
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # ipykernel then makes no debugger
    for module in start["modules"]:
        importlib.import_module(module)
    warm.up(start["modules"])
    more: Any = None
    if start["prepare"]:
        target, arguments = start["prepare"]
        more = function_named(target)(**arguments)
    families.refuse_threads()
    _freeze()
    messages.send(sock, {"ready": os.getpid()})
    spare = itertools.chain(more or (), warm.rest(start["modules"]))
    Server(sock=sock, folder=Path(start["folder"]), spare=spare).serve()


def branch(arguments: dict[str, Any], fds: list[int]) -> None:
    """Serve in a process that another server has forked, with that server's imports in memory.

    Args:
        arguments: none.
        fds: the socket to the client, and the file for this server's output.
    """
    sock, log = fds
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    serve(sock)


def _freeze() -> None:
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page that it visits


def _gather() -> None:
    """Request memory in pages of 2 MiB, which makes forks cheaper.

    A fork copies an entry for each page, and its end undoes that. A sandbox takes three forks. With
    280 MB in small pages each takes some 13 ms, in large ones two; gathering them takes half a
    second, once. A child that writes gets a small page of its own, as before. Systems without this
    request (it came with Linux 6.1) refuse it, and nothing changes.
    """
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    for mapping in Path("/proc/self/maps").read_text("utf-8").splitlines():
        span, allowed, _, _, inode, *name = mapping.split(None, 5)
        start, end = (int(address, 16) for address in span.split("-"))
        anonymous = allowed == "rw-p" and inode == "0" and name in ([], ["[heap]"])
        if anonymous and end - start >= _LARGE:
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _COLLAPSE)


def _run_forked(server: int, message: dict[str, Any], fds: list[int]) -> None:
    """Run the requested function in the forked process, and end it.

    Args:
        server: the process id of the server.
        message: the ``target`` and its ``arguments``.
        fds: open files for it.
    """
    code = 1
    try:
        families.die_with_parent(server)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warm.reseed()
        function_named(message["target"])(message["arguments"], fds)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.path[:1] = []  # `-m` put the working folder first
    serve(int(sys.argv[1]))

"""Frames over a socket: a tree in JSON, buffers, and the file descriptors of large ones.

A large buffer is sent as memory that neither side can change or shorten afterwards. If its sender
could still shorten a file in memory, its reader would be killed (SIGBUS). Seals prevent that, and
the receiver checks them before it maps a byte.
"""

import array
import json
import mmap
import os
import socket
import struct
import time
from typing import Any

from plaincourse.judge.faults import WireError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Buffers of at least this many bytes are sent in shared memory.
LARGE = 1 << 20
_HEAD = struct.Struct("!4sIQH")
_MAGIC = b"pcw1"
_MOST_TREE = 8 << 20
_MOST_BODY = 256 << 20
_MOST_SHARED = 2 << 30
_MOST_FDS = 64
_ALIGNED = 16
_CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class Closed(ConnectionError):  # noqa: N818  named after the event
    """The other side is gone."""


class Late(TimeoutError):  # noqa: N818  named after the event
    """No data arrived, or the other side read none, in time."""


class NotSealed(ValueError):  # noqa: N818  named after the event
    """The received memory can still be changed by its sender."""


class Channel:
    """One end of a connection.

    Args:
        sock: a connected stream socket; on Unix, one that can carry file descriptors.

    Attributes:
        busy: whether a frame is partly sent or partly read, so that it must not be interrupted.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.sock, self.busy = sock, False

    def close(self) -> None:
        """Close the connection."""
        self.sock.close()

    def send(
        self,
        tree: Any,
        buffers: list[memoryview],
        *,
        fds: list[int] | None = None,
        deadline: float | None = None,
    ) -> None:
        """Send a frame.

        Args:
            tree: a value that JSON can represent.
            buffers: large ones are sent in shared memory.
            fds: further file descriptors, which the receiver gets unchanged.
            deadline: on the clock of ``time.monotonic``.

        Raises:
            WireError: it is too large.
            Closed: the other side is gone.
            Late: the other side did not read it in time.
        """
        sizes: list[list[int]] = []
        inline: list[Any] = []
        shared: list[int] = []
        try:
            for each in buffers:
                fd = share(each) if each.nbytes >= LARGE and len(shared) < _MOST_FDS - 8 else None
                if fd is None:
                    inline += [each, bytes(-each.nbytes % _ALIGNED)]
                else:
                    shared.append(fd)
                sizes.append([int(fd is not None), each.nbytes])
            text = json.dumps([tree, sizes], separators=(",", ":")).encode()
            body = sum(len(part) for part in inline)
            _within(len(text), body, WireError)
            head = _HEAD.pack(_MAGIC, len(text), body, len(shared) + len(fds or []))
            self._send([head, text, *inline], [*shared, *(fds or [])], deadline)
        finally:
            for fd in shared:
                os.close(fd)

    def _send(self, parts: list[Any], fds: list[int], deadline: float | None) -> None:
        self.busy = True
        try:
            self._wait(deadline)
            data = memoryview(b"".join(parts))
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
            sent = self.sock.sendmsg([data], rights) if rights else 0
            if sent < len(data):
                self.sock.sendall(data[sent:])
        except TimeoutError:
            raise Late("the other side does not read what it is sent") from None
        except OSError as error:
            raise Closed(f"the other side is gone ({error})") from None
        finally:
            self.busy = False

    def receive(self, *, deadline: float | None = None) -> tuple[Any, list[Any], list[int]]:
        """Return the next frame: its tree, its buffers, and further file descriptors.

        Raises:
            WireError: the received data is not a frame.
            Closed: the other side is gone.
            Late: no data arrived in time.
        """
        self._wait(deadline)
        fds: list[int] = []
        try:
            head = self._read(_HEAD.size, deadline, fds)
            magic, length, body, count = _HEAD.unpack(head)
            if magic != _MAGIC or count != len(fds):
                raise WireError("what came is not a frame")
            _within(length, body, WireError)
            data = self._read(length + body, deadline, None)
            tree, sizes = _parsed(memoryview(data)[:length])
            buffers = _cut(bytearray(data[length:]), sizes, fds)
            shared = sum(1 for place, _ in sizes if place)
            kept, fds[:] = fds[shared:], fds[:shared]
        except TimeoutError:
            raise Late("no answer came in time") from None
        except WireError:
            raise
        except OSError as error:
            raise Closed(f"the other side is gone ({error})") from None
        finally:
            self.busy = False
            for fd in fds:
                os.close(fd)
        return tree, buffers, kept

    def _read(self, size: int, deadline: float | None, fds: list[int] | None) -> bytearray:
        data, done = bytearray(size), 0
        view = memoryview(data)
        while done < size:
            self._wait(deadline)
            if fds is not None and not done:
                room = socket.CMSG_LEN(_MOST_FDS * array.array("i").itemsize)
                got, rights, *_ = self.sock.recvmsg_into([view], room, _CLOEXEC)
                self.busy = True
                for level, kind, held in rights:
                    if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                        fds += array.array("i", held[: len(held) - len(held) % 4]).tolist()
            else:
                got = self.sock.recv_into(view[done:])
            if not got:
                raise Closed("the other side has closed the connection")
            done += got
        return data

    def _wait(self, deadline: float | None) -> None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise Late("no answer came in time")
        if left is not None or self.sock.gettimeout() is not None:
            self.sock.settimeout(left)


def _within(text: int, body: int, error: type[Exception]) -> None:
    if text > _MOST_TREE or body > _MOST_BODY:
        raise error(
            f"a message of {text} + {body} bytes; at most {_MOST_TREE} + {_MOST_BODY} may cross"
        )


def _parsed(text: memoryview) -> tuple[Any, list[list[int]]]:
    try:
        tree, sizes = json.loads(bytes(text))
        right = all(type(place) is int and type(size) is int and size >= 0 for place, size in sizes)
    except (ValueError, TypeError, RecursionError) as error:
        raise WireError(f"what came is not a tree: {type(error).__name__}") from None
    if not right or sum(size for place, size in sizes if place) > _MOST_SHARED:
        raise WireError("the sizes of the buffers make no sense")
    return tree, sizes


def _cut(body: bytearray, sizes: list[list[int]], fds: list[int]) -> list[Any]:
    view, start, shared = memoryview(body), 0, iter(fds)
    buffers: list[Any] = []
    for place, size in sizes:
        try:
            if place:
                buffers.append(opened(next(shared), size))
                continue
        except (StopIteration, ValueError, OSError) as error:
            raise WireError(f"shared memory that cannot be used: {error}") from None
        if start + size > len(view):
            raise WireError("a buffer ends beyond its message")
        buffers.append(view[start : start + size])
        start += size + -size % _ALIGNED
    return buffers


def share(data: memoryview) -> int | None:
    """Copy bytes into sealed memory and return its file descriptor; ``None`` on failure.

    It fails if the system has no such memory, or if the process may not write a file of this size.
    """
    if fcntl is None or not hasattr(os, "memfd_create") or not hasattr(fcntl, "F_ADD_SEALS"):
        return None
    fd = os.memfd_create("plaincourse", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, len(data))
        done = 0
        while done < len(data):
            done += os.write(fd, data[done : done + (1 << 26)])
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _seals() | fcntl.F_SEAL_SEAL)
    except OSError:
        os.close(fd)
        return None
    return fd


def opened(fd: int, size: int) -> Any:
    """Map sealed memory; writing into the map changes a private copy only.

    Args:
        fd: the received descriptor; it stays open, and the caller still owns it.
        size: the number of bytes that it must hold.

    Raises:
        NotSealed: it can still be shortened or written to, or holds another number of bytes.
    """
    try:
        seals = fcntl.fcntl(fd, fcntl.F_GET_SEALS)
        held = os.fstat(fd).st_size
    except (OSError, AttributeError) as error:
        raise NotSealed(
            f"expected a sealed file in memory, got a file that is none: {error}"
        ) from None
    if seals & _seals() != _seals():
        raise NotSealed(
            f"expected memory sealed against writing and resizing, got seals {seals:#x}"
        )
    if held != size:
        raise NotSealed(f"expected shared memory of {size} bytes, got {held}")
    return mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)


def _seals() -> int:
    return fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW

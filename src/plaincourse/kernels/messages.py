"""Messages between a fork server and its client: JSON after its length, with open files."""

import importlib
import json
import os
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any

_LENGTH = struct.Struct("!I")
_MOST_FILES = 32


def send(sock: socket.socket, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
    """Send a message, and open files with it.

    Args:
        sock: a Unix stream socket.
        message: data that JSON can hold.
        fds: file descriptors; the other side gets copies.

    Raises:
        ValueError: there are too many file descriptors for one message.
        OSError: the other side is gone.
    """
    if len(fds) > _MOST_FILES:
        raise ValueError(f"{len(fds)} file descriptors: expected at most {_MOST_FILES}")
    body = json.dumps(message).encode()
    socket.send_fds(sock, [_LENGTH.pack(len(body))], list(fds))
    sock.sendall(body)


def receive(sock: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for a message.

    Args:
        sock: a Unix stream socket.

    Returns:
        The message and the open files that came with it, or ``None`` if the other side is gone.
    """
    try:
        head, fds, _, _ = socket.recv_fds(sock, _LENGTH.size, _MOST_FILES)
        for fd in fds:
            os.set_inheritable(fd, False)
        head += _exactly(sock, _LENGTH.size - len(head))
        body = _exactly(sock, _LENGTH.unpack(head)[0])
    except (EOFError, ConnectionError):
        return None
    return json.loads(body), fds


def function_named(target: str) -> Callable[..., Any]:
    """Import a function by its name.

    Args:
        target: ``"package.module:function"``.

    Raises:
        ValueError: the name has another form.
    """
    module, colon, name = target.partition(":")
    if not (module and colon and name):
        raise ValueError(f"{target!r}: expected the form 'package.module:function'")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def _exactly(sock: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = sock.recv(count)
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)

"""Sockets that listen on this machine; a process that reaches one has left its sandbox."""

import contextlib
import os
import secrets
import selectors
import socket
import threading
from pathlib import Path
from typing import Any


class Traps:
    """Sockets of every kind that record all received data, and a folder that is writable by all.

    Args:
        folder: the parent of the writable folder and of the socket that has a file.
    """

    def __init__(self, folder: Path) -> None:
        self.heard: list[str] = []
        self.drop = folder / "drop"
        self.drop.mkdir(parents=True)
        self.drop.chmod(0o777)
        tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        tcp.bind(("0.0.0.0", 0))
        udp.bind(("0.0.0.0", 0))
        abstract, filed = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        name = f"arena-{secrets.token_hex(6)}"
        abstract.bind(f"\0{name}")
        here = os.path.relpath(folder / "ear")
        filed.bind(here if len(here) < 100 else str(folder / "ear"))
        (folder / "ear").chmod(0o777)
        for sock in (tcp, abstract, filed):
            sock.listen()
        self.places: dict[str, Any] = {
            "tcp port": tcp.getsockname()[1],
            "udp port": udp.getsockname()[1],
            "abstract socket": name,
            "socket": str(folder / "ear"),
            "address": _address(),
            "drop": str(self.drop),
        }
        self._ears = selectors.DefaultSelector()
        for sock in (tcp, udp, abstract, filed):
            sock.setblocking(False)
            self._ears.register(sock, selectors.EVENT_READ)
        self._open = True
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while self._open:
            for key, _ in self._ears.select(timeout=0.1):
                sock = key.fileobj
                assert isinstance(sock, socket.socket)
                with contextlib.suppress(OSError):
                    if sock.type == socket.SOCK_DGRAM:
                        self.heard.append(sock.recv(1000).decode(errors="replace"))
                        continue
                    caller, _ = sock.accept()
                    caller.settimeout(0.5)
                    with caller:
                        self.heard.append(caller.recv(1000).decode(errors="replace"))

    def dropped(self) -> list[str]:
        """List the names of files written into the folder."""
        return sorted(path.name for path in self.drop.iterdir())

    def close(self) -> None:
        self._open = False
        self._thread.join()
        for key in list(self._ears.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._ears.close()


def _address() -> str:
    """Return this machine's own address, if it has one."""
    with contextlib.suppress(OSError):
        return socket.gethostbyname(socket.gethostname())
    return "127.0.0.1"

"""Functions that the tests' fork servers run in their children."""

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any


def leave(arguments: dict[str, Any], fds: list[int]) -> None:
    raise SystemExit(arguments["code"])


def draw(arguments: dict[str, Any], fds: list[int]) -> None:
    os.write(fds[0], repr(random.random()).encode())


def environment(arguments: dict[str, Any], fds: list[int]) -> None:
    os.write(fds[0], Path("/proc/self/environ").read_bytes())


def files(arguments: dict[str, Any], fds: list[int]) -> None:
    held = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    os.write(fds[0], " ".join(map(str, held)).encode())


def imported(arguments: dict[str, Any], fds: list[int]) -> None:
    os.write(fds[0], " ".join(sys.modules).encode())


def burn(arguments: dict[str, Any], fds: list[int]) -> None:
    end = time.process_time() + arguments["seconds"]
    while time.process_time() < end:
        pass


def stay(arguments: dict[str, Any], fds: list[int]) -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(7))
    os.write(fds[0], b"here")
    time.sleep(600)


def wait(arguments: dict[str, Any], fds: list[int]) -> None:
    """Leave a daemon behind, and keep running."""
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
    else:
        os.wait()
    os.write(fds[0], f"{os.getpid()} ".encode())
    time.sleep(600)

"""Refuse new processes to an answer that is watched in its own notebook, as the grading does.

In the grading an audit hook refuses them (:mod:`plaincourse.judge.integrity`), which cannot be
removed. In a student's own notebook the functions that start processes are replaced while the
answer is called.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

ALONE = "an answer cannot start another process while it is tested ({})"
_POPEN = "subprocess.Popen"
_OF_OS = {
    "fork": "os.fork",
    "forkpty": "os.forkpty",
    "posix_spawn": "os.posix_spawn",
    "posix_spawnp": "os.posix_spawn",
    "system": "os.system",
    "execv": "os.exec",
    "execve": "os.exec",
}


def refuse_unheard(watching: Callable[[], bool], note: Callable[[str], None]) -> None:
    """Refuse permanently, whenever an answer is watched, the one start without an audit event.

    That is the start by `multiprocessing` if its start method is not "fork".

    Args:
        watching: returns whether an answer is watched.
        note: is called with the name of the event.
    """
    module: Any = sys.modules.get("_posixsubprocess")
    if module is None:
        return
    before = module.fork_exec

    def fork_exec(*given: Any) -> Any:
        if watching():
            note(_POPEN)
            raise PermissionError(ALONE.format(_POPEN))
        return before(*given)

    module.fork_exec = fork_exec


@contextlib.contextmanager
def refused() -> Iterator[None]:
    """Refuse to start a process until the body ends."""
    places: list[tuple[Any, str, str]] = [(os, name, event) for name, event in _OF_OS.items()]
    places.append((subprocess.Popen, "_execute_child", _POPEN))
    for module, name in (("_posixsubprocess", "fork_exec"), ("_winapi", "CreateProcess")):
        places.append((sys.modules.get(module), name, _POPEN))
    before = [
        (place, name, getattr(place, name), event)
        for place, name, event in places
        if hasattr(place, name)
    ]
    for place, name, _, event in before:
        setattr(place, name, _refusing(event))
    try:
        yield
    finally:
        for place, name, function, _ in before:
            setattr(place, name, function)


def _refusing(event: str) -> Callable[..., Any]:
    def start(*_: Any, **__: Any) -> Any:
        raise PermissionError(ALONE.format(event))

    return start

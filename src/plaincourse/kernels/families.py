"""Keep a family of processes together: no process outlives its parent or keeps its files."""

import atexit
import contextlib
import ctypes
import os
import signal
import threading
import weakref
from pathlib import Path
from typing import Protocol

from plaincourse.kernels.listening import readable

_PDEATHSIG, _CHILD_SUBREAPER = 1, 36
_PATIENCE = 1.0  # seconds for the outer process of a sandbox to clean up
_LIVE: weakref.WeakSet["Living"] = weakref.WeakSet()


def threads() -> list[str]:
    """Return the names of this process's threads, those of C libraries included."""
    python = {thread.native_id: thread.name for thread in threading.enumerate()}
    tasks = sorted(Path("/proc/self/task").iterdir(), key=lambda path: int(path.name))
    return [
        python.get(int(task.name)) or (task / "comm").read_text("utf-8").strip() for task in tasks
    ]


def refuse_threads() -> None:
    """Check that this process has one thread; a fork would copy the locks of the others.

    Raises:
        RuntimeError: there are more; the message names them.
    """
    names = threads()
    if len(names) > 1:
        raise RuntimeError(
            f"The fork server has {len(names)} threads ({', '.join(names)}); it forks only with "
            "one. Keep what starts a thread out of its modules and of what prepares it."
        )


def die_with_parent(parent: int) -> None:
    """Make the system kill this process when its parent ends.

    Args:
        parent: the parent's process id, as this process sees it; if the parent is gone already,
            this process ends at once.
    """
    _prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(128 + signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none escapes."""
    _prctl(_CHILD_SUBREAPER, 1)


def kill(pid: int, handle: int) -> None:
    """Kill a child of this process.

    Its own children die first if there are any, so that the outer process of a sandbox can clean
    up.

    Args:
        pid: the child.
        handle: its process descriptor.
    """
    inner = children(pid)
    for each in inner:
        os.kill(each, signal.SIGKILL)
    if not inner or not readable(handle, _PATIENCE):
        os.kill(pid, signal.SIGKILL)


def sweep(keep: set[int]) -> None:
    """Kill the children of this process except those to keep, and the orphans that they leave.

    Args:
        keep: the process ids of the children that stay.
    """
    while strays := children(os.getpid()) - keep:
        for pid in strays:
            os.kill(pid, signal.SIGKILL)
        for pid in strays:
            os.waitpid(pid, 0)


def children(pid: int) -> set[int]:
    """Return the process ids of the children of a process with one thread."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except OSError:  # it has just ended
        return set()
    return {int(child) for child in text.split()}


def descendants(pid: int) -> set[int]:
    """Return the process ids of all descendants of a process, including children of its threads."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError, ValueError):  # it has just ended
                new = {int(each) for each in task.read_text("ascii").split()} - found
                found |= new
                waiting += new
    return found


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value}) was refused")


class Living(Protocol):
    """A resource that lives outside of this process."""

    def close(self) -> None:
        """End it."""

    def forget(self) -> None:
        """Drop it, in a fork of the process that owns it."""


def close_at_exit(each: Living) -> None:
    """Close ``each`` when this process ends, and make forks of this process forget it."""
    _LIVE.add(each)


@atexit.register
def _close_all() -> None:
    for each in list(_LIVE):
        each.close()


def _forget_all() -> None:
    for each in list(_LIVE):
        each.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)

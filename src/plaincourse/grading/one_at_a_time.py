"""One grading run per assignment: a second one waits until the first has ended.

Several graders share a course, on one machine or on several with one disk. Two runs for the same
assignment would grade everything twice and replace each other's folders. The lock belongs to the
process, so a killed run does not block others.
"""

import contextlib
import errno
import getpass
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from plaincourse.grading.group import Group

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PAUSE = 0.5
_WAITS = (
    "waiting: {who} is grading {name}. This command goes on when that one has ended; Ctrl-C stops "
    "it."
)
#: The errors of a disk without locks.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


@contextlib.contextmanager
def turn(folder: Path, name: str, group: Group, stopped: Callable[[], bool]) -> Iterator[bool]:
    """Wait until no other process grades an assignment, and keep others waiting meanwhile.

    If the disk has no locks, or the folder is not writable, no lock is taken: the gradebook has its
    own locks, and grading reports any failure to write.

    Args:
        folder: the folder of the lock's file.
        name: the assignment.
        group: of the course.
        stopped: returns True once the user has pressed Ctrl-C.

    Yields:
        False if the user stopped the command while it waited.
    """
    lock = _opened(folder / f".{name}.lock", group)
    if lock is None:
        yield True
        return
    try:
        told = False
        while not stopped() and not _taken(lock):
            if not told:
                told = True
                print(_WAITS.format(who=_who(lock), name=name), file=sys.stderr, flush=True)
            time.sleep(_PAUSE)
        if not stopped():
            _sign(lock)
        yield not stopped() or not told
    finally:
        os.close(lock)


def _opened(path: Path, group: Group) -> int | None:
    if not hasattr(fcntl, "lockf"):
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return None
    group.share(path)
    return lock


def _taken(lock: int) -> bool:
    """Try to take the lock; on a disk without locks, return True."""
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _NO_LOCKS
    return True


def _sign(lock: int) -> None:
    with contextlib.suppress(OSError, KeyError):
        said = f"process {os.getpid()} of {getpass.getuser()} on {platform.node()}"
        os.ftruncate(lock, 0)
        os.pwrite(lock, said.encode(errors="replace"), 0)


def _who(lock: int) -> str:
    said = os.pread(lock, 200, 0).decode(errors="replace")
    shown = "".join(each for each in said if each.isprintable())
    return f"another plaincourse autograde ({shown})" if shown else "another plaincourse autograde"

"""Private folders in the system's temporary one, also those of processes that were killed.

A folder is locked as long as its process lives. Any process that finds an unlocked one may remove
it, from whichever run, container or machine with the same folder it came.
"""

import contextlib
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "plaincourse-grading-"


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """Yield a new folder, which is removed afterwards.

    The first call in a process removes the folders that killed processes have left.
    """
    _sweep_once()
    folder, lock = _new()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep() -> None:
    """Remove the folders of this user whose processes have ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # still in use, not a folder, or just removed
            if folder.lstat().st_uid != os.getuid():
                continue
            lock = _lock(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


_sweep_once = functools.cache(sweep)


def _new() -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        try:
            return folder, _lock(folder)
        except (BlockingIOError, FileNotFoundError):
            continue  # another process removed it in between


def _lock(folder: Path) -> int | None:
    """Lock a folder until the file descriptor is closed; ``None`` on a system without locks.

    Raises:
        BlockingIOError: another process holds it.
        OSError: it is not a folder, or is gone.
    """
    if not hasattr(fcntl, "flock"):
        return None
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder.stat()  # a lock on a removed folder is worthless
    except OSError:
        os.close(lock)
        raise
    return lock

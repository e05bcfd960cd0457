"""Copy the regular files of a submission into the sandbox, and nothing else.

A link may point at the gradebook, a pipe never ends, a device does not belong to the student, and a
second hard link may be a file that the student cannot read. Every step uses open folders, so a path
that is swapped in the meantime cannot redirect it.
"""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC if os.name == "posix" else 0
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC if os.name == "posix" else 0
_BLOCK = 1 << 20
_DEPTH = 32
_WHY = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


class Left(NamedTuple):
    """An entry of a submission that student code does not get.

    Attributes:
        name: Its path in the submission.
        why: The reason, such as "a symbolic link".
    """

    name: str
    why: str


def left_out(folder: Path) -> list[Left]:
    """List the entries of a submission's ``folder`` that are not copied, for the instructor."""
    left: list[Left] = []
    source = os.open(folder, _FOLDER)
    try:
        for _ in _files(source, "", left, lambda name: None):
            pass
    finally:
        os.close(source)
    return left


def copy_tree(source: int, target: str, *, limit: int, owner: int = -1) -> list[Left]:
    """Copy the regular files below an open folder.

    Args:
        source: The open folder.
        target: An existing folder for the copies.
        limit: The total size allowed, in bytes.
        owner: The user number that will own the copies; -1 for this process's user.

    Returns:
        The entries that were left out, with reasons.

    Raises:
        ValueError: The files are larger than ``limit``.
    """
    left: list[Left] = []
    room = limit

    def make_folder(name: str) -> None:
        os.mkdir(os.path.join(target, name), 0o700)
        os.chown(os.path.join(target, name), owner, owner)

    for name, handle in _files(source, "", left, make_folder):
        mode = 0o700 if os.fstat(handle).st_mode & 0o100 else 0o600
        with open(os.path.join(target, name), "xb") as copy:
            os.fchmod(copy.fileno(), mode)
            os.fchown(copy.fileno(), owner, owner)
            while block := os.read(handle, _BLOCK):
                room -= len(block)
                if room < 0:
                    raise ValueError(
                        f"The submission holds more than {limit >> 20} MiB, which is all that "
                        "its private copy may take. Remove what is not part of the work, or "
                        "give a larger Limits(disk=...)."
                    )
                copy.write(block)
    return left


def _files(
    folder: int, prefix: str, left: list[Left], enter: Callable[[str], None]
) -> Iterator[tuple[str, int]]:
    """Yield (path, open file) for each regular file; call ``enter`` first for each folder."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries)
    for name in names:
        path = prefix + name
        try:
            kind = os.lstat(name, dir_fd=folder)
            flags = _FOLDER if stat.S_ISDIR(kind.st_mode) else _FILE
            why = _refused(kind, path)
            handle = -1 if why else os.open(name, flags, dir_fd=folder)
        except OSError as error:
            why, handle = error.strerror or "it cannot be read", -1
        if why:
            left.append(Left(path, why))
            continue
        try:
            now = os.fstat(handle)  # the file that was opened, in case the name was swapped
            if why := _refused(now, path):
                left.append(Left(path, why))
            elif stat.S_ISDIR(now.st_mode):
                enter(path)
                yield from _files(handle, path + "/", left, enter)
            else:
                yield path, handle
        finally:
            os.close(handle)


def _refused(found: os.stat_result, path: str) -> str:
    if stat.S_ISDIR(found.st_mode):
        return f"a folder more than {_DEPTH} deep" if path.count("/") >= _DEPTH else ""
    if not stat.S_ISREG(found.st_mode):
        return _WHY.get(stat.S_IFMT(found.st_mode), "a device")
    return "a file with a second hard link" if found.st_nlink > 1 else ""

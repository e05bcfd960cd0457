"""Read what was handed in, and only that.

A folder from a stranger may hold links to other people's files, pipes that never end, and more
bytes than a disk. Nothing here follows a link, opens what is not a plain file, or reads for ever.
"""

import fnmatch
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

#: One file, all files of a submission, and how many of them.
LARGEST = 64 * 2**20
TOTAL = 256 * 2**20
MOST = 2000

_LINK = "it is a link to another file"
_SPECIAL = "it is not a plain file"
_LARGE = f"it is larger than {LARGEST // 2**20} MiB"
_FULL = f"the submission holds more than {TOTAL // 2**20} MiB or {MOST} files"


@dataclass(frozen=True, kw_only=True)
class Handed:
    """The files of a submission.

    Attributes:
        files: where each lies, by its name below the submission's folder, with ``/`` in it.
        refused: why a name was left out.
    """

    files: dict[str, Path] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def look(folder: Path, *, ignore: Sequence[str] = ()) -> Handed:
    """List the plain files below a folder, and refuse the rest by name.

    Args:
        folder: what a student handed in.
        ignore: patterns of names to pass over in silence, as in ``CourseDirectory.ignore``.
    """
    found = Handed()
    if folder.is_symlink():
        found.refused["."] = _LINK
        return found
    total = 0
    for name, path, about in _walk(folder, "", ignore):
        if stat.S_ISLNK(about.st_mode):
            found.refused[name] = _LINK
        elif not stat.S_ISREG(about.st_mode):
            found.refused[name] = _SPECIAL
        elif about.st_size > LARGEST:
            found.refused[name] = _LARGE
        elif total + about.st_size > TOTAL or len(found.files) >= MOST:
            found.refused["…"] = _FULL
            return found
        else:
            total += about.st_size
            found.files[name] = path
    return found


def _walk(
    folder: Path, above: str, ignore: Sequence[str]
) -> Iterator[tuple[str, Path, os.stat_result]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if any(fnmatch.fnmatch(entry.name, pattern) for pattern in ignore):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{above}{entry.name}/", ignore)
        else:
            yield above + entry.name, Path(entry.path), entry.stat(follow_symlinks=False)


def read(path: Path) -> bytes:
    """Read a plain file, in the state in which it is when it is opened.

    Raises:
        OSError: it is a link, not a plain file, or too large.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path.name}: {_SPECIAL}")
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(f"{path.name}: {_LARGE}")
    return content


def put(folder: Path, name: str, content: bytes) -> None:
    """Write a file below a folder, in place of what stood there.

    Args:
        folder: an existing folder of ours.
        name: where below it, as in `Handed.files`.
        content: its bytes.

    Raises:
        ValueError: the name leads out of the folder.
    """
    path = folder.joinpath(*name.split("/"))
    if ".." in name.split("/") or Path(name).is_absolute():
        raise ValueError(f"{name!r} leads out of its folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content)

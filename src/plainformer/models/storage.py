"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, then put it there in one step.

    Whoever reads ``path`` sees what it held before, or all of what is new. A process that is
    killed on the way leaves the old file as it was, and perhaps a hidden one that ends in
    ``.part``; nothing reads that.

    Args:
        path: where the file shall be; its folder is made where it is missing.
        write: writes the whole content to the path that it is given, on the same disk.

    Raises:
        OSError: the disk is full, or the folder cannot be written. The old file is untouched.

    >>> folder = Path(tempfile.mkdtemp())
    >>> write_atomically(folder / "a.txt", lambda part: part.write_text("whole"))
    >>> [file.name for file in folder.iterdir()]
    ['a.txt']
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    part = Path(name)
    try:
        write(part)
        part.chmod(0o666 & ~_umask())  # mkstemp, and safetensors, let only the owner read
        _to_disk(part)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        _to_disk(path.parent)  # the new name, too, outlives a loss of power


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Write files completely or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a temporary file in the same folder, then move it into place in one step.

    A reader of ``path`` sees either the old content or all of the new one. A process that is killed
    during the call leaves the old file unchanged, and perhaps a hidden one that ends in ``.part``,
    which no code reads.

    Args:
        path: the file to write; its folder is created if it is missing.
        write: writes the whole content to the path that it is called with, on the same disk.

    Raises:
        OSError: the disk is full, or the folder is not writable. The old file is unchanged.

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
        part.chmod(0o666 & ~_umask())  # mkstemp and safetensors let only the owner read
        _to_disk(part)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        _to_disk(path.parent)  # so that the new name survives a loss of power


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

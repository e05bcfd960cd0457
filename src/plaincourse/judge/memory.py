"""Hand large tensors over in memory that neither side can change or shorten afterwards.

A file in memory that its sender may still shorten would kill its reader (SIGBUS). Seals forbid
that, and the receiver looks at them before it maps a byte.
"""

import mmap
import os
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: From this many bytes on, a buffer goes by shared memory.
LARGE = 1 << 20


class NotSealed(ValueError):  # noqa: N818  it says what happened
    """What came is not memory that its sender can no longer change."""


def share(data: memoryview) -> int | None:
    """Copy bytes into sealed memory and return its file descriptor; ``None`` where that fails.

    It fails where the system has no such memory, and in a process that may not write so large a
    file.
    """
    if fcntl is None or not hasattr(os, "memfd_create") or not hasattr(fcntl, "F_ADD_SEALS"):
        return None
    fd = os.memfd_create("plaincourse", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, len(data))
        done = 0
        while done < len(data):
            done += os.write(fd, data[done : done + (1 << 26)])
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _seals() | fcntl.F_SEAL_SEAL)
    except OSError:
        os.close(fd)
        return None
    return fd


def opened(fd: int, size: int) -> Any:
    """Map sealed memory; writing into the map changes a private copy only.

    Args:
        fd: as it came; it stays open and stays the caller's.
        size: how many bytes it must hold.

    Raises:
        NotSealed: it can still be shortened or written to, or holds another number of bytes.
    """
    try:
        seals = fcntl.fcntl(fd, fcntl.F_GET_SEALS)
        held = os.fstat(fd).st_size
    except (OSError, AttributeError) as error:
        raise NotSealed(
            f"expected a sealed file in memory, got a file that is none: {error}"
        ) from None
    if seals & _seals() != _seals():
        raise NotSealed(
            f"expected memory sealed against writing and resizing, got seals {seals:#x}"
        )
    if held != size:
        raise NotSealed(f"expected shared memory of {size} bytes, got {held}")
    return mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)


def _seals() -> int:
    return fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW

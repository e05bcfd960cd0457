"""Linux calls that Python 3.11 does not provide.

Each raises an OSError that names the step, so that a refusal can be explained.
"""

import ctypes
import functools
import os
import platform

NEW_NAMESPACE = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
READ_ONLY, NO_SUID, NO_DEVICES, NO_PROGRAMS = 1, 2, 4, 8
REMOUNT, BIND, RECURSIVE, PRIVATE = 0x20, 0x1000, 0x4000, 0x40000
SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVILEGES = 1, 4, 22, 38
_AMBIENT, _CLEAR_ALL = 47, 4
_DETACH = 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
_MOUNT_SETATTR, _RECURSIVELY, _HERE = 442, 0x8000, -100
_CAPABILITIES_V3 = 0x20080522


@functools.cache
def libc() -> ctypes.CDLL:
    """Return the C library, with errno kept."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, step: str) -> int:
    """Return ``result`` unless it signals a failure.

    Raises:
        OSError: ``result`` is negative; the message begins with ``step``.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{step}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: object, step: str) -> int:
    """Make the system call ``number`` with ``arguments``; ``step`` names it in an error message."""
    return checked(libc().syscall(ctypes.c_long(number), *arguments), step)


def unshare(*names: str) -> None:
    """Leave the namespaces with these ``names`` for new ones."""
    flags = sum(NEW_NAMESPACE[name] for name in names)
    checked(libc().unshare(flags), f"new namespaces ({', '.join(names)})")


def mount(source: str, target: str, *, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount ``source`` at ``target``, with the file system ``kind``, ``flags`` and ``data``."""
    checked(
        libc().mount(
            source.encode(),
            os.fsencode(target),
            kind.encode() or None,
            ctypes.c_ulong(flags),
            data.encode() or None,
        ),
        f"mount {kind or source} at {target}",
    )


def detach(target: str) -> None:
    """Unmount ``target``, even while it is in use."""
    checked(libc().umount2(os.fsencode(target), _DETACH), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root folder and put the old root at ``old``, which lies below it."""
    number = _PIVOT_ROOT[platform.machine()]
    syscall(number, os.fsencode(new), os.fsencode(old), step="pivot_root")


def set_mount(target: str, flags: int) -> bool:
    """Add ``flags`` to the mount at ``target`` and to all mounts below it.

    Returns:
        False if the kernel (before 5.12) cannot do that in one call.
    """
    attributes = (ctypes.c_uint64 * 4)(flags, 0, 0, 0)
    number, path = ctypes.c_long(_MOUNT_SETATTR), os.fsencode(target)
    return bool(
        libc().syscall(
            number,
            _HERE,
            path,
            _RECURSIVELY,
            attributes,
            ctypes.c_size_t(ctypes.sizeof(attributes)),
        )
        == 0
    )


def control(option: int, value: int, extra: object = 0, *, step: str) -> None:
    """Call prctl with ``option``, ``value`` and ``extra``; ``step`` names it in an error."""
    pointer = extra if isinstance(extra, int) else ctypes.byref(extra)  # type: ignore[arg-type]
    zero = ctypes.c_ulong(0)
    checked(libc().prctl(option, ctypes.c_ulong(value), pointer, zero, zero), step)


def drop_capabilities() -> None:
    """Drop every capability, also those that a started program would inherit."""
    libc().prctl(_AMBIENT, ctypes.c_ulong(_CLEAR_ALL), *[ctypes.c_ulong(0)] * 3)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0)
    checked(libc().capset(header, (ctypes.c_uint32 * 6)()), "drop the capabilities")


def holds(*capabilities: int) -> bool:
    """Return whether this process holds all these ``capabilities``, given by number."""
    with open("/proc/self/status", encoding="utf-8", errors="replace") as status:
        line = next(text for text in status if text.startswith("CapEff:"))
    held = int(line.split()[1], 16)
    return all(held >> number & 1 for number in capabilities)

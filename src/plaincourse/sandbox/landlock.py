"""Landlock: rules on files that an unprivileged process imposes on itself for good.

It replaces namespaces if those are refused, and is a second barrier if they are available.
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plaincourse.sandbox import linux
from plaincourse.sandbox.file_tree import View, inside

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_BELOW = 1  # a rule for a file, or for everything below a folder

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, REMOVE_FOLDER, REMOVE_FILE = (1 << i for i in range(6))
MAKE_SOCKET = 1 << 9
REFER, TRUNCATE, DEVICE = 1 << 13, 1 << 14, 1 << 15
READING = EXECUTE | READ_FILE | READ_FOLDER
_OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE
_ALL_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_SCOPED = 0b11  # no access to outside abstract sockets, no signals to outside processes
_SCOPED_SINCE = 6
_DEVICES = "null zero full random urandom".split()


class Rule(NamedTuple):
    """The rights on a file, or on everything below a folder.

    Attributes:
        path: The file or folder.
        rights: A combination of this module's bits.
    """

    path: str
    rights: int


def version() -> int:
    """Return this kernel's version of landlock, 0 if it has none."""
    if os.name != "posix" or os.uname().sysname != "Linux":
        return 0
    found = linux.libc().syscall(ctypes.c_long(_CREATE), None, ctypes.c_size_t(0), _VERSION)
    return max(0, int(found))


def known(abi: int) -> int:
    """Return all rights over files that version ``abi`` supports."""
    return max((rights for since, rights in _ALL_BY_VERSION.items() if since <= abi), default=0)


def scope(abi: int) -> int:
    """Return the scopes that version ``abi`` can restrict: abstract sockets and signals."""
    return _SCOPED if abi >= _SCOPED_SINCE else 0


def reading(view: View, pid: int) -> list[Rule]:
    """Make the rules that let a process read the visible files of ``view``.

    A rule applies to everything below a folder and cannot be revoked further down. A folder with a
    hidden one inside is therefore opened entry by entry. The hidden names can still be listed, but
    their files cannot be read.

    Args:
        view: The visible folders.
        pid: The process, which may read about itself and no other.
    """
    hidden = [path for path, shown in view.folders if not shown]
    rules: list[Rule] = []
    for path, shown in view.folders:
        if shown:
            rules += _around(path, hidden)
    rules += devices()
    rules.append(Rule(f"/proc/{pid}", READING))
    rules += [Rule(f"/proc/{name}", READ_FILE) for name in ("cpuinfo", "meminfo", "stat", "uptime")]
    return rules


def _around(path: str, hidden: Sequence[str]) -> list[Rule]:
    if path in hidden:
        return []
    if not any(inside(other, path) for other in hidden):
        return [Rule(path, READING)]
    rules = [Rule(path, READ_FOLDER)]
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda found: found.name):
            if not entry.is_symlink():  # a link has no rights of its own; its target has
                rules += _around(entry.path, hidden)
    return rules


def devices() -> list[Rule]:
    """Make the rules for the devices that any program may use."""
    return [Rule(f"/dev/{name}", READ_FILE | WRITE_FILE) for name in _DEVICES]


def writing(folders: Iterable[str], sockets: str) -> list[Rule]:
    """Make the rules that let a process write.

    Args:
        folders: Folders in which everything may be made, changed and removed.
        sockets: A folder in which only sockets may be made, and existing files changed or removed;
            empty for no such folder.
    """
    everything = known(max(_ALL_BY_VERSION)) & ~READING
    rules = [Rule(folder, everything) for folder in folders]
    if sockets:
        rules.append(Rule(sockets, WRITE_FILE | TRUNCATE | MAKE_SOCKET | REMOVE_FILE))
    return rules


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("files", "network", "scoped"))


class _Below(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def restrict(rules: Iterable[Rule], *, handled: int, scoped: int) -> None:
    """Restrict this thread, and all processes and threads that it starts, to the given rules.

    Args:
        rules: The permissions. A rule for a missing path is skipped.
        handled: The rights that need a rule; all others stay as they are.
        scoped: The result of :func:`scope`, or 0.
    """
    attributes = _Attributes(handled, 0, scoped)
    size = 24 if scoped else 8  # a kernel refuses a structure longer than its own
    ruleset = linux.syscall(
        _CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), 0, step="landlock"
    )
    try:
        for rule in rules:
            try:
                handle = os.open(rule.path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            try:
                is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
                rights = rule.rights & handled & (-1 if is_folder else _OF_A_FILE)
                if rights:
                    below = _Below(rights, handle)
                    step = f"landlock for {rule.path}"
                    linux.syscall(_ADD, ruleset, _BELOW, ctypes.byref(below), 0, step=step)
            finally:
                os.close(handle)
        linux.syscall(_RESTRICT, ruleset, 0, step="landlock")
    finally:
        os.close(ruleset)

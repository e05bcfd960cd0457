"""Control groups: a limit on the total memory of all processes of a sandbox.

A group is used if one can be made. In version 2 it is a sibling of our own group, which requires
write permission there and delegated controllers. In version 1 it is below the topmost group, which
requires root. A version 1 group that a service manager has made for us is left unchanged. If no
group can be made, the limit on each process remains. No group is made for the number of processes
alone, because that is limited per user anyway, and moving a process into a group takes ten
milliseconds.
"""

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

from plaincourse.sandbox.room import Limits

_NAME = "plaincourse-"
_MOUNT = Path("/sys/fs/cgroup")


class Group(NamedTuple):
    """The control group of one sandbox.

    Attributes:
        folder: Its folder; None if no group could be made.
    """

    folder: Path | None

    def join(self) -> bool:
        """Move this process, and with it its future children, into the group.

        Returns:
            False if there is no group. The limits on each process remain.
        """
        if self.folder is None:
            return False
        try:
            (self.folder / "cgroup.procs").write_text("0", encoding="utf-8")
        except OSError:
            return False
        return True

    def remove(self) -> None:
        """Remove the group, once no process is left in it."""
        if self.folder is not None:
            with contextlib.suppress(OSError):  # still in use: `tidy` removes it later
                self.folder.rmdir()


def create(limits: Limits, *, held: int, mount: Path = _MOUNT, own: str | None = None) -> Group:
    """Make a control group for one sandbox, if this machine permits it.

    Args:
        limits: The limits to set.
        held: Bytes of memory that the process holds already.
        mount: Where control groups are mounted.
        own: The text of ``/proc/self/cgroup``; None reads it.
    """
    memory = str(limits.memory + limits.disk + held)
    for parent, version in _parents(mount, _own(own)):
        folder = parent / f"{_NAME}{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        if version == 1:
            done = _set(folder, "memory.limit_in_bytes", memory)
            _set(folder, "memory.memsw.limit_in_bytes", memory)
        else:
            done = _set(folder, "memory.max", memory)
            _set(folder, "memory.swap.max", "0")
            _set(folder, "memory.oom.group", "1")
            _set(folder, "pids.max", str(limits.processes + 1))  # plus the process that reaps
        group = Group(folder)
        if done:
            return group
        group.remove()
    return Group(None)


def tidy(*, mount: Path = _MOUNT, own: str | None = None) -> None:
    """Remove the groups of sandboxes whose outer process was killed before it could remove them.

    Args:
        mount: Where control groups are mounted.
        own: The text of ``/proc/self/cgroup``; None reads it.
    """
    for parent, _ in _parents(mount, _own(own)):
        for folder in parent.glob(f"{_NAME}*"):
            number = re.fullmatch(rf"{_NAME}(\d+)", folder.name)
            if number and not Path("/proc", number[1]).exists():
                with contextlib.suppress(OSError):  # its last process is still ending
                    folder.rmdir()


def _own(given: str | None) -> str:
    return _read(Path("/proc/self/cgroup")) if given is None else given


def _parents(mount: Path, own: str) -> list[tuple[Path, int]]:
    """List the groups in which ours can be made, and the version of each."""
    found = []
    for line in own.splitlines():
        _, names, path = line.split(":", 2)
        if not names and path != "/":
            top = mount if (mount / "cgroup.controllers").exists() else mount / "unified"
            parent = top / path.strip("/").rpartition("/")[0]
            if "memory" in _read(parent / "cgroup.subtree_control").split():
                found.append((parent, 2))
        elif path == "/" and "memory" in names.split(","):
            found.append((mount / names, 1))
    return [(parent, version) for parent, version in found if os.access(parent, os.W_OK)]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _set(folder: Path, name: str, value: str) -> bool:
    try:
        with (folder / name).open("r+", encoding="utf-8") as file:
            file.write(value)
    except OSError:
        return False
    return True

"""The file tree that student code gets: planned outside, then built from mounts.

The plan lists the visible folders of this machine, and both levels of isolation use it. The tree's
root folder is built in a mount namespace of its own.
"""

import functools
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plaincourse.sandbox import linux
from plaincourse.sandbox.room import MIB, Room

HOME = "/home/student"
WORK = "/home/student/work"
PRIVATE = (HOME, "/tmp", "/dev/shm")
_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store".split()
_SYSTEM += """
    /etc/alternatives /etc/fonts /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/localtime
    /etc/mime.types /etc/ssl/openssl.cnf /etc/timezone /sys/devices/system/cpu
""".split()
_INSTALLED = "bin etc include lib lib64 libexec share pyvenv.cfg".split()
_COURSE_FILES = ("nbgrader_config.py", "gradebook.db")
_LINKS_AT_MOST = 40
_OLD = "/.host"
_DISK = "/.private"
_DEVICES = "null zero full random urandom".split()
_ABOUT_THE_MACHINE = "cpuinfo meminfo stat uptime version filesystems".split()
_SHOWN = linux.READ_ONLY | linux.NO_SUID | linux.NO_DEVICES
_INODES = 65536
_LOCKED = {
    "ro": linux.READ_ONLY, "nosuid": linux.NO_SUID, "nodev": linux.NO_DEVICES,
    "noexec": linux.NO_PROGRAMS,
}  # fmt: skip


class View(NamedTuple):
    """The parts of the new root folder.

    Attributes:
        folders: (path, shown), parents first. A path that is not shown is covered; a later path
            below it is visible again.
        links: Symbolic links above or next to the folders, and their targets.
    """

    folders: tuple[tuple[str, bool], ...]
    links: dict[str, str]


def plan(room: Room) -> View:
    """List the visible folders of ``room``, with the interpreter and all that it can import."""
    private = [Path.home(), room.sockets, *([] if room.folder is None else [room.folder])]
    kept = [os.path.realpath(path) for path in private] + ["/tmp"]
    traced = [
        found
        for found in everything()
        if os.path.exists(found.real) and not any(inside(path, found.real) for path in kept)
    ]
    folders = {found.real for found in traced}
    links = {link: target for found in traced for link, target in found.links}
    hidden = {os.path.realpath(path) for path in room.hidden}
    shown = dict.fromkeys(folders, True) | dict.fromkeys(hidden, False)
    return View(tuple(_needed(shown)), _outside(links, folders))


class Traced(NamedTuple):
    """A path that student code needs.

    Attributes:
        real: The path without links.
        links: The links on the way there, and their targets.
    """

    real: str
    links: tuple[tuple[str, str], ...]


@functools.cache
def everything() -> tuple[Traced, ...]:
    """List the paths of this machine that student code needs in any room.

    The result is cached, because visiting every module in a forked process copies most of the
    memory. A folder that holds a course is left out, even if Python imports from it.
    """
    found = dict.fromkeys(_trace(p) for p in (*_SYSTEM, *python_folders()) if os.path.exists(p))
    return tuple(
        one
        for one in found
        if not any(os.path.exists(os.path.join(one.real, name)) for name in _COURSE_FILES)
    )


def python_folders() -> Iterator[str]:
    """Yield the paths that this interpreter starts from and imports from."""
    for prefix in dict.fromkeys(
        (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    ):
        yield from (os.path.join(prefix, name) for name in _INSTALLED)
    yield sys.executable
    # '' and the current folder belong to the course if a command is typed there.
    here = os.path.realpath(os.curdir)
    yield from (entry for entry in sys.path if entry and os.path.realpath(entry) != here)
    for name, module in sys.modules.copy().items():  # packages installed in editable mode
        if name.startswith("__editable__") and isinstance(getattr(module, "MAPPING", None), dict):
            yield from map(str, module.MAPPING.values())


def inside(path: str, folder: str) -> bool:
    """Return whether ``path`` is ``folder`` or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _trace(path: str) -> Traced:
    """Follow a path link by link."""
    here, followed = "/", 0
    links: dict[str, str] = {}
    todo = [part for part in os.path.abspath(path).split("/") if part]
    while todo:
        part = todo.pop(0)
        if part == "..":
            here = os.path.dirname(here)
            continue
        here = os.path.join(here, part)
        if os.path.islink(here) and followed < _LINKS_AT_MOST:
            followed += 1
            links[here] = os.readlink(here)
            todo = [p for p in links[here].split("/") if p not in ("", ".")] + todo
            here = "/" if links[here].startswith("/") else os.path.dirname(here)
    return Traced(here, tuple(links.items()))


def _needed(shown: dict[str, bool]) -> Iterator[tuple[str, bool]]:
    """Yield only the paths whose visibility differs from that of the folder around them."""
    for path in sorted(shown):
        above = [other for other in shown if other != path and inside(path, other)]
        if shown[path] != (bool(above) and shown[max(above, key=len)]):
            yield path, shown[path]


def _outside(links: dict[str, str], folders: set[str]) -> dict[str, str]:
    return {
        link: target
        for link, target in sorted(links.items())
        if not any(inside(link, folder) for folder in folders)
    }


def build(view: View, room: Room, user: int) -> None:
    """Make and enter the new root folder. Nothing of the host's tree is reachable afterwards.

    Args:
        view: The visible folders and links.
        room: Its sockets folder, an absolute path, and its limits.
        user: The user number that owns the private folders.
    """
    sockets = os.path.realpath(room.sockets)
    linux.mount("none", "/", flags=linux.RECURSIVE | linux.PRIVATE)
    # Any folder would serve as the mount point: once it is the root, all of the host's tree is
    # below.
    linux.mount("tmpfs", "/tmp", kind="tmpfs", flags=linux.NO_SUID, data="mode=755,size=16m")
    os.mkdir("/tmp" + _OLD, 0o700)
    linux.pivot_root("/tmp", "/tmp" + _OLD)
    os.chdir("/")
    _private(room.limits.disk, user)  # first, because visible folders may lie below /tmp or /home
    _show(view)
    _etc(user)
    _proc()
    _devices()
    _bind(_OLD + sockets, str(room.sockets))
    linux.set_mount(str(room.sockets), linux.NO_SUID | linux.NO_DEVICES | linux.NO_PROGRAMS)
    linux.detach(_OLD)
    os.rmdir(_OLD)
    flags = linux.REMOUNT | linux.BIND | linux.READ_ONLY | linux.NO_SUID
    linux.mount("none", "/", flags=flags)


def _show(view: View) -> None:
    for path, shown in view.folders:
        if shown:
            _bind(_OLD + path, path)
            if not linux.set_mount(path, _SHOWN):
                freeze_one_by_one(path, Path(_OLD, "proc/self/mountinfo").read_text("utf-8"))
        elif os.path.isdir(path):
            linux.mount("tmpfs", path, kind="tmpfs", flags=linux.NO_SUID, data="mode=755,size=1m")
    for link, target in view.links.items():
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.lexists(link):
            os.symlink(target, link)


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target):
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    linux.mount(source, target, flags=linux.BIND | linux.RECURSIVE)


def freeze_one_by_one(target: str, mountinfo: str) -> None:
    """Make ``target`` and each mount below it read-only, on kernels before 5.12.

    Args:
        target: The topmost mount.
        mountinfo: The text of ``/proc/self/mountinfo``.
    """
    for line in mountinfo.splitlines():
        place, options = line.split()[4:6]
        place = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), place)  # a space
        if place == target or place.startswith(target + "/"):
            # Flags that forbid something outside cannot be removed inside, so they are kept.
            kept = sum(flag for name, flag in _LOCKED.items() if name in options.split(","))
            flags = linux.REMOUNT | linux.BIND | kept | _SHOWN
            linux.mount("none", place, flags=flags)


def _etc(user: int) -> None:
    os.makedirs("/etc", exist_ok=True)
    for name, text in {
        "passwd": f"root:x:0:0:root:/root:/bin/sh\nstudent:x:{user}:{user}::{HOME}:/bin/sh\n",
        "group": f"root:x:0:\nstudent:x:{user}:\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        "hosts": "127.0.0.1 localhost student\n",
    }.items():
        Path("/etc", name).write_text(text, encoding="utf-8")


def _proc() -> None:
    os.mkdir("/proc")
    safe = linux.NO_SUID | linux.NO_DEVICES | linux.NO_PROGRAMS | linux.READ_ONLY
    try:
        linux.mount("proc", "/proc", kind="proc", flags=safe)
    except OSError:  # a container that masks parts of its own /proc: copy the harmless files
        for name in _ABOUT_THE_MACHINE:
            text = Path(_OLD, "proc", name).read_bytes()
            Path("/proc", name).write_bytes(text)


def _devices() -> None:
    os.makedirs("/dev/pts")
    for name in _DEVICES:
        _bind(f"{_OLD}/dev/{name}", f"/dev/{name}")
    flags = linux.NO_SUID | linux.NO_PROGRAMS
    linux.mount("devpts", "/dev/pts", kind="devpts", flags=flags, data="newinstance,ptmxmode=0666")
    os.symlink("pts/ptmx", "/dev/ptmx")
    for name, target in {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        os.symlink(f"/proc/self/{target}", f"/dev/{name}")


def _private(disk: int, user: int) -> None:
    """Mount one file system of limited size, and make its parts visible at three paths."""
    os.mkdir(_DISK)
    size = max(disk, MIB)
    data = f"mode=755,size={size},nr_inodes={_INODES}"
    linux.mount("tmpfs", _DISK, kind="tmpfs", flags=linux.NO_SUID | linux.NO_DEVICES, data=data)
    for place in PRIVATE:
        part = os.path.join(_DISK, os.path.basename(place))
        os.mkdir(part, 0o700)
        os.chown(part, user, user)
        os.makedirs(place, exist_ok=True)
        linux.mount(part, place, flags=linux.BIND)
    linux.detach(_DISK)
    os.rmdir(_DISK)
    for place in (WORK, HOME + "/.config", HOME + "/.config/matplotlib"):
        os.mkdir(place, 0o700)
        os.chown(place, user, user)

"""The stronger level: a file tree, processes, a network and a host name of the sandbox's own.

The tree's root folder is built from mounts, in a mount namespace of its own.
"""

import contextlib
import os
import re
import socket
import stat
from collections.abc import Sequence
from pathlib import Path

from plaincourse.sandbox import cgroups, inherited, landlock, steps, syscalls, system
from plaincourse.sandbox.attend import Lifeline, attend
from plaincourse.sandbox.room import MIB, Room
from plaincourse.sandbox.view import View

_CHANGE_OWNER, _SET_GROUP, _SET_USER, _ADMINISTER = 0, 6, 7, 21
_COUNTED_APART = (5, 14)  # since then a user's processes are counted in each user namespace
HOME = "/home/student"
WORK = "/home/student/work"
PRIVATE = (HOME, "/tmp", "/dev/shm")
_OLD = "/.host"
_DISK = "/.private"
_DEVICES = "null zero full random urandom".split()
_ABOUT_THE_MACHINE = "cpuinfo meminfo stat uptime version filesystems".split()
_SHOWN = system.READ_ONLY | system.NO_SUID | system.NO_DEVICES
_INODES = 65536
_LOCKED = {
    "ro": system.READ_ONLY, "nosuid": system.NO_SUID, "nodev": system.NO_DEVICES,
    "noexec": system.NO_PROGRAMS,
}  # fmt: skip


def enter(room: Room, keep: Sequence[int]) -> None:
    """Enter ``room`` with namespaces; ``keep`` are the files that stay open.

    Three processes result: this one waits outside, the first one inside reaps orphans, and the
    one that returns runs student code. The first one inside must not do that, because Linux lets
    it ignore signals, and because nobody else would reap.
    """
    outside = steps.outside(room)
    code = syscalls.program(syscalls.BASE)
    rights = system.holds(_CHANGE_OWNER, _SET_GROUP, _SET_USER, _ADMINISTER)
    group = cgroups.create(room.limits, held=inherited.resident())
    try:
        user = _other_user() if rights else _own_user_namespace()
        system.unshare("pid")
        line = Lifeline()
        child = os.fork()
    except OSError:
        group.remove()
        raise
    if child:
        line.hold()
        steps.let_go(outside.source, *keep)
        attend(child, finish=group.remove)
    os.setsid()
    line.follow()
    group.join()
    steps.first_to_go()
    system.unshare("mount", "net", "ipc", "uts", "cgroup")
    socket.sethostname("student")
    # All that is read in /proc is read before the new root, which may have to do without.
    apart = rights or _version() >= _COUNTED_APART
    processes = room.limits.processes + (1 if apart else inherited.tasks())
    held = inherited.addresses()
    inherited.replace_environment(HOME, "/tmp")
    os.umask(0o022)
    build(outside.view, room, user)
    if rights:
        _hand_over(room.sockets, user)
    steps.fill(outside, HOME, room, user)
    os.chdir(WORK)
    inherited.limit(room.limits, held=held, processes=processes)
    if rights:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    steps.writable[:] = landlock.writing((HOME, "/tmp", "/dev"), "")
    rules = [*steps.writable, *landlock.writing((), str(room.sockets))]
    steps.lock(line, rules, [code], reading=False)
    child = os.fork()
    if child:
        steps.let_go(*keep)
        attend(child)
    line.release()
    os.setsid()
    inherited.reset_signals()


def _other_user() -> int:
    uid_map = Path("/proc/self/uid_map").read_text(encoding="utf-8")
    return inherited.spare_user(uid_map, os.getpid())


def _own_user_namespace() -> int:
    """Enter a user namespace in which this user, and nobody else, exists under its own number."""
    user, group = os.geteuid(), os.getegid()
    # A process that changed its user before may not write its own maps without this.
    system.control(system.SET_DUMPABLE, 1, step="see itself in /proc")
    system.unshare("user")
    Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="utf-8")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="utf-8")
    return user


def _hand_over(folder: Path, user: int) -> None:
    """Give the sockets folder, and the files that lie in it, to ``user``."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fchown(handle, user, user)
        for name in os.listdir(handle):
            found = os.lstat(name, dir_fd=handle)
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                with contextlib.suppress(FileNotFoundError):
                    os.chown(name, user, user, dir_fd=handle, follow_symlinks=False)
    finally:
        os.close(handle)


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])


def build(view: View, room: Room, user: int) -> None:
    """Make and enter the new root folder. Nothing of the host's tree is reachable afterwards.

    Args:
        view: What is visible.
        room: Its sockets folder, an absolute path, and its limits.
        user: Whom the private folders belong to.
    """
    sockets = os.path.realpath(room.sockets)
    system.mount("none", "/", flags=system.RECURSIVE | system.PRIVATE)
    # Any folder will do to stand on: once it is the root, the host's tree lies below it, whole.
    system.mount("tmpfs", "/tmp", kind="tmpfs", flags=system.NO_SUID, data="mode=755,size=16m")
    os.mkdir("/tmp" + _OLD, 0o700)
    system.pivot_root("/tmp", "/tmp" + _OLD)
    os.chdir("/")
    _private(room.limits.disk, user)  # first: what is shown may lie below /tmp or /home
    _show(view)
    _etc(user)
    _proc()
    _devices()
    _bind(_OLD + sockets, str(room.sockets))
    system.set_mount(str(room.sockets), system.NO_SUID | system.NO_DEVICES | system.NO_PROGRAMS)
    system.detach(_OLD)
    os.rmdir(_OLD)
    flags = system.REMOUNT | system.BIND | system.READ_ONLY | system.NO_SUID
    system.mount("none", "/", flags=flags)


def _show(view: View) -> None:
    for path, shown in view.folders:
        if shown:
            _bind(_OLD + path, path)
            if not system.set_mount(path, _SHOWN):
                freeze_one_by_one(path, Path(_OLD, "proc/self/mountinfo").read_text("utf-8"))
        elif os.path.isdir(path):
            system.mount("tmpfs", path, kind="tmpfs", flags=system.NO_SUID, data="mode=755,size=1m")
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
    system.mount(source, target, flags=system.BIND | system.RECURSIVE)


def freeze_one_by_one(target: str, mountinfo: str) -> None:
    """Make ``target`` and each mount below it read-only, on kernels before 5.12.

    Args:
        target: The upper one.
        mountinfo: The text of ``/proc/self/mountinfo``.
    """
    for line in mountinfo.splitlines():
        place, options = line.split()[4:6]
        place = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), place)  # a space
        if place == target or place.startswith(target + "/"):
            # What was forbidden outside cannot be allowed inside: the flags are kept.
            kept = sum(flag for name, flag in _LOCKED.items() if name in options.split(","))
            flags = system.REMOUNT | system.BIND | kept | _SHOWN
            system.mount("none", place, flags=flags)


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
    safe = system.NO_SUID | system.NO_DEVICES | system.NO_PROGRAMS | system.READ_ONLY
    try:
        system.mount("proc", "/proc", kind="proc", flags=safe)
    except OSError:  # a container that masks parts of its own /proc: what does no harm is copied
        for name in _ABOUT_THE_MACHINE:
            text = Path(_OLD, "proc", name).read_bytes()
            Path("/proc", name).write_bytes(text)


def _devices() -> None:
    os.makedirs("/dev/pts")
    for name in _DEVICES:
        _bind(f"{_OLD}/dev/{name}", f"/dev/{name}")
    flags = system.NO_SUID | system.NO_PROGRAMS
    system.mount("devpts", "/dev/pts", kind="devpts", flags=flags, data="newinstance,ptmxmode=0666")
    os.symlink("pts/ptmx", "/dev/ptmx")
    for name, target in {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        os.symlink(f"/proc/self/{target}", f"/dev/{name}")


def _private(disk: int, user: int) -> None:
    """Mount one file system of limited size, and show its parts in three places."""
    os.mkdir(_DISK)
    size = max(disk, MIB)
    data = f"mode=755,size={size},nr_inodes={_INODES}"
    system.mount("tmpfs", _DISK, kind="tmpfs", flags=system.NO_SUID | system.NO_DEVICES, data=data)
    for place in PRIVATE:
        part = os.path.join(_DISK, os.path.basename(place))
        os.mkdir(part, 0o700)
        os.chown(part, user, user)
        os.makedirs(place, exist_ok=True)
        system.mount(part, place, flags=system.BIND)
    system.detach(_DISK)
    os.rmdir(_DISK)
    for place in (WORK, HOME + "/.config", HOME + "/.config/matplotlib"):
        os.mkdir(place, 0o700)
        os.chown(place, user, user)

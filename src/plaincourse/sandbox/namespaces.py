"""The stronger level: a file tree, processes, a network and a host name of the sandbox's own."""

import contextlib
import os
import socket
import stat
from collections.abc import Sequence
from pathlib import Path

from plaincourse.sandbox import cgroups, inherited, landlock, steps, syscalls, system, tree
from plaincourse.sandbox.attend import Lifeline, attend
from plaincourse.sandbox.room import Room

_CHANGE_OWNER, _SET_GROUP, _SET_USER, _ADMINISTER = 0, 6, 7, 21
_COUNTED_APART = (5, 14)  # since then a user's processes are counted in each user namespace


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
    inherited.replace_environment(tree.HOME, "/tmp")
    os.umask(0o022)
    tree.build(outside.view, room, user)
    if rights:
        _hand_over(room.sockets, user)
    steps.fill(outside, tree.HOME, room, user)
    os.chdir(tree.WORK)
    inherited.limit(room.limits, held=held, processes=processes)
    if rights:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    steps.writable[:] = landlock.writing((tree.HOME, "/tmp", "/dev"), "")
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

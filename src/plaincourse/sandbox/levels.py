"""The two levels of isolating a process, and the steps that they share.

The stronger level gives the sandbox its own file tree, processes, network and host name. The weaker
level, for machines that refuse namespaces, is landlock and seccomp around one process.
"""

import contextlib
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from plaincourse.sandbox import cgroups, landlock, linux, process_state, seccomp
from plaincourse.sandbox.attendants import Lifeline, attend
from plaincourse.sandbox.copying import copy_tree
from plaincourse.sandbox.file_tree import HOME, WORK, View, build, plan
from plaincourse.sandbox.room import Room

PREFIX = "plaincourse-room-"
_FILES_AT_MOST = 65536
_CHANGE_OWNER, _SET_GROUP, _SET_USER, _ADMINISTER = 0, 6, 7, 21
_COUNTED_APART = (5, 14)  # since this version processes are counted per user namespace
writable: list[landlock.Rule] = []  # rules for the paths that this process may write, in a sandbox
sealing: list[bytes] = []  # seccomp programs to install once its own sockets exist


def with_namespaces(room: Room, keep: Sequence[int]) -> None:
    """Enter ``room`` with namespaces; the files in ``keep`` stay open.

    Three processes result: this one waits outside, the first one inside reaps orphans, and the one
    that returns runs student code. The first one inside must not run student code, because Linux
    lets it ignore signals, and because no other process would reap.
    """
    taken = _outside(room)
    code = seccomp.program(seccomp.BASE)
    rights = linux.holds(_CHANGE_OWNER, _SET_GROUP, _SET_USER, _ADMINISTER)
    group = cgroups.create(room.limits, held=process_state.resident())
    try:
        user = _other_user() if rights else _own_user_namespace()
        linux.unshare("pid")
        line = Lifeline()
        child = os.fork()
    except OSError:
        group.remove()
        raise
    if child:
        line.hold()
        _let_go(taken.source, *keep)
        attend(child, finish=group.remove)
    os.setsid()
    line.follow()
    group.join()
    process_state.first_to_go()
    linux.unshare("mount", "net", "ipc", "uts", "cgroup")
    socket.sethostname("student")
    # Read all of /proc that is needed before the new root, in which /proc may be missing.
    apart = rights or _version() >= _COUNTED_APART
    processes = room.limits.processes + (1 if apart else process_state.tasks())
    held = process_state.addresses()
    process_state.replace_environment(HOME, "/tmp")
    os.umask(0o022)
    build(taken.view, room, user)
    if rights:
        _hand_over(room.sockets, user)
    _fill(taken, HOME, room, user)
    os.chdir(WORK)
    process_state.limit(room.limits, held=held, processes=processes)
    if rights:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    writable[:] = landlock.writing((HOME, "/tmp", "/dev"), "")
    rules = [*writable, *landlock.writing((), str(room.sockets))]
    _lock(line, rules, [code], reading=False)
    child = os.fork()
    if child:
        _let_go(*keep)
        attend(child)
    line.release()
    os.setsid()
    process_state.reset_signals()


def _other_user() -> int:
    uid_map = Path("/proc/self/uid_map").read_text(encoding="utf-8")
    return process_state.spare_user(uid_map, os.getpid())


def _own_user_namespace() -> int:
    """Enter a user namespace that holds only this user, under the same number."""
    user, group = os.geteuid(), os.getegid()
    # A process that changed its user before may not write its own maps without this.
    linux.control(linux.SET_DUMPABLE, 1, step="see itself in /proc")
    linux.unshare("user")
    Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="utf-8")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="utf-8")
    return user


def _hand_over(folder: Path, user: int) -> None:
    """Give the sockets folder, and the files in it, to ``user``."""
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


def with_landlock(room: Room, keep: Sequence[int]) -> None:
    """Enter ``room`` without namespaces; the files in ``keep`` stay open.

    The process that returns can start threads, but no processes: a process that outlived it could
    not be found again. Its private folder is an ordinary one, whose size the outer process checks.

    Raises:
        RuntimeError: This kernel has no landlock.
    """
    abi = landlock.version()
    if not abi:
        raise RuntimeError("this kernel has no landlock (it came with Linux 5.13)")
    taken = _outside(room)
    codes = [seccomp.program(seccomp.BASE), seccomp.program(seccomp.ALONE)]
    group = cgroups.create(room.limits, held=process_state.resident())
    base = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
    home, temporary = os.path.join(base, "home"), os.path.join(base, "tmp")

    def clean() -> None:
        group.remove()
        shutil.rmtree(base, ignore_errors=True)

    try:
        for name in ("tmp", "home", "home/work", "home/.config", "home/.config/matplotlib"):
            os.mkdir(os.path.join(base, name), 0o700)
        _fill(taken, home, room, -1)
        line = Lifeline()
        child = os.fork()
    except BaseException:
        clean()
        raise
    if child:
        line.hold()
        _let_go(taken.source, *keep)
        attend(child, finish=clean, allowed=lambda: _fits(base, room.limits.disk))
    os.setsid()
    line.follow()
    group.join()
    process_state.first_to_go()
    process_state.replace_environment(home, temporary)
    os.chdir(os.path.join(home, "work"))
    processes = room.limits.processes + process_state.tasks()
    process_state.limit(room.limits, held=process_state.addresses(), processes=processes)
    sockets = str(room.sockets)
    sealing[:] = [seccomp.program(seccomp.NAMELESS)]
    writable[:] = [*landlock.writing((base,), ""), *landlock.devices()]
    rules = [*landlock.reading(taken.view, os.getpid()), *writable]
    rules += [landlock.Rule(folder, landlock.READING) for folder in (base, sockets)]
    rules += landlock.writing((), sockets)
    if not landlock.scope(abi):
        codes.append(seccomp.program(seccomp.only_itself(os.getpid())))
    _lock(line, rules, codes, reading=True)
    line.release()
    process_state.reset_signals()


def _fits(base: str, limit: int) -> bool:
    """Return whether the files below ``base`` are within the limits on bytes and number."""
    total = count = 0
    for folder, _, names in os.walk(base):
        for name in (*names, "."):
            try:
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
            except OSError:  # removed since it was listed
                continue
            count += 1
            if total > limit or count > _FILES_AT_MOST:
                return False
    return True


class _Outside(NamedTuple):
    """Data to read before the host's files are out of reach.

    Attributes:
        view: The visible folders.
        fonts: matplotlib's list of fonts, as (file name, content).
        source: The submission's folder, open; -1 for none.
    """

    view: View
    fonts: list[tuple[str, bytes]]
    source: int


def _outside(room: Room) -> _Outside:
    """Collect the data that a ``room`` needs from outside."""
    source = -1
    if room.folder is not None:
        source = os.open(room.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    return _Outside(plan(room), process_state.font_cache(), source)


def _fill(taken: _Outside, home: str, room: Room, user: int) -> None:
    """Put the submission and the fonts into the sandbox's home folder.

    Args:
        taken: The result of :func:`_outside`. Its folder is closed.
        home: The home folder.
        room: The room, whose limit on the disk applies.
        user: The user number that owns the copies; -1 for this process's user.
    """
    if taken.source >= 0:
        copy_tree(taken.source, f"{home}/work", limit=room.limits.disk, owner=user)
        os.close(taken.source)
    for name, content in taken.fonts:
        path = Path(home, ".config", "matplotlib", name)
        path.write_bytes(content)
        os.chown(path, user, user)


def _let_go(*handles: int) -> None:
    """Close these ``handles`` in a process that only waits, so that others see them end."""
    for handle in handles:
        with contextlib.suppress(OSError):  # -1, or closed already
            os.close(handle)


def _lock(
    line: Lifeline, rules: Iterable[landlock.Rule], codes: Sequence[bytes], *, reading: bool
) -> None:
    """Take the last steps. Each one forbids more, so the order matters.

    Args:
        line: The lifeline to the parent, with which this process dies.
        rules: The permissions on files.
        codes: The seccomp programs.
        reading: Whether rules are needed for reading and for access to the outside as well.
    """
    os.umask(0o077)
    linux.drop_capabilities()
    linux.control(linux.SET_DUMPABLE, 1, step="see itself in /proc")  # a change of user cleared it
    line.follow()
    linux.control(linux.SET_NO_NEW_PRIVILEGES, 1, step="no new privileges")
    abi = landlock.version()
    if abi:
        handled = landlock.known(abi) & (-1 if reading else ~landlock.READING)
        landlock.restrict(rules, handled=handled, scoped=landlock.scope(abi) if reading else 0)
    for code in codes:
        seccomp.install(code)

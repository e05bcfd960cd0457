"""The weaker level, where namespaces are refused: landlock and seccomp around one process."""

import os
import shutil
import tempfile
from collections.abc import Sequence

from plaincourse.sandbox import cgroups, inherited, landlock, steps, syscalls
from plaincourse.sandbox.attend import Lifeline, attend
from plaincourse.sandbox.room import Room

PREFIX = "plaincourse-room-"
_FILES_AT_MOST = 65536


def enter(room: Room, keep: Sequence[int]) -> None:
    """Enter ``room`` without namespaces; ``keep`` are the files that stay open.

    The caller that returns can start threads, but no process: one that outlived it could not be
    found again. Its private folder is an ordinary one, which the outer process measures.

    Raises:
        RuntimeError: This kernel has no landlock.
    """
    abi = landlock.version()
    if not abi:
        raise RuntimeError("this kernel has no landlock (it came with Linux 5.13)")
    outside = steps.outside(room)
    codes = [syscalls.program(syscalls.BASE), syscalls.program(syscalls.ALONE)]
    group = cgroups.create(room.limits, held=inherited.resident())
    base = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
    home, temporary = os.path.join(base, "home"), os.path.join(base, "tmp")

    def clean() -> None:
        group.remove()
        shutil.rmtree(base, ignore_errors=True)

    try:
        for name in ("tmp", "home", "home/work", "home/.config", "home/.config/matplotlib"):
            os.mkdir(os.path.join(base, name), 0o700)
        steps.fill(outside, home, room, -1)
        line = Lifeline()
        child = os.fork()
    except BaseException:
        clean()
        raise
    if child:
        line.hold()
        steps.let_go(outside.source, *keep)
        attend(child, finish=clean, allowed=lambda: _fits(base, room.limits.disk))
    os.setsid()
    line.follow()
    group.join()
    steps.first_to_go()
    inherited.replace_environment(home, temporary)
    os.chdir(os.path.join(home, "work"))
    processes = room.limits.processes + inherited.tasks()
    inherited.limit(room.limits, held=inherited.addresses(), processes=processes)
    sockets = str(room.sockets)
    steps.writable[:] = [*landlock.writing((base,), ""), *landlock.devices()]
    rules = [*landlock.reading(outside.view, os.getpid()), *steps.writable]
    rules += [landlock.Rule(folder, landlock.READING) for folder in (base, sockets)]
    rules += landlock.writing((), sockets)
    if not landlock.scope(abi):
        codes.append(syscalls.program(syscalls.only_itself(os.getpid())))
    steps.lock(line, rules, codes, reading=True)
    line.release()
    inherited.reset_signals()


def _fits(base: str, limit: int) -> bool:
    """Tell whether what lies below ``base`` is within the limit, in bytes and in number."""
    total = count = 0
    for folder, _, names in os.walk(base):
        for name in (*names, "."):
            try:
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
            except OSError:  # gone since it was listed
                continue
            count += 1
            if total > limit or count > _FILES_AT_MOST:
                return False
    return True

"""Enter a room, or get ready to."""

import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from plaincourse.sandbox import alone, cgroups, inherited, landlock, namespaces, steps, syscalls
from plaincourse.sandbox.attend import signals
from plaincourse.sandbox.level import Level, SandboxRefused, Support, refusal
from plaincourse.sandbox.room import Room
from plaincourse.sandbox.view import inside, plan


def enter(room: Room, *, level: Level, keep: Sequence[int] = ()) -> None:
    """Lock this process in, for good.

    It must have been forked for this and have one thread. The caller that returns is a grandchild
    (namespaces) or a child (landlock) of the one that called; that one waits, passes signals on,
    and exits as the sandbox ends: with its status, or 128 and the number of the signal. When it
    is killed, everything in the sandbox dies.

    Args:
        room: Where to.
        level: What :func:`~plaincourse.sandbox.support.probe` found.
        keep: Open files that stay open, besides standard output and error. All others are
            closed, also those that some Python object still believes to own.

    Raises:
        SandboxRefused: The level is NONE, or a step failed; nothing of the student's has run.
        ValueError: The submission is too large, or the sockets folder is not there.
    """
    if level is Level.NONE:
        raise refusal(Support(level, "No level of isolation was given."))
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise SandboxRefused(
            f"A sandbox is entered by a process with one thread; this one has {threads}. "
            "Fork it from a process that has started none (OMP_NUM_THREADS=1 helps)."
        )
    if not room.sockets.is_absolute() or not room.sockets.is_dir():
        raise ValueError(f"Room(sockets={str(room.sockets)!r}) is not a folder's absolute path.")
    try:
        inherited.close_files(keep)
        signal.pthread_sigmask(signal.SIG_BLOCK, signals())
        if level is Level.NAMESPACES:
            namespaces.enter(room, keep)
        else:
            alone.enter(room, keep)
    except (OSError, RuntimeError) as error:
        raise SandboxRefused(f"Student code was not run. The sandbox failed: {error}") from error


def prepare(room: Room) -> None:
    """Compute once, in a process that will be forked, what every entering of a ``room`` needs.

    It saves some tens of milliseconds each time.
    """
    syscalls.program(syscalls.BASE)
    syscalls.program(syscalls.ALONE)
    landlock.version()
    plan(room)


def sockets_folder() -> Path:
    """Make an empty folder for a kernel's sockets, where it can be sealed and its path is short.

    Below ``/tmp`` it could not: what a sandbox has there is its own to fill.
    """
    places = (os.environ.get("XDG_RUNTIME_DIR"), "/var/tmp", tempfile.gettempdir())
    place = next((p for p in places if p and os.access(p, os.W_OK | os.X_OK)), None)
    return Path(tempfile.mkdtemp(prefix="plaincourse-", dir=place))


def seal(sockets: Path) -> bool:
    """Let nothing be made in the sockets folder any more, once the kernel's sockets are there.

    To be called in the sandbox, by the thread that will run student code.

    Args:
        sockets: The room's sockets folder.

    Returns:
        False where that cannot be held, because the kernel has no landlock or the folder lies
        below ``/tmp``: then only the limit on one file holds there.
    """
    abi = landlock.version()
    own = any(inside(str(sockets), rule.path) for rule in steps.writable)
    if abi and not own:
        handled = landlock.known(abi) & ~landlock.READING
        landlock.restrict(steps.writable, handled=handled, scoped=0)
    return bool(abi) and not own


def tidy() -> None:
    """Remove what sandboxes left behind whose waiting process was killed."""
    cgroups.tidy()
    for path in Path(tempfile.gettempdir()).glob(f"{alone.PREFIX}*"):
        number = path.name.removeprefix(alone.PREFIX).partition("-")[0]
        mine = path.lstat().st_uid == os.geteuid()
        if mine and number.isdecimal() and not Path("/proc", number).exists():
            shutil.rmtree(path, ignore_errors=True)

"""Enter a room, prepare for it, and find out what this machine can do by entering one."""

import functools
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from plaincourse.sandbox import cgroups, landlock, levels, process_state, seccomp
from plaincourse.sandbox.attendants import signals
from plaincourse.sandbox.file_tree import inside, plan
from plaincourse.sandbox.room import Level, Limits, Room, SandboxRefused, Support, refusal

_HOLDS = {
    Level.NAMESPACES: "Student code gets files, processes and a network of its own (namespaces).",
    Level.LANDLOCK: (
        "Student code is one process that reads and writes only its own files and has no "
        "network (landlock). It can see the names of other files, and start no process."
    ),
}
_SETTINGS = {
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1", "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    ),
    "/proc/sys/kernel/unprivileged_userns_clone": (
        "0", "sudo sysctl kernel.unprivileged_userns_clone=1"
    ),
    "/proc/sys/user/max_user_namespaces": ("0", "sudo sysctl user.max_user_namespaces=15000"),
}  # fmt: skip
#: The maximal length in bytes of a sockets folder's path: a socket's path may have 107.
_SHORT = 60
_EACH, _TOGETHER = "ok", "ok together"
_IN_A_CONTAINER = ("/.dockerenv", "/run/.containerenv")


def enter(room: Room, *, level: Level, keep: Sequence[int] = ()) -> None:
    """Lock this process in, for good.

    The process must have been forked for this and have a single thread. The call returns in a
    grandchild (namespaces) or a child (landlock) of the calling process. The calling process waits,
    passes signals on, and exits when the sandbox ends: with its status, or with 128 plus the number
    of the signal. When the calling process is killed, everything in the sandbox dies.

    Args:
        room: The room to enter.
        level: The level that :func:`~plaincourse.sandbox.entrance.probe` found.
        keep: File descriptors that stay open, besides standard output and error. All others are
            closed, also those that Python objects still own.

    Raises:
        SandboxRefused: The level is NONE, or a step failed; no student code has run.
        ValueError: The submission is too large, or the sockets folder does not exist.
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
        process_state.close_files(keep)
        signal.pthread_sigmask(signal.SIG_BLOCK, signals())
        if level is Level.NAMESPACES:
            levels.with_namespaces(room, keep)
        else:
            levels.with_landlock(room, keep)
    except (OSError, RuntimeError) as error:
        raise SandboxRefused(f"Student code was not run. The sandbox failed: {error}") from error


def prepare(room: Room) -> None:
    """Compute once, before a process is forked, the data needed each time a ``room`` is entered.

    This saves some tens of milliseconds each time.
    """
    seccomp.program(seccomp.BASE)
    seccomp.program(seccomp.ALONE)
    seccomp.program(seccomp.NAMELESS)
    landlock.version()
    plan(room)


def sockets_folder() -> Path:
    """Make an empty folder for a kernel's sockets, with a short path, that can be sealed.

    A folder below ``/tmp`` could not be sealed, because a sandbox may write anywhere in its
    ``/tmp``.
    """
    places = (os.environ.get("XDG_RUNTIME_DIR"), "/var/tmp", tempfile.gettempdir())
    usable = [p for p in places if p and os.access(p, os.W_OK | os.X_OK)]
    place = next((p for p in usable if len(os.fsencode(p)) <= _SHORT), next(iter(usable), None))
    return Path(tempfile.mkdtemp(prefix="plaincourse-", dir=place))


def seal(sockets: Path) -> bool:
    """Forbid new files in the sockets folder, once the kernel's sockets exist.

    Without a network of its own, the sandbox cannot name any further socket either.

    Call this in the sandbox, in the thread that will run student code.

    Args:
        sockets: The room's sockets folder.

    Returns:
        False if this cannot be enforced, because the kernel has no landlock or the folder lies
        below ``/tmp``. Then only the limit on the size of a file applies there.
    """
    abi = landlock.version()
    own = any(inside(str(sockets), rule.path) for rule in levels.writable)
    for code in levels.sealing:
        seccomp.install(code)
    if abi and not own:
        handled = landlock.known(abi) & ~landlock.READING
        landlock.restrict(levels.writable, handled=handled, scoped=0)
    return bool(abi) and not own


def tidy() -> None:
    """Remove the leftovers of sandboxes whose waiting process was killed."""
    cgroups.tidy()
    for path in Path(tempfile.gettempdir()).glob(f"{levels.PREFIX}*"):
        number = path.name.removeprefix(levels.PREFIX).partition("-")[0]
        mine = path.lstat().st_uid == os.geteuid()
        if mine and number.isdecimal() and not Path("/proc", number).exists():
            shutil.rmtree(path, ignore_errors=True)


@functools.cache
def probe() -> Support:
    """Find out how well this machine can isolate student code, by trying in a forked child.

    The result is cached, because the rights of a process do not change while it runs.
    """
    if sys.platform != "linux":
        return Support(
            Level.NONE,
            f"It needs Linux; this is {sys.platform}. A container gives it a Linux.",
        )
    try:
        seccomp.program(seccomp.BASE)
    except RuntimeError as missing:
        return Support(Level.NONE, f"{missing}.")
    said: list[str] = []
    for level, meaning in _HOLDS.items():
        answer = attempt(level)
        if answer in (_EACH, _TOGETHER):
            said = [meaning, _memory(answer == _TOGETHER), *said]
            return Support(level, " ".join(said))
        said.append(f"{level.value.capitalize()} are refused: {answer}. {advice(_setting)}".strip())
    return Support(Level.NONE, " ".join(said))


def attempt(level: Level) -> str:
    """Enter an empty room.

    Args:
        level: The level to try.

    Returns:
        "ok", or "ok together" if a control group works; otherwise the error.
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="plaincourse-probe-") as folder:
        with warnings.catch_warnings():
            # Python warns of threads that hold a lock; the child below takes none of their locks.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            _try(level, Path(folder), writing)
        os.close(writing)
        with open(reading, encoding="utf-8", errors="replace") as file:
            answer = file.read()
        os.waitpid(child, 0)
    return answer or "the sandbox ended before it could answer"


def _try(level: Level, folder: Path, writing: int) -> None:
    """Enter, and write the result to the pipe. This process does nothing else."""
    try:
        room = Room(folder=None, sockets=folder, limits=Limits(memory=1 << 26, disk=1 << 20))
        group = cgroups.create(room.limits, held=process_state.resident())
        answer = _TOGETHER if group.folder else _EACH
        group.remove()
        enter(room, level=level, keep=[writing])
    except BaseException as error:  # the parent must learn of any failure
        answer = str(error.__cause__ or error)
    os.write(writing, answer.encode())
    os._exit(0)


def advice(setting: Callable[[str], str | None]) -> str:
    """Return advice on how to allow namespaces.

    Args:
        setting: Returns the content of a file of ``/proc/sys``, or None if it does not exist.
    """
    for path, (refusing, command) in _SETTINGS.items():
        if setting(path) == refusing:
            return f"This allows them: `{command}`."
    if any(setting(path) is not None for path in _IN_A_CONTAINER):
        return (
            "This is a container: start it by the command that "
            "`plaincourse autograde --container docker --dry-run` prints."
        )
    return ""


def _setting(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def _memory(together: bool) -> str:
    if together:
        return "A control group limits the memory of a whole sandbox."
    return "No control group can be made: the limit on memory holds for each process by itself."

"""Find out what this machine can do, by doing it once."""

import functools
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from plaincourse.sandbox import inherited, syscalls
from plaincourse.sandbox.cgroups import create
from plaincourse.sandbox.entering import enter
from plaincourse.sandbox.level import Level, Support
from plaincourse.sandbox.room import Limits, Room

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
_EACH, _TOGETHER = "ok", "ok together"
_IN_A_CONTAINER = ("/.dockerenv", "/run/.containerenv")


@functools.cache
def probe() -> Support:
    """Tell how well this machine can lock student code in, by trying in a forked child.

    The answer is kept: what a process may do does not change while it runs.
    """
    if sys.platform != "linux":
        return Support(
            Level.NONE,
            f"It needs Linux; this is {sys.platform}. A container gives it a Linux.",
        )
    try:
        syscalls.program(syscalls.BASE)
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
    """Enter a room with nothing in it.

    Args:
        level: Which way.

    Returns:
        "ok", with " together" where a control group holds; else what went wrong.
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="plaincourse-probe-") as folder:
        with warnings.catch_warnings():
            # Python warns of threads that hold a lock; the child below takes none of theirs.
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
    """Enter, and say how it went. This process does nothing else."""
    try:
        room = Room(folder=None, sockets=folder, limits=Limits(memory=1 << 26, disk=1 << 20))
        group = create(room.limits, held=inherited.resident())
        answer = _TOGETHER if group.folder else _EACH
        group.remove()
        enter(room, level=level, keep=[writing])
    except BaseException as error:  # whatever it was, the parent must hear of it
        answer = str(error.__cause__ or error)
    os.write(writing, answer.encode())
    os._exit(0)


def advice(setting: Callable[[str], str | None]) -> str:
    """Say how namespaces can be allowed.

    Args:
        setting: Gives what a file of ``/proc/sys`` holds, or None where there is none.
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

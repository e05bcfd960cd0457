"""Steps that both levels take."""

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from plaincourse.sandbox import inherited, landlock, syscalls, system
from plaincourse.sandbox.attend import Lifeline
from plaincourse.sandbox.copying import copy_tree
from plaincourse.sandbox.room import Room
from plaincourse.sandbox.view import View, plan

writable: list[landlock.Rule] = []  # where this process may write, once it is in a sandbox


class Outside(NamedTuple):
    """What is taken along, and must be read before the host's files are out of reach.

    Attributes:
        view: What is visible.
        fonts: matplotlib's list of fonts, by file name.
        source: The submission's folder, open; -1 for none.
    """

    view: View
    fonts: list[tuple[str, bytes]]
    source: int


def outside(room: Room) -> Outside:
    """Collect what a ``room`` needs from outside."""
    source = -1
    if room.folder is not None:
        source = os.open(room.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    return Outside(plan(room), inherited.font_cache(), source)


def fill(taken: Outside, home: str, room: Room, user: int) -> None:
    """Put the submission and the fonts where student code finds them.

    Args:
        taken: What :func:`outside` gave. Its folder is closed.
        home: The home folder.
        room: How much may be copied.
        user: Whose the copies are; -1 for this process's user.
    """
    if taken.source >= 0:
        copy_tree(taken.source, f"{home}/work", limit=room.limits.disk, owner=user)
        os.close(taken.source)
    for name, content in taken.fonts:
        path = Path(home, ".config", "matplotlib", name)
        path.write_bytes(content)
        os.chown(path, user, user)


def let_go(*handles: int) -> None:
    """Close these ``handles`` of a process that only waits, so that others see them end."""
    for handle in handles:
        with contextlib.suppress(OSError):  # -1, or closed already
            os.close(handle)


def first_to_go() -> None:
    """Be what Linux kills first when memory runs out."""
    with contextlib.suppress(OSError):  # some containers refuse it
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")


def lock(
    line: Lifeline, rules: Iterable[landlock.Rule], codes: Sequence[bytes], *, reading: bool
) -> None:
    """Take the last steps. Each forbids more, so their order matters.

    Args:
        line: The parent, with which this process dies.
        rules: What may be done with files.
        codes: seccomp programs.
        reading: Whether reading and the world outside need rules too.
    """
    os.umask(0o077)
    system.drop_capabilities()
    system.control(system.SET_DUMPABLE, 1, step="see itself in /proc")  # a change of user hid it
    line.follow()
    system.control(system.SET_NO_NEW_PRIVILEGES, 1, step="no new privileges")
    abi = landlock.version()
    if abi:
        handled = landlock.known(abi) & (-1 if reading else ~landlock.READING)
        landlock.restrict(rules, handled=handled, scoped=landlock.scope(abi) if reading else 0)
    for code in codes:
        syscalls.install(code)

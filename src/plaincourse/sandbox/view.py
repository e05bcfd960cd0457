"""Which folders of this machine student code can see: a plan, made before anything is mounted."""

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plaincourse.sandbox.room import Room

_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store".split()
_SYSTEM += """
    /etc/alternatives /etc/fonts /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/localtime
    /etc/mime.types /etc/ssl/openssl.cnf /etc/timezone /sys/devices/system/cpu
""".split()
_INSTALLED = "bin etc include lib lib64 libexec share pyvenv.cfg".split()
_COURSE_FILES = ("nbgrader_config.py", "gradebook.db")
_LINKS_AT_MOST = 40


class View(NamedTuple):
    """What the new root folder is made of.

    Attributes:
        folders: (path, shown) from the outside in. A path that is not shown is covered, and what
            stands after it and lies below it shows again.
        links: Symbolic links that stand above or beside them, and where each points.
    """

    folders: tuple[tuple[str, bool], ...]
    links: dict[str, str]


def plan(room: Room) -> View:
    """List what is visible in ``room``, the interpreter and everything that it can import."""
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
    """Something that student code needs.

    Attributes:
        real: Its path without links.
        links: The links on the way there, and where each points.
    """

    real: str
    links: tuple[tuple[str, str], ...]


@functools.cache
def everything() -> tuple[Traced, ...]:
    """List what student code needs of this machine, whatever the room.

    Kept, because in a forked process a look at every module copies most of the memory. A folder
    that holds a course is no part of it, even where Python imports from it.
    """
    found = dict.fromkeys(_trace(p) for p in (*_SYSTEM, *python_folders()) if os.path.exists(p))
    return tuple(
        one
        for one in found
        if not any(os.path.exists(os.path.join(one.real, name)) for name in _COURSE_FILES)
    )


def python_folders() -> Iterator[str]:
    """Yield what this interpreter starts from and imports from."""
    for prefix in dict.fromkeys(
        (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    ):
        yield from (os.path.join(prefix, name) for name in _INSTALLED)
    yield sys.executable
    # '' and the current folder are the course's own, where a command is typed.
    here = os.path.realpath(os.curdir)
    yield from (entry for entry in sys.path if entry and os.path.realpath(entry) != here)
    for name, module in sys.modules.copy().items():  # packages installed for editing
        if name.startswith("__editable__") and isinstance(getattr(module, "MAPPING", None), dict):
            yield from map(str, module.MAPPING.values())


def inside(path: str, folder: str) -> bool:
    """Tell whether ``path`` is ``folder`` or lies below it."""
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
    """Leave out what is shown in a folder that is shown, or covered where nothing is shown."""
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

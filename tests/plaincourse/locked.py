"""Run a function in a sandbox, and return its findings."""

import atexit
import contextlib
import json
import os
import shutil
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from plaincourse.sandbox import (
    Level,
    Limits,
    Room,
    enter,
    file_tree,
    landlock,
    linux,
    prepare,
    sockets_folder,
)

SMALL = Limits(memory=256 << 20, seconds=20, processes=24, file=4 << 20, disk=8 << 20, handles=64)
ORDINARY = 12345

needs_linux = pytest.mark.skipif(os.name != "posix", reason="the sandbox needs Linux")


@dataclass(kw_only=True)
class Place:
    """A host folder that contains a submission and is surrounded by secrets."""

    root: Path
    sockets: Path
    limits: Limits = SMALL
    hidden: tuple[Path, ...] = ()
    user: int | None = None
    keep: Sequence[int] = field(default=())

    @property
    def room(self) -> Room:
        return Room(
            folder=self.root / "submitted" / "ada",
            sockets=self.sockets,
            hidden=self.hidden,
            limits=self.limits,
        )


def make_place(root: Path) -> Place:
    """Create a course that student code must not see."""
    for name in ("submitted/ada", "submitted/bob"):
        (root / name).mkdir(parents=True)
    (root / "gradebook.db").write_text("marks")
    (root / "submitted/bob/work.ipynb").write_text("bob's answer")
    (root / "submitted/ada/work.ipynb").write_text("ada's answer")
    sockets = sockets_folder()
    atexit.register(shutil.rmtree, sockets, ignore_errors=True)
    return Place(root=root, sockets=sockets)


def start(inside: Callable[[], Any], place: Place, level: Level) -> tuple[int, int]:
    """Fork, enter the sandbox, run ``inside``; return the waiting process and the result's pipe."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    code = 1
    try:
        signal.alarm(0)
        if place.user is not None:
            os.setgroups([])
            os.setresgid(*[place.user] * 3)
            os.setresuid(*[place.user] * 3)
        enter(place.room, level=level, keep=[writing, *place.keep])
        answer = inside()
        os.write(writing, json.dumps(answer).encode())
        code = 0
    except BaseException:
        with contextlib.suppress(OSError):
            os.write(writing, traceback.format_exc().encode())
    finally:
        os._exit(code)


def status(child: int) -> int:
    """Wait for the outer process."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(inside: Callable[[], Any], place: Place, level: Level) -> Any:
    """Run ``inside`` in a sandbox, and return its result."""
    child, reading = start(inside, place, level)
    with open(reading, encoding="utf-8") as file:
        said = file.read()
    code = status(child)
    try:
        return json.loads(said)
    except json.JSONDecodeError:
        pytest.fail(f"the sandbox ended with {code} and said: {said}")


def error_of(action: Callable[[], Any]) -> str:
    """Return the name of the error that an action raises, or "" if it succeeds."""
    try:
        action()
    except Exception as error:
        number = getattr(error, "errno", None)
        return type(error).__name__ + (f" {number}" if number else "")
    return ""


@contextlib.contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Fail instead of hanging."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def readable(root: Path) -> None:
    """Make a folder of pytest's, which only its owner may enter, readable for ordinary users."""
    for folder in (root, *root.parents):
        if folder == Path("/tmp"):
            break
        folder.chmod(0o755)


def add_library(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a file that student code can see but must not change. Never attack a real one."""
    folder = sockets_folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    (folder / "library.py").write_text("a = 1")
    (folder / "library.py").chmod(0o666)
    monkeypatch.syspath_prepend(folder)
    file_tree.everything.cache_clear()
    return folder / "library.py"


def can_change_user() -> bool:
    """Return whether tests can act as an ordinary user."""
    return os.name == "posix" and os.geteuid() == 0 and linux.holds(6, 7)


def ways() -> list[Any]:
    """List the ways into a sandbox that this machine supports, by level and user."""
    found = []
    for level in (Level.NAMESPACES, Level.LANDLOCK):
        skip = pytest.mark.skipif(
            level is Level.LANDLOCK and not landlock.version(), reason="this kernel has no landlock"
        )
        users = (None, ORDINARY) if can_change_user() else (None,)
        for user in users:
            name = f"{level.value}-{'ordinary' if user else 'own'}-user"
            found.append(pytest.param((level, user), id=name, marks=[needs_linux, skip]))
    return found


def place_for(root: Path, user: int | None, **changes: Any) -> Place:
    """Create a course that ``user`` may read, with a sockets folder that they own."""
    place = replace(make_place(root), user=user, **changes)
    if user is not None:
        readable(root)
        os.chown(place.sockets, user, user)
    prepare(place.room)  # like the fork server, while its own files are readable
    return place

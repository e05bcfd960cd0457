"""Opening the gradebook: its file in any folder, and a sentence for each state it can be in.

nbgrader keeps the path of the gradebook in an address,
``sqlite:////courses/attention/gradebook.db``. In a folder called ``What is attention?`` or
``ML%20course`` the same address means another file, so here the path is taken literally. The
database's errors are translated into advice for the instructor; its SQL is not shown.
"""

import contextlib
import errno
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy
from nbgrader.api import Gradebook
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from traitlets import TraitError

from plaincourse.grading.jobs import CourseError

WITH_PLUS = (
    "the name of the assignment{name} has a +, with which the exchange separates a name from "
    "a time. Rename its folder in source, release and submitted, with a hyphen in place of the +"
)
"""Why no command accepts such an assignment."""
_SQLITE = "sqlite:///"
_UPGRADE = "it is older than this nbgrader ({orig}). Run: nbgrader db upgrade"
_DAMAGED = (
    "its file is damaged or is not a gradebook ({orig}). Put a backup in its place, or move it "
    "away and run nbgrader generate_assignment for each assignment, then grade again"
)
_FULL = "the disk or its quota is full ({orig}). Make room, and run the command again"
_WRITE = (
    "it cannot be written ({orig}). Ask its owner for write access to the file and to the folder "
    "it is in, and run the command again"
)
_LOCKED = (
    "another program is using it ({orig}). Close what has it open, such as an SQLite browser or "
    "another command, and run the command again"
)
_MEANWHILE = (
    "another program has changed it at the same time. Close formgrader and wait for other graders, "
    "and run the command again"
)
_NOT_OPENED = (
    "its file cannot be opened ({orig}). Check that its folder exists and that you may read and "
    "write there; c.CourseDirectory.db_url in nbgrader_config.py says where it is"
)
#: Parts of the database's errors, in small letters, and their meanings.
_STATES = {
    "is locked": _LOCKED,
    "constraint failed": _MEANWHILE,
    "duplicate key": _MEANWHILE,
    "malformed": _DAMAGED,
    "not a database": _DAMAGED,
    "is encrypted": _DAMAGED,
    "unsupported file format": _DAMAGED,
    "schema": _DAMAGED,
    "disk is full": _FULL,
    "no space left": _FULL,
    "disk i/o error": "the disk failed ({orig}). Check the disk, and run the command again",
    "readonly database": _WRITE,
    "read-only": _WRITE,
    "unable to open": _NOT_OPENED,
    "no such column": _UPGRADE,
    "no such table": _UPGRADE,
    "has no column": _UPGRADE,
}
_UNREACHABLE = (
    "it cannot be used ({orig}). Check that the database runs, and that "
    "c.CourseDirectory.db_url in nbgrader_config.py is right"
)
_ADDRESS = (
    "its address cannot be used ({orig}). Expected an address such as sqlite:////path/grades.db "
    "in c.CourseDirectory.db_url of nbgrader_config.py"
)

#: The address of the gradebook that nbgrader opened last.
_last: list[str] = []


def gradebook_file(url: str) -> Path | None:
    """Return the file of an SQLite address; ``None`` for another database.

    The path is taken literally, unless it does not exist and either its folder is missing or its
    name has a ``?``. Then the path that SQLAlchemy reads from the address is used.
    """
    if not url.startswith(_SQLITE) or "uri=true" in url:
        return None
    written = url.removeprefix(_SQLITE)
    if not written or written == ":memory:":
        return None
    path = Path(written)
    if path.exists() or ("?" not in path.name and path.parent.is_dir()):
        return path
    try:
        return Path(make_url(url).database or written)
    except ArgumentError:
        return path


def address(path: Path) -> str:
    """Return nbgrader's address of a gradebook's file."""
    return f"{_SQLITE}{path.absolute()}"


def open_anywhere() -> None:
    """Let nbgrader open the gradebook's file in any folder, also to upgrade it."""
    api: Any = importlib.import_module("nbgrader.api")
    util: Any = importlib.import_module("nbgrader.dbutil")
    if api.create_engine is sqlalchemy.create_engine:
        api.create_engine = _create_engine
        util.write_alembic_ini = _writing_ini(util.write_alembic_ini)


def _url(url: Any) -> Any:
    path = gradebook_file(url) if isinstance(url, str) and "?" not in Path(url).name else None
    return URL.create("sqlite", database=str(path)) if path else url


def explain_uncaught() -> None:
    """Let nbgrader's commands explain the gradebook's errors; for ``nbgrader_config.py``.

    A command such as ``nbgrader db student list`` or ``nbgrader export`` then ends with the
    sentence of `explain` instead of SQL and a traceback. Other errors are shown as before.
    """
    open_anywhere()
    before = sys.excepthook
    if before.__name__ == _explain.__name__:
        return

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not _explain(error):
            before(kind, error, trace)

    hook.__name__ = _explain.__name__
    sys.excepthook = hook


def _explain(error: BaseException) -> bool:
    """Print a sentence about an error of the gradebook or an assignment's name, if it is one.

    Returns:
        Whether it is.
    """
    if isinstance(error, TraitError) and "Assignment names" in str(error):
        print(f"error: {WITH_PLUS.format(name='')}", file=sys.stderr)
        return True
    causes = [error, error.__cause__, error.__context__]
    found = next((each for each in causes if isinstance(each, SQLAlchemyError)), None)
    if found is None or not _last:
        return False
    print(f"error: {explain(found, _last[-1])}", file=sys.stderr)
    return True


def _create_engine(url: Any, **options: Any) -> Any:
    _last[:] = [str(url)]
    return sqlalchemy.create_engine(_url(url), **options)


def _writing_ini(write: Callable[..., None]) -> Callable[..., None]:
    def write_ini(alembic_ini: str = "alembic.ini", db_url: str = "sqlite:///gradebook.db") -> None:
        found = _url(db_url)
        said = found if isinstance(found, str) else found.render_as_string(hide_password=False)
        write(alembic_ini, said.replace("%", "%%"))

    return write_ini


@contextlib.contextmanager
def opened(url: str, course_id: str = "default_course") -> Iterator[Gradebook]:
    """Open a gradebook for the length of a ``with`` block.

    Args:
        url: its address.
        course_id: nbgrader's name of the course.

    Raises:
        CourseError: it cannot be opened, or the block fails for a reason that lies in the
            gradebook.
    """
    with sentences(url), Gradebook(url, course_id) as book:
        yield book


@contextlib.contextmanager
def sentences(url: str) -> Iterator[None]:
    """Turn errors of a gradebook into a `CourseError` with the sentence of `explain`."""
    open_anywhere()
    try:
        yield
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("plain"):
            raise
        raise CourseError(explain(error, url)) from error


def explain(error: Exception, url: str) -> str:
    """Return in one sentence why a gradebook cannot be used and the remedy, without SQL."""
    where = gradebook_file(url) or _without_password(url)
    orig = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split("\n")[0:1])
    if isinstance(error, ArgumentError | NoSuchModuleError | ModuleNotFoundError):
        return f"the gradebook {where}: {_ADDRESS.format(orig=orig)}"
    said = next((said for sign, said in _STATES.items() if sign in orig.lower()), _UNREACHABLE)
    if isinstance(where, Path) and said is _NOT_OPENED and where.exists():
        said = _state_of(where)
    return f"the gradebook {where}: {said.format(orig=orig)}"


def _state_of(path: Path) -> str:
    """Return why an existing file cannot be opened."""
    if path.is_dir():
        return "a folder is in its place ({orig}). Move the folder away"
    try:
        with path.open("r+b"):
            pass
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return _WRITE
    return _WRITE if not os.access(path.parent, os.W_OK) else _NOT_OPENED


def _without_password(url: str) -> str:
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url

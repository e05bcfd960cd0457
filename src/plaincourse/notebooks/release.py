"""``exercises/`` from ``solutions/``: what nbgrader releases, the same to the byte each time.

nbgrader leaves files of assignments that are gone. So it works in a temporary folder, without a
gradebook, and what it made is compared with what is there.
"""

import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from plaincourse.notebooks.page import PageError, write_atomically

CONFIG = "nbgrader_config.py"


def release(root: Path) -> dict[Path, str]:
    """Return every file that belongs into ``exercises/``: path below it, and text.

    Raises:
        PageError: if the configuration is missing, or nbgrader refuses a notebook.
    """
    config = _configuration(root)
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        config.CourseDirectory.root = str(work)
        # As with --no-db: making a gradebook takes ten times as long as making the release.
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        shutil.copytree(root / "solutions", work / config.CourseDirectory.source_directory)
        for solution in sorted(p.parent for p in (root / "solutions").glob("*/*.ipynb")):
            config.CourseDirectory.assignment_id = solution.name
            course = CourseDirectory(config=config)
            with _log() as lines:
                try:
                    GenerateAssignment(coursedir=course, config=config, force=True).start()
                except (Exception, SystemExit) as error:
                    said = "\n".join(f"    {line}" for line in lines[-12:])
                    raise PageError(f"{solution}: nbgrader refuses it: {error}\n{said}") from None
        made = work / config.CourseDirectory.release_directory
        for path in sorted(p for p in made.rglob("*") if p.is_file()):
            files[path.relative_to(made)] = path.read_text(encoding="utf-8")
    return files


def sync_release(root: Path, *, check: bool = False) -> list[Path]:
    """Make ``exercises/`` what the solutions ask for.

    Returns:
        the files written or removed; none if all was in order.

    Raises:
        PageError: with ``check``, if a file is missing, differs or does not belong there.
    """
    target = root / "exercises"
    wanted = release(root)
    there = {p.relative_to(target) for p in target.rglob("*") if p.is_file() and _counts(p)}
    stale = [p for p in wanted if p not in there or (target / p).read_text("utf-8") != wanted[p]]
    extra = sorted(there - set(wanted))
    if check and (stale or extra):
        names = ", ".join(f"exercises/{p}" for p in [*stale, *extra])
        raise PageError(
            f"{names}: not what solutions/ generates. It is never edited: change the solution's "
            "text, then run: plaincourse sync"
        )
    for path in stale:
        write_atomically(target / path, wanted[path])
    for path in extra:
        (target / path).unlink()
    for folder in sorted((p for p in target.rglob("*") if p.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    return [target / path for path in [*stale, *extra]]


def _counts(path: Path) -> bool:
    """Leave out what editors and Jupyter put beside a notebook."""
    return not any(part.startswith(".") for part in path.parts[-2:])


def _configuration(root: Path) -> Config:
    if not (root / CONFIG).exists():
        raise PageError(f"{root / CONFIG}: missing. nbgrader's settings stand there.")
    config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    course = config.CourseDirectory
    if (course.source_directory, course.release_directory) != ("solutions", "exercises"):
        raise PageError(
            f"{root / CONFIG}: expected the source directory solutions and the release directory "
            f"exercises, got {course.source_directory!r} and {course.release_directory!r}."
        )
    return config


@contextmanager
def _log() -> Iterator[list[str]]:
    """Collect what nbgrader says, and keep it off the screen."""
    lines: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("traitlets")
    before, propagate = logger.handlers, logger.propagate
    logger.handlers, logger.propagate = [handler], False
    try:
        yield lines
    finally:
        logger.handlers, logger.propagate = before, propagate

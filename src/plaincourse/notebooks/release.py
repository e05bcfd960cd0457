"""Generate ``exercises/`` from ``solutions/`` with nbgrader, byte for byte the same each time.

nbgrader leaves the files of deleted assignments in place. So it works in a temporary folder,
without a gradebook, and its result is compared with the existing files.

It puts one stub in the place of every solution. Ours raises an error, which suits a function,
because nothing happens until it is called. For a value, it would stop *Run all*, and leave the name
that the check reads undefined. There ``answer_output_shape = ...`` is used instead.

nbgrader also makes new ids for the cells each time. Ours depend on the content of each cell.
"""

import ast
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, reads
from nbgrader import utils
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from plaincourse.checking.cells import checked
from plaincourse.exercise.course import RULES, rules_for_assistants
from plaincourse.notebooks import rules
from plaincourse.notebooks.page import PageError, dumps, named, write_atomically

CONFIG = "nbgrader_config.py"


def release(root: Path) -> dict[Path, str]:
    """Return every file that belongs in ``exercises/``: path below it, and text.

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
    """Make ``exercises/`` agree with the solutions.

    Returns:
        the files written or removed; empty if all was in order.

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
    """Return whether a file is not one that editors or Jupyter put next to a notebook."""
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
    """Collect nbgrader's log messages, and keep them off the screen."""
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


class ReleaseExporter(NotebookExporter):
    """Writes a release as ``plaincourse sync`` writes notebooks: reproducibly to the byte.

    Raises:
        SystemExit: a notebook states other points than it gives; the release is unchanged.
    """

    def __init__(self, *args: Any, parent: Any = None, **kwargs: Any) -> None:
        for path in sorted(chain.from_iterable(getattr(parent, "assignments", {}).values())):
            notebook = reads(Path(path).read_text("utf-8"), as_version=4)
            if wrong := rules.misleading(notebook):
                raise SystemExit(f"{path}: {'; '.join(wrong)}. Nothing was released")
        super().__init__(*args, parent=parent, **kwargs)  # type: ignore[no-untyped-call]

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kw: Any) -> Any:
        """Convert a notebook, and put the rules for coding assistants next to it.

        See :meth:`nbconvert.exporters.Exporter.from_notebook_node`.
        """
        text, resources = super().from_notebook_node(nb, resources, **kw)  # type: ignore[no-untyped-call]
        resources.setdefault("outputs", {})[RULES] = rules_for_assistants().read_bytes()
        return dumps(named(reads(text, as_version=4))), resources


class ClearAnswers(ClearSolutions):  # type: ignore[misc]
    """Clears solutions; a value that a check reads becomes ``...``."""

    code_stub: dict[str, str]  # by language

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Clear the solutions of a notebook.

        Args:
            nb: the instructor's version; its cells are changed.
            resources: nbconvert's.
        """
        tests = [cell.source for cell in nb.cells if utils.is_grade(cell)]
        self._read = {name for source in tests for name in checked(source).values()}
        cleared: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
        return cleared

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, cell_index: int
    ) -> tuple[NotebookNode, Any]:
        """Clear the solution of a cell.

        Args:
            cell: changed in place.
            resources: nbconvert's, with the notebook's language.
            cell_index: its position.
        """
        usual, language = self.code_stub, resources["language"]
        values = [name for name in _values(cell) if name in self._read]
        if values:
            stub = "\n".join(f"{name} = ...  # YOUR ANSWER" for name in values)
            self.code_stub = {**usual, language: stub}
        try:
            cleared: tuple[NotebookNode, Any] = super().preprocess_cell(cell, resources, cell_index)
            return cleared
        finally:
            self.code_stub = usual


def _values(cell: NotebookNode) -> list[str]:
    """List the names that a solution's code assigns at its top level."""
    if cell.cell_type != "code" or not utils.is_solution(cell):
        return []
    try:
        statements = ast.parse(cell.source).body
    except SyntaxError:  # a magic, or not Python
        return []
    targets = [
        target
        for each in statements
        if isinstance(each, (ast.Assign, ast.AnnAssign))
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
    ]
    return [
        node.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]

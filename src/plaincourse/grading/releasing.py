"""``nbgrader generate_assignment``: a new version replaces the old one when it is complete.

Stock nbgrader deletes the release first, and refuses to add or remove cells once there are
submissions. Here the old release is restored if anything fails, each version is kept, and cells for
which earlier submissions have points stay in the gradebook.
"""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import MissingEntry
from nbgrader.preprocessors import SaveCells

from plaincourse.grading import versions
from plaincourse.grading.group import group_of
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.opening import gradebook_file, opened
from plaincourse.notebooks.release import ReleaseExporter

_ID = re.compile(r"[A-Za-z0-9_-]+")
_KINDS = ("grade", "solution", "task", "source")


class VersionExporter(ReleaseExporter):
    """Writes a release, and keeps it as a version once it is complete."""

    def __init__(self, *args: Any, parent: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, parent=parent, **kwargs)
        if getattr(parent, "no_database", True) or getattr(parent, "coursedir", None) is None:
            return
        convert = parent.convert_notebooks

        def convert_whole() -> None:
            place = parent.coursedir
            folder = Path(place.format_path(place.release_directory, ".", place.assignment_id))
            group = group_of(place)
            group.begin(folder.parent)
            check(place)
            with _whole_or_as_before(folder):
                convert()
            if place.notebook_id == "*":
                versions.store(place)
            group.share_below(folder)

        parent.convert_notebooks = convert_whole


class SaveVersions(SaveCells):  # type: ignore[misc]
    """Saves the cells of a notebook, also of one that has submissions already."""

    def _create_notebook(self, nb: NotebookNode) -> None:
        try:
            notebook = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        except MissingEntry:
            notebook = None
        if notebook is None or not notebook.submissions:
            super()._create_notebook(nb)
            return
        for cell in (*notebook.grade_cells, *notebook.task_cells):
            if cell.name not in {**self.new_grade_cells, **self.new_task_cells}:
                cell.max_score = 0.0  # earned points stay; the present version has fewer
        for kind in _KINDS:
            save = getattr(self.gradebook, f"update_or_create_{kind}_cell")
            for name, told in getattr(self, f"new_{kind}_cells").items():
                save(name, self.notebook_id, self.assignment_id, **told)


def check(place: Any) -> None:
    """Check, before anything is deleted, that nbgrader can make a release; make a gradebook.

    Args:
        place: nbgrader's `CourseDirectory`.

    Raises:
        SystemExit: the gradebook cannot be opened, nbgrader does not accept a cell's id, or
            notebooks were added or removed while there are submissions; the message names the
            cause.
    """
    source = Path(place.format_path(place.source_directory, ".", place.assignment_id))
    notebooks = sorted(source.glob("*.ipynb"))
    try:
        for path in notebooks:
            _check_ids(path)
        with opened(place.db_url, place.course_id) as book:
            known = [each for each in book.assignments if each.name == place.assignment_id]
            if place.notebook_id == "*" and known and known[0].submissions:
                _check_notebooks(known[0], {path.stem for path in notebooks})
    except CourseError as error:
        raise SystemExit(f"error: {error}. Nothing was released") from error
    if file := gradebook_file(place.db_url):
        group_of(place).share(file)


def _check_ids(path: Path) -> None:
    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:
        return
    told = [each.metadata["nbgrader"] for each in cells if "nbgrader" in each.metadata]
    ids = [str(each.get("grade_id", "")) for each in told if isinstance(each, dict)]
    if odd := next((name for name in ids if name and not _ID.fullmatch(name)), None):
        raise CourseError(
            f"{path} has a cell with the id {odd!r}: expected letters, digits, _ and - alone. "
            "Change it in Create Assignment"
        )
    if twice := next((name for name in ids if name and ids.count(name) > 1), None):
        raise CourseError(
            f"{path} has {ids.count(twice)} cells with the id {twice!r}: give each its own, in "
            "Create Assignment"
        )


def _check_notebooks(assignment: Any, now: set[str]) -> None:
    before = {each.name for each in assignment.notebooks}
    if now == before:
        return
    changes = [
        f"{', '.join(sorted(names))} {what}"
        for names, what in ((now - before, "came"), (before - now, "went"))
        if names
    ]
    raise CourseError(
        f"{assignment.name} has submissions, and its notebooks are others than before "
        f"({'; '.join(changes)}), which nbgrader cannot save. Put a new notebook into an "
        "assignment of its own, and what went back into its folder"
    )


@contextlib.contextmanager
def _whole_or_as_before(folder: Path) -> Iterator[None]:
    """Restore a release as it was if making the new one fails."""
    if not folder.is_dir():
        yield
        return
    with tempfile.TemporaryDirectory(prefix=".before-", dir=folder.parent) as beside:
        before = Path(beside, folder.name)
        shutil.copytree(folder, before, symlinks=True)
        try:
            yield
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            before.rename(folder)
            raise

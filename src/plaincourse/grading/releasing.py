"""``nbgrader generate_assignment``: a new version replaces the old one when it is complete.

Stock nbgrader deletes the release first, and refuses to add or remove cells once there are
submissions. Here the old release comes back if anything fails, each version is kept, and cells that
earlier submissions have points for stay in the gradebook.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import MissingEntry
from nbgrader.preprocessors import SaveCells

from plaincourse.grading import versions
from plaincourse.grading.group import group_of
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.opening import gradebook_file, opened
from plaincourse.notebooks.release import ReleaseExporter

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
            _open(place)
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
                cell.max_score = 0.0  # what was earned stays; the present version is worth less
        for kind in _KINDS:
            save = getattr(self.gradebook, f"update_or_create_{kind}_cell")
            for name, told in getattr(self, f"new_{kind}_cells").items():
                save(name, self.notebook_id, self.assignment_id, **told)


def _open(place: Any) -> None:
    """Open the gradebook, or make it, before anything is deleted.

    Raises:
        SystemExit: it cannot be opened; the message says why.
    """
    try:
        with opened(place.db_url, place.course_id) as book:
            book.assignments  # noqa: B018
    except CourseError as error:
        raise SystemExit(f"{error}. Nothing was released") from error
    if path := gradebook_file(place.db_url):
        group_of(place).share(path)


@contextlib.contextmanager
def _whole_or_as_before(folder: Path) -> Iterator[None]:
    """Put a release back as it was if making the new one fails."""
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

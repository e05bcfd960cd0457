"""Connect the feedback page to ``nbgrader generate_feedback``."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades
from traitlets import default

from plaincourse.feedback.bounded import OverLimitError, bounded
from plaincourse.feedback.exchange import SECRET, TIME
from plaincourse.feedback.page import page
from plaincourse.grading.group import group_of

#: Files by which ``nbgrader release_feedback`` identifies the student; it releases only pages.
_OF_THE_EXCHANGE = frozenset({TIME, SECRET})
_QUOTED = (
    "Its text is quoted here as it was typed and its outputs are left out, because setting them "
    "takes too long or too much memory. The points are not affected."
)


class GetPoints(GetGrades):  # type: ignore[misc]
    """Read points and comments from the gradebook, and also which cells wait for a person."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Add points and comments to a notebook, which may be of an earlier release."""
        nb, resources = super().preprocess(nb, resources)
        worth = [cell.metadata.get("nbgrader", {}).get("points") for cell in nb.cells]
        if most := sum(points for points in worth if isinstance(points, int | float)):
            resources["nbgrader"]["max_score"] = most
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        points = cell.metadata.nbgrader.get("points")
        super()._get_score(cell, resources)
        if points is not None:
            cell.metadata.nbgrader["points"] = points  # the points in the graded release
        grade = self.gradebook.find_grade(
            cell.metadata.nbgrader["grade_id"],
            self.notebook_id,
            self.assignment_id,
            self.student_id,
        )
        cell.metadata.nbgrader["waits"] = bool(grade.needs_manual_grade)


class FeedbackExporter(Exporter):
    """Make the page of a graded notebook, in one self-contained file."""

    output_mimetype = "text/html"

    def __init__(self, *args: Any, parent: Any = None, **kwargs: Any) -> None:
        if place := getattr(parent, "coursedir", None):
            folder = place.format_path(place.feedback_directory, ".", ".")
            group_of(place).begin(Path(folder))
        super().__init__(*args, parent=parent, **kwargs)  # type: ignore[no-untyped-call]

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **kw: Any
    ) -> tuple[str, Any]:
        """Convert a notebook. See :meth:`nbconvert.exporters.Exporter.from_notebook_node`.

        A notebook that exceeds the limits on time or memory is quoted as source, not rendered.
        """
        told = self._init_resources(resources)  # type: ignore[no-untyped-call]  # nbconvert's
        try:
            return bounded(lambda: self._page(nb, resources, **kw)), told
        except OverLimitError:
            for cell in nb.cells:
                if cell.cell_type == "code":
                    cell.outputs = []
            for step in self._preprocessors:
                if isinstance(step, GetPoints):
                    nb, told = step.preprocess(nb, told)
            return page(nb, told.get("nbgrader", {}), plain=_QUOTED), told

    def _page(self, nb: NotebookNode, resources: Any, **kw: Any) -> str:
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        return page(nb, resources.get("nbgrader", {}))


def only_pages(*, assignment: str, student: str, notebooks: Sequence[str]) -> None:
    """Remove the student's other files, which nbgrader copies into the folder of the pages.

    A hook of nbgrader's, called after the pages of one submission are made.

    Args:
        assignment: the assignment's name.
        student: the student's id, or a pattern.
        notebooks: the graded notebooks, ``autograded/STUDENT/ASSIGNMENT/NAME.ipynb``.
    """
    made = {Path(path).with_suffix(".html").name for path in notebooks}
    for folder in {Path(path).parent for path in notebooks}:
        pages = folder.parents[2] / "feedback" / folder.parent.name / folder.name
        exchange = _OF_THE_EXCHANGE if (pages / SECRET).is_file() else frozenset[str]()
        for path in pages.iterdir() if pages.is_dir() else ():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name not in {*made, *exchange}:
                path.unlink()

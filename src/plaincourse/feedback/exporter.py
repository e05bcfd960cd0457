"""Where the feedback page hangs into ``nbgrader generate_feedback``."""

from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades
from traitlets import default

from plaincourse.feedback.page import page


class GetPoints(GetGrades):  # type: ignore[misc]
    """Read points and comments from the gradebook, and also what waits for a person."""

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        super()._get_score(cell, resources)
        grade = self.gradebook.find_grade(
            cell.metadata.nbgrader["grade_id"],
            self.notebook_id,
            self.assignment_id,
            self.student_id,
        )
        cell.metadata.nbgrader["waits"] = bool(grade.needs_manual_grade)


class FeedbackExporter(Exporter):
    """Make the page of a graded notebook, in one file that needs nothing else."""

    output_mimetype = "text/html"

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **kw: Any
    ) -> tuple[str, Any]:
        """Convert a notebook. See :meth:`nbconvert.exporters.Exporter.from_notebook_node`."""
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        return page(nb, resources.get("nbgrader", {})), resources

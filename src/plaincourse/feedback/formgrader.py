"""What formgrader shows of a graded notebook can be read, and can neither run nor load anything.

Formgrader's own template writes text and outputs into a page of the instructor's Jupyter server,
where a script could do whatever the instructor can.
"""

from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from plaincourse.feedback.safe import safe_html, safe_markdown


@pass_context
def markdown2html(context: Context, source: str) -> str:
    """Stand in for the filter of this name: harmless HTML, in which MathJax finds the formulas."""
    cell = context.get("cell") or {}
    return safe_markdown(source, cell.get("attachments"), level=1, typed=True)


class Defuse(Preprocessor):
    """Keep of outputs what formgrader can show without harm: text, pictures, and clean HTML."""

    enabled = True

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Clean the outputs of one cell; Markdown among them goes through the filter."""
        for output in cell.get("outputs", []):
            output.metadata = NotebookNode()  # the template writes widths without quotes
            data = output.get("data", {})
            for kind in list(data):
                if kind == "text/html":
                    data[kind] = safe_html("".join(data[kind]))
                elif kind not in ("text/markdown", "text/plain", "image/png", "image/jpeg"):
                    del data[kind]
        return cell, resources

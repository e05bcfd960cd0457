"""How a notebook that students get differs from what nbgrader makes: its stubs, and its cells' ids.

nbgrader puts one stub in the place of every solution. Ours raises, which suits a function: nothing
happens until it is called. Where a value is asked for, it would stop *Run all*, and leave the name
that the check reads undefined. There ``answer_output_shape = ...`` stands instead.

nbgrader also makes up new ids for the cells each time. Ours hang on what a cell holds, so that the
same solution gives the same release, to the byte.
"""

import ast
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, reads
from nbgrader import utils
from nbgrader.preprocessors import ClearSolutions

from plaincourse.checking.cells import checked
from plaincourse.notebooks.page import dumps, named


class ReleaseExporter(NotebookExporter):
    """Writes a release as ``plaincourse sync`` writes notebooks: the same to the byte each time."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kw: Any) -> Any:
        """Convert a notebook. See :meth:`nbconvert.exporters.Exporter.from_notebook_node`."""
        text, resources = super().from_notebook_node(nb, resources, **kw)  # type: ignore[no-untyped-call]
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
            cell: is changed.
            resources: nbconvert's, with the notebook's language.
            cell_index: its place.
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
    except SyntaxError:  # a magic, or no Python
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

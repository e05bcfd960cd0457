"""Run a notebook to its end, also where a cell ends the program that runs it."""

from typing import Any

from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute

from plaincourse.grading.mend import KEY
from plaincourse.grading.settled import Settled

DIED = "this cell ended the program that runs the notebook. The cells below it did not run"
NOT_RUN = "the program had ended in a cell above, so this did not run. No points"


class KeepGoing(Settled, Execute):  # type: ignore[misc]
    """Keep what was earned before a crash, and run nothing where nothing could be read.

    Stock nbgrader gives up on the whole submission when the kernel dies, as it does after
    ``os._exit`` or when memory runs out, and leaves it without any grade. Here the cells above keep
    their outputs and points, and those below say why they have none.
    """

    def preprocess(self, nb: NotebookNode, *args: Any, **kw: Any) -> tuple[NotebookNode, Any]:
        """Run every cell."""
        if nb.metadata.get(KEY, {}).get("unread"):
            return nb, args[0] if args else kw.get("resources")
        self._died = False
        done: tuple[NotebookNode, Any] = super().preprocess(nb, *args, **kw)
        return done

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Run one cell, or say why it cannot."""
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        if self._died:
            cell.outputs = [_error("NotRun", NOT_RUN)]
            return cell, resources
        try:
            done: tuple[NotebookNode, Any] = super().preprocess_cell(cell, resources, index)
            return done
        except DeadKernelError:
            self.log.warning("The kernel died in cell %d", index)
            self._died = True
            cell.outputs.append(_error("NotRun", DIED))
            return cell, resources


def _error(name: str, why: str) -> NotebookNode:
    error: NotebookNode = new_output("error", ename=name, evalue=why, traceback=[f"{name}: {why}"])
    return error

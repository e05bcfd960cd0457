"""Run a submission for its grade: in two processes, and with what its record and its page need."""

from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.settled import Settled
from plaincourse.judge.execute import SplitExecute
from plaincourse.judge.plan import is_test
from plaincourse.kernels.provisioner import SandboxProvisioner


class Running(Settled, SplitExecute):
    """Runs a submission as :class:`SplitExecute` does, and notes how much memory its kernels held.

    Its traits are configured under the name of that class. A test cell may take twice as long as
    others: its visible inputs and its hidden ones have the limit each.
    """

    def _get_timeout(self, cell: NotebookNode | None) -> int | None:
        said: Any = {} if cell is None else cell.metadata.get("plaincourse", {})
        usual: int | None = super()._get_timeout(cell)
        doubled = cell is not None and is_test(cell) and not said.get("seconds")
        return 2 * usual if usual and doubled else usual

    def _stop_kernel(self) -> None:
        kernel = None if self.km is None else self.km.provisioner
        super()._stop_kernel()
        if isinstance(kernel, SandboxProvisioner):
            self.record.memory = max(self.record.memory, kernel.memory)

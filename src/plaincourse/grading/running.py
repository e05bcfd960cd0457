"""Run a submission for its grade: in two processes, and with what its record and its page need."""

from plaincourse.grading.settled import Settled
from plaincourse.kernels.provisioner import SandboxProvisioner
from plaincourse.split.execute import SplitExecute


class Running(Settled, SplitExecute):
    """Runs a submission as :class:`SplitExecute` does, and notes how much memory its kernels held.

    Its traits are configured under the name of that class.
    """

    def _stop_kernel(self) -> None:
        kernel = None if self.km is None else self.km.provisioner
        super()._stop_kernel()
        if isinstance(kernel, SandboxProvisioner):
            self.record.memory = max(self.record.memory, kernel.memory)

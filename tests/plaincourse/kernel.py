"""Kernels in which tests run single cells."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_core.utils import run_sync
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from plaincourse.kernels.manager import SandboxKernelManager


class Kernel:
    """A student's kernel."""

    def __init__(self, *, timeout: int, **start: Any) -> None:
        self.manager = SandboxKernelManager()
        self._client = NotebookClient(
            new_notebook(),
            km=self.manager,
            allow_errors=True,
            timeout=timeout,
            interrupt_on_timeout=True,
        )
        self._client.start_new_kernel(**start)
        self._client.start_new_kernel_client()

    def run(self, source: str) -> list[NotebookNode]:
        """Run a cell and return its outputs."""
        self._client.nb.cells = [cell := new_code_cell(source)]
        outputs: list[NotebookNode] = self._client.execute_cell(cell, 0).outputs
        return outputs

    def text(self, source: str) -> str:
        """Run a cell and return its printed text."""
        (output,) = self.run(source)
        return str(output.text)

    def restart(self) -> None:
        """Restart the kernel and connect to it."""
        self._client.kc.stop_channels()
        run_sync(self.manager.restart_kernel)()
        self._client.start_new_kernel_client()

    def close(self) -> None:
        """Kill the kernel if it is running."""
        if self._client.kc is not None:
            self._client._cleanup_kernel()


@contextmanager
def started(*, timeout: int = 60, **start: Any) -> Iterator[Kernel]:
    """Start a kernel and always close it at the end.

    Args:
        timeout: the time in seconds after which a cell is interrupted.
        start: arguments of the provisioner.
    """
    kernel = Kernel(timeout=timeout, **start)
    try:
        yield kernel
    finally:
        kernel.close()

"""Kernels outside the clone: of any Python, in any folder, with or without the stub of Colab."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, output_from_msg

COLAB = Path(__file__).parent / "colab"
_WITHOUT = """\
import os, sys
sys.path[:] = [p for p in sys.path if not os.path.isdir(os.path.join(p, "plaincourse"))]
"""
#: Variables by which these tests' process would influence a kernel.
OURS = ("PYTHONPATH", "PYTHONHASHSEED", "PLAINFORMER_DEVICE", "MPLBACKEND", "JPY_SESSION_NAME")


@contextmanager
def kernel(
    python: Path,
    folder: Path,
    private: Path,
    *,
    colab: bool = False,
    hide: bool = False,
    **environment: str,
) -> Iterator[Callable[[str], NotebookNode]]:
    """Start a kernel without access to this clone; yield a function that runs one cell.

    Args:
        python: the interpreter of the kernel.
        folder: its working directory.
        private: an empty folder for its settings.
        colab: whether the stub of Colab is imported before the first cell, as on Colab.
        hide: whether to hide the course that is installed for its Python.
        environment: more variables for it; ``PATH`` and ``PYTHONPATH`` are put before its own.
    """
    startup = private / "profile_default/startup/00-begin.py"
    startup.parent.mkdir(parents=True)
    startup.write_text((_WITHOUT if hide else "") + ("import google.colab\n" if colab else ""))
    (private / "walk").mkdir()
    argv = [str(python), "-m", "ipykernel_launcher", "--log-level=ERROR", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "walk", "language": "python"}
    (private / "walk/kernel.json").write_text(json.dumps(spec))
    specs = KernelSpecManager(kernel_dirs=[str(private)], ensure_native_kernel=False)
    manager = KernelManager(kernel_name="walk", kernel_spec_manager=specs)
    path = [environment.pop("PYTHONPATH", ""), str(COLAB) if colab else ""]
    reached = [environment.pop("PATH", ""), str(python.parent), os.environ["PATH"]]
    variables = {k: v for k, v in os.environ.items() if k not in OURS} | {
        "IPYTHONDIR": str(private),
        "PATH": os.pathsep.join(filter(None, reached)),
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
    }
    manager.start_kernel(cwd=str(folder), env=variables | environment)
    client = manager.blocking_client()
    client.start_channels()

    def run(source: str) -> NotebookNode:
        cell = new_code_cell(source)

        def take(message: dict[str, Any]) -> None:
            if message["msg_type"] in {"stream", "error", "execute_result", "display_data"}:
                cell.outputs.append(output_from_msg(message))

        client.execute_interactive(source, allow_stdin=False, output_hook=take, timeout=600)
        return cell

    try:
        client.wait_for_ready(timeout=120)
        yield run
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def printed(cell: NotebookNode) -> str:
    """Return the printed output of a cell, without errors."""
    return "".join(each.text for each in cell.outputs if each.output_type == "stream")


def failed(cell: NotebookNode) -> NotebookNode | None:
    """Return the error that ended a cell."""
    return next((each for each in cell.outputs if each.output_type == "error"), None)

"""Run a notebook, and stop at the first output that must not be published."""

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from plaincourse.checking.mistake import uncoloured
from plaincourse.exercise.course import subject
from plaincourse.notebooks.page import PageError, code_blocks

# The environment in which a page prints the same each time. book/conftest.py sets the same
# variables for the kernels of nbval.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONSTARTUP": "",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    **{f"{package.upper()}_DEVICE": "cpu" for package in subject()},
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "PLAINCOURSE_CAPSTONE_SECONDS": "1",  # a page shows the form of a report; learning takes longer
}
_PLACE = re.compile(r"Cell In\[\d+\], line (\d+)")


def run(notebook: NotebookNode, page: Path, text: str, *, seconds: int = 300) -> NotebookNode:
    """Fill in a notebook's outputs, in place.

    Args:
        notebook: a result of :func:`plaincourse.notebooks.page.read_text`.
        page: the path of its text; the kernel works in that folder.
        text: the content of the page, to find the line that fails.
        seconds: the time limit for one cell.

    Raises:
        PageError: if a cell raises, writes to stderr, takes too long or kills its kernel.
    """
    import matplotlib.font_manager  # noqa: F401  builds its cache here, or a cell would report it

    lines = [block.body for block in code_blocks(text)]
    with tempfile.TemporaryDirectory() as private:
        client = NotebookClient(
            notebook,
            timeout=seconds,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": str(page.parent)}},
        )
        environment = os.environ | ENVIRONMENT | {"IPYTHONDIR": private}
        with client.setup_kernel(env=environment):
            for count, (index, cell) in enumerate(_code(notebook)):
                try:
                    client.execute_cell(cell, index, execution_count=count + 1)
                except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                    raise PageError(_explain(error, cell, page, lines[count], index)) from None
                _refuse_stderr(cell, f"{page}:{lines[count]}: cell {index + 1}")
    return notebook


def _code(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    return [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]


def _refuse_stderr(cell: NotebookNode, place: str) -> None:
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            raise PageError(
                f"{place} writes to stderr, which a reader should not see and the site refuses:\n"
                f"{_indent(output.text)}\nMend what warns, or print what the reader should see."
            )


def _explain(error: Exception, cell: NotebookNode, page: Path, body: int, index: int) -> str:
    """Describe a failure in a few lines: page, line, cell, source line, error."""
    source = cell.source.split("\n")
    if isinstance(error, CellExecutionError):
        found = _PLACE.findall(uncoloured(error.traceback))
        line = int(found[0]) if found else 1
        what = f"{error.ename}: {error.evalue}".rstrip(": ")
    else:
        line = 1
        what = "it took too long" if isinstance(error, CellTimeoutError) else "it killed its kernel"
    shown = source[line - 1].strip() if line <= len(source) else ""
    return f"{page}:{body + line - 1}: cell {index + 1} fails at `{shown}`\n{_indent(what)}"


def _indent(text: Any, most: int = 12) -> str:
    lines = str(text).rstrip().split("\n")
    more = [f"… {len(lines) - most} more lines"] if len(lines) > most else []
    return "\n".join("    " + line for line in lines[:most] + more)

"""A sandboxed kernel has the same outputs as a stock kernel."""

import re
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from plaincourse.kernels.manager import SandboxKernelManager

CELLS = {
    "print": "import os, sys\nprint('one')\nprint('two', file=sys.stderr)\n3",
    "figure": "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('$x$')\nplt.show()",
    "left_open": "plt.figure(); plt.plot([2, 1]);",
    "axes": "fig, ax = plt.subplots(); ax.imshow([[1, 2], [3, 4]]); fig",
    "display": "from IPython.display import HTML, Markdown, display\n"
    "display(Markdown('*a*'), HTML('<b>x</b>'))\n{'a': 1}",
    "update": "handle = display('start', display_id='h'); handle.update('end')",
    "inline": "%matplotlib inline\nplt.plot([1]);",
    "magics": "%timeit -n1 -r1 -q pass\n%who_ls str",
    "capture": "%%capture out\nprint('x')",
    "captured": "out.stdout",
    "input": "input('name')",
    "shell": "!echo hello; exit 3",
    "shell_status": "_exit_code",
    "shell_lines": "files = !ls\nfiles",
    "bash": "%%bash\necho in bash",
    "error": "def f():\n    raise ValueError('bad')\nf()",
    "syntax": "x = ",
    "warning": "from warnings import warn\nwarn('careful')\nwarn('old', DeprecationWarning)",
    # A kernel's thread reads writes that bypass Python; without the pause the cell may end first.
    "raw": "import time\nos.write(1, b'raw')\ntime.sleep(0.5)",
    "process": "import subprocess\nsubprocess.run(['echo', 'sub'], capture_output=True).stdout",
    "fork": "import multiprocessing\nchild = multiprocessing.get_context('fork').Process(\n"
    "    target=print, args=('from a child',), kwargs={'flush': True})\n"
    "child.start(); child.join(); child.exitcode",
    "gradient": "import torch\nt = torch.ones(2, requires_grad=True)\nt.sum().backward(); t.grad",
    "torch_error": "torch.arange(3) @ torch.arange(4)",
    "await": "import asyncio\nawait asyncio.sleep(0, 'awaited')",
    "clear": "import IPython\nprint('gone'); IPython.display.clear_output(); print('kept')",
    "names": "print(__name__, type(get_ipython()), os.path.basename(sys.argv[0]), sys.path[:1])",
    "beside": "open('data.csv').read()",
    "history": "In[-1], sorted(Out)[:2]",
    "exit": "raise SystemExit(3)",
    "source": "f??",
    "retina": "%config InlineBackend.figure_format = 'retina'\nplt.plot([1]); plt.gcf().get_dpi()",
    "after": "print('still here')",
}
_VARYING = re.compile(
    r"(?<=ipykernel_)\d+(/\d+)?|(?<=<dc:date>)[^<]*|(?<=ref=\"#)\w+|(?<=id=\")\w+"
)


def shown(manager: type[AsyncKernelManager], folder: Path) -> dict[str, list[Any]]:
    notebook = new_notebook(cells=[new_code_cell(source) for source in CELLS.values()])
    NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,
        kernel_manager_class=manager,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return dict(zip(CELLS, (_comparable(cell.outputs) for cell in notebook.cells), strict=True))


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    return _VARYING.sub("#", value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    folder = tmp_path_factory.mktemp("submission")
    (folder / "data.csv").write_text("1,2\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)  # ipykernel reads it
        stock = shown(AsyncKernelManager, folder)
    return stock, shown(SandboxKernelManager, folder)


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_shows_what_it_shows_in_a_stock_kernel(
    cell: str, both: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    stock, ours = both
    assert ours[cell] == stock[cell]


def test_the_comparison_sees_figures_errors_and_refused_input(
    both: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    _, ours = both
    assert [each["output_type"] for each in ours["figure"]] == ["display_data"]
    assert "image/png" in ours["left_open"][0]["data"]
    assert ours["input"][-1]["ename"] == "StdinNotImplementedError"
    assert ours["error"][-1]["evalue"] == "bad"
    assert "hello" in ours["shell"][0]["text"]

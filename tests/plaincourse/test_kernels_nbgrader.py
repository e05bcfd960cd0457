"""Stock nbgrader, and Jupyter's own manager, run the sandboxed kernel by its name."""

import os

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute
from traitlets.config import Config

from plaincourse.kernels import manager


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_PATH", "elsewhere")


def test_the_kernel_is_found_once_it_is_announced() -> None:
    assert manager.NAME not in KernelSpecManager().find_kernel_specs()
    manager.announce()
    manager.announce()
    assert manager.NAME in KernelSpecManager().find_kernel_specs()
    assert os.environ["JUPYTER_PATH"] == os.pathsep.join([str(manager.SHARE), "elsewhere"])


@pytest.mark.parametrize(
    "client", ["jupyter_client.asynchronous.AsyncKernelClient", manager.CLIENT]
)
def test_nbgraders_own_step_runs_a_notebook_in_the_sandbox(client: str) -> None:
    manager.announce()
    config = Config()
    config.Execute.kernel_name = manager.NAME
    config.AsyncKernelManager.client_class = client
    step = Execute(config=config)
    assert step.kernel_manager_class is AsyncKernelManager
    sources = [
        "import os; print(os.getcwd()[-4:], os.environ['USER'])",
        "import os; os.nonsense",
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    notebook, _ = step.preprocess(notebook, {})
    assert notebook.cells[0].outputs[0].text == "work student\n"
    assert notebook.cells[1].outputs[0].ename == "AttributeError"

"""The personal settings of a machine's owner do not change the notebooks that the course runs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from plaincourse.notebooks import execute

ROOT = Path(__file__).parents[2]
CONFIG = "c = get_config()\n"
#: Files below the home, and variables with {home} for it.
SETTINGS = {
    "an IPython profile": (
        {
            ".ipython/profile_default/ipython_config.py": CONFIG
            + 'c.InteractiveShell.ast_node_interactivity = "all"\n'
        },
        {},
    ),
    "a profile of kernels": (
        {
            ".ipython/profile_default/ipython_kernel_config.py": CONFIG
            + "c.IPKernelApp.exec_lines = ['six = 9']\n"
        },
        {},
    ),
    "a start file": ({".ipython/profile_default/startup/00.py": "six = 9; print('hello')"}, {}),
    "a folder of IPython's": (
        {"other/profile_default/startup/00.py": "six = 9; print('hello')"},
        {"IPYTHONDIR": "{home}/other"},
    ),
    "a start file of Python": (
        {"start.py": "six = 9; print('hello')"},
        {"PYTHONSTARTUP": "{home}/start.py"},
    ),
    **{
        f"a TMPDIR {what}": ({f"{name}/x": ""}, {"TMPDIR": "{home}/" + name})
        for what, name in {
            "of many folders": "a-long-name/" * 8,
            "of a job": "scratch-of-one-job-on-a-cluster-" + "4711" * 8,
            "of letters of two bytes": "ä" * 40,
            "with spaces": "temporary files of " + "one job " * 6 + ".",
        }.items()
    },
}


def notebook() -> nbformat.NotebookNode:
    cell = new_code_cell("six = globals().get('six', 6)\nsix\n7 * six", id="a")
    cell.outputs = [new_output("execute_result", {"text/plain": "42"}, execution_count=1)]
    cell.execution_count = 1
    return new_notebook(cells=[cell])


@pytest.fixture(params=SETTINGS)
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment of a user with personal settings."""
    files, variables = SETTINGS[request.param]
    for name, text in files.items():
        path = tmp_path / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    home = str(tmp_path / "home")
    own = {name: value.format(home=home) for name, value in variables.items()}
    clean = {k: v for k, v in os.environ.items() if k not in ("IPYTHONDIR", "PYTHONSTARTUP")}
    return {**clean, "HOME": home, **own}


@pytest.mark.slow
def test_nbval_compares_the_same(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "book"
    folder.mkdir()
    shutil.copy(ROOT / "book" / "conftest.py", folder)
    nbformat.write(notebook(), folder / "page.ipynb")
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "page.ipynb"]
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_sync_writes_the_same(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "IPYTHONDIR", "PYTHONSTARTUP", "TMPDIR"):
        if name in environment:
            monkeypatch.setenv(name, environment[name])
    page = tmp_path / "page.md"
    made = notebook()
    made.cells[0].outputs = []
    text = "```{code-cell} ipython3\nsix = 6\n```\n"
    (cell,) = execute.run(made, page, text).cells
    assert [output.data["text/plain"] for output in cell.outputs] == ["42"]

"""A course of one page, for tests of functions that work on whole courses."""

import nbformat
import pytest

from plaincourse.notebooks import execute
from tests.plaincourse.pages import HEADER, PAGE, PROJECT, cell


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of one page, with its root as the working directory."""
    (tmp_path / "book").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    PAGE.write_text(HEADER + cell("a = 6") + "\nSix sevens.\n" + cell("print(a * 7)"))
    return tmp_path


@pytest.fixture
def ran(monkeypatch):
    """Replace the kernel: count the runs, and store the printed output of the last run."""
    runs = []

    def fake(notebook, page, text):
        runs.append(page)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for count, each in enumerate(code, start=1):
            each.execution_count = count
            printed = f"run {len(runs)}\n" if "print" in each.source else None
            each.outputs = [nbformat.v4.new_output("stream", text=printed)] if printed else []

    monkeypatch.setattr(execute, "run", fake)
    return runs

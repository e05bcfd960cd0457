"""While a submission is graded, its memory is measured, and its displayed outputs are kept."""

import sys
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute

from plaincourse.grading.grade import Running, runner
from plaincourse.judge.execute import SplitExecute

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

SHOWS = (
    "handle = display('first', display_id='a')\nhandle.update('second')",
    "handle.update('third')\ndisplay('fourth', display_id='a');",
)


def run(step: type, folder: Path, *sources: str, **traits: Any) -> tuple[list[str], Any]:
    """Run cells; return the display of each, and the data recorded on them."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_code_cell(source) for source in sources]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    made = step(timeout=60, **traits)
    done, resources = made.preprocess(notebook, {"metadata": {"path": str(folder)}})
    shown = [
        " ".join(each.data["text/plain"] for each in cell.outputs if "data" in each)
        for cell in done.cells
    ]
    return shown, resources.get("plaincourse")


def held(folder: Path, *sources: str) -> float:
    """Return the peak memory of the kernel of some cells in MB."""
    told = run(Running, folder, *sources, split=False)[1]
    return float(told["memory_mb"])


def test_the_peak_of_the_students_kernel_is_measured(tmp_path: Path) -> None:
    little = held(tmp_path, "1")
    much = held(tmp_path, "many = b'x' * 300_000_000", "del many")
    assert little > 30
    assert 290 < much - little < 400


def test_of_several_kernels_the_largest_counts(tmp_path: Path) -> None:
    ends = "many = b'x' * 300_000_000\nimport os\nos._exit(3)"
    assert held(tmp_path, ends, "1") - held(tmp_path, "1") > 290


def test_a_cell_changes_its_own_displays_and_no_others(tmp_path: Path) -> None:
    shown, _ = run(Running, tmp_path, *SHOWS, split=False)
    assert shown == ["'second'", "'fourth'"]


def test_submissions_are_run_by_it_unless_the_course_has_its_own() -> None:
    own = type("Own", (SplitExecute,), {})
    assert [runner(step) for step in (Execute, SplitExecute, own)] == [Running, Running, own]

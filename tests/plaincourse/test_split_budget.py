"""A submission has one time budget; cells beyond it are not run, and this is reported."""

import sys
import time

import pytest

from plaincourse.grading.jobs import status
from plaincourse.grading.summary import Summary
from plaincourse.judge.execute import SplitExecute
from tests.plaincourse.split_notebooks import answer, graded, notebook, plain, written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

SOURCE = [
    plain("import time"),
    answer("one-answer", "def one(x):\n    return 2 * x"),
    graded("one", "assert one(1) == 2\n'looked at'"),
    answer("two-answer", "def two(x):\n    return 2 * x"),
    graded("two", "assert two(1) == 2\n'looked at'"),
]
SLOW = {
    "cells that sleep": ["time.sleep(4)"] * 5,
    "one that never ends": ["while True:\n    pass"],
    "one that cannot be interrupted": [
        "while True:\n    try:\n        time.sleep(9)\n    except KeyboardInterrupt:\n        pass"
    ],
}


@pytest.mark.parametrize("cells", SLOW.values(), ids=SLOW)
def test_what_is_beyond_the_budget_is_not_run_and_what_ran_counts(cells, tmp_path):
    path = written(tmp_path / "hw.ipynb", *SOURCE)
    handed = notebook(*SOURCE[:3], *map(plain, cells), *SOURCE[3:])
    step = SplitExecute(source_notebook=str(path), budget=6, timeout=60, interrupt_on_timeout=True)
    began = time.monotonic()
    done, resources = step.preprocess(handed, {"metadata": {"path": str(tmp_path)}})
    assert time.monotonic() - began < 60
    tests = {c.metadata.nbgrader.grade_id: c for c in done.cells if "nbgrader" in c.metadata}
    assert "looked at" in str(tests["one"].outputs)
    assert "used up the 6 seconds" in str(tests["two"].outputs)
    flags = resources["plaincourse"]["flags"]
    assert {"cell": "", "kind": "slow"} in [{k: f[k] for k in ("cell", "kind")} for f in flags]
    assert [flag["cell"] for flag in flags if flag["kind"] == "out of time"] == ["two"]
    assert status(flags) == "flagged"


WAITS = {
    "just short of what one cell may take": ["time.sleep(3.4)"] * 6,
    "half of it, more often": ["time.sleep(2.2)"] * 8,
    "for another thread": ["import threading; threading.Event().wait(3.4)"] * 6,
}


@pytest.mark.parametrize("cells", WAITS.values(), ids=WAITS)
def test_cells_that_only_wait_have_less_and_less_time_and_the_rest_is_graded(cells, tmp_path):
    path = written(tmp_path / "hw.ipynb", *SOURCE)
    handed = notebook(*SOURCE[:3], *map(plain, cells), *SOURCE[3:])
    step = SplitExecute(source_notebook=str(path), timeout=4, interrupt_on_timeout=True)
    done, _ = step.preprocess(handed, {"metadata": {"path": str(tmp_path)}})
    stopped = ["Interrupt" in str(c.outputs) or "did not end" in str(c.outputs) for c in done.cells]
    waits = stopped[3:-2]
    assert waits.index(True) >= 2
    assert waits[-1]
    tests = {c.metadata.nbgrader.grade_id: c for c in done.cells if "nbgrader" in c.metadata}
    assert "looked at" in str(tests["two"].outputs)


def test_cells_that_compute_as_long_keep_their_time(tmp_path):
    path = written(tmp_path / "hw.ipynb", *SOURCE)
    busy = "end = time.process_time() + 1.2\nwhile time.process_time() < end:\n    pass"
    handed = notebook(*SOURCE[:3], *map(plain, [busy] * 5), *SOURCE[3:])
    step = SplitExecute(source_notebook=str(path), timeout=20, interrupt_on_timeout=True)
    done, _ = step.preprocess(handed, {"metadata": {"path": str(tmp_path)}})
    assert step._idled == 0
    assert not any(c.outputs for c in done.cells[3:-2])


LOOPS = {
    "that compute": "while True:\n    pass",
    "that compute in numpy": "import numpy\nwhile True:\n    numpy.ones(9).sum()",
    "that wait": "time.sleep(99)",
    "that compute and wait": "while True:\n    sum(range(10**5)); time.sleep(0.005)",
}


@pytest.mark.parametrize("cell", LOOPS.values(), ids=LOOPS)
def test_many_cells_without_an_end_take_a_few_times_as_long_as_one(cell, tmp_path):
    path = written(tmp_path / "hw.ipynb", *SOURCE)
    handed = notebook(*SOURCE[:3], *map(plain, [cell] * 30), *SOURCE[3:])
    step = SplitExecute(source_notebook=str(path), timeout=2, interrupt_on_timeout=True)
    began = time.monotonic()
    done, resources = step.preprocess(handed, {"metadata": {"path": str(tmp_path)}})
    assert time.monotonic() - began < 30
    tests = {c.metadata.nbgrader.grade_id: c for c in done.cells if "nbgrader" in c.metadata}
    assert all("looked at" in str(tests[name].outputs) for name in ("one", "two"))
    *waits, flag = resources["plaincourse"]["flags"]
    assert ["waited" in each["why"] for each in waits] == [True] * (cell == LOOPS["that wait"])
    assert flag["kind"] == "slow"
    assert "runs of cells took" in flag["why"]
    assert "cell 4, cell 5" in flag["why"]
    assert "further cells without an answer were not run" in flag["why"]


def test_a_cell_after_some_without_an_end_and_an_answer_after_many_are_run(tmp_path):
    path = written(tmp_path / "hw.ipynb", *SOURCE)
    fair = plain("end = time.process_time() + 0.8\nwhile time.process_time() < end:\n    pass\n3")
    loops = [plain(LOOPS["that compute"]) for _ in range(4)]
    handed = notebook(*SOURCE[:3], *loops, fair, *SOURCE[3:])
    step = SplitExecute(source_notebook=str(path), timeout=4, interrupt_on_timeout=True)
    done, resources = step.preprocess(handed, {"metadata": {"path": str(tmp_path)}})
    assert done.cells[7].outputs[0].data["text/plain"] == "3"
    assert "looked at" in str(done.cells[-1].outputs)
    (flag,) = resources["plaincourse"]["flags"]
    assert "not run" not in flag["why"]


def test_two_cells_without_an_end_take_no_time_from_others(tmp_path):
    path = written(tmp_path / "hw.ipynb", *SOURCE)
    handed = notebook(*SOURCE[:3], *map(plain, [LOOPS["that compute"]] * 2), *SOURCE[3:])
    step = SplitExecute(source_notebook=str(path), timeout=2, interrupt_on_timeout=True)
    _, resources = step.preprocess(handed, {"metadata": {"path": str(tmp_path)}})
    assert resources["plaincourse"]["flags"] == []


@pytest.mark.parametrize(
    ("seconds", "named"),
    [
        ({"ada": 61.2, "bob": 400.0, "cyd": 2.0}, "slowest: bob 400 s, ada 61 s"),
        ({"ada": 70, "bob": 71, "cyd": 72, "dan": 73}, "slowest: dan 73 s, cyd 72 s, bob 71 s"),
        ({"ada": 5.0, "bob": 59.0}, ""),
    ],
)
def test_the_summary_names_the_slowest(seconds, named):
    records = {
        name: {"status": "graded", "seconds": took, "notebooks": {}, "flags": []}
        for name, took in seconds.items()
    }
    lines = Summary("week", records).text().splitlines()
    assert [line for line in lines if line.startswith("slowest")] == ([named] if named else [])

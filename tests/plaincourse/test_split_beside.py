"""While an answer is tested, the rest of its notebook is paused; other processes continue later."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from plaincourse.checking.grader import grade
from plaincourse.grading.jobs import status
from plaincourse.judge.execute import SplitExecute
from plaincourse.kernels.held import RAN, counted
from tests.plaincourse.split_notebooks import answer, graded, notebook, plain, shown, written
from tests.plaincourse.split_students import student

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

SOURCE = [
    answer("two-answer", "def two(x):\n    return 2 * x"),
    graded("two", "assert two(1) == 2\n'looked at'"),
]
#: A process that reads numbers from a pipe and doubles them.
SERVER = """
import os, select, signal
(asks, to), (back, said) = os.pipe(), os.pipe()
server = os.fork()
if not server:
    while True:
        os.write(said, bytes([2 * os.read(asks, 1)[0]]))
def doubled(x, seconds=3):
    os.write(to, bytes([x]))
    return os.read(back, 1)[0] if select.select([back], [], [], seconds)[0] else None
"""
ASKS = "def two(x):\n    return doubled(x)"
WAKES = "def two(x):\n    os.kill(server, signal.SIGCONT)\n    return doubled(x)"
THREADS = """
import threading
def go_on():
    while True:
        os.kill(server, signal.SIGCONT)
threading.Thread(target=go_on, daemon=True).start()
"""


def run(folder: Path, *cells: Any, **given: Any) -> tuple[list[Any], list[dict[str, str]]]:
    """Run a notebook; return its cells and flags."""
    source = written(folder / "hw.ipynb", *SOURCE)
    step = SplitExecute(source_notebook=str(source), **{"timeout": 60, **given})
    done, resources = step.preprocess(notebook(*cells), {"metadata": {"path": str(folder)}})
    return done.cells, resources["plaincourse"]["flags"]


def test_a_process_that_was_left_running_answers_no_test_and_goes_on_after_it(
    tmp_path: Path,
) -> None:
    cells = [plain(SERVER), plain("doubled(4)"), answer("two-answer", ASKS), SOURCE[1]]
    done, flags = run(tmp_path, *cells, plain("doubled(3), doubled(4)"))
    assert shown(done[1]) == "8"
    assert "looked at" not in shown(done[3])
    assert "AssertionError" in shown(done[3])
    assert shown(done[4]) in {"(2, 6)", "(6, 8)"}  # the first may reply to the test
    assert [(flag["cell"], flag["kind"]) for flag in flags] == [("two", "processes")]
    assert "no reply" in flags[0]["why"]
    assert status(flags) == "flagged"


def test_a_right_answer_beside_a_process_is_paid_and_the_process_named(tmp_path: Path) -> None:
    cells = [plain("import subprocess\nx = subprocess.Popen(['sleep', '60'])"), *SOURCE]
    done, flags = run(tmp_path, *cells)
    assert "looked at" in shown(done[2])
    assert [flag["kind"] for flag in flags] == ["processes"]
    assert "held: sleep." in flags[0]["why"]


@pytest.mark.parametrize("more", ["", THREADS])
def test_who_wakes_a_process_that_is_held_earns_nothing(more: str, tmp_path: Path) -> None:
    cells = [plain(SERVER + more), answer("two-answer", ASKS if more else WAKES), SOURCE[1]]
    done, flags = run(tmp_path, *cells)
    assert shown(done[2]) == f"ProcessRan: {RAN}"
    assert ("two", "processes") in [(flag["cell"], flag["kind"]) for flag in flags]


def test_a_notebook_without_other_processes_is_not_flagged(tmp_path: Path) -> None:
    ended = "import subprocess\nsubprocess.run(['true'], check=True)"
    done, flags = run(tmp_path, plain(ended), *SOURCE)
    assert "looked at" in shown(done[2])
    assert flags == []


STARTS = {
    "fork": "pid = os.fork()\n    if not pid: os._exit(0)\n    os.waitpid(pid, 0)",
    "a command": "subprocess.run(['true'])",
    "a shell": "os.system('true')",
    "a started pool": "multiprocessing.get_context('spawn').Process(target=abs).start()",
    "a loader": "list(torch.utils.data.DataLoader([1, 2], num_workers=1))",
    "futures": "next(futures.ProcessPoolExecutor(1).map(abs, [1]))",
    "a pool": "multiprocessing.get_context('fork').Pool(1).apply(abs, (1,))",
}


@pytest.mark.parametrize("what", STARTS)
def test_an_answer_that_starts_a_process_is_told_that_it_cannot(what: str) -> None:
    right = (
        "e = (scores - scores.amax(-1, keepdim=True)).exp()\n    return e / e.sum(-1, keepdim=True)"
    )
    source = (
        "import os, subprocess, multiprocessing, torch\nfrom concurrent import futures\n"
        f"def answer(scores):\n    {STARTS[what]}\n    {right}"
    )
    with student(source) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
        assert report.score == 0
        assert "cannot start another process while it is tested" in " ".join(report.text().split())
        assert any("while it is tested" in note for note in session.notes)


@pytest.mark.parametrize("what", STARTS)
def test_the_check_at_home_refuses_a_process_in_the_same_words(what: str) -> None:
    before = os.fork, os.system, subprocess.Popen._execute_child  # type: ignore[attr-defined]
    report = grade("02.softmax_rows", _at_home(STARTS[what]), seed=5)
    assert report.score == 0
    assert "cannot start another process while it is tested" in " ".join(report.text().split())
    after = os.fork, os.system, subprocess.Popen._execute_child  # type: ignore[attr-defined]
    assert after == before


def _at_home(start: str) -> Any:
    space: dict[str, Any] = {"__name__": "__main__", "os": os, "subprocess": subprocess}
    space |= {"multiprocessing": multiprocessing, "torch": torch, "futures": concurrent.futures}
    exec(f"def answer(scores):\n    {start}\n    return scores", space)
    return space["answer"]


def test_a_refused_process_is_not_called_a_look_at_the_grading(tmp_path: Path) -> None:
    check = graded("rows", "from plaincourse import check\ncheck('02.softmax_rows', rows)")
    given = [answer("rows-answer", "def rows(scores):\n    return scores"), check]
    starts = "import os\ndef rows(scores):\n    os.fork()\n    return scores"
    source = written(tmp_path / "hw.ipynb", *given)
    step = SplitExecute(source_notebook=str(source), timeout=60)
    about = {"metadata": {"path": str(tmp_path)}}
    _, said = step.preprocess(notebook(answer("rows-answer", starts), check), about)
    (flag,) = said["plaincourse"]["flags"]
    assert (flag["cell"], flag["kind"]) == ("rows", "processes")
    assert "starts another process while it is tested (os.fork)" in flag["why"]
    assert "takes no points" not in flag["why"]


def test_a_kernel_that_forgot_how_to_answer_holds_a_grader_up_for_little_time(
    tmp_path: Path,
) -> None:
    forgets = "type(get_ipython()).run_cell = lambda self, *a, **k: None"
    cells = [plain(forgets), *map(plain, "abcdefgh"), *SOURCE]
    began = time.monotonic()
    run(tmp_path, *cells, timeout=8, interrupt_on_timeout=True)
    assert time.monotonic() - began < 55  # 8 + 8 + 4 + 2 for each other; 9 times 8 without


def test_a_check_shows_nothing_that_its_answer_draws_or_displays() -> None:
    source = (
        "import matplotlib; matplotlib.use('agg')\nimport matplotlib.pyplot as plt, torch\n"
        "mine = plt.figure()\ndef answer(scores):\n    plt.figure(); plt.plot([1, 2])\n"
        "    opened.append(len(plt.get_fignums()))\n    return torch.zeros(3)\nopened = []\n"
        "def rest(): return [max(opened), *plt.get_fignums()]"
    )
    with student(source) as session:
        names = session.names(["answer", "rest"])
        grade("02.softmax_rows", names["answer"], seed=5)
        assert list(names["rest"]()) == [2, 1]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["python"] * 25, "python (25 times)"),
        (["bash", "python", "python"], "python (2 times), bash"),
        ([f"p{n}" for n in range(7)], "p0, p1, p2, p3, p4 and 2 more"),
        ([], ""),
    ],
)
def test_processes_of_one_name_are_named_once(names, said):
    assert counted(names) == said

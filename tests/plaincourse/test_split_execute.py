"""A hostile submission loses its own points, and does not affect others."""

import asyncio
import copy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_client.session import Session
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode

from plaincourse.kernels.client import OUT_OF_MEMORY
from plaincourse.kernels.manager import SandboxKernelManager
from tests.plaincourse.split_notebooks import answer, graded, notebook, plain, shown, written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

IMPORTS = plain("import torch\nimport numpy as np\nfrom plaincourse import check")
NAMES = ("good", "exits", "later", "late", "secret")
ONE = "assert {0}(torch.ones(2)).tolist() == [2.0, 2.0]\n'looked at'"
SOURCE = [IMPORTS]
for _name in NAMES:
    SOURCE += [answer(f"{_name}-answer", f"def {_name}(x):\n    return 2 * x")]
    SOURCE += [graded(_name, ONE.format(_name))]

WORST = {
    "good-answer": "def good(x):\n    print('called')\n    return 2 * x",
    "exits-answer": "import os\ndef exits(x):\n    os._exit(3)",
    "later-answer": "def later(x):\n    return 2 * x",
    "late-answer": "def late(x):\n    while True:\n        pass",
    "secret-answer": ("def secret(x):\n    from exercise_bank import ch02\n    return 2 * x"),
}
OWN = {
    1: "report = check('02.scores', None)\nnp = torch = None",
    5: "import os\nos.kill(os.getpid(), 9)",
    8: "while True:\n    print('x' * 5000)",
    11: "import time\nwhile True:\n    try:\n        time.sleep(9)\n"
    "    except KeyboardInterrupt:\n        pass",
}


def submission() -> NotebookNode:
    """Return the hostile submission: its cells between those of the release."""
    cells = []
    for cell in SOURCE:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        cells.append(answer(name, WORST[name]) if name in WORST else cell)
        while len(cells) in OWN:
            cells.append(plain(OWN[len(cells)]))
    return notebook(*cells)


@pytest.fixture(scope="module")
def graded_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Any]:
    """Run the hostile submission; return its cells by name or source, and the record."""
    from plaincourse.judge.execute import SplitExecute

    folder = tmp_path_factory.mktemp("course")
    source = written(folder / "hw.ipynb", *SOURCE)
    execute = SplitExecute(source_notebook=str(source), timeout=20)
    done, resources = execute.preprocess(submission(), {"metadata": {"path": str(folder)}})
    named = {c.metadata.get("nbgrader", {}).get("grade_id") or c.source: c for c in done.cells}
    return named, resources["plaincourse"]


def test_a_right_answer_passes_whatever_other_cells_do(graded_once: tuple[Any, Any]) -> None:
    cells, record = graded_once
    assert shown(cells["good"]) == "stdout: called\n'looked at'"
    assert shown(cells["later"]) == "'looked at'"
    assert record["cells"]["good"]["confirmed"]


def test_the_students_names_do_not_reach_the_tests_own(graded_once: tuple[Any, Any]) -> None:
    cells, _ = graded_once
    assert "checked when" in shown(cells[OWN[1]])
    assert shown(cells["good"]).endswith("'looked at'")


def test_an_answer_that_ends_the_process_costs_its_own_test(graded_once: tuple[Any, Any]) -> None:
    cells, record = graded_once
    why = "The notebook ended its own process, with exit code 3."
    assert shown(cells["exits"]) == f"KernelDied: {why}"
    why = f"{why} It happened in the test of `exits`."
    assert record["flags"][1] == {"cell": "exits", "kind": "died", "why": why}


_WRITES = """import os
def noisy(x):
    for number in range(3, 60):
        try:
            os.write(number, {text})
        except OSError:
            pass
    return 2 * x"""
GONE = {
    "a text into every file": (_WRITES.format(text="b'points: 4 of 4' * 9"), "tampered", "Read"),
    "a frame that says too much": (_WRITES.format(text="b'pcw1' + b'9' * 99"), "tampered", "Read"),
    "its own kill": ("def noisy(x):\n    import os; os.kill(os.getpid(), 11)", "died", "crashed"),
    "its end in a thread": (
        "import os, threading\ndef noisy(x):\n    t = threading.Thread(target=os._exit, args=[4])\n"
        "    t.start(); t.join(9)",
        "died",
        "exit code 4",
    ),
}


@pytest.mark.parametrize("how", GONE)
def test_who_loses_the_process_in_a_test_is_told_in_which_task(how: str, tmp_path: Path) -> None:
    from plaincourse.judge.execute import SplitExecute

    code, kind, says = GONE[how]
    cells = [IMPORTS, answer("noisy-answer", code), graded("noisy", ONE.format("noisy"))]
    source = written(tmp_path / "hw.ipynb", *cells)
    execute = SplitExecute(source_notebook=str(source), timeout=20)
    _, resources = execute.preprocess(notebook(*cells), {"metadata": {"path": str(tmp_path)}})
    told = [flag for flag in resources["plaincourse"]["flags"] if flag["kind"] != "processes"]
    assert [(flag["cell"], flag["kind"]) for flag in told] == [("noisy", kind)]
    assert says in told[0]["why"]
    assert told[0]["why"].endswith("It happened in the test of `noisy`.")
    assert "frame" not in told[0]["why"] or "what no answer sends" in told[0]["why"]


def test_an_answer_that_never_ends_costs_its_own_test(graded_once: tuple[Any, Any]) -> None:
    cells, _ = graded_once
    assert shown(cells["late"]).startswith("TimeoutError: the student's code took too long")


def test_a_cell_that_kills_its_kernel_says_so(graded_once: tuple[Any, Any]) -> None:
    cells, record = graded_once
    assert shown(cells[OWN[5]]).startswith("KernelDied: The kernel was killed")
    assert "died" in {flag["kind"] for flag in record["flags"]}


@pytest.mark.parametrize(
    ("place", "kind", "begins"),
    [
        (5, "died", "import os"),
        (8, "flood", "while True:"),
        (11, "died", "import time"),
    ],
)
def test_what_a_cell_costs_is_flagged_with_the_cell(
    place: int, kind: str, begins: str, graded_once: tuple[Any, Any]
) -> None:
    _, record = graded_once
    where = f"cell {place + 1} of the graded notebook, which begins with `{begins}`"
    assert [flag["kind"] for flag in record["flags"] if where in flag["why"]] == [kind]


EXITS = ["exit()", "quit()", "exit", "quit", "exit(keep_kernel=True)", "get_ipython().ask_exit()"]


@pytest.mark.parametrize("how", EXITS)
def test_exit_ends_no_notebook_that_is_graded(how: str, tmp_path: Path) -> None:
    from plaincourse.judge.execute import SplitExecute

    again = [answer("late-answer", "def late(x):\n    quit()\n    return 2 * x")]
    again += [graded("late", ONE.format("late"))]
    one = copy.deepcopy(SOURCE[1:3])
    cells = [
        copy.deepcopy(IMPORTS),
        plain(f"kept = 1\n{how}"),
        *one,
        *again,
        plain(how),
        plain("kept"),
    ]
    waits = [plain("import time\ntime.sleep(0.3)") for _ in range(2)]
    source = written(tmp_path / "hw.ipynb", IMPORTS, *one, *again)
    execute = SplitExecute(source_notebook=str(source), timeout=20)
    given = notebook(*cells[:2], waits[0], *cells[2:6], waits[1], *cells[6:])
    done, resources = execute.preprocess(given, {"metadata": {"path": str(tmp_path)}})
    assert [shown(cell) for cell in done.cells if "'looked at'" in cell.source] == [
        "'looked at'",
        "'looked at'",
    ]
    assert shown(done.cells[-1]) == "1"
    assert resources["plaincourse"]["flags"] == []


def test_a_flood_is_cut_and_flagged(graded_once: tuple[Any, Any]) -> None:
    cells, record = graded_once
    assert "OutputFlood" in shown(cells[OWN[8]])
    assert len(shown(cells[OWN[8]])) < 1.1 * 2**20
    assert "flood" in {flag["kind"] for flag in record["flags"]}


# The interruption follows the print, and may come before the cell's next line.
OBEYS = """
import time
try:
    print("x" * 2**21)
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(4)
"""
IGNORES = """
import time
text = "x" * 2**21
while True:
    try:
        print(text)
        text = ""
        while True:
            {}
    except KeyboardInterrupt:
        pass
"""


@pytest.mark.parametrize(
    ("floods", "grace", "clock", "killed"),
    [
        (OBEYS, 3, 12, False),
        (IGNORES.format("sum(range(9999))"), 0.5, 1e9, True),
        (IGNORES.format("time.sleep(9)"), 0.5, 2, True),
    ],
    ids=["ends late by the clock", "goes on computing", "waits for ever"],
)
def test_a_flood_costs_a_kernel_that_goes_on_and_no_other(
    floods: str, grace: float, clock: float, killed: bool, tmp_path: Path, monkeypatch: Any
) -> None:
    from plaincourse.judge import guarded as judge

    monkeypatch.setattr(judge, "_GRACE", grace)
    monkeypatch.setattr(judge, "_CLOCK", clock)
    execute = judge.GuardedExecute(kernel_manager_class=SandboxKernelManager, timeout=30)
    execute.forget_floods()
    cells = notebook(plain("kept = 1"), plain(floods), plain("kept"))
    try:
        done, _ = execute.preprocess(cells, {"metadata": {"path": str(tmp_path)}})
    except DeadKernelError:
        assert killed
        assert "OutputFlood" in shown(cells.cells[1])
    else:
        assert not killed
        assert shown(done.cells[1]).startswith("OutputFlood")
        assert shown(done.cells[2]) == "1"


TWO = [
    answer("two-answer", "def two(x):\n    return 2 * x"),
    graded("two", "assert two(1) == 2\n'looked at'"),
]


def test_a_notebook_that_printed_much_keeps_its_answers_and_its_reports(tmp_path: Path) -> None:
    from plaincourse.judge.execute import SplitExecute

    much = ["print('x' * 900_000)", "'x' * 900_000"]
    says = answer("two-answer", "print('exercise two')\ndef two(x):\n    return 2 * x")
    for split in (True, False):
        source = written(tmp_path / "hw.ipynb", *TWO)
        step = SplitExecute(source_notebook=str(source), split=split, timeout=60)
        cells = notebook(*map(plain, 5 * much), says, TWO[1], plain("two(4)"), plain("1 / 0"))
        done, resources = step.preprocess(cells, {"metadata": {"path": str(tmp_path)}})
        shows = [shown(cell) for cell in done.cells[-4:]]
        assert "What this cell printed is left out." in shows[0]
        assert "looked at" in shows[1]
        assert "What this cell printed is left out." in shows[2]
        assert "ZeroDivisionError" in shows[3]
        assert resources["plaincourse"]["flags"] == []
        assert sum(len(str(cell.outputs)) for cell in done.cells) < step.notebook_bytes + (1 << 20)


SENDS = "sent = get_ipython().kernel.iopub_thread.socket.send_multipart\n"
NESTED = """
session, socket = get_ipython().kernel.session, get_ipython().kernel.iopub_thread.socket
parent = get_ipython().kernel.get_parent()
made = session.msg("stream", {"name": "stdout", "text": ""}, parent=parent)
parts = session.serialize(made)
parts[5] = b"[" * 100_000 + b"]" * 100_000
parts[1] = session.sign(parts[2:6])
socket.send_multipart(parts)
made = session.msg("stream", {"name": ["stdout"], "text": "x"}, parent=parent)
socket.send_multipart(session.serialize(made))
"""


@pytest.mark.parametrize(
    "sends",
    [
        SENDS + "sent([b'<IDS|MSG>'])",
        SENDS + "sent([b'x', b'<IDS|MSG>', *[b'y' * 2**21] * 5])",
        NESTED,
    ],
    ids=["empty", "long around its content", "nested, and a list for a name"],
)
def test_a_message_that_is_none_costs_nothing(sends: str, tmp_path: Path) -> None:
    done, _ = guarded(tmp_path, plain(f"{sends}\nprint('after')"), plain("1"))
    assert [shown(cell) for cell in done.cells] == ["stdout: after", "1"]


def test_messages_without_sense_are_a_flood_too(tmp_path: Path) -> None:
    done, _ = guarded(tmp_path, plain(f"{SENDS}while True:\n    sent([b'x'])"), plain("1"))
    assert "OutputFlood" in shown(done.cells[0])
    assert shown(done.cells[1]) == "1"


def guarded(folder: Path, *cells: NotebookNode) -> tuple[NotebookNode, Any]:
    """Run cells with a limit of two seconds each, after which a cell is interrupted."""
    from plaincourse.judge.execute import SplitExecute

    execute = SplitExecute(timeout=2, interrupt_on_timeout=True, split=False)
    return execute.preprocess(notebook(*cells), {"metadata": {"path": str(folder)}})


def test_what_no_cell_may_hold_is_not_parsed() -> None:
    from plaincourse.judge.guarded import GuardedExecute

    session = Session(key=b"k")
    made = [session.msg("stream", {"name": "stdout", "text": "x" * n}) for n in (8, 4096)]
    came = iter([session.serialize(each) for each in made])

    async def recv_multipart() -> Any:
        return next(came)

    execute = GuardedExecute(cell_bytes=2048)
    channel = SimpleNamespace(socket=SimpleNamespace(recv_multipart=recv_multipart))
    execute.kc = SimpleNamespace(session=Session(key=b"k"), iopub_channel=channel)
    short, long = (asyncio.run(execute._next())["content"] for _ in range(2))
    assert short["text"] == "x" * 8
    assert isinstance(long, bytes)


def test_a_cell_that_ignores_interrupts_is_killed(graded_once: tuple[Any, Any]) -> None:
    cells, _ = graded_once
    assert "did not end within 20 seconds" in shown(cells[OWN[11]])


def test_the_bank_is_not_there_for_the_student(graded_once: tuple[Any, Any]) -> None:
    cells, _ = graded_once
    assert "ImportError" in shown(cells["secret"])


def test_cells_are_counted_as_one_kernel_would(graded_once: tuple[Any, Any]) -> None:
    cells, _ = graded_once
    counts = [cell.execution_count for cell in cells.values()]
    assert counts == list(range(1, len(counts) + 1))


def test_a_cell_that_is_interrupted_says_why(tmp_path: Path) -> None:
    from plaincourse.judge.execute import SplitExecute

    source = written(tmp_path / "hw.ipynb", *SOURCE)
    cells = [IMPORTS, plain("while True:\n    pass"), plain("raise KeyboardInterrupt"), plain("1")]
    execute = SplitExecute(source_notebook=str(source), timeout=2, interrupt_on_timeout=True)
    done, _ = execute.preprocess(notebook(*cells), {"metadata": {"path": str(tmp_path)}})
    endless, own, after = (shown(cell) for cell in done.cells[1:4])
    stopped = "CellTimeoutError: The cell was stopped: it did not end within 2 seconds."
    assert endless.startswith(f"{stopped} Is there an endless loop?")
    assert own.startswith("KeyboardInterrupt")
    assert after == "1"


def test_an_answer_that_takes_all_memory_is_told_that_it_was_memory(tmp_path: Path) -> None:
    """The system kills a process that exceeds a kernel's memory, without a message."""
    from plaincourse.judge.execute import SplitExecute

    cells = [
        IMPORTS,
        answer("a", "def good(x):\n    return 2 * x"),
        graded("good", ONE.format("good")),
    ]
    source = written(tmp_path / "hw.ipynb", *cells)
    killed = "import os, signal\ndef good(x):\n    os.kill(os.getpid(), signal.SIGKILL)"
    cells[1] = answer("a", killed)
    execute = SplitExecute(source_notebook=str(source), timeout=60)
    done, resources = execute.preprocess(notebook(*cells), {"metadata": {"path": str(tmp_path)}})
    assert shown(done.cells[2]) == f"KernelDied: {OUT_OF_MEMORY}"
    (flag,) = resources["plaincourse"]["flags"]
    why = f"{OUT_OF_MEMORY} It happened in the test of `good`."
    assert flag == {"cell": "good", "kind": "died", "why": why}

"""The judge is sandboxed like students' kernels, and the record has the cause of its end."""

import copy
import sys
from pathlib import Path
from typing import Any

import pytest

from plaincourse.judge import judge_client
from plaincourse.judge.judge import _lock_in
from plaincourse.sandbox import Level, Room, probe
from tests.plaincourse.split_notebooks import answer, graded, notebook, plain, shown, written
from tests.plaincourse.split_students import child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

PREAMBLE = """import os, resource, signal, socket, sys, time, urllib.request
import torch
def wide(n): return torch.ones(n, n).sum().item()
def dies(x): os.kill(os.getpid(), signal.SIGKILL)
def hangs(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(600)
def alive(): return sorted(name for name in os.listdir("/proc") if name.isdigit())"""
ANSWERS = {
    "calls": "def calls(box, x):\n"
    "    try:\n        return box(x)\n    except Exception as error:\n        return str(error)",
    "double": "def double(x):\n    return 2 * x",
}
TESTS = {
    "limits": "print(open('/proc/self/oom_score_adj').read().strip(),"
    " resource.getrlimit(resource.RLIMIT_AS)[0] > 0)",
    "network": "try:\n    socket.create_connection(('127.0.0.1', {port}), timeout=2)\n"
    "except OSError:\n    print('no way')",
    "files": "print([os.path.exists(path) for path in ({secret!r}, sys.prefix)])",
    "writing": "try:\n    open({module!r}, 'a')\nexcept OSError:\n    print('read only')",
    "wide": "print('memory' in calls(wide, 40_000), double(2))",
    "dies": "calls(dies, 1)",
    "after": "print(double(3))",
    "hangs": "calls(hangs, 1)",
    "later": "print(double(4))",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Any]:
    """Run a notebook; return the outputs of its tests, and the record."""
    import socket

    from plaincourse.judge.execute import SplitExecute

    folder = tmp_path_factory.mktemp("course")
    secret = folder / "secret.txt"
    secret.write_text("the gradebook")
    with socket.create_server(("127.0.0.1", 0)) as ear, pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_client, "_OWN", 3.0)
        known = {
            "port": ear.getsockname()[1],
            "secret": str(secret),
            "module": judge_client.__file__,
        }
        cells = [
            plain(PREAMBLE),
            *(answer(f"{name}-answer", source) for name, source in ANSWERS.items()),
            *(graded(name, source.format(**known)) for name, source in TESTS.items()),
        ]
        source = written(folder / "hw.ipynb", *cells)
        execute = SplitExecute(source_notebook=str(source), timeout=5)
        handed_in = copy.deepcopy(notebook(*cells))
        (folder / "work").mkdir()
        done, resources = execute.preprocess(
            handed_in, {"metadata": {"path": str(folder / "work")}}
        )
    named = {c.metadata.get("nbgrader", {}).get("grade_id", ""): c for c in done.cells}
    return {name: shown(named[name]) for name in TESTS}, resources["plaincourse"]


def test_it_goes_first_when_memory_runs_out_and_has_a_limit(run: Any) -> None:
    assert run[0]["limits"] == "stdout: 1000 True"


@pytest.mark.skipif(probe().level is not Level.NAMESPACES, reason="it needs namespaces")
@pytest.mark.parametrize(
    ("name", "said"),
    [("network", "no way"), ("files", "[False, True]"), ("writing", "read only")],
)
def test_it_has_no_network_no_files_and_writes_nothing(run: Any, name: str, said: str) -> None:
    assert run[0][name] == f"stdout: {said}"


def test_inputs_that_are_too_wide_are_refused_and_the_judge_goes_on(run: Any) -> None:
    assert run[0]["wide"] == "stdout: True 4"


def test_a_judge_that_dies_of_what_it_was_given_says_so_and_others_go_on(run: Any) -> None:
    why = {each["cell"]: each["why"] for each in run[1]["flags"]}["dies"]
    assert "ran a function of theirs on what the student's code had given it" in why
    assert "Grade again" not in why
    assert run[0]["after"] == "stdout: 6"


def test_who_holds_it_up_does_so_once(run: Any) -> None:
    why = {each["cell"]: each["why"] for each in run[1]["flags"]}
    assert why["hangs"].startswith("The tests were stopped after 8 seconds: all the time they ran")
    assert run[0]["later"].startswith("NotRun")
    assert run[1]["cells"]["hangs"]["seconds"] < 15


def test_a_judge_that_dies_by_itself_asks_for_another_grading() -> None:
    made = judge_client.Judging("hw", Path("hw.ipynb"))
    assert made._why(ValueError("gone"), late=False, seconds=1.0).startswith(
        "The tests broke off (gone). Grade again."
    )


def test_without_a_sandbox_it_goes_first_and_has_a_limit_all_the_same(tmp_path: Path) -> None:
    import resource

    def body(sock: Any) -> None:
        arguments = {"room": Room(folder=None, sockets=tmp_path).to_json(), "level": "NONE"}
        _lock_in(arguments, [])
        first = Path("/proc/self/oom_score_adj").read_text().strip()
        sock.sendall(f"{first} {resource.getrlimit(resource.RLIMIT_AS)[0] > 0}".encode())

    with child(body) as sock:
        assert sock.recv(100) == b"1000 True"

"""A student's kernel: it has limited information, and can be interrupted, killed and restarted."""

import os
import random
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from nbclient.exceptions import DeadKernelError

from plaincourse.judge.channel import Channel
from plaincourse.judge.session import Session
from plaincourse.kernels import families, shared, student
from plaincourse.sandbox import Limits
from tests.plaincourse.kernel import Kernel, started


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with started() as kernel:
        yield kernel


def test_what_a_child_runs_is_imported_before_the_fork() -> None:
    assert student.__name__ in shared.STUDENT_MODULES


def test_every_kernel_starts_from_the_same_seed() -> None:
    seeded = random.Random(0).random(), np.random.RandomState(0).rand()
    with started() as kernel:
        drawn = kernel.text("import random, numpy\nprint(random.random(), numpy.random.rand())")
        assert drawn.split() == [str(number) for number in seeded]
        assert kernel.text("import torch\nprint(torch.initial_seed())") == "0\n"


def test_a_cell_that_never_ends_is_interrupted_and_the_next_one_runs() -> None:
    with started(timeout=1) as kernel:
        shown = kernel.run("import time\nwhile True: time.sleep(0.01)")
        assert shown[-1].ename == "KeyboardInterrupt"
        assert kernel.text("print('on')") == "on\n"


def test_the_server_and_its_kernels_do_not_know_the_bank(kernel: Kernel) -> None:
    known = "import sys; print([name for name in sys.modules if 'exercise_bank' in name])"
    assert kernel.text(known) == "[]\n"


def test_the_kernel_has_what_notebooks_import(kernel: Kernel) -> None:
    asked = "print({'torch', 'matplotlib.pyplot', 'einops', 'plainformer'} - set(sys.modules))"
    # The course's package is loaded by the notebook's own code, which is noticed.
    assert kernel.text(f"import sys; {asked}") == "{'plainformer'}\n"


def test_nothing_that_a_cell_writes_reaches_the_terminal(
    kernel: Kernel, capfd: pytest.CaptureFixture[str]
) -> None:
    kernel.run("import os, sys; os.write(1, b'low'); os.write(sys.stdout.fileno(), b'lower')")
    kernel.run("os.system('echo loud; echo louder >&2')")
    assert capfd.readouterr() == ("", "")
    assert kernel.text("print(os.fstat(sys.stdout.fileno()) == os.stat('/dev/null'))") == "True\n"


def test_the_kernel_works_in_a_copy_of_the_submission(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("1,2")
    with started(cwd=tmp_path) as kernel:
        shown = kernel.text("print(open('data.csv').read(), open('mine', 'w').write('x'))")
    assert shown == "1,2 1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_a_notebook_that_ends_its_process_is_named_so() -> None:
    with started() as kernel:
        assert kernel.manager.ending == ""
        with pytest.raises(DeadKernelError):
            kernel.run("import os; os._exit(3)")
        assert kernel.manager.ending == "The notebook ended its own process, with exit code 3."


def test_a_kernel_that_used_up_its_time_is_named_so() -> None:
    with started(limits=Limits(seconds=1)) as kernel:
        with pytest.raises(DeadKernelError):
            kernel.run("while True: pass")
        assert "used up its 1 seconds of processor time" in kernel.manager.ending


def test_nothing_is_left_of_a_kernel_that_was_killed(kernel: Kernel) -> None:
    server = shared.student_server().pid
    others = families.children(server)
    with started() as killed:
        killed.run("import subprocess; subprocess.Popen(['setsid', 'sleep', '600'])")
        folder = Path(killed.manager.connection_file).parent
        assert folder.exists()
        assert len(families.children(server)) == len(others) + 1
    assert killed.manager.ending == ""  # it was asked to exit
    assert not folder.exists()
    assert families.children(server) == others


def test_a_kernel_that_cannot_start_is_quoted() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)did not start.*Too many open files"):
        Kernel(timeout=1, limits=Limits(handles=8))


def test_a_restarted_kernel_has_forgotten() -> None:
    with started() as kernel:
        kernel.run("x = 1")
        kernel.restart()
        assert kernel.run("x")[-1].ename == "NameError"


def test_the_judge_reaches_the_functions_of_a_notebook_that_cannot_see_the_bank() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        kernel = Kernel(timeout=60, agent=theirs.fileno())
    kernel.run("def double(x): return 2 * x")
    with ours:
        assert Session(Channel(ours)).names(["double"])["double"](21) == 42
        assert kernel.run("import exercise_bank.ch02")[-1].ename == "ModuleNotFoundError"
        kernel.close()


_HIDDEN = """
import base64, gc, threading, torch, _thread
def softly(x): return getattr(torch, base64.b64decode("c29mdG1heA==").decode())(x, -1)
def waited(start):
    def answer(x):
        found, done = [], threading.Event()
        start(lambda: (found.append(softly(x)), done.set()))
        done.wait(10)
        return found[0]
    return answer
kernel = get_ipython().kernel
output = waited(kernel.iopub_thread.io_loop.add_callback)
control = waited(kernel.control_thread.io_loop.add_callback)
jobs = __import__("queue").Queue()
threading.Thread(target=lambda: [job() for job in iter(jobs.get, None)], daemon=True).start()
queue = waited(jobs.put)
timer = waited(lambda work: threading.Timer(0.01, work).start())
bare = waited(lambda work: _thread.start_new_thread(work, ()))
"""


def test_every_thread_of_a_kernel_is_watched() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        kernel = Kernel(timeout=60, agent=theirs.fileno())
    assert kernel.run(_HIDDEN) == []
    ways = ["output", "control", "queue", "timer", "bare"]
    with ours:
        session = Session(Channel(ours))
        for name, answer in session.names(ways).items():
            with session.scope(answer, 10.0, ["softmax"]):
                assert answer(torch.ones(2)).tolist() == [0.5, 0.5]
                assert (name, session.seen) == (name, "softmax")
        kernel.run("reached = _thread.start_new_thread.__closure__")
        assert kernel.text("print(reached)") == "None\n"
        kernel.run("reached = _thread.start_new_thread.__code__.co_consts")
        session.ask("settle")
        assert "__code__ of a function" in session.notes
        kernel.close()


@pytest.mark.slow
def test_a_kernel_whose_server_died_is_lost_and_the_next_one_starts() -> None:
    with started() as kernel:
        os.kill(shared.student_server().pid, signal.SIGKILL)
        with pytest.raises(DeadKernelError):
            kernel.run("import time; time.sleep(60)")
        assert kernel.manager.ending.startswith("The kernel was lost")
    with started() as kernel:
        assert kernel.text("print(1)") == "1\n"

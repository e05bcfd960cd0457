"""A cell's own text, in its echo or in an error that quotes it, does not count as its output."""

import signal
import threading

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from plaincourse.judge.execute import SplitExecute

LONG = "#" + "x" * 1_500_000
CELLS = {
    "a long comment": f"{LONG}\nkept = 1",
    "a long text": f"text = '{'x' * 1_500_000}'\nkept = 1",
    "many lines": "\n".join(f"x{n} = {n}" for n in range(120_000)) + "\nkept = 1",
    "letters that JSON escapes": f"text = '{'é' * 400_000}{'😀' * 200_000}'\nkept = 1",
    "an error in a long line": f"kept = 1\n1 / 0; text = '{'x' * 1_200_000}'",
}


def run(folder, source):
    cells = [new_code_cell(source), new_code_cell("kept")]
    execute = SplitExecute(timeout=60, interrupt_on_timeout=True, split=False)
    return execute.preprocess(new_notebook(cells=cells), {"metadata": {"path": str(folder)}})


@pytest.mark.parametrize("what", CELLS)
def test_a_long_source_is_no_flood(what, tmp_path):
    done, resources = run(tmp_path, CELLS[what])
    assert [each.ename for each in done.cells[0].outputs if "ename" in each] == (
        ["ZeroDivisionError"] if "error" in what else []
    )
    assert sum(len(line) for each in done.cells[0].outputs for line in each.traceback) < 500_000
    assert done.cells[1].outputs[0].data["text/plain"] == "1"
    assert [flag["kind"] for flag in resources["plaincourse"]["flags"]] == []


def test_an_echo_that_is_sent_again_and_again_is_a_flood(tmp_path):
    sends = (
        "kernel = get_ipython().kernel\n"
        "said = {'code': 'x' * 100_000, 'execution_count': 1}\n"
        "for _ in range(30):\n"
        "    kernel.session.send(kernel.iopub_thread, 'execute_input', said,\n"
        "                        parent=kernel.get_parent(), ident=b'x')\n"
    )
    done, resources = run(tmp_path, f"kept = 1\n{sends}")
    assert [flag["kind"] for flag in resources["plaincourse"]["flags"]] == ["flood"]
    assert done.cells[1].outputs[0].data["text/plain"] == "1"


class SlowToInterrupt(SplitExecute):
    """An executor whose interrupt arrives 0.3 s after its cell has ended, as on a busy machine."""

    def start_new_kernel(self, **kwargs):
        super().start_new_kernel(**kwargs)
        self.sent = []

        async def later(number):
            self.sent.append(number)

        self.km.provisioner.send_signal = later

    def settle(self, **kwargs):
        for number in self.sent:
            threading.Timer(0.3, self.km.provisioner.child.signal, [int(number)]).start()
        super().settle(**kwargs)


@pytest.mark.parametrize("seconds", [0, 1], ids=["ends", "goes on"])
def test_an_interrupt_that_comes_late_spares_the_next_cell(tmp_path, seconds):
    flood = f"import time; print('x' * 2_000_000); kept = 1; time.sleep({seconds})"
    execute = SlowToInterrupt(timeout=60, interrupt_on_timeout=True, split=False)
    cells = [new_code_cell(flood), new_code_cell("time.sleep(0.6); kept")]
    done, resources = execute.preprocess(
        new_notebook(cells=cells), {"metadata": {"path": str(tmp_path)}}
    )
    assert [flag["kind"] for flag in resources["plaincourse"]["flags"]] == ["flood"]
    assert execute.sent == [signal.SIGINT] * seconds
    assert done.cells[1].outputs[0].data["text/plain"] == "1"

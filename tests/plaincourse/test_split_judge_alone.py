"""The judge without a kernel: a test cell's points depend only on data."""

from collections.abc import Iterator

import pytest

from plaincourse.judge.agent import Agent
from plaincourse.judge.judge import Judge
from plaincourse.judge.preamble import before
from tests.plaincourse.split_notebooks import answer, graded, notebook, plain
from tests.plaincourse.split_students import child

SOURCE = notebook(
    plain("import torch\nfrom plaincourse import check"),
    answer("a", "def softmax_rows(scores):\n    return scores"),
    graded("t", 'check("02.softmax_rows", softmax_rows)'),
)
CHEATS = "def softmax_rows(scores):\n    return scores.softmax(-1)"
HIDES = f"""
import os, torch
import plaincourse.checking.forbidden
import plaincourse.judge.agent as agent
agent.OPERATIONS["find"] = lambda *args: None
from plaincourse.checking import noticing
noticing.Watch.ran = lambda *args: None
torch.allclose = lambda *args, **kwargs: True
check = lambda *args: 10
{CHEATS}
def endless(scores):
    while True:
        pass
def dies():
    os._exit(0)
"""


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """A judge after a student who hides the functions of an answer."""

    def body(sock: object) -> None:
        namespace = {"__name__": "__main__"}
        exec(HIDES, namespace)
        Agent(sock, namespace).run()  # type: ignore[arg-type]

    made = Judge(before(SOURCE))
    with child(body) as sock:
        made.meet(sock.dup())
        yield made


def test_what_a_student_patches_is_not_what_the_tests_use(judge: Judge) -> None:
    source = "assert torch.allclose(softmax_rows(torch.ones(1, 2)), torch.ones(1, 2))"
    judged = judge.cell(source, name="t", count=1, seconds=10)
    assert [each.ename for each in judged.outputs] == ["AssertionError"]


def test_an_answer_whose_text_names_what_its_process_hides_is_flagged(judge: Judge) -> None:
    cell = SOURCE.cells[-1].source
    judged = judge.cell(cell, name="t", count=1, seconds=10, code=[CHEATS])
    assert judged.reports[0]["score"] == 4
    assert [(each["cell"], each["kind"]) for each in judged.flags] == [("t", "forbidden")]
    assert judge.cell(cell, name="t", count=2, seconds=10, code=[]).flags == []


def test_an_answer_that_was_stopped_is_remarked_on(judge: Judge) -> None:
    source = 'check("02.softmax_rows", endless)'
    judged = judge.cell(source, name="t", count=1, seconds=4)
    assert judged.reports[0]["score"] == 0
    assert [(each["cell"], each["kind"]) for each in judged.flags] == [("t", "slow")]


def test_a_process_that_ends_in_a_test_costs_that_test_and_says_so(judge: Judge) -> None:
    judged = judge.cell("dies()", name="t", count=1, seconds=10)
    assert judged.gone == "The student's process ended while it was tested."
    assert [each.ename for each in judged.outputs] == ["StudentGone"]
    assert [each["kind"] for each in judged.flags] == ["died"]

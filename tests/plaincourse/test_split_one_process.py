"""An exercise that needs the student's process is checked there, with a note; others are judged."""

import sys
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

import exercise_bank
from plaincourse.checking import trials
from plaincourse.exercise.bank import load
from plaincourse.judge import plan
from tests.plaincourse.split_notebooks import answer, graded, notebook, plain, shown, written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

#: An exercise whose answer must be a function of this process, not a proxy.
EXERCISE = """
from types import FunctionType

import torch

from plaincourse.exercise import Exercise, Rung


def timed(x):
    return 2 * x


def call(answer, inputs):
    if not isinstance(answer, FunctionType):
        raise TypeError(f"{type(answer).__name__} is not a function of this process")
    return answer(**inputs)


TASK = Exercise(
    id="99.timed", title="Timed", level="easy", minutes=1, concepts=(), reference=timed,
    rungs=(Rung(name="all", points=2, draw=lambda g: [{"x": torch.ones(2)}]),),
    misconceptions=(), alternatives=(), hints=("look again",), call=call,
    one_process="It times the answer itself.",
)
"""
#: The chapter is in the notebook's folder, which is the working directory in the sandbox.
IMPORTS = """import os
import torch
import exercise_bank
from plaincourse import check
exercise_bank.__path__ += ["{0}", os.path.abspath("bank")]"""
ANSWERS = {
    "scores": "def scores(query, key):\n    return query @ key.mT",
    "timed": "def timed(x):\n    return x + x",
    "double": "def double(x):\n    return 2 * x",
    "triple": "def triple(x):\n    return 2 * x",
}
TESTS = {
    "scores": 'check("02.scores", scores)',
    "timed": 'check("99.timed", timed)',
    "double": "assert double(torch.ones(1)) == 2",
    "triple": "assert triple(torch.ones(1)) == 3",
}


def cells(course: Path) -> list[NotebookNode]:
    """Return the instructor's notebook, which is also the submission."""
    made = [plain(IMPORTS.format(course / "bank"))]
    for name, source in ANSWERS.items():
        made += [answer(f"{name}-answer", source), graded(name, TESTS[name], points=2.0)]
    return made


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a notebook and a chapter of the bank."""
    folder = tmp_path_factory.mktemp("course")
    chapter = folder / "bank" / "ch99"
    chapter.mkdir(parents=True)
    (chapter / "__init__.py").write_text('ORDER = ("timed",)\n')
    (chapter / "timed.py").write_text(EXERCISE)
    written(folder / "hw.ipynb", *cells(folder))
    return folder


def run(course: Path, *, split: bool) -> tuple[dict[str, str], Any]:
    """Run the notebook; return the outputs of its tests, and the record."""
    from plaincourse.judge.execute import SplitExecute

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_BANK", course / "bank")
        patch.setattr(exercise_bank, "__path__", [*exercise_bank.__path__, str(course / "bank")])
        source = str(course / "hw.ipynb") if split else ""
        execute = SplitExecute(source_notebook=source, split=split, timeout=20)
        handed_in = notebook(*cells(course))
        done, resources = execute.preprocess(handed_in, {"metadata": {"path": str(course)}})
    for name in [name for name in sys.modules if name.startswith("exercise_bank.ch99")]:
        del sys.modules[name]
    named = {c.metadata.get("nbgrader", {}).get("grade_id", ""): c for c in done.cells}
    return {name: shown(named[name]) for name in TESTS}, resources["plaincourse"]


@pytest.fixture(scope="module")
def apart(course: Path) -> tuple[dict[str, str], Any]:
    return run(course, split=True)


def test_it_is_graded_in_the_students_process(apart: tuple[dict[str, str], Any]) -> None:
    said, record = apart
    assert said["timed"] == "2.0"
    assert "reports" in record["cells"]["scores"]
    assert record["cells"]["timed"]["reports"] == [], "the judge has seen none"


def test_the_others_are_judged(apart: tuple[dict[str, str], Any]) -> None:
    said, record = apart
    assert said["scores"] == "2.0"
    assert [each["id"] for each in record["cells"]["scores"]["reports"]] == ["02.scores"]
    assert said["double"] == ""
    assert said["triple"].startswith("AssertionError")


def test_each_pass_is_unconfirmed_for_the_answers_lie_open(
    apart: tuple[dict[str, str], Any],
) -> None:
    _, record = apart
    flags = {flag["cell"]: flag for flag in record["flags"]}
    assert set(flags) == {"scores", "timed", "double"}, "what earned nothing is no pass"
    assert {flag["kind"] for flag in flags.values()} == {"unconfirmed"}
    why = "The tests of `timed` ran in the student's process. It times the answer itself."
    assert {flag["why"] for flag in flags.values()} == {why}
    assert not any(record["cells"][name]["confirmed"] for name in TESTS)


def test_where_all_tests_run_there_it_is_flagged_no_more_than_they(course: Path) -> None:
    said, record = run(course, split=False)
    assert (said["scores"], said["timed"]) == ("2.0", "2.0")
    assert record["flags"] == []
    assert not any(record["cells"][name]["confirmed"] for name in TESTS)


#: An answer that counts its calls, and one that depends on a variable of its notebook.
COUNTED = """asked, sign = [], 1
def scores(query, key):
    asked.append(1)
    return sign * query @ key.mT"""
TWICE = """check("02.scores", scores)
check("02.scores", scores, seed=5)
print(len(asked))"""


def test_there_too_a_cell_asks_for_the_same_inputs_once_and_the_next_cell_anew(
    tmp_path: Path,
) -> None:
    from plaincourse.judge.execute import SplitExecute

    handed_in = [
        plain("from plaincourse import check"),
        answer("scores-answer", COUNTED),
        graded("scores", TWICE, points=2.0),
        plain("sign = -1"),
        graded("again", 'check("02.scores", scores)', points=2.0),
    ]
    source = written(tmp_path / "hw.ipynb", *handed_in)
    execute = SplitExecute(source_notebook=str(source), split=False, timeout=20)
    done, _ = execute.preprocess(notebook(*handed_in), {"metadata": {"path": str(tmp_path)}})
    assert shown(done.cells[2]) == f"stdout: {len(trials.draw(load('02.scores'), 5))}"
    assert shown(done.cells[4]) not in ("", "2.0"), "the sign was right before"

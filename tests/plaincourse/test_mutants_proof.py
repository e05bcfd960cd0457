"""A grader that misses a change is detected, and so is a declaration that is no longer true."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from plaincourse.exercise import Exercise
from plaincourse.proving.mutants import proof as running
from plaincourse.proving.mutants.answers import Answer, answers
from plaincourse.proving.mutants.hand_in import choose
from plaincourse.proving.mutants.mutate import mutants
from plaincourse.proving.mutants.proof import OPERATORS, Proof, prove, run
from plaincourse.proving.prove import main
from tests.plaincourse.tasks import TASK, draw

RIGHT = "def shift(x, by):\n    return x + by[:, None]"
TURNED = "shift: line 2: by[:, None] becomes by[None, :]"
SCORES = """def scores(query, key):
    ### BEGIN SOLUTION
    return query @ key.transpose(-2, -1)
    ### END SOLUTION"""
CHECK = """check("02.scores", scores)
### BEGIN HIDDEN TESTS
check("02.scores", scores, seed=7)
### END HIDDEN TESTS"""


def proof(task: Exercise) -> Proof:
    answer = Answer(task=task, cell="shift", seed=5, name="shift", source=RIGHT, around={})
    return Proof(task=task, results=tuple(run(answer, mutants(RIGHT))))


@pytest.fixture(scope="module")
def sharp() -> Proof:
    return proof(TASK)


@pytest.fixture(scope="module")
def weak() -> Proof:
    """A task that draws only one number, so that rows and columns are the same."""
    return proof(replace(TASK, rungs=(replace(TASK.rungs[0], draw=lambda g: draw(g, (1, 1))),)))


def declared(known: Proof, **more: str) -> list[str]:
    return replace(known, task=replace(known.task, equivalents=more)).problems()


def test_a_sharp_grader_has_no_problem(sharp: Proof) -> None:
    assert (sharp.survivors, sharp.problems()) == ((), [])


def test_a_weak_grader_is_told_what_it_overlooks(weak: Proof) -> None:
    assert TURNED in weak.survivors
    assert len(weak.problems()) == len(weak.survivors)
    assert any(TURNED in each and "earns all points" in each for each in weak.problems())


def test_a_declared_survivor_is_no_problem(weak: Proof) -> None:
    problems = declared(weak, **dict.fromkeys(weak.survivors, "one number has no columns"))
    assert problems == []


def test_a_declaration_needs_a_reason(weak: Proof) -> None:
    assert any("without a reason" in each for each in declared(weak, **{TURNED: " "}))


def test_a_declaration_of_what_is_noticed_is_a_problem(sharp: Proof) -> None:
    (problem,) = declared(sharp, **{TURNED: "it was not noticed once"})
    assert "it loses points (each row its own); remove it" in problem


def test_a_declaration_of_what_is_no_mutant_is_a_problem(sharp: Proof) -> None:
    (problem,) = declared(sharp, **{"shift: line 3: gone": "it was there once"})
    assert problem.startswith("99.shift: 'shift: line 3: gone' is declared equivalent, but no")


def test_a_check_that_breaks_on_an_answer_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def grade(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("in the checker")

    monkeypatch.setattr(running, "grade", grade)
    broken = proof(TASK)
    assert {each.fate for each in broken.results} == {"no answer"}
    assert len(broken.problems()) == len(broken.results)
    assert "the check itself failed: ZeroDivisionError: in the checker" in broken.problems()[0]


def test_the_table_says_where_each_mutant_failed_and_what_it_was_taken_for(weak: Proof) -> None:
    sharp = proof(TASK).table()
    assert f"   1.00  {TURNED}  →  each row its own" in sharp
    assert "+ by[:, None] becomes - by[:, None]  →  one number [subtracted]" in sharp
    assert "     1 taken for “subtracted”" in sharp
    assert "0 equivalent, 0 survived" in sharp.splitlines()[0]
    assert f"   0.50  {TURNED}  →  SURVIVED" in weak.table()
    task = replace(weak.task, equivalents={TURNED: "one number has no columns"})
    assert f"{TURNED}  →  EQUIVALENT: one number" in replace(weak, task=task).table()


def notebook(answer: str = SCORES) -> NotebookNode:
    about = {"points": 0, "locked": True, "schema_version": 3}
    solution = {**about, "grade_id": "scores-answer", "grade": False, "solution": True}
    graded = {**about, "grade_id": "scores", "grade": True, "solution": False}
    return new_notebook(
        cells=[
            new_code_cell("%magic", metadata={"tags": ["setup"]}),
            new_code_cell("import torch"),
            new_code_cell(answer, metadata={"nbgrader": solution}),
            new_code_cell(CHECK, metadata={"nbgrader": graded}),
        ]
    )


def test_the_answers_of_a_notebook_are_found_with_their_seed_and_their_imports() -> None:
    (answer,) = answers(notebook())
    assert (answer.cell, answer.name, answer.seed, answer.label) == ("scores", "scores", 7, "")
    assert "SOLUTION" not in answer.source
    assert set(answer.around) >= {"torch"}


def test_a_graded_cell_without_an_answer_is_named() -> None:
    bare = notebook()
    del bare.cells[2]
    with pytest.raises(ValueError, match="cell 'scores': there is no answer cell above it"):
        answers(bare)


def test_references_written_for_an_exercise_are_changed_too_and_those_of_the_package_not() -> None:
    book = notebook()
    cell = book.cells[3]
    assert [each.label for each in answers(book)] == [""]
    cell.source = CHECK.replace("scores", "softmax_backward")
    cell.metadata["nbgrader"]["points"] = 5
    own, reference = answers(book)
    assert (own.label, reference.label, reference.name) == ("", "reference ", "reference")
    assert reference.task.forbid == ()
    halves = np.full((1, 2), 0.5)
    got = reference.define(reference.source)(weights=halves, gradient=np.eye(2)[:1])
    assert got.tolist() == [[0.25, -0.25]]


def test_a_changed_solution_is_graded_like_any_answer() -> None:
    (found,) = prove(notebook(), cells=("scores",))
    by_name = {each.mutant.name: each for each in found.results}
    assert by_name["scores: line 2: transpose(-2, -1) dropped"].score < 2
    assert found.problems() == []
    assert prove(notebook(), cells=("other",)) == []


def test_a_solution_that_does_more_than_is_asked_has_survivors() -> None:
    (found,) = prove(notebook(SCORES.replace("query @", "(query + 0 * 5) @")))
    assert any("0 * 5" in each and "earns all points" in each for each in found.problems())


def test_those_handed_in_cover_the_operators_and_one_that_is_no_mistake() -> None:
    (answer,) = answers(notebook())
    known, used = mutants(answer.source), Counter[str]()
    first, second = (choose(answer, known, 5, used) for _ in range(2))
    assert first[0].name in answer.task.equivalents
    assert len({each.operator for each in (*first[1:], *second[1:])}) == 8
    assert len(choose(answer, known, 500, used)) == len(known)


def test_the_command_shows_the_mutants_of_one_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "02-some"
    folder.mkdir()
    nbformat.write(notebook(), folder / "02-some.ipynb")
    arguments = ["02", "--mutants", "--solutions", str(tmp_path), "--task", "scores"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "02.scores  17 mutants: 16 killed, 0 gave no answer, 1 equivalent, 0 survived" in out
    nbformat.write(notebook(SCORES.replace("query @", "(query + 0) @")), folder / "02-some.ipynb")
    assert main(arguments) == 1
    assert "PROBLEM: 02.scores: mutant" in capsys.readouterr().out


def test_a_sample_has_three_operators_once_each_and_says_what_it_left_out() -> None:
    (every,), (some,) = prove(notebook()), prove(notebook(), sample=True)
    operators = [each.mutant.operator for each in some.results]
    assert len(set(operators)) == len(operators) == OPERATORS
    assert [each for each in every.results if each.mutant not in some.left_out] == list(
        some.results
    )
    assert len(some.left_out) == len(every.results) - len(some.results) > 0


def test_a_sample_says_nothing_of_declarations_that_it_left_out() -> None:
    (some,) = prove(notebook(), sample=True)
    assert isinstance(some.task, Exercise)
    more = {some.left_out[0].name: "no reason to doubt it"}
    task = replace(some.task, equivalents={**some.task.equivalents, **more})
    assert replace(some, task=task).problems() == []
    assert len(replace(some, task=task, left_out=()).problems()) >= 1

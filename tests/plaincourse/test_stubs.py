"""Stubs in the place of an answer: a function raises, a value is left open."""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from plaincourse.notebooks.release import ClearAnswers

STUB = "raise NotImplementedError()"
FUNCTION = """\
def double(x):
    ### BEGIN SOLUTION
    answer_b = 2 * x
    return answer_b
    ### END SOLUTION"""
VALUES = """\
# what it is of
scale = 2
### BEGIN SOLUTION
half = scale / 4
answer_a, unread = half, 3
answer_b: float = half
answer_c = 1
### END SOLUTION"""
CHECKS = """\
check("02.double", double)
check("02.b", answer_b)
check("02.c", answer_c)"""


def role(**given: object) -> dict[str, object]:
    known = {"grade": False, "solution": False, "locked": False, "schema_version": 3}
    return {"nbgrader": known | given}


def cleared(*solutions: str) -> list[str]:
    """Return the stubs that a release has in the place of solutions."""
    cells: list[NotebookNode] = [
        new_code_cell(source, metadata=role(solution=True, grade_id=f"s{number}"))
        for number, source in enumerate(solutions)
    ]
    checks = new_code_cell(CHECKS, metadata=role(grade=True, locked=True, grade_id="c", points=1))
    clear = ClearAnswers(code_stub={"python": STUB})
    released, _ = clear.preprocess(new_notebook(cells=[*cells, checks]), {})
    return [cell.source for cell in released.cells[:-1]]


def test_a_value_that_a_check_reads_is_left_open_and_a_function_raises() -> None:
    values = (
        "# what it is of\nscale = 2\n"
        "answer_b = ...  # YOUR ANSWER\nanswer_c = ...  # YOUR ANSWER"
    )  # fmt: skip
    function = f"def double(x):\n    {STUB}"
    assert cleared(FUNCTION, VALUES, FUNCTION) == [function, values, function]


def test_a_solution_without_marks_is_cleared_as_a_whole() -> None:
    assert cleared("half = 3\nanswer_c = half", "other = 1") == [
        "answer_c = ...  # YOUR ANSWER",
        STUB,
    ]


def test_values_that_are_assigned_together_are_left_open_one_by_one() -> None:
    assert cleared("scores = {}\nscores['x'], (answer_b, *answer_c) = 0, (1, 2)") == [
        "answer_b = ...  # YOUR ANSWER\nanswer_c = ...  # YOUR ANSWER"
    ]


def test_what_is_no_python_gets_the_usual_stub() -> None:
    assert cleared("### BEGIN SOLUTION\n%%time\nanswer_c = 1\n### END SOLUTION") == [STUB]

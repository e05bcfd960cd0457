"""The points for a graded cell's outputs in cases that nbgrader would count wrongly."""

import pytest
from nbformat.v4 import new_notebook, new_output
from nbgrader.utils import determine_grade

from plaincourse.exercise.report import Line, Report
from plaincourse.grading.nbgrader_parts import CountOutputs
from tests.plaincourse.test_grading_steps import cell, error, locked, result, stream


def counted(*outputs):
    made, _ = CountOutputs().preprocess_cell(locked(outputs), {}, 0)
    return determine_grade(made)[0]


def test_a_score_next_to_noise_on_stderr_counts():
    assert counted(stream("stderr", "careful"), result("1.5")) == 1.5


def test_an_error_next_to_noise_still_earns_nothing():
    assert counted(stream("stderr", "careful"), error("NameError", "a")) == 0


@pytest.mark.parametrize(
    "outputs",
    [[], [stream("stdout", "2.0")], *([result(said)] for said in ("'2.0'", "nan", "2.5", "-1"))],
)
def test_a_check_that_leaves_no_score_earns_nothing(outputs):
    assert counted(*outputs) == 0


@pytest.mark.parametrize(
    ("points", "earned", "score"),
    [
        (1.0, 1.0, 2.0),
        (4.0, 4.0, 2.0),
        (4.0, 1.0, 0.5),
        (2.0, 1.5, 1.5),
        (4.0, 3.333333, 1.666667),
        (1.0, 0.666667, 1.333334),
    ],
)
def test_a_check_of_other_points_than_the_cell_counts_in_proportion(points, earned, score):
    rungs = (Line(name="all", points=points, earned=earned),)
    report = Report(
        id="99.a", title="A: task", score=earned, points=points, headline="So.", rungs=rungs
    )
    shown = new_output(
        "execute_result", {"text/plain": repr(report), "text/html": report._repr_html_()}
    )
    made, _ = CountOutputs().preprocess_cell(locked([shown]), {}, 0)
    assert determine_grade(made) == (score, 2)
    html = made.outputs[0].data["text/html"]
    assert f"A: task: {round(score, 2):g} of 2 points</h4>" in html
    assert ("is worth 2 here" in html) == (points != 2)


def test_a_made_up_report_earns_nothing_by_its_proportion():
    forged = {"text/plain": "200.0", "text/html": "<h4>A: 1 of 1 points</h4>"}
    assert counted(new_output("execute_result", forged)) == 0


def test_a_locked_cell_of_asserts_is_left_to_nbgrader():
    plain = cell("assert a == 1", "a", grade=True)
    made, _ = CountOutputs().preprocess_cell(plain, {}, 0)
    assert determine_grade(made) == (2, 2)


def test_of_two_results_the_last_counts():
    assert counted(result("2.0"), result("0.5")) == 0.5


@pytest.mark.parametrize(("outputs", "score"), [([result("3")], 0), ([result("")], 2), ([], 2)])
def test_a_result_that_nbgrader_cannot_count_does_not_end_the_batch(outputs, score):
    made = cell("assert a == 1\na", "a", grade=True, outputs=outputs)
    assert determine_grade(CountOutputs().preprocess_cell(made, {}, 0)[0])[0] == score


def test_nothing_in_a_notebook_that_could_not_be_read_earns_points():
    notebook = new_notebook(cells=[locked([result("2.0")]), cell("assert 1", "b", grade=True)])
    notebook.metadata["plaincourse"] = {"unread": "The file is empty."}
    CountOutputs().preprocess(notebook, {})
    assert [determine_grade(each)[0] for each in notebook.cells] == [0, 0]
    assert notebook.cells[0].outputs[0].evalue == "The file is empty."

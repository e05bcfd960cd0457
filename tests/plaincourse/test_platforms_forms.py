"""The results have the documented forms, and show nothing hidden to students."""

import json
from pathlib import Path

import jsonschema
import pytest
from nbformat.v4 import new_code_cell, new_output

from plaincourse.exercise.report import Example, Line, Report
from plaincourse.platforms import forms, grade, plain_text, scripts
from plaincourse.platforms.forms import Answered, Outcome
from tests.plaincourse import platform_schemas as schemas
from tests.plaincourse.platform_folders import GIVEN

THIRD = Answered(name="a third", score=2 / 3, points=2.0, said="◐ some of it is right")
FULL = Answered(name="full", score=3.0, points=3.0, said="✓ right")
ESSAY = Answered(name="why", score=None, points=5.0, by_hand=True, said="secret")
EXTRA = Answered(name="further", score=0.0, points=0.0)
OUTCOME = Outcome(
    tests=(THIRD, FULL, ESSAY, EXTRA),
    notes=("It was renamed.",),
    staff=("Read its cells.",),
    flags=("looks",),
    sandbox="landlock",
)
UNREAD = Outcome(ran=False, notes=("No notebook was handed in.",))
REPORT = Report(
    id="02.x",
    title="Shares & sums",
    score=0.5,
    points=2.0,
    headline="One of two requirements is met.",
    diagnosis=("The softmax runs over `queries`.",),
    rungs=(Line(name="rows", points=1.5, earned=0.0), Line(name="a < b", points=0.5, earned=0.5)),
    example=Example(inputs=(("x", "tensor([1.,\n        2.])"),), expected="3", got="4"),
    hints=("Look at the axis.", "It is the last one."),
    aimed=True,
)


def cell_of(report: Report) -> object:
    data = {"text/plain": repr(report), "text/html": report._repr_html_()}
    return new_code_cell("check()", outputs=[new_output("execute_result", data=data)])


@pytest.mark.parametrize("outcome", [OUTCOME, UNREAD])
def test_results_have_the_form_that_each_platform_documents(outcome: Outcome) -> None:
    for made, schema in (
        (forms.gradescope(outcome, visibility="after_due_date"), schemas.GRADESCOPE),
        (forms.prairielearn(outcome), schemas.PRAIRIELEARN),
        (forms.classroom50(outcome, given=GIVEN), schemas.CLASSROOM50),
    ):
        jsonschema.validate(json.loads(json.dumps(made)), schema)


def test_points_are_those_of_the_tests_alone() -> None:
    made = forms.gradescope(OUTCOME, visibility="visible")
    assert made["score"] == 2 / 3 + 3.0
    assert [test.get("score") for test in made["tests"]] == [2 / 3, 3.0, None, None]
    learned = forms.prairielearn(OUTCOME)
    assert learned["score"] == (2 / 3 + 3.0) / 5.0
    assert sum(test["points"] for test in learned["tests"]) == 2 / 3 + 3.0
    whole = forms.classroom50(OUTCOME, given=GIVEN)
    assert (whole["score"], whole["max-score"]) == (367, 500)
    assert [test["points"] for test in whole["tests"]] == [2 / 3, 3.0]


def test_an_unread_submission_costs_no_attempt_where_that_is_possible() -> None:
    assert forms.prairielearn(UNREAD) == {"gradable": False, "format_errors": [*UNREAD.notes]}
    assert forms.gradescope(UNREAD, visibility="visible")["score"] == 0.0


def test_students_read_neither_notes_for_staff_nor_an_essay_s_output() -> None:
    shown = forms.gradescope(OUTCOME, visibility="visible")
    assert shown["stdout_visibility"] == "hidden"
    for made in (shown, forms.prairielearn(OUTCOME), forms.classroom50(OUTCOME, given=GIVEN)):
        text = json.dumps(made) + forms.release_body(OUTCOME)
        assert "Read its cells" not in text
        assert "secret" not in text
    assert all(test["visibility"] != "hidden" for test in shown["tests"])


def test_a_report_is_readable_as_text_with_the_first_hint_that_fits() -> None:
    lines = plain_text.output_text(cell_of(REPORT)).splitlines()
    assert lines[0] == "◐ Shares & sums: 0.5 of 2 points"
    assert "The softmax runs over queries." in lines
    assert "✓ passed, 0.5 of 0.5: a < b" in lines
    assert "    tensor([1.," in lines
    assert "            2.])" in lines
    assert "Look at the axis." in lines
    assert "It is the last one." not in lines
    assert plain_text.title(cell_of(REPORT)) == "Shares & sums"


def test_hints_that_do_not_belong_to_the_mistake_stay_folded() -> None:
    text = plain_text.output_text(cell_of(Report(**{**vars(REPORT), "aimed": False})))
    assert "Hint" not in text
    assert "Look at the axis." not in text


def test_a_long_output_is_cut() -> None:
    cell = new_code_cell("", outputs=[new_output("stream", name="stdout", text="x" * 10**6)])
    assert len(plain_text.output_text(cell)) < plain_text.LONGEST + 100


def test_the_text_of_a_release_has_no_mark_up_of_a_student() -> None:
    told = Answered(name="a", score=0.0, points=1.0, said="```\n</pre># big")
    body = forms.release_body(Outcome(tests=(told,)))
    assert "\n    ```\n    </pre># big\n" in body


def test_a_question_of_prairielearn_has_the_form_of_its_schema() -> None:
    made = scripts.for_prairielearn(title="A &amp; B", name="x", image="a:1", seconds=600)
    jsonschema.validate(json.loads(made["info.json"]), schemas.QUESTION)
    jsonschema.validate(json.loads(made["tests/failed.json"]), schemas.PRAIRIELEARN)
    failed = scripts.for_gradescope(index="")["failed.json"]
    jsonschema.validate({"tests": [], **json.loads(failed)}, schemas.GRADESCOPE)


def test_results_replace_what_a_student_put_in_their_place(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    (tmp_path / "result.json").symlink_to(outside)
    (tmp_path / "release-body.md").mkdir()
    settings = grade.Settings(form="classroom50", assignment="x", seconds=900)
    grade.write(OUTCOME, settings, tmp_path / "result.json", GIVEN)
    assert outside.read_text() == "mine"
    assert json.loads((tmp_path / "result.json").read_text())["score"] == 367
    assert (tmp_path / "release-body.md").read_text().startswith("## 3.66667 of 5 points")


def test_packages_that_are_not_installed_are_named(tmp_path: Path) -> None:
    (tmp_path / grade.REQUIREMENTS).write_text("numpy==1.0\nno-such-package==3\n")
    assert grade.missing(tmp_path) == ["no-such-package"]
    assert grade.main(["--ready", str(tmp_path)]) == 1

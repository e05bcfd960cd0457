"""The share of points that a mistake may keep follows from its kind."""

from dataclasses import replace

import pytest

from plaincourse.checking.grader import grade
from plaincourse.proving.prove import main
from plaincourse.proving.shares import out_of_bounds, shares, table, undeclared
from plaincourse.proving.validate import validate
from tests.plaincourse.tasks import CHOICE, TASK, subtracted

#: "In place" keeps 5/6 of the points, and is a mistake of form.
FORM = TASK.misconceptions[2]
IDEA = "each row has a number of its own"


def labelled(number, kind):
    mistakes = list(TASK.misconceptions)
    mistakes[number] = replace(mistakes[number], kind=kind)
    return replace(TASK, misconceptions=tuple(mistakes))


OUT = {
    "an idea that keeps most": (labelled(2, "idea"), "'in place' keeps 83%; expected at most 67%"),
    "a corner that costs more": (
        labelled(2, "corner"),
        "'in place' keeps 83%; expected at least 90%",
    ),
    "a form that costs it all": (labelled(1, "form"), "'doubled' keeps 0%; expected at least 80%"),
}


@pytest.mark.parametrize(("task", "problem"), OUT.values(), ids=OUT)
def test_a_mistake_that_keeps_too_much_or_too_little_is_a_problem(task, problem):
    assert [problem in each for each in validate(task)] == [True]
    assert [problem in each for each in table([("99", [task])])[1]] == [True]


def test_a_sound_task_keeps_within_the_bounds():
    assert validate(TASK) == []
    text, problems = table([("99", [TASK, CHOICE])])
    assert problems == []
    row = "0% (0% to 33%; 5 mistakes) | 83% (83% to 83%; 1 mistakes) | none |"
    assert text.splitlines()[2:] == [f"| 99 | {row}", f"| all | {row}"]


@pytest.mark.parametrize(
    ("kind", "kept"), [("idea", 2 / 3), ("form", 0.8), ("corner", 0.9), ("form", 1 - 0.2)]
)
def test_the_bounds_themselves_are_kept(kind, kept):
    mistake = replace(FORM, kind=kind)
    assert out_of_bounds(mistake, kept) == ""
    beyond = kept + 0.01 if kind == "idea" else kept - 0.01
    assert kind in out_of_bounds(mistake, beyond)


def test_the_ideas_are_one_to_three_and_one_mistake_errs_in_one():
    assert list(undeclared(TASK)) == []
    none = replace(TASK, rungs=tuple(replace(each, idea="") for each in TASK.rungs))
    assert "name 0 ideas" in next(undeclared(none))
    many = replace(TASK, rungs=tuple(replace(TASK.rungs[0], name=x, idea=x) for x in "abcd"))
    assert "name 4 ideas" in next(undeclared(many))
    forms = replace(TASK, misconceptions=(FORM,))
    assert list(undeclared(forms)) == ["none of its misconceptions is a wrong idea"]


def test_wrong_ideas_that_keep_too_much_in_the_median_are_a_problem():
    rungs = (replace(TASK.rungs[0], points=1.95), TASK.rungs[1], TASK.rungs[2])
    mistakes = [each for each in TASK.misconceptions if each.name in ("to columns", "only first")]
    task = replace(TASK, rungs=rungs, misconceptions=tuple(mistakes))
    assert [share for _, share in shares(task)] == pytest.approx([0.55, 0.55], abs=0.01)
    rungs = (replace(TASK.rungs[0], points=3.0), TASK.rungs[1], TASK.rungs[2])
    task = replace(task, rungs=rungs)
    assert table([("99", [task])])[1] == ["chapter 99: wrong ideas keep 64% in the median"]


def test_a_student_reads_the_idea_beside_the_points():
    report = grade(TASK, subtracted)
    assert f"✗ failed  0/2  each row its own (idea: {IDEA})" in report.text()
    assert f"0 of 2: each row its own (idea: {IDEA})" in report._repr_html_()


def test_no_idea_stands_beside_a_requirement_that_a_wrong_answer_meets():
    """Such an answer may meet it without the idea, and must not be credited with the idea."""
    report = grade(TASK, next(iter(FORM.ways.values())))
    met = [line for line in report.text().splitlines() if line.startswith("✓ passed")]
    ideas = [rung.idea for rung in report.rungs if rung.met and rung.idea]
    assert met
    assert ideas
    assert not any(f"({idea})" in line for idea in ideas for line in met)


def test_the_command_prints_the_table(capsys):
    main(["02", "--shares"])
    out = capsys.readouterr().out
    assert "| chapter | a wrong idea keeps | a form | a corner |" in out
    assert "\n| 02 | " in out


def test_the_table_is_written_between_its_marks_and_nothing_else_changes(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- begin shares -->\nold\n<!-- end shares -->\nAfter.\n")
    main(["02", "--shares", "--into", str(page)])
    table_ = "\n".join(line for line in capsys.readouterr().out.splitlines() if line[:1] == "|")
    before, after = "Before.\n<!-- begin shares -->\n", "\n<!-- end shares -->\nAfter.\n"
    assert page.read_text() == before + table_ + after


def test_a_page_without_marks_is_left_as_it_is(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("A page.\n")
    with pytest.raises(SystemExit):
        main(["17", "--shares", "--into", str(page)])
    assert "begin shares" in capsys.readouterr().err
    assert page.read_text() == "A page.\n"

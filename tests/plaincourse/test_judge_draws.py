"""With ``by_student``, each student's hidden inputs differ, and right answers stay right."""

import unicodedata
from pathlib import Path

import nbformat
import pytest

from exercise_bank import __file__ as bank_file
from plaincourse.checking import memory
from plaincourse.checking.noticing import held
from plaincourse.checking.trials import draw
from plaincourse.exercise import Exercise, bank
from plaincourse.exercise.seeds import BITS
from plaincourse.judge.draws import by_student, seed_of
from plaincourse.proving.validate import _right
from tests.plaincourse import autograde_course as tiny

OF = {"course": "c", "assignment": tiny.NAME, "task": "test_square"}
SEED = (1 << BITS) + 12345
CODE = "f(seed=3)\n### BEGIN HIDDEN TESTS\ng(seed=3); h(seed=4)\n### END HIDDEN TESTS\nf(seed=3)"
TEST = f"""\
assert square(3) == 9
### BEGIN HIDDEN TESTS
assert square(dict(seed={SEED})["seed"]) == dict(seed={SEED})["seed"] ** 2
### END HIDDEN TESTS"""
CHAPTERS = sorted(path.name[2:] for path in Path(bank_file).parent.glob("ch[0-9][0-9]"))


def notebook_of(**metadata):
    """Return a notebook with one test cell and one cell of the student's, both with CODE."""
    grade = {"grade": True, "solution": False, "grade_id": OF["task"], "points": 2, "locked": True}
    test = nbformat.v4.new_code_cell(CODE, metadata={"nbgrader": grade, **metadata})
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE), test])


def drawn(notebook, student="ada"):
    by_student(notebook, course=OF["course"], assignment=OF["assignment"], student=student)
    return [cell.source for cell in notebook.cells]


def test_only_hidden_seeds_of_tests_change_and_each_in_its_own_way():
    students, code = drawn(notebook_of())
    assert students == CODE
    first, last = code.splitlines()[0], code.splitlines()[-1]
    assert first == last == "f(seed=3)"
    seeds = [seed_of(number, student="ada", **OF) for number in (3, 4)]
    assert f"g(seed={seeds[0]}); h(seed={seeds[1]})" in code
    assert all(seed.bit_length() == BITS + 1 for seed in seeds)
    assert drawn(notebook_of())[1] == code != drawn(notebook_of(), "bob")[1]


def test_a_project_keeps_one_hidden_draw_for_all():
    assert drawn(notebook_of(plaincourse={"seconds": 600}))[1] == CODE


@pytest.mark.parametrize("part", [*OF, "student"])
def test_a_seed_depends_on_each_part(part):
    of = {**OF, "student": "ada"}
    assert seed_of(3, **of) != seed_of(3, **{**of, part: "x"})


def test_both_spellings_of_a_name_are_one_student():
    names = [unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD")]
    one, other = (seed_of(3, student=name, **OF) for name in names)
    assert one == other


@pytest.mark.slow
@pytest.mark.parametrize("on", [False, True])
def test_a_copied_list_of_results_fails_only_if_it_is_on(on, tmp_path, monkeypatch):
    setting = "\nc.CourseDirectory.course_id = 'c'\nc.SplitExecute.by_student = True\n"
    monkeypatch.setattr(tiny, "CONFIG", tiny.CONFIG + (setting if on else ""))
    monkeypatch.setattr(tiny, "_TEST", TEST)
    course = tiny.make(tmp_path / "course")
    mine = seed_of(SEED, student="ada", **OF) if on else SEED
    listed = f"def square(x):\n    return {{3: 9, {mine}: {mine**2}}}[x]"
    for student in ("ada", "bob"):
        tiny.hand_in(course, student, "one", square=listed)
    tiny.hand_in(course, "zoë", "one", square=tiny.RIGHT)
    tiny.autograde(course, "--jobs=1", status=3)
    grades = tiny.tables(course)["grade"]
    scores = {row[0]: row[4] for row in grades if row[1:3] == ("one", "test_square")}
    assert scores == {"ada": 2.0, "bob": 0.0 if on else 2.0, "zoë": 2.0}
    graded = nbformat.read(course / "autograded" / "bob" / tiny.NAME / "one.ipynb", as_version=4)
    assert (str(SEED) in graded.cells[1].source) == (not on)


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_right_answer_stays_right_for_each_student(chapter):
    for task in bank.counted(chapter):
        if isinstance(task, Exercise):
            for student in ("ada", "李娜"):
                of = {"course": "c", "assignment": chapter, "task": task.id, "student": student}
                seed = seed_of(SEED, **of)
                with memory.kept(answers=True), held():
                    assert list(_right(task, draw(task, seed), seed)) == []

"""A course on a different subject runs on the same machinery, from its settings to its report."""

import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from plaincourse.exercise.report import EXTRA
from plaincourse.proving.course import Course

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAME = "01-sorting"
ONE_PASS = """\
def insertion_sort(numbers):
    numbers = list(numbers)
    for i in range(len(numbers) - 1):
        if numbers[i] > numbers[i + 1]:
            numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
    return numbers
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Copy the course, and replace this one's package by a module that must not be imported."""
    home = tmp_path_factory.mktemp("sorting")
    shutil.copytree(HERE / "sorting", home, dirs_exist_ok=True)
    decoy = home / "src" / "plainformer"
    decoy.mkdir()
    (decoy / "__init__.py").write_text("raise ImportError('sorting needs no transformer')\n")
    place = os.pathsep.join([str(home / "src"), str(ROOT / "src")])
    return Course(home, config=ROOT / "nbgrader_config.py", environment={"PYTHONPATH": place})


@pytest.fixture(scope="module")
def graded(course: Course) -> str:
    """Configure, prove, write the notebooks, release, and grade a class of three."""
    said = course.run("plaincourse.proving.prove", "01")
    assert "all graders hold" in said
    course.run("plaincourse.cli", "configure", "--owner", "octocat")
    course.run("plaincourse.cli", "sync")
    course.nbgrader("db", "student", "add", "cleo")
    before = (course.folder / "exercises" / NAME / f"{NAME}.ipynb").read_bytes()
    course.nbgrader("generate_assignment", NAME, "--force")
    assert (course.folder / "exercises" / NAME / f"{NAME}.ipynb").read_bytes() == before
    for student, answer in (("ada", None), ("ben", ONE_PASS)):
        notebook = course.notebook("solutions", NAME)
        for cell in notebook.cells:
            if answer and cell.metadata.get("nbgrader", {}).get("grade_id") == "fewest-answer":
                cell.source = "answer_fewest = (1, 15)"
            if answer and cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("inser"):
                cell.source = answer if cell.metadata["nbgrader"]["solution"] else cell.source
        folder = course.folder / "submitted" / student / NAME
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{NAME}.ipynb")
    return course.run("plaincourse.autograde", NAME)


def test_points_are_given(course: Course, graded: str) -> None:
    assert course.scores(NAME, "ada") == {"insertion_sort": 4, "comparisons": 2, "fewest": 0}
    assert course.scores(NAME, "ben") == {"insertion_sort": 1.5, "comparisons": 2, "fewest": 0}


def test_the_mistake_is_named_on_the_page(course: Course, graded: str) -> None:
    course.nbgrader("generate_feedback", NAME)
    page = course.feedback(NAME, "ben")
    assert "You go through the numbers once only." in page
    assert "seed=" not in page


def test_an_extra_task_is_proven_checked_and_explained_and_gives_no_points(
    course: Course, graded: str
) -> None:
    assert "01.fewest" in course.run("plaincourse.proving.prove", "01")
    assert "6 points" in course.notebook("exercises", NAME).cells[0].source
    page = course.feedback(NAME, "ben")
    assert "<strong>3.5 of 6 points</strong>" in page
    assert "Merging at best: no points" in page
    assert "Its check met requirements worth 1 of 2." in page
    assert "the next number of that list is compared again" in page
    assert 'Merging at best</a></th><td><span aria-hidden="true">–</span> no points<' in page
    assert EXTRA not in page


def test_the_class_has_its_report(course: Course, graded: str) -> None:
    course.run("plaincourse.cli", "report", NAME)
    (page,) = course.folder.glob("reports/**/*.html")
    said = page.read_text("utf-8")
    assert "Insertion sort" in said
    assert "cleo" in said


def test_the_report_counts_by_their_requirements_who_solved_an_extra_task(
    course: Course, graded: str
) -> None:
    (page,) = course.folder.glob("reports/**/*.html")
    row = re.search(r"<tr><th[^>]*>Merging at best.*?</tr>", page.read_text("utf-8"), re.DOTALL)
    assert row is not None
    points, *_, full, partial, none, blank, waiting = re.findall(r"<td[^>]*>(.*?)</td>", row[0])
    assert [points, full, partial, none, blank, waiting] == ["0", "1", "1", "0", "0", "0"]


def test_a_task_that_becomes_extra_keeps_its_points_in_what_was_released_before(
    course: Course, graded: str
) -> None:
    bank = course.folder / "src/exercise_bank/ch01/comparisons.py"
    bank.write_text(bank.read_text("utf-8").replace("points=2.0,", "points=2.0, extra=True,"))
    text = course.folder / "solutions" / NAME / f"{NAME}.md"
    said = text.read_text("utf-8").replace("## Further tasks (no points)\n\n", "")
    said = said.replace("## 2. Merging", "## Further tasks (no points)\n\n### Merging")
    said = said.replace("Two tasks, 6 points", "One task, 4 points")
    said = said.replace("**2 points ·", "**No points ·").replace("points: 2\n", "points: 0\n")
    text.write_text(said, "utf-8")
    course.run("plaincourse.cli", "sync")
    course.nbgrader("generate_assignment", NAME, "--force")
    folder = course.folder / "submitted" / "eve" / NAME
    folder.mkdir(parents=True)
    nbformat.write(course.notebook("solutions", NAME), folder / f"{NAME}.ipynb")
    course.autograde(NAME)
    course.nbgrader("generate_feedback", NAME)
    assert course.scores(NAME, "ada") == {"insertion_sort": 4, "comparisons": 2, "fewest": 0}
    assert course.scores(NAME, "eve") == {"insertion_sort": 4, "comparisons": 0, "fewest": 0}
    assert "Merging: 2 of 2 points" in course.feedback(NAME, "ada")
    assert EXTRA not in course.feedback(NAME, "ada")
    assert "Merging: no points" in course.feedback(NAME, "eve")


def test_nobody_has_imported_the_package_of_this_course(course: Course, graded: str) -> None:
    assert "sorting needs no transformer" in course.run("plainformer", ends=(1,))
    assert "transformer" not in graded

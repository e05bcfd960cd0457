"""Manual grades are kept when everything is graded again, unless the graded text changed."""

import json
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.plaincourse import autograde_course as tiny

WORDS = "Because the square of a number is never negative."


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that is graded again after manual grading of essays and an update of the course."""
    made = tiny.make(tmp_path_factory.mktemp("by-hand") / "course")
    for student in ("same", "other", "dearer", "code", "code-other"):
        tiny.hand_in(made, student, square=tiny.RIGHT, why=WORDS)
    tiny.autograde(made, "--jobs=1")
    for student in ("same", "other", "dearer"):
        grade_by_hand(made, student, "why", 3.0, comment="Well said.")
    for student in ("code", "code-other"):
        grade_by_hand(made, student, "partly", 2.5, comment="The idea counts.")
    rewrite(made / "submitted" / "other", "why", "Because I say so.")
    rewrite(made / "submitted" / "code-other", "square", "def square(x):\n    return x + x")
    _pull(made)
    tiny.autograde(made, "--jobs=1")
    return made


def grade_by_hand(course: Path, student: str, cell: str, points: float, *, comment: str) -> None:
    """Give points and a comment like formgrader, which also ends the waiting for a person."""
    with tiny.book(course) as book, warnings.catch_warnings(action="ignore"):
        for notebook in ("one", "two"):
            grade = book.find_grade(cell, notebook, tiny.NAME, student)
            grade.manual_score, grade.needs_manual_grade = points, False
            said = "why" if cell == "why" else "square"
            remark = book.find_comment(said, notebook, tiny.NAME, student)
            remark.manual_comment = comment
        book.db.commit()


def rewrite(folder: Path, cell: str, text: str) -> None:
    """Submit a different text of a cell."""
    for path in folder.rglob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for each in notebook.cells:
            if each.metadata.nbgrader.grade_id == cell:
                each.source = text
        nbformat.write(notebook, path)


def _pull(course: Path) -> None:
    """Change a hidden test in both notebooks, and the points of the second one's essay."""
    for path in (course / "source" / tiny.NAME).glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for each in notebook.cells:
            each.source = each.source.replace("square(-2) == 4", "square(-3) == 9")
            if each.metadata.nbgrader.grade_id == "why" and path.stem == "two":
                each.metadata.nbgrader["points"] = 8
        nbformat.write(notebook, path)
    tiny.command(course, "nbgrader", "generate_assignment", tiny.NAME, "--force")


def standing(course: Path, student: str, notebook: str, cell: str) -> tuple[Any, Any, Any]:
    """Return the manual points, whether the cell waits for a person, and the record's score."""
    rows = {row[:3]: row[4:] for row in tiny.tables(course)["grade"]}
    _, manual, _, waits = rows[student, notebook, cell]
    path = course / "autograded" / student / tiny.NAME / "record.json"
    told = json.loads(path.read_text())["notebooks"][notebook]["cells"][cell]["score"]
    return manual, bool(waits), told


@pytest.mark.parametrize(
    ("student", "notebook", "cell", "expected"),
    [
        ("same", "one", "why", (3.0, False, 3.0)),
        ("other", "one", "why", (3.0, True, None)),
        ("dearer", "two", "why", (3.0, True, None)),
        ("code", "one", "partly", (2.5, False, 2.5)),
        ("code-other", "one", "partly", (2.5, True, None)),
    ],
)
def test_an_unchanged_text_keeps_its_points_and_another_waits(
    course: Path, student: str, notebook: str, cell: str, expected: tuple[Any, Any, Any]
) -> None:
    assert standing(course, student, notebook, cell) == expected


def test_comments_stay_and_tests_are_graded_again(course: Path) -> None:
    said = {row[:3]: row[5] for row in tiny.tables(course)["comment"]}
    assert said["same", "one", "why"] == "Well said."
    assert said["other", "one", "why"] == "Well said."
    graded = course / "autograded" / "same" / tiny.NAME / "one.ipynb"
    assert "square(-3) == 9" in graded.read_text()


def test_a_second_time_changes_nothing(course: Path) -> None:
    before = tiny.tables(course)
    tiny.autograde(course, "--jobs=1", "--force", "--student=same")
    assert tiny.tables(course) == before


def test_what_is_late_loses_the_points_that_a_person_gives_later_too(tmp_path: Path) -> None:
    made = tiny.make(tmp_path / "course")
    folder = tiny.hand_in(made, "late", square=tiny.RIGHT, why=WORDS)
    (folder / "timestamp.txt").write_text("2021-01-01 00:00:00 UTC")
    assert "late: 1 submission loses points" in tiny.autograde(made, "--jobs=1")
    assert lost(made) == [3.5, 3.5]
    grade_by_hand(made, "late", "why", 3.0, comment="Well said.")
    tiny.autograde(made, "--jobs=1")
    assert lost(made) == [6.5, 6.5]
    assert "1 unchanged since" in tiny.autograde(made, "--jobs=1")


def lost(course: Path) -> list[float]:
    """Return the late penalty of each notebook."""
    return [row[-1] for row in tiny.tables(course)["notebook"]]

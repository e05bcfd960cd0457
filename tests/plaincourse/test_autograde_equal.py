"""``plaincourse autograde`` leaves the same results as ``nbgrader autograde``."""

import json
import warnings
from pathlib import Path

import nbformat
import pytest

from tests.plaincourse import autograde_course as tiny


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same class graded by ``plaincourse`` and by nbgrader."""
    ours = tiny.make(tmp_path_factory.mktemp("equal") / "course")
    right = tiny.hand_in(ours, "right", square=tiny.RIGHT, why="Because.")
    (right / "data.txt").write_text("the student's")
    (right / "notes").mkdir()
    (right / "notes" / "mine.csv").write_text("1,2")
    late = tiny.hand_in(ours, "late", square=tiny.RIGHT)
    (late / "timestamp.txt").write_text("2020-01-01 00:30:00 UTC")
    tiny.hand_in(ours, "wrong", "one", square="def square(x):\n    return 2 * x")
    tiny.hand_in(ours, "blank")
    _by_hand(ours)
    stock = tiny.twin(ours)
    tiny.command(stock, "nbgrader", "autograde", tiny.NAME)
    tiny.autograde(ours, "--jobs=1", status=3)
    return ours, stock


def _by_hand(course: Path) -> None:
    """Enter manual points, extra credit and a comment before grading."""
    with tiny.book(course) as book:
        book.add_student("right", first_name="Ada")
        with warnings.catch_warnings(action="ignore"):  # nbgrader's own SQLAlchemy warnings
            book.add_submission(tiny.NAME, "right")
        book.find_grade("why", "one", tiny.NAME, "right").manual_score = 3.5
        book.find_grade("partly", "two", tiny.NAME, "right").extra_credit = 0.25
        book.find_comment("square", "one", tiny.NAME, "right").manual_comment = "Well done."
        book.db.commit()


@pytest.mark.parametrize("table", tiny._TABLES)
def test_the_gradebook_is_the_same_table_by_table(courses: tuple[Path, Path], table: str) -> None:
    ours, stock = (tiny.tables(course)[table] for course in courses)
    assert ours == stock


def test_the_class_shows_each_way_to_a_grade(courses: tuple[Path, Path]) -> None:
    scores = {row[:3]: row[4:] for row in tiny.tables(courses[0])["grade"]}
    assert scores["right", "one", "test_square"] == (2.0, None, None, 0)
    assert scores["right", "one", "partly"] == (1.5, None, None, 0)
    assert scores["right", "one", "why"] == (None, 3.5, None, 1)
    assert scores["wrong", "one", "test_square"] == (0.0, None, None, 0)
    assert scores["wrong", "two", "test_square"] == (0.0, None, None, 0)
    assert scores["blank", "one", "why"] == (0.0, None, None, 0)
    penalties = {row[:2]: row[3] for row in tiny.tables(courses[0])["notebook"]}
    assert penalties["late", "one"] == 3.5
    assert penalties["right", "one"] is None


def test_other_files_are_copied_as_nbgrader_copies_them(courses: tuple[Path, Path]) -> None:
    ours, stock = (
        {
            path.relative_to(course).as_posix(): (path.read_bytes(), path.stat().st_mode)
            for path in (course / "autograded").rglob("*")
            if path.is_file() and path.suffix != ".ipynb" and path.name != "record.json"
        }
        for course in courses
    )
    assert ours == stock
    assert ours[f"autograded/right/{tiny.NAME}/data.txt"][0] == b"the course's"
    assert f"autograded/right/{tiny.NAME}/notes/mine.csv" in ours


def test_a_notebook_that_was_not_handed_in_says_so(courses: tuple[Path, Path]) -> None:
    folder = courses[0] / "autograded" / "wrong" / tiny.NAME
    record = json.loads((folder / "record.json").read_text())
    assert record["status"] == "flagged"
    assert "`two.ipynb` was not handed in" in record["why"]
    blank = nbformat.read(folder / "two.ipynb", as_version=4)
    assert "not handed in" in blank.cells[0].source


def test_nbgrader_makes_feedback_from_what_ours_left(courses: tuple[Path, Path]) -> None:
    tiny.command(courses[0], "nbgrader", "generate_feedback", tiny.NAME, "--student=right")
    made = courses[0] / "feedback" / "right" / tiny.NAME
    assert {path.name for path in made.iterdir()} >= {"one.html", "two.html"}
    assert not (made / "record.json").exists()


def test_a_second_run_grades_only_what_changed(courses: tuple[Path, Path]) -> None:
    course = courses[0]
    graded = {name: _when(course, name) for name in ("right", "blank")}
    changed = course / "submitted" / "blank" / tiny.NAME / "more.txt"
    changed.write_text("new")
    said = tiny.autograde(course, "--jobs=1", status=3)
    assert "1/1 blank" in said
    assert "3 unchanged" in said
    assert _when(course, "right") == graded["right"]
    assert (changed.parents[3] / "autograded" / "blank" / tiny.NAME / "more.txt").exists()
    log = (course / "logs" / "autograde.jsonl").read_text().splitlines()
    assert [json.loads(line)["student"] for line in log].count("blank") == 2


def _when(course: Path, student: str) -> int:
    path = course / "autograded" / student / tiny.NAME / "record.json"
    return path.stat().st_mtime_ns

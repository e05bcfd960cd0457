"""Odd folder names and odd times cause a flag for their own student, and do not affect others."""

import json
from pathlib import Path
from typing import Any

import pytest

from plaincourse.grading.ids import safe_id
from plaincourse.grading.summary import FLAGGED
from tests.plaincourse.autograde_course import NAME, RIGHT, autograde, book, hand_in, make

LATE = 3600.0  # make()'s due date is midnight, 1 January 2020
READ = {
    "utf-16": "2020-01-01 01:00:00 UTC\r\n".encode("utf-16"),
    "offset": b"2020-01-01 02:00:00 +0100",
    "iso": b"\xef\xbb\xbf2020-01-01T02:00:00+01:00",
}
UNREAD = {
    "overflow": b"9999-12-31 23:59:59 -1400",
    "digits": b"1" * 2_000_000,
    "words": b"on Monday <b>evening</b>",
}
FOLDERS = ['b<b>"b', "-dash", "a\nb"]
STUDENTS = ["ada", *READ, *UNREAD, *FOLDERS, "okoroamara"]
MARKED = {"platform": "canvas", "name": "okoroamara", "number": "12345", "late": True}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = make(tmp_path_factory.mktemp("arrival") / "course")
    for student in STUDENTS:
        place = hand_in(folder, student, square=RIGHT)
        if stamp := {**READ, **UNREAD}.get(student):
            (place / "timestamp.txt").write_bytes(stamp)
    path = folder / "submitted" / "okoroamara" / NAME / "collected.json"
    path.write_text(json.dumps(MARKED))
    return folder, autograde(folder, "--jobs=2", status=FLAGGED)


def record(folder: Path, student: str) -> dict[str, Any]:
    path = folder / "autograded" / student / NAME / "record.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def kinds(folder: Path, student: str) -> list[str]:
    return [each["kind"] for each in record(folder, student)["flags"]]


def test_everybody_has_points(graded: tuple[Path, str]) -> None:
    folder, said = graded
    assert f"{len(STUDENTS)} submissions" in said
    assert "0 failed" in said
    with book(folder) as gradebook:
        scores = {each.student.id: each.score for each in gradebook.assignment_submissions(NAME)}
    assert len(scores) == len(STUDENTS)
    assert set(scores.values()) == {scores["ada"]} != {0.0}


@pytest.mark.parametrize("student", READ)
def test_a_time_of_any_editor_and_zone_counts(graded: tuple[Path, str], student: str) -> None:
    with book(graded[0]) as gradebook:
        late = gradebook.find_submission(NAME, student).total_seconds_late
    assert late == LATE
    assert "undated" not in kinds(graded[0], student)


@pytest.mark.parametrize("student", UNREAD)
def test_a_time_that_cannot_be_read_is_said_with_its_text(
    graded: tuple[Path, str], student: str
) -> None:
    folder, said = graded
    assert kinds(folder, student) == ["undated"]
    (line,) = [line for line in said.splitlines() if line.startswith(f"  {student} ")]
    assert "Date unreadable: timestamp.txt says" in line
    assert UNREAD[student][:60].decode() in line
    assert len(line) < 400


@pytest.mark.parametrize("name", FOLDERS)
def test_an_odd_folder_is_graded_under_a_safe_id(graded: tuple[Path, str], name: str) -> None:
    folder, said = graded
    assert kinds(folder, safe_id(name)) == ["renamed"]
    assert f"  {safe_id(name)} " in said
    with book(folder) as gradebook:
        assert name not in {each.id for each in gradebook.students}


def test_a_mark_of_the_platform_is_told_without_a_time(graded: tuple[Path, str]) -> None:
    folder, said = graded
    assert kinds(folder, "okoroamara") == ["marked late"]
    (line,) = [line for line in said.splitlines() if line.startswith("marked late:")]
    assert "the time is unknown" in line
    assert "okoroamara" in line
    assert record(folder, "okoroamara")["status"] == "graded"


def test_the_same_command_again_changes_nothing(graded: tuple[Path, str]) -> None:
    folder, _ = graded
    again = autograde(folder, "--jobs=1", status=FLAGGED)
    assert "unchanged since they were graded" in again
    assert "time:" not in again

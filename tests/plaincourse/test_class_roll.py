"""The roll of a class, from comparing the gradebook, ``submitted/`` and ``autograded/``."""

import json
import unicodedata
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from plaincourse.classroom.exports import EXPORTS, Options
from plaincourse.classroom.model import Classroom
from plaincourse.classroom.page import page
from plaincourse.classroom.reading import read
from plaincourse.classroom.tasks import Book
from plaincourse.grading.gradebook import Writer
from tests.plaincourse.test_autograde_writer import pair, url

__all__ = ["url"]

WEEK = "week-1"
RECORD = {
    "status": "graded",
    "graded_at": "2026-11-28T10:00:00+00:00",
    "notebooks": {"one": {"cells": {"test": {"score": 2.0, "max": 2}}}},
}


def graded(folder: Path, *students: str) -> None:
    """Write the results of grading to the gradebook and to ``autograded/``."""
    with closing(Writer(f"sqlite:///{folder}/gradebook.db", course_id="", assignment=WEEK)) as book:
        book.write([pair(each, manual=set(), grades={("one", "test"): 2.0}) for each in students])
    for each in students:
        recorded(folder, each)


def recorded(folder: Path, student: str) -> None:
    (folder / "autograded" / student / WEEK).mkdir(parents=True)
    (folder / "autograded" / student / WEEK / "record.json").write_text(json.dumps(RECORD))


def handed_in(folder: Path, *students: str) -> None:
    for each in students:
        (folder / "submitted" / each / WEEK).mkdir(parents=True)


def remove(folder: Path, student: str) -> None:
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        book.remove_student(student)


def add(folder: Path, *students: str) -> None:
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        for each in students:
            book.add_student(each, email=f"{each}@example.org")


def exported(room: Classroom) -> str:
    options = Options(provisional=True, zeros=True)
    return "".join(export(room, options) for export in EXPORTS.values())


def ids(found: Iterable[object]) -> list[str]:
    return [getattr(getattr(each, "student", each), "id") for each in found]  # noqa: B009


@pytest.fixture
def course(url: str) -> Path:
    """A course with graded work of ada and bob in its gradebook."""
    folder = Path(url.removeprefix("sqlite:///")).parent
    handed_in(folder, "ada", "bob")
    graded(folder, "ada", "bob")
    return folder


def test_a_class_without_differences_has_no_notes(course: Path) -> None:
    assert read(course, WEEK).notes == ()


@pytest.mark.parametrize("gone", [["bob"], ["ada"], ["cy"], ["ada", "bob", "cy"]], ids=" ".join)
def test_a_removed_student_leaves_every_export(course: Path, gone: list[str]) -> None:
    handed_in(course, "cy")
    graded(course, "cy")
    for each in gone:
        remove(course, each)
        (course / "submitted" / each / WEEK).rmdir()
    room = read(course, WEEK)
    assert ids(room.works) == [each for each in ("ada", "bob", "cy") if each not in gone]
    assert not any(f"{each}," in exported(room) for each in gone)
    (note,) = room.notes
    assert note.startswith(f"{', '.join(gone)}: graded in autograded/, but neither")


def test_a_removed_student_whose_submission_is_there_leaves_the_exports_too(course: Path) -> None:
    remove(course, "bob")
    room = read(course, WEEK)
    assert ids(room.works) == ["ada"]
    assert ids(room.ungraded) == ["bob"]
    assert "bob" not in exported(room)
    assert any(
        note.startswith("bob: in submitted/ but not in the gradebook") for note in room.notes
    )


@pytest.mark.parametrize("name", ["cy", "zoë", "Li Na [Group 2]", "-x", "o'neill"])
@pytest.mark.parametrize("known", [False, True])
def test_who_handed_in_and_was_not_graded_is_in_the_list(
    course: Path, name: str, known: bool
) -> None:
    handed_in(course, name)
    if known:
        add(course, name)
    room = read(course, WEEK)
    if name == "-x":  # graded under a safe id
        assert ids(room.ungraded)[0].startswith("x-")
    else:
        assert ids(room.ungraded) == [name]
    assert ids(room.missing) == (["-x"] if known and name == "-x" else [])
    made = datetime.now().astimezone()
    assert "Handed in, not graded yet" in page(room, Book(None), made=made)


SPELLED = ["zoë", "Åsa", "Nguyễn", "가영"]
FORMS = [("NFC", "NFD"), ("NFD", "NFC")]


@pytest.mark.parametrize("name", SPELLED)
@pytest.mark.parametrize("forms", FORMS, ids="-".join)
def test_two_spellings_of_a_name_are_one_student(
    course: Path, name: str, forms: tuple[str, str]
) -> None:
    book, folder = (unicodedata.normalize(form, name) for form in forms)
    assert book != folder
    add(course, book)
    handed_in(course, folder)
    room = read(course, WEEK)
    assert (ids(room.ungraded), room.missing, room.notes) == ([book], (), ())
    writer = Writer(f"sqlite:///{course}/gradebook.db", course_id="", assignment=WEEK)
    with closing(writer):
        assert list(writer.spelled({folder: course})) == [book]
    graded(course, book)
    room = read(course, WEEK)
    assert (set(ids(room.works)), room.missing, room.notes) == ({"ada", "bob", book}, (), ())


@pytest.mark.parametrize("name", SPELLED)
def test_work_under_another_spelling_in_autograded_counts(course: Path, name: str) -> None:
    book, folder = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    handed_in(course, folder)
    graded(course, book)
    (course / "autograded" / book).rename(course / "autograded" / folder)
    room = read(course, WEEK)
    assert set(ids(room.works)) == {"ada", "bob", book}
    assert room.notes == ()


def test_a_student_who_is_in_the_gradebook_twice_is_counted_once(course: Path) -> None:
    nfc, nfd = (unicodedata.normalize(form, "zoë") for form in ("NFC", "NFD"))
    add(course, nfc)
    handed_in(course, nfd)
    graded(course, nfd)
    room = read(course, WEEK)
    assert ids(room.works) == ["ada", "bob", nfd]
    assert room.missing == ()
    assert [note.startswith(f"{nfc}: in the gradebook in two") for note in room.notes] == [True]


def test_grades_without_a_record_and_records_without_grades_are_told(course: Path) -> None:
    (course / "autograded/ada/week-1/record.json").unlink()
    add(course, "cy")
    handed_in(course, "cy")
    recorded(course, "cy")
    room = read(course, WEEK)
    assert ids(room.works) == ["ada", "bob", "cy"]
    said = {note.split(":")[0]: note for note in room.notes}
    assert "not in autograded/" in said["ada"]
    assert "without grades in the gradebook" in said["cy"]


def test_grades_whose_submission_is_gone_are_told(course: Path) -> None:
    (course / "submitted/bob/week-1").rmdir()
    (note,) = read(course, WEEK).notes
    assert note.startswith("bob: with grades, but no longer in submitted/")


def test_of_many_differing_students_some_are_named(course: Path) -> None:
    handed_in(course, *(f"s{number:02}" for number in range(15)))
    (note,) = read(course, WEEK).notes
    assert note.startswith("s00, s01")
    assert "s09, 5 more: in submitted/" in note


@pytest.mark.parametrize(
    ("listed", "folder"),
    [("grace", "Grace"), ("HOPPER.G", "hopper.g"), ("Li Na", "lina"), ("Straße", "STRASSE")],
)
@pytest.mark.parametrize("done", [False, True])
def test_an_id_in_other_capitals_is_told(
    course: Path, listed: str, folder: str, done: bool
) -> None:
    add(course, listed)
    handed_in(course, folder)
    if done:
        graded(course, folder)
    notes = [each for each in read(course, WEEK).notes if "only in capitals" in each]
    assert len(notes) == 1
    assert notes[0].startswith(f"{listed}: ")


def test_two_who_both_handed_in_and_one_who_did_not_are_not_taken_for_one(course: Path) -> None:
    handed_in(course, "Grace", "grace")
    graded(course, "Grace", "grace")
    add(course, "hopper")
    assert read(course, WEEK).notes == ()

"""The report reads the gradebook and the records, and works without either."""

import json
import shutil

import pytest
from nbformat.v4 import new_code_cell, new_notebook, writes
from nbgrader.api import Gradebook
from nbgrader.utils import compute_checksum

from plaincourse.classroom.reading import ReadingError, read, untouched
from tests.plaincourse.class_of_120 import (
    MISSING,
    NAME,
    POINTS,
    records,
    write_gradebook,
    write_records,
)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course folder with the gradebook and the records of 120 students."""
    folder = tmp_path_factory.mktemp("course")
    write_records(folder, records())
    write_gradebook(folder, records())
    return folder


@pytest.fixture
def only_records(course, tmp_path):
    shutil.copytree(course / "autograded", tmp_path / "autograded")
    return tmp_path


def by_id(room):
    return {work.student.id: work for work in room.works}


def scores(record):
    cells = record["notebooks"].get(NAME, {"cells": {}})["cells"]
    return {name: cell["score"] for name, cell in cells.items()}


def test_every_score_of_the_records_is_read_with_or_without_the_gradebook(course, only_records):
    for room in (read(course, NAME), read(only_records, NAME)):
        works = by_id(room)
        assert len(works) == 120
        for id, record in records().items():
            got = {key[1]: mark.score for key, mark in works[id].marks.items()}
            assert got == scores(record)


def test_a_gradebook_without_records_gives_the_same_scores_and_names(course, tmp_path):
    shutil.copy(course / "gradebook.db", tmp_path)
    alone, both = by_id(read(tmp_path, NAME)), by_id(read(course, NAME))
    assert {id: w.total for id, w in alone.items()} == {id: w.total for id, w in both.items()}
    assert alone["s000"].student == both["s000"].student
    assert alone["s000"].student.name == "Abbott, Ada"


def test_items_stand_in_the_order_of_the_notebook(course):
    assert [item.key[1] for item in read(course, NAME).items] == list(POINTS)


def test_students_are_sorted_by_last_name_then_first_whatever_their_accents(course):
    found = [work.student for work in read(course, NAME).works]
    first = [student.first for student in found if student.last == "Abbott"]
    assert first == ["Ada", "Björn", "Chen", "Hye-jin", "Íris", "Jürgen", "Kofi", "Łucja"]
    last = dict.fromkeys(student.last for student in found if student.last[0] in "AÇDEF")
    assert list(last) == ["Abbott", "Çelik", "Díaz", "Eze", "Fischer"]


def test_who_handed_in_nothing_is_missing_and_who_waits_for_grading_is_not(course, tmp_path):
    shutil.copytree(course, tmp_path / "c")
    assert read(tmp_path / "c", NAME).missing == tuple(MISSING)
    (tmp_path / "c" / "submitted" / "s900" / NAME).mkdir(parents=True)
    room = read(tmp_path / "c", NAME)
    assert (room.missing, room.ungraded) == ((), tuple(MISSING))


def test_a_score_that_a_person_gave_counts_before_the_record(course, tmp_path):
    shutil.copytree(course, tmp_path / "c")
    with Gradebook(f"sqlite:///{tmp_path / 'c' / 'gradebook.db'}") as book:
        grade = book.find_grade("scores", NAME, NAME, "s000")
        grade.manual_score, grade.extra_credit = 0.25, 0.5
        book.db.commit()
    mark = by_id(read(tmp_path / "c", NAME))["s000"].marks[NAME, "scores"]
    assert mark.score == 0.75
    assert mark.rungs  # The record's requirements are still there.


def test_a_failed_submission_counts_once_a_person_has_graded_all_of_it(course, tmp_path):
    shutil.copytree(course, tmp_path / "c")
    path = tmp_path / "c" / "autograded" / "s000" / NAME / "record.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "status": "failed", "why": "x"}))
    for waits in (True, False):
        with Gradebook(f"sqlite:///{tmp_path / 'c' / 'gradebook.db'}") as book:
            for grade in book.find_submission_notebook(NAME, NAME, "s000").grades:
                grade.needs_manual_grade = waits
            book.db.commit()
        assert by_id(read(tmp_path / "c", NAME))["s000"].failed == waits


def test_zeros_of_a_cell_that_was_not_run_are_no_measurement(only_records):
    path = only_records / "autograded" / "s001" / NAME / "record.json"
    record = json.loads(path.read_text())
    record["notebooks"][NAME]["cells"]["scores"]["seconds"] = 0.0
    record["memory_mb"] = 0.0
    path.write_text(json.dumps(record))
    work = by_id(read(only_records, NAME))["s001"]
    assert (work.marks[NAME, "scores"].seconds, work.memory) == (None, None)
    assert by_id(read(only_records, NAME))["s002"].memory == 302


def test_a_late_penalty_lowers_the_grade_and_not_the_total(course):
    late = by_id(read(course, NAME))["s012"]
    assert late.penalty == 2.0
    assert late.grade == max(0.0, late.total - 2.0)


@pytest.mark.parametrize(
    "broken", ["{", "[]", '{"status": "fine"}', '"graded"', '{"status": "graded", "notebooks": 3}']
)
def test_a_broken_record_is_a_sentence_and_costs_nobody_else(only_records, broken):
    (only_records / "autograded" / "s001" / NAME / "record.json").write_text(broken)
    room = read(only_records, NAME)
    assert by_id(room).keys() | {"s001"} == records().keys()
    usable = json.loads(broken) == {"status": "graded", "notebooks": 3} if broken != "{" else False
    assert len(room.notes) == (0 if usable else 1)
    assert all("s001" in note for note in room.notes)


def test_numbers_that_are_none_are_read_as_none(only_records):
    path = only_records / "autograded" / "s001" / NAME / "record.json"
    record = json.loads(path.read_text())
    cell = record["notebooks"][NAME]["cells"]["scores"]
    cell |= {"score": float("nan"), "seconds": "long", "matched": 5}
    path.write_text(json.dumps(record | {"memory_mb": True}))
    work = by_id(read(only_records, NAME))["s001"]
    mark = work.marks[NAME, "scores"]
    assert (mark.score, mark.seconds, work.memory, mark.matched) == (None, None, None, None)


@pytest.mark.parametrize("name", ["nothing-of-the-kind", "*", "[a"])
def test_an_assignment_that_nobody_knows_is_an_error_that_says_what_to_do(course, name):
    with pytest.raises(ReadingError, match="Check its name, and run `plaincourse autograde"):
        read(course, name)


@pytest.mark.parametrize("name", ["", "../" + NAME, "solutions/" + NAME])
def test_a_path_is_no_assignment(course, name):
    with pytest.raises(ReadingError, match="expected an assignment's name"):
        read(course, name)


def test_reading_makes_no_gradebook(only_records):
    read(only_records, NAME)
    assert not (only_records / "gradebook.db").exists()


def test_a_file_that_is_no_gradebook_is_an_error_that_names_it(only_records):
    (only_records / "gradebook.db").write_text("not a database, and long enough to look at twice")
    with pytest.raises(ReadingError, match=r"gradebook\.db: its file is damaged"):
        read(only_records, NAME)


def answer(name, source, *, released):
    meta = {"grade_id": f"{name}-answer", "solution": True, "grade": False, "locked": False}
    cell = new_code_cell(released, metadata={"nbgrader": meta})
    meta = cell.metadata.nbgrader
    meta["checksum"] = compute_checksum(cell)
    cell.source = source
    check = {"grade_id": name, "solution": False, "grade": True, "locked": True, "points": 1}
    return [cell, new_code_cell("check()", metadata={"nbgrader": check})]


def test_an_answer_is_blank_only_where_nobody_touched_it(only_records):
    folder = only_records / "autograded" / "s001" / NAME
    cells = answer("scores", "raise\n# two", released="raise\n# two")
    cells += answer("softmax_rows", "pass", released="raise")
    (folder / f"{NAME}.ipynb").write_text(writes(new_notebook(cells=cells)))
    assert untouched(folder) == {(NAME, "scores")}
    path = folder / "record.json"
    record = json.loads(path.read_text())
    record["notebooks"][NAME]["cells"]["scores"]["score"] = 0.0
    path.write_text(json.dumps(record))
    marks = by_id(read(only_records, NAME))["s001"].marks
    assert [key[1] for key, mark in marks.items() if mark.blank] == ["scores"]

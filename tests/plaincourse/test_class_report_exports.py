"""The CSV files have the columns that Canvas, Moodle and Gradescope document."""

import csv
import io
import re

import pytest

from plaincourse.classroom.exports import (
    EXPORTS,
    Options,
    canvas,
    gradescope,
    identifier,
    moodle,
    points,
    remarks,
    text,
)
from plaincourse.classroom.model import Classroom, Item, Mark, Student, Work

KEY = ("hw", "a")
ADA = Student(id="ada", first="Ada", last="Lovelace", email="ada@x.org", lms="12345")
BOB = Student(id="bob", first='Robert "Bob"', last="O'Brien, Jr", email="bob@x.org", lms="77ab")
EVE = Student(id="-eve", first='=cmd|"/C calc"!A0', last="", email="")
UMA = Student(id="uma", first="Üma", last="Åström", email="uma@x.org")
ZOE = Student(id="zoe", first="Zoë", last="Zuse\nII", email="zoe@x.org")


def work(student, score, **more):
    return Work(student=student, marks={KEY: Mark(score=score, points=10.5)}, **more)


@pytest.fixture
def room():
    works = (
        work(ADA, 9.756, penalty=1.0),
        work(BOB, None),
        work(EVE, 10.5),
        work(UMA, 3.0, status="failed"),
    )
    return Classroom(
        assignment="hw", items=(Item(key=KEY, points=10.5),), works=works, missing=(ZOE,)
    )


def rows(said):
    return list(csv.reader(io.StringIO(said, newline=""), strict=True))


def by(found, column, wanted):
    return next(row for row in found if row[column] == wanted)


def test_canvas_has_its_documented_columns_and_the_points_possible_in_the_second_row(room):
    found = rows(canvas(room, Options(column="Homework (991)")))
    assert found[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework (991)"]
    assert "Points Possible" in found[1][0]
    assert found[1][1:] == ["", "", "", "", "10.5"]
    assert len(found) == 2 + 5


def test_canvas_own_test_of_a_header_row_accepts_ours(room):
    """The conditions of its importer: the order of columns, and Section last before the grades."""
    head = rows(canvas(room, Options()))[0]
    assert "Student" in head[0]
    assert "ID" in head[1]
    assert re.search(r"SIS\s+User\s+ID", head[2])
    assert re.search(r"SIS\s+Login\s+ID", head[3])
    assert "Section" in head[4]


def test_canvas_gets_a_number_as_id_only_where_the_gradebook_has_one(room):
    found = rows(canvas(room, Options()))
    assert by(found, 3, "ada")[1:3] == ["12345", ""]
    assert by(found, 3, "bob")[1] == ""  # Canvas would read 77ab as user 77.
    sis = rows(canvas(room, Options(canvas_id="sis")))
    assert by(sis, 2, "ada")[3] == ""


def test_moodle_has_the_columns_of_its_export_and_a_dash_for_no_grade(room):
    found = rows(moodle(room, Options()))
    assert found[0] == ["First name", "Last name", "ID number", "Email address", "hw"]
    assert by(found, 2, "ada") == ["Ada", "Lovelace", "ada", "ada@x.org", "8.76"]
    assert [by(found, 2, id)[4] for id in ("bob", "uma", "zoe")] == ["-", "-", "-"]


def test_moodle_warns_of_grades_above_its_limit_and_of_missing_addresses(room):
    assert remarks(room, "moodle", Options())[0].startswith("1 have no e-mail address")
    large = Classroom(assignment="hw", items=(Item(key=KEY, points=101.0),), works=())
    assert "above 100" in " ".join(remarks(large, "moodle", Options()))


def test_gradescope_gets_a_roster_of_those_with_an_address_and_is_told_that_grades_stay(room):
    found = rows(gradescope(room, Options()))
    assert found[0] == ["First Name", "Last Name", "Email", "SID"]
    assert {row[3] for row in found[1:]} == {"ada", "bob", "uma", "zoe"}
    said = " ".join(remarks(room, "gradescope", Options()))
    assert "without grades" in said
    assert "1 left out" in said


def test_late_penalties_are_taken_off_and_never_below_zero(room):
    late = Classroom(assignment="hw", items=room.items, works=(work(ADA, 1.0, penalty=5.0),))
    assert by(rows(canvas(room, Options())), 3, "ada")[5] == "8.76"
    assert by(rows(canvas(late, Options())), 3, "ada")[5] == "0"


def test_who_has_no_final_grade_gets_none_unless_asked_for(room):
    found = rows(canvas(room, Options()))
    assert [by(found, 3, id)[5] for id in ("bob", "uma", "zoe")] == ["", "", ""]
    found = rows(canvas(room, Options(provisional=True, zeros=True)))
    assert [by(found, 3, id)[5] for id in ("bob", "uma", "zoe")] == ["0", "", "0"]


def test_names_with_commas_quotes_and_accents_come_back_whole(room):
    found = rows(canvas(room, Options()))
    assert by(found, 3, "bob")[0] == 'O\'Brien, Jr, Robert "Bob"'
    assert by(found, 3, "uma")[0] == "Åström, Üma"
    assert by(found, 3, "zoe")[0] == "Zuse II, Zoë"  # A newline would end Canvas's third line.


@pytest.mark.parametrize("kind", EXPORTS)
def test_no_cell_begins_a_formula_that_could_do_something(room, kind):
    for row in rows(EXPORTS[kind](room, Options(column='=WEBSERVICE("x")'))):
        for cell in row:
            assert cell == "-" or not re.match(r"[=+\-@]", cell) or cell == "-eve"


@pytest.mark.parametrize("id", ["ada", "-eve", "+49171", "@ada", "007", "a.b@c.org", "+a@b.org"])
def test_ids_that_can_do_no_harm_stay_as_they_are(id):
    assert identifier(id) == id


@pytest.mark.parametrize(
    "id", ['=HYPERLINK("x")', "@SUM(A1)", "-1+cmd|' /C calc'!A0", "=A1", "+a b"]
)
def test_ids_that_could_are_neutralised_and_named(id):
    assert identifier(id) == f"'{id}"
    room = Classroom(assignment="hw", items=(), works=(work(Student(id=id), 1.0),))
    assert id in " ".join(remarks(room, "canvas", Options()))


@pytest.mark.parametrize("name", ["=1", "+1", "-1", "@x", "\t=1", "\r\n=1", " =1", "＝1"])
def test_a_name_is_never_a_formula_also_behind_blanks(name):
    assert text(name).startswith("'")


@pytest.mark.parametrize(
    ("value", "shown"), [(10.0, "10"), (0.0, "0"), (8.756, "8.76"), (0.5, "0.5"), (-0.001, "0")]
)
def test_points_have_a_point_and_no_thousands(value, shown):
    assert points(value) == shown
    assert points(12345.5) == "12345.5"

"""Grades are written into the files of Canvas and Moodle, and nothing else in them changes."""

import argparse
import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaincourse import class_report
from plaincourse.classroom.into import IntoError, fill, read
from plaincourse.classroom.model import Student
from plaincourse.grading.collected import Collected, read_collected
from tests.plaincourse.class_of_120 import NAME, POINTS, records, write_records
from tests.plaincourse.platform_archives import FILE, collect
from tests.plaincourse.platform_archives import NAME as HW

CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Notes,Other (7),hw (991),Current Score\r\n"
    ",,,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,,5.00,10.50,(read only)\r\n"
    '"Lovelace, Ada",12345,S-1,ada@x.org,"A, B","said ""hi""",3,,88.10\r\n'
    '"Lin, Mei",12346,,mei1,A,,,"2",\r\n'
    '"Lin, Mei",12347,,mei2,A,,4.00,,\r\n'
    "李娜,12348,,,B,,EX,EX,\r\n"
    '"Student, Test",12399,,f00,A,,,,\r\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (grade),Feedback comments\n"
    'Participant 4711,Mei Lin,mei@x.org,"Submitted, late",,10.50,Yes,-,\n'
    "Participant 4712,Mei Lin,other@x.org,Submitted,,10.50,Yes,-,<p>well</p>\n"
    "Participant 4713,محمد علي,ali@x.org,Submitted,3.00,10.50,No,-,\n"
)
EXPORT = (
    "First name,Last name,ID number,Email address,Assignment: hw (Real),Course total (Real)\n"
    "Ada,Lovelace,s1,ada@x.org,-,-\n"
    "Zoë,Zuse,,zoe@x.org,-,-\n"
)
ADA = Student(id="ada@x.org", first="Ada", last="Lovelace")


def into(text, *grades, came=None, **more):
    numbers = came or {}
    return fill(
        text,
        grades,
        assignment="hw",
        most=10.5,
        came=lambda student: numbers.get(student.id, Collected()),
        **more,
    )


def cells(text):
    mark = max(",;\t", key=text.partition("\n")[0].count)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))


def canvas(number):
    return Collected(platform="canvas", number=number)


def moodle(number):
    return Collected(platform="moodle", number=number)


def test_a_grade_goes_into_its_cell_and_every_other_byte_stays():
    found = into(CANVAS, (ADA, 8.756))
    assert found.text == CANVAS.replace('"said ""hi""",3,,88', '"said ""hi""",3,8.76,88')
    assert [student.id for student in found.written] == ["ada@x.org"]
    assert not found.refused


def test_two_students_of_one_name_are_told_apart_by_the_platforms_number():
    one, two = Student(id="linmei"), Student(id="linmei_12347")
    came = {"linmei": canvas("12346"), "linmei_12347": canvas("12347")}
    found = into(CANVAS, (one, 1.0), (two, 9.0), came=came)
    rows = {row[1]: row[7] for row in cells(found.text)}
    assert (rows["12346"], rows["12347"]) == ("1", "9")
    assert found.replaced == ("row 5 (Lin, Mei): 2 is now 1",)
    assert '"1",\r\n' in found.text  # in quotes before, and in quotes now


def test_two_students_of_one_name_and_nothing_else_get_no_grade_and_are_named():
    found = into(CANVAS, (Student(id="x", first="Mei", last="Lin"), 1.0))
    assert found.text == CANVAS
    assert len([said for said in found.refused if "Lin, Mei" in said]) == 2
    two = [(Student(id=id, first="Ada", last="Lovelace"), 1.0) for id in ("a1", "a2")]
    found = into(CANVAS, *two)
    assert found.text == CANVAS
    assert "row 4 (Lovelace, Ada): it could be any of these students: a1, a2" in found.refused


def test_a_namesake_with_another_number_or_address_is_somebody_else():
    mei = Student(id="Mei Lin")
    found = into(
        CANVAS.replace("12347,,mei2", "12347,,mei3"), (mei, 1.0), came={"Mei Lin": canvas("5")}
    )
    assert not found.written
    assert [student.id for student in found.absent] == ["Mei Lin"]
    ada = Student(id="x", first="Ada", last="Lovelace", email="ada@elsewhere.org")
    assert not into(CANVAS, (ada, 1.0)).written


def test_a_number_that_somebody_else_wrote_into_his_file_gives_him_no_row_of_another():
    """A student who hands in `collected.json` can claim any number."""
    eve = Student(id="mei1")
    found = into(CANVAS, (eve, 9.0), (ADA, 3.0), came={"mei1": canvas("12345")})
    assert found.text == CANVAS
    assert "could be any of these students: ada@x.org, mei1" in found.refused[0]


def test_who_is_missing_is_named_on_both_sides():
    gone = Student(id="gone")
    found = into(CANVAS, (ADA, 1.0), (gone, 2.0), (Student(id="nothing"), None))
    assert [student.id for student in found.absent] == ["gone"]
    assert "row 8 (Student, Test)" in found.strangers
    assert len(found.strangers) == 4
    assert not found.refused


def test_excused_and_locked_rows_and_students_without_a_grade_stay():
    li = Student(id="李娜")
    assert into(CANVAS, (li, 5.0)).refused == ("row 7 (李娜): the platform has EX there",)
    assert into(CANVAS, (ADA, None)).text == CANVAS
    ali = Student(id="محمد علي")
    found = into(MOODLE, (ali, 5.0), came={ali.id: moodle("4713")})
    assert found.text == MOODLE
    assert "cannot be changed" in found.refused[0]


def test_moodles_worksheet_is_matched_by_its_participants():
    one, two = Student(id="Mei Lin"), Student(id="Mei Lin_4712")
    came = {one.id: moodle("4711"), two.id: moodle("4712")}
    found = into(MOODLE, (one, 10.5), (two, 0.0), came=came)
    assert found.text == MOODLE.replace('late",,', 'late",10.5,').replace("ted,,10", "ted,0,10")
    again = into(found.text, (one, 10.5), (two, 0.0), came=came)
    assert again.text == found.text
    assert not again.replaced


def test_what_is_collected_from_archives_finds_its_row(tmp_path):
    files = {
        f"Mei Lin_4711_assignsubmission_file_/{FILE}": "a",
        f"Mei Lin_4712_assignsubmission_file_/{FILE}": "b",
        f"{unicodedata.normalize('NFD', 'Zoë Löw')}_4713_assignsubmission_file_/{FILE}": "c",
    }
    students = list(collect(tmp_path, files).files)
    came = {id: read_collected(tmp_path / "submitted" / id / HW) for id in students}
    grades = [(Student(id=id), float(came[id].number) - 4710) for id in students]
    text = MOODLE.replace(",No,", ",Yes,").replace("محمد علي", "Zoë Löw")
    rows = cells(into(text, *grades, came=came).text)
    assert [row[4] for row in rows[1:]] == ["1", "2", "3"]


def test_moodles_export_of_grades_takes_an_address_or_a_name():
    zoe = Student(id=unicodedata.normalize("NFD", "zoë zuse"))
    found = into(EXPORT, (Student(id="ada", email="Ada@X.org"), 1.0), (zoe, 2.5))
    assert [row[4] for row in cells(found.text)[1:]] == ["1", "2.5"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "first row is neither"),
        ("a,b\n1,2\n", "set the language to English"),
        (CANVAS.replace("hw (991)", "x (991)"), "no column called 'hw'; --column chooses one of"),
        (CANVAS.replace("Other (7)", "hw (7)"), "more than one column called 'hw'"),
        (CANVAS.replace("10.50,(read", "100.00,(read"), "100.00 points .* gradebook has 10.5"),
        (MOODLE.replace("10.50", "100.00"), "set 10.5 on the platform"),
        (CANVAS.replace('"A, B"', '"A, B'), "quotation mark that does not end"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_a_remedy(text, said):
    with pytest.raises(IntoError, match=said):
        into(text, (ADA, 1.0))


def test_other_encodings_are_refused():
    with pytest.raises(IntoError, match="UTF-8"):
        read(CANVAS.encode("utf-16"))
    assert read(CANVAS.encode()) == CANVAS


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@given(
    names=st.lists(NAMES, min_size=1, max_size=6),
    mark=st.sampled_from(",;\t"),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    last=st.booleans(),
)
def test_names_in_any_script_come_back_whole(names, mark, end, quoting, last):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=mark, lineterminator=end, quoting=quoting)
    writer.writerow(["Student", "ID", "SIS Login ID", "Section", "hw (1)", "Total"])
    writer.writerow(["    Points Possible", "", "", "", "10.50", "(read only)"])
    writer.writerows([name, 100 + at, f"u{at}", "A", "", "é"] for at, name in enumerate(names))
    text = out.getvalue() if last else out.getvalue().removesuffix(end)
    grades = [(Student(id=f"u{at}"), at / 4) for at in range(len(names))]
    found = into(text, *grades)
    assert len(found.written) == len(names)
    was, now = cells(text), cells(found.text)
    assert [row[:4] + row[5:] for row in was] == [row[:4] + row[5:] for row in now]
    assert [float(row[4]) for row in now[2:]] == [grade for _, grade in grades]
    assert into(found.text, *[(each, None) for each, _ in grades]).text == found.text


def test_the_command_writes_a_copy_and_leaves_the_download(tmp_path, capsys):
    write_records(tmp_path, records(size=3))
    total = f"{sum(POINTS.values()):.2f}"
    text = (
        f"Student,ID,SIS Login ID,Section,{NAME} (1)\r\nPoints Possible,,,,{total}\r\n"
        "Ada,1,s000,A,\r\nNobody,2,s555,A,\r\n"
    )
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my grades.csv").write_bytes(text.encode())
    files = [str(tmp_path / folder / "my grades.csv") for folder in "ab"]
    assert run(tmp_path, "--provisional", "--into", *files) == 0
    copies = sorted((tmp_path / "reports").glob("*-into-*.csv"))
    assert [each.name for each in copies] == [
        f"{NAME}-into-my grades-2.csv",
        f"{NAME}-into-my grades.csv",
    ]
    assert (tmp_path / "a" / "my grades.csv").read_bytes() == text.encode()
    said = capsys.readouterr().out
    assert "1 grades, for Canvas" in said
    assert "in the file, and not in the gradebook: row 4 (Nobody)" in said
    assert "with a grade, and not in the file: s001" in said
    assert run(tmp_path, "--into", str(tmp_path / "none.csv")) == 1


def test_measurements_of_projects_are_not_written_into_the_download(tmp_path, monkeypatch):
    write_records(tmp_path, records(size=3))
    total = f"{sum(POINTS.values()):.2f}"
    text = f"Student,ID,SIS Login ID,Section,{NAME} (1)\nPoints Possible,,,,{total}\n"
    file = tmp_path / "grades.csv"
    file.write_text(text)
    monkeypatch.setattr(class_report.exports, "leaderboard", lambda room: "{}\n")
    assert run(tmp_path, "--provisional", "--into", str(file)) == 0
    assert file.read_text() == text
    assert (tmp_path / "reports" / f"{NAME}-leaderboard.jsonl").read_text() == "{}\n"


def run(course, *words):
    parser = argparse.ArgumentParser()
    class_report.add_parser(parser.add_subparsers())
    args = parser.parse_args(["report", NAME, "--course", str(course), *words])
    return args.run(args)

"""The plan of a syllabus follows from the minutes of the chapters and the dates that are given."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from exercise_bank import __file__ as bank_file
from plaincourse import cli, syllabus
from plaincourse.notebooks.counting import core

ROOT = Path(bank_file).parents[2]
START = date(2027, 2, 1)


def chapter(id, minutes):
    return syllabus.Chapter(
        id=id,
        name=f"{id}-x",
        title="X",
        part="P",
        read=minutes,
        cards=0,
        graded=0,
        practice=0,
        deeper=0,
        points=1.0,
    )


def test_a_week_holds_what_its_hours_allow_and_a_long_chapter_has_its_own():
    found = [chapter("01", 60), chapter("02", 60), chapter("03", 61), chapter("04", 500)]
    weeks = syllabus.plan(found, start=START, hours=2)
    assert [[each.id for each in week.chapters] for week in weeks] == [["01", "02"], ["03"], ["04"]]
    assert [week.start for week in weeks] == [START + timedelta(days=7 * n) for n in range(3)]


def test_no_week_holds_a_day_off_and_no_chapter_is_lost():
    found = [chapter(f"{n:02}", 60) for n in range(1, 5)]
    skip = [date(2027, 2, 3), date(2027, 2, 14), date(2027, 3, 1)]
    weeks = syllabus.plan(found, start=START, hours=1, skip=skip)
    assert [str(week.start) for week in weeks] == [
        "2027-02-15",
        "2027-02-22",
        "2027-03-08",
        "2027-03-15",
    ]
    assert [week.chapters[0] for week in weeks] == found


def test_the_command_prints_dates_minutes_and_commands_that_agree(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    words = ["--start", "2027-02-01", "--hours", "4", "--chapters", "01-03", "17"]
    assert cli.main(["syllabus", *words]) == 0
    said = capsys.readouterr().out
    rows = [line.split(" | ") for line in said.splitlines() if re.match(r"\| \d", line)]
    assert [row[2][:2] for row in rows] == ["01", "02", "03", "17"]
    page = next((ROOT / "book").glob("02-*.md")).read_text("utf-8")
    assert int(rows[1][3]) == core(page).minutes
    assert rows[0][7] == "2027-02-07 |"
    found = re.findall(
        r"^nbgrader db assignment add (\S+) --duedate=\"(\S+) 23", said, re.MULTILINE
    )
    assert len(found) == 4
    assert all((ROOT / "exercises" / name).is_dir() for name, _ in found)
    assert [when for _, when in found] == [row[7].removesuffix(" |") for row in rows]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--chapters", "99"], "from 01 to 17"),
        (["--chapters", "9-1"], "from 01 to 17"),
        (["--chapters", "one"], "two digits"),
        (["--hours", "0"], "more than 0"),
        (["--start", "9999-12-31"], "error: "),
    ],
)
def test_what_cannot_be_is_refused_with_what_was_expected(words, said, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.main(["syllabus", "--start", "2027-02-01", *words]) == 1
    assert said in capsys.readouterr().err


def test_outside_a_course_there_is_no_plan(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["syllabus", "--start", "2027-02-01"]) == 1
    assert capsys.readouterr().err.startswith("error: ")

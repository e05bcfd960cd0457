"""The page shows the results of the class accessibly, and runs nothing."""

import dataclasses
import re
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from plaincourse.classroom.markup import html, number, percent, prose
from plaincourse.classroom.model import Classroom, Flag, Item, Mark, Student, Work
from plaincourse.classroom.page import page
from plaincourse.classroom.reading import read
from plaincourse.classroom.tasks import Book, title
from plaincourse.exercise.bank import chapter
from tests.plaincourse.class_of_120 import MISSING, NAME, POINTS, records, student, write_records
from tests.plaincourse.class_page import seen

ROOT = Path(__file__).parents[2]
MADE = datetime(2026, 1, 2, 3, 4)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """The class of 120, as from a gradebook with names and a student without a submission."""
    folder = tmp_path_factory.mktemp("course")
    write_records(folder, records())
    found = read(folder, NAME)
    named = {student(number).id: student(number) for number in range(120)}
    works = [dataclasses.replace(work, student=named[work.student.id]) for work in found.works]
    works.sort(key=lambda work: work.student.order)
    return dataclasses.replace(found, works=tuple(works), missing=tuple(MISSING))


@pytest.fixture(scope="module")
def text(room):
    return page(room, Book(ROOT), made=MADE)


@pytest.fixture(scope="module")
def parsed(text):
    return seen(text)


def small(*works, **more):
    item = Item(key=("n", "a"), points=2.0)
    return seen(
        page(Classroom(assignment="n", items=(item,), works=works, **more), Book(None), made=MADE)
    )


def test_every_element_is_closed_and_every_id_is_used_once(parsed):
    assert parsed.unclosed == []
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [a["href"] for a in parsed.all("a") if a["href"].startswith("#")]
    assert {link[1:] for link in links} <= set(ids)
    for _, attributes in parsed.tags:
        assert set(attributes.get("aria-labelledby", "").split()) <= set(ids)


def test_nothing_runs_and_nothing_is_fetched(text, parsed):
    names = {tag for tag, _ in parsed.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "form", "base", "audio"}
    assert not [a for _, attributes in parsed.tags for a in attributes if a.startswith("on")]
    assert not re.search(r"@import|url\(|src=", text)
    policy = [a for a in parsed.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy[0]["content"]


def test_what_students_control_is_text_and_no_markup(text, parsed):
    assert "<script" not in text
    assert "<b>" not in text
    assert "<b>Bold, <script>alert(1)</script>" in parsed.text
    assert "It printed <script>x</script> & left." in parsed.text
    assert "The notebook <is> not JSON: line 3." in parsed.text


@pytest.mark.parametrize("evil", ['"><script>x</script>', "' onmouseover='x", "</style>", "&lt;b"])
def test_every_field_of_a_submission_is_escaped(evil):
    who = Student(id=evil, first=evil, last=evil, email=evil)
    mark = Mark(score=1.0, points=2.0, matched=evil, rungs=((evil, 1.0, 2.0),), seconds=1.0)
    flag = Flag(cell=evil, kind=evil, why=evil)
    work = Work(student=who, marks={(evil, evil): mark}, flags=(flag,), status="flagged", why=evil)
    item = Item(key=(evil, evil), points=2.0)
    room = Classroom(
        assignment=evil,
        items=(item,),
        works=(work, dataclasses.replace(work, status="failed")),
        missing=(who,),
        ungraded=(who,),
        notes=(evil,),
    )
    got = seen(page(room, Book(None), made=MADE))
    assert got.unclosed == []
    assert "script" not in {tag for tag, _ in got.tags}
    assert not [a for _, attributes in got.tags for a in attributes if a.startswith("on")]
    assert got.text.count(evil) > 12


def test_headings_go_down_one_step_at_a_time(parsed):
    levels = [level for level, _ in parsed.headings]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_table_has_a_caption_and_every_heading_cell_a_scope(parsed):
    assert len(parsed.all("table")) == len(parsed.tables) > 8
    assert {cell["scope"] for cell in parsed.all("th")} == {"row", "col"}
    regions = [a for a in parsed.all("div") if a.get("role") == "region"]
    assert all(a["tabindex"] == "0" and a["aria-label"] for a in regions)


def test_the_chart_says_in_words_what_it_shows(parsed):
    charts = [a for a in parsed.all("svg") if "aria-hidden" not in a]
    assert [a["role"] for a in charts] == ["img"]
    assert f"119 totals of at most {sum(POINTS.values()):g} points" in parsed.text
    bars = parsed.tables["Submissions by total"][1:]
    assert sum(int(row[1]) for row in bars) == 119


def test_all_students_stand_in_the_register_sorted_by_name(parsed):
    caption = next(name for name in parsed.tables if name.startswith("121 students"))
    rows = parsed.tables[caption][1:]
    assert len(rows) == 121
    assert {row[0]: row[2] for row in rows}["Absent, Zoë"] == "nothing handed in"
    plain = [row[0] for row in rows if row[0].isascii() and row[0][0].isalpha()]
    assert plain == sorted(plain)
    assert [row[0] for row in rows].index("Absent, Zoë") < 20
    # Names with accents are not sorted to the end.
    assert [row[0] for row in rows].index("Çelik, Ada") < [row[0] for row in rows].index("Eze, Ada")


def test_a_late_penalty_a_failure_and_a_waiting_answer_are_told():
    late = Work(student=Student(id="l"), marks={("n", "a"): Mark(score=2.0, points=2.0)}, penalty=3)
    lost = Work(student=Student(id="f"), status="failed", why="It was empty.")
    waits = Work(student=Student(id="w"), marks={("n", "a"): Mark(score=None, points=2.0)})
    got = small(late, lost, waits)
    rows = {row[1]: row[2:] for name, t in got.tables.items() if "by name" in name for row in t}
    assert rows["l"] == ["graded", "2", "3", "0", "2"]
    assert rows["f"] == ["failed", "–", "–", "–", "–"]
    assert rows["w"] == ["waits", "0", "0", "0", "waits"]
    assert got.tables["Failed submissions"][1] == ["f", "f", "It was empty."]
    assert "With 2 submissions these numbers are mostly chance." in got.text


def test_a_flag_comes_with_what_to_do_and_an_explanation_is_no_suspicion(parsed):
    flagged = parsed.tables["Flagged submissions"][1:]
    assert [row[3] for row in flagged] == ["tampered", "brand new"]
    assert all(row[5] for row in flagged)
    assert [row[3] for row in parsed.tables["Remarks"][1:]] == ["late"]


BELIEF = "Softmax of the raw dot products is the attention."


def taught():
    """The sections for tasks whose catalogue has that belief, read from the files."""
    asked = {
        concept
        for task in chapter("02")
        if BELIEF in {each.believed for each in getattr(task, "misconceptions", ())}
        for concept in task.concepts
    }
    concepts = yaml.safe_load((ROOT / "book/concepts.yml").read_text())
    return {each["section"] for each in concepts if each["id"] in asked}


def test_what_to_teach_again_names_the_belief_and_the_section_of_the_book(parsed):
    start = parsed.text.index("What to teach again", parsed.text.index("Blank: the answer"))
    again = parsed.text[start : parsed.text.index("Misconceptions, the commonest first")]
    assert BELIEF in again
    named = again[again.index(BELIEF) :].split("Read again:")[1]
    found = re.findall(r"\(chapter 02, “(.*?)”\)", named)
    book = (ROOT / "book" / "02-scaled-dot-product-attention.md").read_text()
    titles = {
        title for section in taught() for title in re.findall(rf"\({section}\)=\n#+ (.+)", book)
    }
    assert found
    assert set(found) <= titles
    assert "sec-02" not in again


def test_the_section_is_a_link_where_the_course_has_a_site(room, tmp_path):
    (tmp_path / "book").mkdir()
    for name in ("concepts.yml", "chapters.yml"):
        (tmp_path / "book" / name).write_bytes((ROOT / "book" / name).read_bytes())
    (tmp_path / "pyproject.toml").write_text('[tool.plaincourse]\nowner = "ada"\n')
    links = {a["href"] for a in seen(page(room, Book(tmp_path), made=MADE)).all("a")}
    base = "https://ada.github.io/plainformer/book/02-scaled-dot-product-attention.html"
    assert links & {f"{base}#{section}" for section in taught()}


def test_a_class_of_nobody_and_an_assignment_unknown_to_the_bank_make_a_page():
    assert "No submission is graded yet" in small().text
    assert "Nothing: all is graded" in small().text
    assert "not scored yet" in small().text
    assert title(("02-masks", "mine")) == title(("hw", "mine")) == "mine"


@pytest.mark.parametrize(
    ("value", "shown"), [(2.0, "2"), (100.0, "100"), (-0.001, "0"), (-1.5, "−1.5"), (None, "–")]
)
def test_numbers_are_short(value, shown):
    assert number(value) == shown


def test_a_name_cannot_turn_the_text_around_it():
    assert html("a\u202eb\x00\ud800") == "a[U+202E]b[U+0000][U+D800]"
    assert html("نام\u200cها") == "نام\u200cها"  # joins and separates letters; needed in names
    assert prose("`<b>` is *not* 2*3*4") == "<code>&lt;b&gt;</code> is <em>not</em> 2*3*4"
    assert html("\"'") == "&quot;&#x27;"
    assert percent(0.5) == "50\xa0%"

"""The report describes a submission's flags correctly, with code set as code, and runs nothing."""

import json
from datetime import datetime

import pytest

from plaincourse.classroom.model import Classroom, Flag, Item, Student, Work
from plaincourse.classroom.page import page
from plaincourse.classroom.reading import read_record
from plaincourse.classroom.tasks import Book
from tests.plaincourse.class_page import seen


def small(*works: Work) -> str:
    item = Item(key=("n", "a"), points=2.0)
    room = Classroom(assignment="n", items=(item,), works=works)
    return page(room, Book(None), made=datetime(2026, 1, 2, 3, 4))


def test_code_in_what_happened_is_code_and_stays_escaped():
    why = "The cell `a` became `<b>` & *x*: <i>no</i> `"
    flag = Flag(cell="a", kind="tampered", why=why)
    flagged = Work(student=Student(id="f"), status="flagged", flags=(flag,))
    bare = Work(student=Student(id="b"), status="flagged", why="See `x`.")
    lost = Work(student=Student(id="l"), status="failed", why="No `n.ipynb`.")
    text = small(flagged, bare, lost)
    said = (
        "The cell <code>a</code> became <code>&lt;b&gt;</code> &amp; *x*: &lt;i&gt;no&lt;/i&gt; `"
    )
    for each in (said, "See <code>x</code>.", "No <code>n.ipynb</code>."):
        assert each in text
    assert "<i>" not in text


def test_the_report_says_once_that_no_pass_is_confirmed():
    alone = Work(student=Student(id="a"), together=True)
    assert "confirmed" not in seen(small(Work(student=Student(id="b")))).text
    assert seen(small(alone)).text.count("All submissions were graded with --one-process") == 1
    assert "1 of 2 submissions were" in seen(small(alone, Work(student=Student(id="b")))).text


def test_the_memory_of_the_students_kernels_is_told_for_the_class():
    said = seen(
        small(
            *(Work(student=Student(id=f"{mb}"), seconds=1.0, memory=mb) for mb in (300, 310, 419))
        )
    )
    assert "Memory of a student's kernel, median310 MB" in said.text
    assert "Most memory of a kernel419 MB" in said.text


@pytest.mark.parametrize(
    ("split", "status", "together"),
    [(False, "graded", True), (True, "graded", False), (False, "failed", False)],
)
def test_a_record_says_whether_its_passes_were_to_be_confirmed(tmp_path, split, status, together):
    path = tmp_path / "ada" / "n" / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"status": status, "split": split}))
    assert read_record(path, "ada").together == together


def test_a_kind_stands_once_for_a_student_with_all_its_cells_and_reasons():
    flags = tuple(
        Flag(cell=name, kind="mended", why="They had lost their data.") for name in "abcdef"
    )
    more = Flag(cell="a", kind="mended", why="It was there twice.")
    works = [Work(student=Student(id=id), flags=(*flags, more)) for id in ("ada", "bob")]
    rows = seen(small(*works)).tables["Remarks"][1:]
    said = "They had lost their data.1 moreIt was there twice."
    assert [[*row[:3], row[4]] for row in rows] == [
        [id, id, "6 cellsa, b, c, d, e, f", said] for id in ("ada", "bob")
    ]
    assert small(*works).count("They had lost their data.") == 2


@pytest.mark.parametrize(("many", "folded"), [(4, False), (5, True)])
def test_long_lists_that_ask_for_nothing_are_folded(many, folded):
    flag = Flag(cell="a", kind="mended", why="It was mended.")
    works = tuple(Work(student=Student(id=f"w{n}"), flags=(flag,)) for n in range(many))
    missing = tuple(Student(id=f"m{n}") for n in range(many))
    item = Item(key=("n", "a"), points=2.0)
    room = Classroom(assignment="n", items=(item,), works=works, missing=missing)
    text = page(room, Book(None), made=datetime(2026, 1, 2, 3, 4))
    for what in ("remarks", "students"):
        assert (f"<details><summary>{many} {what}</summary>" in text) == folded

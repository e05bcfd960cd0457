"""A folder's name identifies the student, and an unsafe name is graded under a safe id."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.coursedir import CourseDirectory

from plaincourse.grading.arrival import identify
from plaincourse.grading.course import Course
from plaincourse.grading.ids import LONGEST, safe_id, unfit
from plaincourse.grading.jobs import CourseError

UNFIT = {
    **{f"b{each}b": each for each in '<>"\\'},
    "a\nb": "U+000A",
    "a\x1b[31mb": "U+001B",
    "a\N{RIGHT-TO-LEFT OVERRIDE}b": "U+202E",
    "a\udcffb": "U+DCFF",
    "M\udcfcller": "U+DCFC",  # Latin-1
    "\udc8eR\udc93c": "U+DC8E",  # Shift-JIS
    "Zo\udcc3": "U+DCC3",  # UTF-8, cut within a letter
    ".ada": "begins with a full stop",
    "-ada": "begins with a hyphen",
    "ada.": "ends with a full stop, which Windows",
    " ada": "begins with a space",
    "...": "no letter",
    "nul": "device",
    "COM1.x": "device",
    "x" * 220: "longer",
}
FIT = [
    "Zoë O'Neill & co",
    "ada.l@example.org",
    "čed-o_1",
    "日本 太郎",
    "نمی\u200cخواهم",
    "Li Na [2]",
]


def course(folder: Path, *students: str) -> Course:
    """Return a course with submissions of these students."""
    for student in students:
        (folder / "submitted" / student / "week-1").mkdir(parents=True)
    place = CourseDirectory(root=str(folder), assignment_id="week-1")
    return Course(place=place, converter=None)


@pytest.mark.parametrize(("name", "why"), UNFIT.items(), ids=ascii)
def test_an_odd_name_is_graded_under_a_safe_one_and_stops_nobody(
    tmp_path: Path, name: str, why: str
) -> None:
    found = course(tmp_path, "ada", name).submitted()
    assert len(found) == 2
    (odd,) = set(found) - {"ada"}
    assert found[odd] == tmp_path / "submitted" / name / "week-1"
    assert why in unfit(name)
    assert not unfit(odd)
    assert safe_id(name) == odd  # the same in a second call


@given(st.text(min_size=1, max_size=300))
def test_every_name_has_a_safe_id(name: str) -> None:
    found = safe_id(name)
    assert not unfit(found)
    assert len(found.encode()) <= LONGEST
    assert found == name or unfit(name)


def test_other_ids_are_those_of_students(tmp_path: Path) -> None:
    assert sorted(course(tmp_path, *FIT).submitted()) == sorted(FIT)


def test_nobody_takes_anothers_id() -> None:
    names = ["a<b", "a>b", 'a"b', "a_b", safe_id("a<b"), "a\0b"]
    found = identify({name: Path(str(i)) for i, name in enumerate(names)})
    assert len(found) == len(names)
    assert found["a_b"] == Path("3")
    assert found[safe_id("a<b")] == Path("4")


def test_two_spellings_of_one_name_are_one_id(tmp_path: Path) -> None:
    spelled = unicodedata.normalize("NFD", "Zoë")
    assert list(course(tmp_path, spelled).submitted()) == ["Zoë"]
    both = course(tmp_path, "Zoë").submitted()
    assert both["Zoë"] == tmp_path / "submitted" / "Zoë" / "week-1"
    assert len(both) == 2


def test_one_student_is_asked_for_by_id_or_by_folder(tmp_path: Path) -> None:
    here = course(tmp_path, "ada", "b<b")
    assert here.submitted(["b<b"]) == here.submitted([safe_id("b<b")])
    with pytest.raises(CourseError, match="handed in nothing"):
        here.submitted(["eve"])

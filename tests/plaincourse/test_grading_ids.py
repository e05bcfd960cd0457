"""Whose work it is says a folder's name, and one that formgrader would run is refused."""

import re
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory

from plaincourse.grading.jobs import CourseError
from plaincourse.grading.run import Course


def course(folder: Path, *students: str) -> Course:
    """Return a course in which these students handed in."""
    for student in students:
        (folder / "submitted" / student / "week-1").mkdir(parents=True)
    place = CourseDirectory(root=str(folder), assignment_id="week-1")
    return Course(place=place, converter=None)


@pytest.mark.parametrize("unfit", '<>"\\')
def test_an_id_that_formgrader_would_run_is_refused(tmp_path: Path, unfit: str) -> None:
    with pytest.raises(CourseError, match=f"take its {re.escape(unfit)} for code"):
        course(tmp_path, "ada", f"b{unfit}b").submitted()


def test_other_ids_are_those_of_students(tmp_path: Path) -> None:
    ids = ["Zoë O'Neill & co", "ada.l@example.org", "čed-o_1"]
    assert sorted(course(tmp_path, *ids).submitted()) == sorted(ids)

"""Points, tests and gradebook agree, or grading stops with advice."""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.coursedir import CourseDirectory

from plaincourse.grading.assignment import Original, from_notebooks, take
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.unreleased import older
from tests.plaincourse import autograde_course as tiny
from tests.plaincourse.autograde_course import notebook


def original(**changed: Any) -> Original:
    """Return a notebook whose file was changed after its data was entered into the gradebook."""
    known = notebook()
    source = from_notebooks("one", solution=known, release=known)
    now = notebook()
    for cell in now.cells:
        if cell.metadata.nbgrader.grade_id == "test_square":
            cell.source = changed.get("source", cell.source)
            cell.metadata.nbgrader["points"] = changed.get("points", 2)
        elif cell.metadata.nbgrader.grade_id == "square":
            cell.source += changed.get("answer", "")
    text = json.dumps(now) if changed.get("lines") else nbformat.writes(now)
    return Original(source=source, path=Path("one.ipynb"), text=text)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"points": 4}, "`test_square` is worth 4 points in one.ipynb, and 2 in the gradebook"),
        ({"source": "assert True"}, "the tests in `test_square` of one.ipynb are not those of"),
    ],
)
def test_what_the_gradebook_has_not_heard_of_is_named(changed: Any, said: str) -> None:
    assert older(original(**changed)).startswith(said)


@pytest.mark.parametrize("same", [{}, {"points": 2.0}, {"lines": True}, {"answer": "\n# better"}])
def test_where_points_and_tests_are_the_same_nothing_is_named(same: Any) -> None:
    assert older(original(**same)) == ""


def test_without_an_instructors_notebook_there_is_nothing_to_compare() -> None:
    known = notebook()
    source = from_notebooks("one", solution=known, release=known)
    assert older(Original(source=source, path=Path("one.ipynb"), text="")) == ""


def test_grading_stops_until_the_gradebook_has_heard_of_other_points(tmp_path: Path) -> None:
    made = tiny.make(tmp_path / "course")
    place = CourseDirectory(
        root=str(made), db_url=f"sqlite:///{made / 'gradebook.db'}", assignment_id=tiny.NAME
    )
    assert set(take(place).notebooks) == {"one", "two"}
    path = made / "source" / tiny.NAME / "two.ipynb"
    dearer = nbformat.read(path, as_version=4)
    dearer.cells[1].metadata.nbgrader["points"] = 4
    nbformat.write(dearer, path)
    with pytest.raises(CourseError, match=rf"generate_assignment {tiny.NAME} --force$"):
        take(place)

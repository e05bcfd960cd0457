"""Honest but unusual submissions get their points, from submission to feedback page.

``test_grading_honest`` tests only the repair of the same submissions; here they go through the
commands of the guide, so that a false zero from any step is found.
"""

from pathlib import Path

import pytest

from plaincourse.proving.course import Course
from plaincourse.proving.honest import Odd, honest, unreadable
from plaincourse.proving.submissions import Class

ROOT = Path(__file__).parents[2]
NAME = "03-masks"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, list[Odd]]:
    """A course in which all unusual submissions were graded and returned."""
    folder = tmp_path_factory.mktemp("course")
    course = Course(folder, config=ROOT / "nbgrader_config.py", solutions=ROOT / "solutions")
    course.nbgrader("generate_assignment", NAME)
    students = Class(course.notebook("solutions", NAME), course.notebook("exercises", NAME))
    odds = [*honest(students, NAME), *unreadable(students, NAME)]
    for each in odds:
        place = folder / "submitted" / each.name / NAME
        place.mkdir(parents=True)
        each.write(place)
    course.autograde(NAME)
    course.nbgrader("generate_feedback", NAME)
    return course, odds


def test_every_score_is_as_expected(graded: tuple[Course, list[Odd]]) -> None:
    course, odds = graded
    wrong = {}
    for each in odds:
        got = course.scores(NAME, each.name)
        if got != each.scores:
            wrong[each.name] = {k: (v, got.get(k)) for k, v in each.scores.items() if got[k] != v}
    assert wrong == {}, "expected and got, by submission and cell"


def test_every_page_tells_what_was_mended(graded: tuple[Course, list[Odd]]) -> None:
    course, odds = graded
    for each in odds:
        page = course.feedback(NAME, each.name)
        said = page.replace("<code>", "`").replace("</code>", "`").replace("&#x27;", "'")
        for piece in each.tells:
            assert piece in said, (each.name, piece)
        heads = ("What was mended", "could not be read", "No notebook was graded")
        assert any(head in page for head in heads) == bool(each.tells)

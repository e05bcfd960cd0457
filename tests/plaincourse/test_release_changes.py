"""A release changes during the term: nbgrader's commands, grading, gradebook, report."""

import copy
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from plaincourse.classroom.reading import read
from tests.plaincourse import autograde_course as tiny
from tests.plaincourse.test_grading_versions import added, cell_of, corrected, removed, renamed

pytestmark = pytest.mark.slow

CONFIG = """
from nbgrader import preprocessors as stock
from nbgrader.converters import GenerateAssignment
from plaincourse.grading.releasing import SaveVersions, VersionExporter
c.GenerateAssignment.exporter_class = VersionExporter
c.GenerateAssignment.preprocessors = [
    SaveVersions if each is stock.SaveCells else each
    for each in GenerateAssignment.preprocessors.default()
]
"""
RELEASE = ("nbgrader", "generate_assignment", tiny.NAME, "--force")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tiny, "CONFIG", tiny.CONFIG + CONFIG)
    made = tiny.make(tmp_path / "course")
    tiny.hand_in(made, "ada", square=tiny.RIGHT, why="Because.")
    tiny.autograde(made)
    return made


def change(course: Path, *changes: Callable[[NotebookNode], object]) -> None:
    path = course / "source" / tiny.NAME / "one.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for each in changes:
        each(notebook)
    nbformat.write(notebook, path)


def twin(notebook: NotebookNode) -> NotebookNode:
    cell = copy.deepcopy(notebook.cells[0])
    cell["id"] = "twin"
    return cell


def scores(course: Path, student: str) -> tuple[float, float]:
    with tiny.book(course) as book:
        found = book.find_submission(tiny.NAME, student)
        return found.score, found.max_score


def test_old_submissions_keep_the_version_that_they_were_handed_out(course: Path) -> None:
    before = scores(course, "ada")
    old = nbformat.read(course / "release" / tiny.NAME / "one.ipynb", as_version=4)
    change(course, added, corrected)
    said = tiny.autograde(course, status=1)
    assert "`again` of one.ipynb is not in the version that was released" in said
    tiny.command(course, *RELEASE)
    tiny.hand_in(course, "cy", square=tiny.RIGHT, why="Because.")  # from the new release
    folder = tiny.hand_in(course, "bob", square=tiny.RIGHT, why="Because.")
    late = copy.deepcopy(old)
    cell_of(late, "square").source = tiny.RIGHT
    nbformat.write(late, folder / "one.ipynb")
    said = tiny.autograde(course)
    assert "3 graded, 0 flagged, 0 failed" in said
    assert "earlier release: 2 submissions have" in said
    assert "ada, bob" in said
    assert scores(course, "ada")[0] == scores(course, "bob")[0] == before[0]
    assert scores(course, "cy")[0] == before[0] + 2
    assert scores(course, "cy")[1] == before[1] + 2
    room = read(course, tiny.NAME)
    assert room.points == before[1] + 2
    tiny.command(course, "nbgrader", "generate_feedback", tiny.NAME)
    assert "3 unchanged" in tiny.autograde(course)


@pytest.mark.parametrize("what", [removed, renamed])
def test_points_for_a_cell_that_is_gone_are_kept(
    course: Path, what: Callable[[NotebookNode], object]
) -> None:
    before = scores(course, "ada")
    change(course, what)
    assert "is " in tiny.autograde(course, status=1)
    tiny.command(course, *RELEASE)
    tiny.autograde(course)
    assert scores(course, "ada")[0] == before[0]
    tiny.hand_in(course, "cy", square=tiny.RIGHT, why="Because.")
    tiny.autograde(course)
    room = read(course, tiny.NAME)
    assert scores(course, "cy")[1] == room.points
    assert ("one", "partly") in {item.key for item in room.items} or what is removed


def test_a_release_that_fails_is_as_it_was(course: Path) -> None:
    release = course / "release" / tiny.NAME / "one.ipynb"
    before = release.read_bytes()
    change(course, lambda notebook: notebook.cells.append(twin(notebook)))  # a name twice
    tiny.command(course, *RELEASE, status=1)
    assert release.read_bytes() == before
    book = course / "gradebook.db"
    change(course, lambda notebook: notebook.cells.pop())
    content = book.read_bytes()
    book.write_bytes(b"no gradebook " * 500)
    said = tiny.command(course, *RELEASE, status=1)
    assert "is damaged or is not a gradebook" in said
    assert "Nothing was released" in said
    assert release.read_bytes() == before
    book.write_bytes(content)
    tiny.command(course, *RELEASE)

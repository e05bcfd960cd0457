"""If a release changes, work that is based on the earlier release is graded by that release."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import compute_checksum
from traitlets.config import Config

from plaincourse.grading.assignment import Original, Snapshot, from_notebooks
from plaincourse.grading.jobs import EXPLAIN
from plaincourse.grading.mend import mend_folder
from plaincourse.grading.releasing import _whole_or_as_before
from plaincourse.grading.versions import latest_cells, store, version_of, with_earlier
from tests.plaincourse import autograde_course as tiny

NAME = tiny.NAME
Change = Callable[[NotebookNode], object]


def cell_of(notebook: NotebookNode, name: str) -> Any:
    return next(each for each in notebook.cells if each.metadata.nbgrader["grade_id"] == name)


def added(notebook: NotebookNode) -> None:
    new = copy.deepcopy(cell_of(notebook, "test_square"))
    new.metadata.nbgrader["grade_id"], new.source = "again", "assert square(5) == 25"
    new["id"] = "again"
    notebook.cells.insert(2, new)


def removed(notebook: NotebookNode) -> None:
    notebook.cells.remove(cell_of(notebook, "partly"))


def renamed(notebook: NotebookNode) -> None:
    cell_of(notebook, "test_square").metadata.nbgrader["grade_id"] = "test_of_squares"


def corrected(notebook: NotebookNode) -> None:
    cell = cell_of(notebook, "test_square")
    cell.source = cell.source.replace("square(3) == 9", "square(4) == 16")


def corrected_hidden(notebook: NotebookNode) -> None:
    cell = cell_of(notebook, "test_square")
    cell.source = cell.source.replace("-2", "-7").replace("== 4", "== 49")


def dearer(notebook: NotebookNode) -> None:
    cell_of(notebook, "test_square").metadata.nbgrader["points"] = 5


def moved(notebook: NotebookNode) -> None:
    notebook.cells.insert(0, notebook.cells.pop())


def another_stub(notebook: NotebookNode) -> None:
    cell_of(
        notebook, "square"
    ).source = "### BEGIN SOLUTION\nsquare = lambda x: x * x\n### END SOLUTION"


def answer_in_code(notebook: NotebookNode) -> None:
    new = new_code_cell("def cube(x): ...")
    role = {"grade_id": "cube", "grade": False, "solution": True, "locked": False, "task": False}
    new.metadata["nbgrader"] = {"schema_version": 3, **role}
    notebook.cells.append(new)


#: A corrected hidden test leaves no trace in students' notebooks.
VISIBLE: list[Change] = [added, removed, renamed, corrected, dearer, moved, answer_in_code]


def sealed(notebook: NotebookNode) -> NotebookNode:
    for cell in notebook.cells:
        cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    return notebook


def released(solution: NotebookNode) -> NotebookNode:
    """Return a notebook as nbgrader releases it."""
    made = copy.deepcopy(solution)
    for cell in made.cells:
        if "BEGIN SOLUTION" in cell.source:
            cell.source = "raise NotImplementedError()"
        cell.source = cell.source.partition("### BEGIN HIDDEN TESTS")[0].rstrip("\n")
    return sealed(made)


class Course:
    """A course with a release, without a gradebook."""

    def __init__(self, folder: Path) -> None:
        config = Config({"CourseDirectory": {"root": str(folder), "assignment_id": NAME}})
        self.place, self.folder = CourseDirectory(config=config), folder
        self.release(tiny.notebook())

    def release(self, solution: NotebookNode) -> None:
        self.solution = sealed(solution)
        for step, notebook in (("source", self.solution), ("release", released(self.solution))):
            path = self.folder / step / NAME / "one.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, path)
        store(self.place)

    def change(self, *changes: Change) -> None:
        solution = copy.deepcopy(self.solution)
        for each in changes:
            each(solution)
        self.release(solution)

    @property
    def present(self) -> Snapshot:
        release = nbformat.read(self.folder / "release" / NAME / "one.ipynb", as_version=4)
        source = from_notebooks("one", solution=self.solution, release=release)
        path = self.folder / "source" / NAME / "one.ipynb"
        original = Original(source=source, path=path, text=path.read_text())
        snapshot = Snapshot(assignment=NAME, duedate=None, notebooks={"one": original}, files={})
        return with_earlier(snapshot, self.place, [])

    def hand_in(self, student: str, *, drop: bool = False, answer: str = tiny.RIGHT) -> Path:
        """Submit the current release with answers."""
        notebook = released(self.solution)
        cell_of(notebook, "square").source = answer
        for cell in notebook.cells if drop else ():
            del cell.metadata["nbgrader"]
        folder = self.folder / "submitted" / student / NAME
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "one.ipynb")
        return folder


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


def kinds(folder: Path, version: Snapshot) -> set[str]:
    """Return the kinds of flags of a submission by one version."""
    sources = {name: each.source for name, each in version.notebooks.items()}
    return {flag["kind"] for flag in mend_folder(folder, sources)["one"].flags}


@pytest.mark.parametrize("change", VISIBLE)
def test_each_submission_is_graded_by_the_version_it_was_made_from(
    course: Course, change: Change
) -> None:
    before = course.hand_in("ada")
    course.change(change)
    after, present = course.hand_in("bob"), course.present
    assert len(present.earlier) == 1
    assert version_of(before, present) is present.earlier[0]
    assert version_of(after, present) is present
    for folder in (before, after):
        assert kinds(folder, version_of(folder, present)) == set()


@pytest.mark.parametrize("change", [added, corrected, renamed])
def test_also_after_a_second_change(course: Course, change: Change) -> None:
    folders = [course.hand_in("ada")]
    for each in (change, answer_in_code):
        course.change(each)
        folders.append(course.hand_in(f"after {each.__name__}"))
    present = course.present
    versions = [version_of(folder, present) for folder in folders]
    assert versions == [present.earlier[1], present.earlier[0], present]


@pytest.mark.parametrize("change", [added, corrected, renamed])
def test_also_where_a_tool_has_dropped_the_metadata(course: Course, change: Change) -> None:
    before = course.hand_in("ada", drop=True)
    course.change(change)
    present = course.present
    if change is renamed:  # without metadata both versions are the same notebook
        assert version_of(before, present) is present
    else:
        assert version_of(before, present) is present.earlier[0]


def test_a_test_that_a_student_changed_is_still_told_of(course: Course) -> None:
    before = course.hand_in("ada")
    notebook = nbformat.read(before / "one.ipynb", as_version=4)
    cell_of(notebook, "test_square").source = "assert True"
    nbformat.write(notebook, before / "one.ipynb")
    course.change(corrected)
    present = course.present
    assert version_of(before, present) is present.earlier[0]
    assert "tampered" in kinds(before, present.earlier[0])


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 10_000, b'{"cells": 5}'])
def test_what_cannot_be_read_is_of_the_present_version(course: Course, content: bytes) -> None:
    before = course.hand_in("ada")
    (before / "one.ipynb").write_bytes(content)
    course.change(corrected)
    assert version_of(before, course.present) is course.present or course.present.earlier


def test_a_hidden_test_that_was_corrected_counts_for_all(course: Course) -> None:
    before = course.hand_in("ada")
    course.change(corrected_hidden)
    present = course.present
    assert version_of(before, present) is present


@pytest.mark.parametrize("times", [1, 3])
def test_the_same_release_again_is_no_new_version(course: Course, times: int) -> None:
    digest = course.present.digest
    for _ in range(times):
        course.change()
    assert len(list((course.folder / "handed_out" / NAME).iterdir())) == 1
    assert course.present.earlier == ()
    assert course.present.digest == digest


def test_a_new_version_has_everything_graded_once_more(course: Course) -> None:
    digest = course.present.digest
    course.change(corrected)
    changed = course.present.digest
    course.change(added)
    assert len({digest, changed, course.present.digest}) == 3


def test_the_latest_release_is_the_one_that_was_generated_last(course: Course) -> None:
    first = copy.deepcopy(course.solution)
    course.change(added)
    assert "again" in (latest_cells(course.place) or {})["one"]
    course.release(first)
    assert "again" not in (latest_cells(course.place) or {})["one"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError, SystemExit])
def test_a_release_that_fails_leaves_the_one_before(
    tmp_path: Path, error: type[BaseException]
) -> None:
    release = tmp_path / "exercises" / NAME
    release.mkdir(parents=True)
    (release / "one.ipynb").write_text("as it was")

    def fail() -> None:
        with _whole_or_as_before(release):
            (release / "one.ipynb").unlink()
            (release / "two.ipynb").write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert {path.name: path.read_text() for path in release.iterdir()} == {"one.ipynb": "as it was"}
    assert [path.name for path in release.parent.iterdir()] == [NAME]


def test_an_earlier_release_is_no_suspicion() -> None:
    assert "earlier release" in EXPLAIN


def test_files_beside_the_notebooks_are_of_the_version(course: Course) -> None:
    (course.folder / "source" / NAME / "data.json").write_text("[1]")
    course.change(corrected)
    (course.folder / "source" / NAME / "data.json").write_text("[2]")
    course.change(added)
    found = [json.loads(each.files.get("data.json", b"0")) for each in course.present.earlier]
    assert found == [[1], 0]


def test_a_cell_between_the_others_is_read_where_it_is(course: Course) -> None:
    def prose(notebook: NotebookNode) -> None:
        cell = new_markdown_cell("Look.")
        cell.metadata["nbgrader"] = {"grade_id": "x", "locked": True, "grade": False}
        cell.metadata["nbgrader"] |= {"solution": False, "task": False, "schema_version": 3}
        notebook.cells.insert(1, cell)

    course.change(prose)
    assert [cell.name for cell in course.present.notebooks["one"].source.cells][1] == "x"

"""Errors that nbgrader reports as a traceback are explained before anything is deleted."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook

from plaincourse.grading.releasing import check

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # from add_submission


def written(folder: Path, name: str, *ids: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    cells = [new_code_cell("1", metadata={"nbgrader": {"grade_id": each}}) for each in ids]
    nbformat.write(new_notebook(cells=[*cells, new_code_cell("2")]), folder / f"{name}.ipynb")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one assignment of two notebooks, and a submission."""
    made = tmp_path_factory.mktemp("course")
    with Gradebook(f"sqlite:///{made}/gradebook.db") as book:
        book.add_assignment("week-1")
        for name in ("one", "two"):
            book.add_notebook(name, "week-1")
            written(made / "source" / "week-1", name, "right", "words")
        book.add_student("ada")
        book.add_submission("week-1", "ada")
    return made


@pytest.fixture
def place(course: Path, tmp_path: Path) -> SimpleNamespace:
    """A copy of the course, as nbgrader describes it."""
    made = shutil.copytree(course, tmp_path / "course")
    return SimpleNamespace(
        root=str(made), source_directory="source", assignment_id="week-1", notebook_id="*",
        db_url=f"sqlite:///{made}/gradebook.db", course_id="", groupshared=False,
        format_path=lambda step, student, name: str(made / step / name),
    )  # fmt: skip


def source(place: SimpleNamespace) -> Path:
    return Path(place.root, "source", "week-1")


def test_a_release_as_before_is_not_stopped(place: SimpleNamespace) -> None:
    check(place)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda folder: written(folder, "three"), "(three came)"),
        (lambda folder: (folder / "two.ipynb").unlink(), "(two went)"),
        (lambda folder: (folder / "two.ipynb").rename(folder / "2.ipynb"), "(2 came; two went)"),
    ],
    ids=["added", "taken away", "renamed"],
)
def test_other_notebooks_are_named_while_there_are_submissions(
    place: SimpleNamespace, change: Callable[[Path], object], says: str
) -> None:
    change(source(place))
    with pytest.raises(SystemExit, match="error: week-1 has submissions") as told:
        check(place)
    assert says in str(told.value)
    assert str(told.value).endswith("Nothing was released")


def test_other_notebooks_are_taken_while_there_is_no_submission(place: SimpleNamespace) -> None:
    with Gradebook(place.db_url) as book:
        book.remove_submission("week-1", "ada")
    written(source(place), "three")
    check(place)


@pytest.mark.parametrize("odd", ["own words", "a.b", "größe", "q+1"])
def test_an_id_that_nbgrader_does_not_take_is_named(place: SimpleNamespace, odd: str) -> None:
    written(source(place), "two", "right", odd)
    with pytest.raises(SystemExit, match=r"two\.ipynb has a cell with the id") as told:
        check(place)
    assert repr(odd) in str(told.value)


def test_an_id_that_stands_twice_is_named(place: SimpleNamespace) -> None:
    written(source(place), "one", "right", "words", "right")
    with pytest.raises(SystemExit, match=r"one\.ipynb has 2 cells with the id 'right'"):
        check(place)


def test_a_notebook_that_cannot_be_read_is_left_to_nbgrader(place: SimpleNamespace) -> None:
    (source(place) / "two.ipynb").write_text("{")
    check(place)

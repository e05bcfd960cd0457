"""A course of another subject runs on the same machinery, from its settings to its report."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from plaincourse.proving.course import Course

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAME = "01-sorting"
ONE_PASS = """\
def insertion_sort(numbers):
    numbers = list(numbers)
    for i in range(len(numbers) - 1):
        if numbers[i] > numbers[i + 1]:
            numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
    return numbers
"""

Command = Callable[..., str]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the course, and put something in place of this one's package that nobody may import."""
    home = tmp_path_factory.mktemp("sorting")
    shutil.copytree(HERE / "sorting", home, dirs_exist_ok=True)
    shutil.copy(ROOT / "nbgrader_config.py", home)
    decoy = home / "src" / "plainformer"
    decoy.mkdir()
    (decoy / "__init__.py").write_text("raise ImportError('sorting needs no transformer')\n")
    return home


@pytest.fixture(scope="module")
def command(course: Path) -> Command:
    """Run a module in the course's folder; return what it says."""
    place = os.pathsep.join([str(course / "src"), str(ROOT / "src")])

    def run(*words: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=course,
            env={**os.environ, "PYTHONPATH": place, "JUPYTER_PLATFORM_DIRS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture(scope="module")
def graded(course: Path, command: Command) -> str:
    """Configure, prove, write the notebooks, release, and grade a class of three."""
    said = command("plaincourse.proving.prove", "01")
    assert "all graders hold" in said
    command("plaincourse.cli", "configure", "--owner", "octocat")
    command("plaincourse.cli", "sync")
    command("nbgrader", "db", "student", "add", "cleo")
    before = (course / "exercises" / NAME / f"{NAME}.ipynb").read_bytes()
    command("nbgrader", "generate_assignment", NAME, "--force")
    assert (course / "exercises" / NAME / f"{NAME}.ipynb").read_bytes() == before
    for student, answer in (("ada", None), ("ben", ONE_PASS)):
        notebook = nbformat.read(course / "solutions" / NAME / f"{NAME}.ipynb", as_version=4)
        for cell in notebook.cells:
            if answer and cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("inser"):
                cell.source = answer if cell.metadata["nbgrader"]["solution"] else cell.source
        folder = course / "submitted" / student / NAME
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{NAME}.ipynb")
    return command("plaincourse.autograde", NAME)


def test_points_are_given(course: Path, graded: str) -> None:
    book = Course.__new__(Course)
    book.folder = course
    assert book.scores(NAME, "ada") == {"insertion_sort": 4, "comparisons": 2}
    assert book.scores(NAME, "ben") == {"insertion_sort": 1.5, "comparisons": 2}


def test_the_mistake_is_named_on_the_page(course: Path, graded: str, command: Command) -> None:
    command("nbgrader", "generate_feedback", NAME)
    page = (course / "feedback" / "ben" / NAME / f"{NAME}.html").read_text("utf-8")
    assert "You go through the numbers once only." in page
    assert "seed=" not in page


def test_the_class_has_its_report(course: Path, graded: str, command: Command) -> None:
    command("plaincourse.cli", "report", NAME)
    (page,) = course.glob("reports/**/*.html")
    said = page.read_text("utf-8")
    assert "Insertion sort" in said
    assert "cleo" in said


def test_nobody_has_imported_the_package_of_this_course(command: Command, graded: str) -> None:
    assert "sorting needs no transformer" in command("plainformer", code=1)
    assert "transformer" not in graded

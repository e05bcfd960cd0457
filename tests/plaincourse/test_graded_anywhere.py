"""Known answers get the same points from nbgrader, ``plaincourse autograde`` and the three exports.

By default a chapter's class has the first two mistakes of each task; ``PLAINCOURSE_ANYWHERE=all``
takes all of them, which takes about a quarter of an hour a chapter.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from plaincourse.proving.course import Course
from plaincourse.proving.submissions import Class, Submission
from tests.plaincourse import platform_folders as platforms
from tests.plaincourse.test_autograde_honest import STOCK

ROOT = Path(__file__).parents[2]
NAMES = [path.name for path in sorted((ROOT / "solutions").glob("*-*")) if path.name[:2] < "17"]
MOST = None if os.environ.get("PLAINCOURSE_ANYWHERE") == "all" else 2
FORMS = {
    "gradescope": platforms.Gradescope,
    "prairielearn": platforms.PrairieLearn,
    "classroom50": platforms.Classroom50,
}
#: The words of each platform for the points of a test: at most, earned.
WORDS = {
    "gradescope": ("max_score", "score"),
    "prairielearn": ("max_points", "points"),
    "classroom50": ("max-score", "points"),
}
pytestmark = pytest.mark.slow


def made(folder: Path, name: str, *, stock: bool) -> Course:
    """Return a course of one chapter; without its further tasks, which nbgrader cannot grade."""
    folder.mkdir()
    course = Course(folder, config=ROOT / "nbgrader_config.py")
    shutil.copytree(ROOT / "solutions" / name, folder / "solutions" / name)
    if stock:
        (folder / "nbgrader_config.py").write_text(STOCK, encoding="utf-8")
        path = folder / "solutions" / name / f"{name}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        notebook.cells = [cell for cell in notebook.cells if not _further(cell)]
        nbformat.write(notebook, path)
    course.nbgrader("generate_assignment", name)
    return course


def _further(cell: nbformat.NotebookNode) -> bool:
    said = cell.metadata.get("nbgrader", {})
    return bool(said.get("grade") and said.get("points") == 0)


def class_of(course: Course, name: str) -> list[Submission]:
    return list(
        Class(course.notebook("solutions", name), course.notebook("exercises", name)).honest(MOST)
    )


def recorded(course: Course, name: str, student: str, cells: list[str]) -> list[float]:
    """Return the points that ``plaincourse autograde`` gave."""
    path = course.folder / "autograded" / student / name / "record.json"
    found = json.loads(path.read_text("utf-8"))["notebooks"][name]["cells"]
    return [found[cell]["score"] for cell in cells]


def shown(form: str, results: dict[str, Any]) -> list[float]:
    """Return the points of each test that counts, as a platform shows them."""
    most, points = WORDS[form]
    return [test[points] for test in results["tests"] if test.get(most)]


@pytest.mark.parametrize("name", NAMES)
def test_each_known_answer_gets_the_same_points_anywhere(name: str, tmp_path: Path) -> None:
    ours = made(tmp_path / "ours", name, stock=False)
    students = class_of(ours, name)
    solution, release = (ours.notebook(step, name) for step in ("solutions", "exercises"))
    counted = [each for each in Class(solution, release).graded if not each.task.extra]
    cells = [each.cell for each in counted]
    ours.hand_in(name, students)
    ours.run("plaincourse.autograde", name, ends=(0, 3))
    home = {each.name: recorded(ours, name, each.name, cells) for each in students}
    for each in students:
        assert home[each.name] == [each.scores[cell] for cell in cells], each.name
    stock = made(tmp_path / "stock", name, stock=True)
    theirs = class_of(stock, name)
    stock.hand_in(name, theirs)
    stock.run("nbgrader", "autograde", name)
    for each in theirs:
        points = stock.scores(name, each.name)
        assert [points[cell] for cell in cells] == home[each.name], each.name
    for form, platform in FORMS.items():
        out = tmp_path / f"{form}.zip"
        words = ["--image=me/course:1"] if form == "prairielearn" else []
        platforms.export(ours.folder, form, name[:2], out, *words)
        there = platform(tmp_path / form, out)
        for each in students:
            results = there.grade({f"{name}.ipynb": nbformat.writes(each.notebook).encode()})
            assert shown(form, results) == home[each.name], (form, each.name)

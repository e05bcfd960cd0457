"""For a chapter, an exported grader gives the points of ``autograde``, to the last digit."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import nbformat
import pytest

from plaincourse.proving.submissions import Class, known
from tests.plaincourse import autograde_course as tiny
from tests.plaincourse import platform_folders as platforms
from tests.plaincourse import platform_schemas as schemas

ROOT = Path(__file__).parents[2]
NAME = "02-scaled-dot-product-attention"
FILE = f"{NAME}.ipynb"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one chapter."""
    new = tmp_path_factory.mktemp("equal") / "course"
    for step in ("solutions", "exercises"):
        shutil.copytree(ROOT / step / NAME, new / step / NAME)
    shutil.copy(ROOT / "nbgrader_config.py", new)
    tiny.command(new, "nbgrader", "generate_assignment", NAME, "--force")
    return new


@pytest.fixture(scope="module")
def gradescope(course: Path) -> platforms.Gradescope:
    """Its grader in Gradescope's folder."""
    out = course.parent / "autograder.zip"
    assert "points by tests: 23" in platforms.export(course, "gradescope", "02", out)
    return platforms.Gradescope(course.parent / "autograder", out)


def submissions(course: Path) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield submissions of all kinds, with the names of their students."""
    solution, release = (course / step / NAME / FILE for step in ("solutions", "exercises"))
    students = Class(*(nbformat.read(each, as_version=4) for each in (solution, release)))
    wrong = {each.cell: known(each, "misconceptions", 0) for each in students.graded}
    answered = nbformat.writes(students.hand_in("wrong", wrong, {}).notebook).encode()
    yield "right", {"my work — final [2].ipynb": solution.read_bytes()}
    yield "wrong", {FILE: answered}
    yield "broken", {FILE: answered[: len(answered) // 2]}
    yield "empty", {FILE: b""}
    yield "untouched", {FILE: release.read_bytes()}
    yield "two", {FILE: release.read_bytes(), f"{NAME} (1).ipynb": answered}
    yield "none", {"notes.txt": b"I could not upload it."}
    yield "other", {FILE: (ROOT / "exercises/03-masks/03-masks.ipynb").read_bytes()}
    large = nbformat.reads(answered.decode(), as_version=4)
    large.cells.append(nbformat.v4.new_markdown_cell("x" * 60_000_000))
    yield "large", {FILE: nbformat.writes(large).encode()}


def marks(course: Path, student: str) -> list[tuple[float | None, float]]:
    """Return the points that ``autograde`` gave at home."""
    path = course / "autograded" / student / NAME / "record.json"
    cells = json.loads(path.read_text("utf-8"))["notebooks"][NAME]["cells"]
    return [(cell["score"], cell["max"]) for cell in cells.values()]


def same(course: Path, student: str, results: dict[str, Any]) -> None:
    """Check that the platform shows the points given at home, bit for bit."""
    jsonschema.validate(results, schemas.GRADESCOPE)
    home = marks(course, student)
    assert results["score"] == sum(score for score, _ in home if score is not None)
    shown = [test.get("score", "none") for test in results["tests"]]
    by_tests = [score if points else "none" for score, points in home]
    assert shown == ["none" if name == "why_root_d" else score for name, score in zip(
        [test["name"] for test in results["tests"]], by_tests, strict=True)]  # fmt: skip


def test_all_kinds_of_submissions_get_the_points_that_they_get_at_home(
    course: Path, gradescope: platforms.Gradescope
) -> None:
    handed_in = dict(submissions(course))
    for student, files in handed_in.items():
        platforms.fill(course / "submitted" / student / NAME, files)
    tiny.command(course, "plaincourse.autograde", NAME, status=3)
    solution = (course / "solutions" / NAME / FILE).read_text("utf-8")
    seeds = set(re.findall(r"seed=(\d+)", solution))
    assert len(seeds) > 3
    scores = {}
    for student, files in handed_in.items():
        results = gradescope.grade(files)
        same(course, student, results)
        scores[student] = results["score"]
        said = json.dumps(results)
        assert not [seed for seed in seeds if seed in said], student
    assert scores["right"] == 23
    assert 0 < scores["wrong"] == scores["two"] < 23
    assert not any(scores[each] for each in ("broken", "empty", "untouched", "none", "other"))
    assert "60 MB" in results["output"] or "57 MB" in results["output"]
    shutil.rmtree(course / "submitted")


def test_a_class_of_twelve_gets_the_points_that_it_gets_at_home(
    course: Path, gradescope: platforms.Gradescope
) -> None:
    tiny.command(course, "plaincourse.cli", "trial-class", NAME, "--students=12")
    tiny.command(course, "plaincourse.autograde", NAME, status=3)
    for folder in sorted((course / "submitted").glob("trial-*")):
        files = {FILE: (folder / NAME / FILE).read_bytes()}
        same(course, folder.name, gradescope.grade(files))

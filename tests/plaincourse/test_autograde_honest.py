"""For honest submissions of the course itself, the grades equal nbgrader's in every cell."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import nbformat
import pytest

from plaincourse.proving.course import Course
from plaincourse.proving.submissions import Class, Submission, known
from tests.plaincourse import autograde_course as tiny

ROOT = Path(__file__).parents[2]
#: All of its tasks give points, because stock nbgrader refuses a score in a cell without points.
NAME = "11-online-softmax"
#: The settings of the course for nbgrader, without the course's own steps.
STOCK = """
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.ignore.append("*.md")
c.Execute.timeout = 60
"""


def some(students: Class) -> Iterator[Submission]:
    """Yield four of the honest submissions, without computing their expected points."""
    yield students.hand_in("full", {}, {})
    yield Submission(name="blank", notebook=students.release, scores={})
    for what in ("misconceptions", "alternatives"):
        answers = {each.cell: known(each, what, 0) for each in students.graded}
        yield students.hand_in(f"{what[:-1]}-0", answers, {})


def graded(folder: Path, which: Callable[[Class], Iterable[Submission]]) -> tuple[Course, Path]:
    """Submit honest work; return the course, and a copy that nbgrader graded."""
    folder.mkdir()
    course = Course(folder, config=ROOT / "nbgrader_config.py", solutions=ROOT / "solutions")
    tiny.command(folder, "nbgrader", "generate_assignment", NAME)
    students = Class(course.notebook("solutions", NAME), course.notebook("exercises", NAME))
    course.hand_in(NAME, which(students))
    stock = tiny.twin(folder)
    (stock / "nbgrader_config.py").write_text(STOCK)
    tiny.command(stock, "nbgrader", "autograde", NAME)
    return course, stock


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, Path]:
    return graded(tmp_path_factory.mktemp("honest") / "course", some)


def ours(course: Course, *words: str, status: int = 0) -> None:
    command = ["plaincourse.autograde", NAME, "--jobs=2", *words]
    tiny.command(course.folder, *command, status=status)


def different(course: Course, stock: Path, students: set[str] | None = None) -> list[object]:
    """Return the rows in which the gradebooks differ, of some students or of all."""
    found: list[object] = []
    for table, rows in tiny.tables(course.folder).items():
        both = zip(rows, [r for r in tiny.tables(stock)[table] if _of(r, students)], strict=True)
        found += [(table, a, b) for a, b in both if a != b]
    return found


def _of(row: tuple[object, ...], students: set[str] | None) -> bool:
    return students is None or row[0] in students


def test_tests_in_their_own_process_give_the_grades_of_nbgrader(few: tuple[Course, Path]) -> None:
    course, stock = few
    ours(course, "--student=full", "--student=blank")
    assert different(course, stock, {"full", "blank"}) == []
    path = Path("autograded", "full", NAME)
    record = json.loads((course.folder / path / "record.json").read_text())
    assert record["split"]
    assert record["flags"] == []
    assert record["memory_mb"] > 30
    cells = record["notebooks"][NAME]["cells"].values()
    assert all(cell["confirmed"] for cell in cells if cell["score"] is not None)
    pages = [nbformat.read(each / path / f"{NAME}.ipynb", 4) for each in (course.folder, stock)]
    mine, theirs = map(_said, pages)
    assert mine == theirs


def test_tests_in_the_students_process_give_the_grades_of_nbgrader(
    few: tuple[Course, Path],
) -> None:
    course, stock = few
    ours(course, "--one-process", "--force")
    assert different(course, stock) == []


def _said(page: nbformat.NotebookNode) -> list[object]:
    """Return the sources, and the outputs of the graded cells."""
    graded = [cell for cell in page.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    return [(cell.source, cell.get("outputs")) for cell in graded]


@pytest.mark.slow
def test_the_whole_honest_class_gets_the_grades_of_nbgrader(tmp_path: Path) -> None:
    course, stock = graded(tmp_path / "course", Class.honest)
    ours(course, "--one-process")
    assert different(course, stock) == []

"""``exercises/`` from ``solutions/``: no leaks, no drift, and checked shapes."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from plaincourse import settings
from plaincourse.notebooks import execute, pairs, release, rules, setup_cell, sync
from plaincourse.notebooks import page as notebooks
from tests.plaincourse import autograde_course as tiny
from tests.plaincourse.pages import HEADER, cell, graded, refusal, replace, state

ROOT = Path(__file__).parents[2]
SOLUTION = Path("solutions/02-small/02-small.md")
EXERCISE = Path("exercises/02-small/02-small.ipynb")
RULES = EXERCISE.with_name("AGENTS.md")
SCORES = """\
import torch
from jaxtyping import Float
from torch import Tensor


def scores(query: Float[Tensor, "q d"], key: Float[Tensor, "k d"]) -> Float[Tensor, "q k"]:
    ### BEGIN SOLUTION
    return query @ key.mT
    ### END SOLUTION"""
CHECK = """\
assert scores(torch.ones(2, 3), torch.ones(4, 3)).shape == (2, 4)
### BEGIN HIDDEN TESTS
assert scores(torch.ones(1, 3), torch.ones(4, 3)).shape == (1, 4)
### END HIDDEN TESTS"""
PAGE = HEADER + graded(SCORES, "scores") + graded(CHECK, "check-scores", points=2)


@pytest.fixture
def graded_course(course):
    """A course with one graded notebook and the real configuration of nbgrader."""
    shutil.rmtree("book")
    Path("book").mkdir()
    SOLUTION.parent.mkdir(parents=True)
    SOLUTION.write_text(PAGE)
    shutil.copy(ROOT / "nbgrader_config.py", ".")
    return course


def outputs(path):
    cells = [c for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    return [c.outputs for c in cells], [c.execution_count for c in cells]


def test_a_solution_is_run_stripped_and_released_without_solution_or_hidden_test(graded_course):
    assert sync.main([]) == 0
    for path in (SOLUTION.with_suffix(".ipynb"), EXERCISE):
        assert outputs(path) == ([[]] * 3, [None] * 3)
    text = EXERCISE.read_text()
    assert "def scores" in text
    assert "torch.ones(2, 3)" in text
    for secret in ("query @ key.mT", "torch.ones(1, 3)", "BEGIN SOLUTION", "HIDDEN"):
        assert secret not in text
    assert {p for p in Path("exercises").rglob("*") if p.is_file()} == {EXERCISE, RULES}
    before = state()
    assert sync.main(["--check"]) == sync.main([]) == 0
    assert state() == before, "a second release leaves a diff"
    assert not list(Path().rglob("gradebook.db"))


def test_released_cells_are_named_by_what_the_student_sees(graded_course, ran):
    sync.main([])
    released, solved = (notebooks.load(p) for p in (EXERCISE, SOLUTION.with_suffix(".ipynb")))
    assert pairs.edited(released) == []
    assert released.cells[2].id != solved.cells[2].id
    before = released.cells[2].id
    replace(SOLUTION, "query @ key.mT", "query @ key.transpose(0, 1)")
    sync.main([])
    assert notebooks.load(EXERCISE).cells[2].id == before


@pytest.mark.parametrize("change", ["edited", "missing", "extra", "stale"])
def test_a_release_that_is_not_what_the_solutions_give_is_refused_and_mended(
    graded_course, ran, capsys, change
):
    sync.main([])
    before = EXERCISE.read_bytes()
    extra = EXERCISE.with_name("answers.txt")
    if change == "edited":
        replace(EXERCISE, "torch.ones(2, 3)", "torch.ones(3, 3)")
    elif change == "missing":
        EXERCISE.unlink()
    elif change == "extra":
        extra.write_text("42")
    else:
        replace(SOLUTION, "# A small page", "# A page")
        sync.pairs.sync_page(SOLUTION, settings.load())
    wrong = state()
    said = refusal(capsys, "--check")
    assert f"error: exercises/02-small/{extra.name if change == 'extra' else EXERCISE.name}" in said
    assert "run: plaincourse sync" in said
    assert state() == wrong
    assert sync.main([]) == 0
    assert not extra.exists()
    assert (EXERCISE.read_bytes() == before) == (change != "stale")


def test_an_assignment_that_is_gone_leaves_the_release(graded_course, ran):
    sync.main([])
    shutil.rmtree("solutions")
    Path("solutions").mkdir()
    sync.main([])
    assert list(Path("exercises").iterdir()) == []


def test_what_nbgrader_refuses_is_named(graded_course, ran):
    SOLUTION.write_text(PAGE.replace("### END SOLUTION", "# no end"))
    sync.pairs.sync_page(SOLUTION, settings.load())
    with pytest.raises(notebooks.PageError, match=r"solutions/02-small: nbgrader refuses it"):
        release.sync_release(Path())
    assert not EXERCISE.exists()


def test_a_configuration_that_would_release_from_elsewhere_is_refused(graded_course):
    replace(Path("nbgrader_config.py"), '"solutions"', '"source"')
    with pytest.raises(notebooks.PageError, match="expected the source directory solutions"):
        release.sync_release(Path())
    Path("nbgrader_config.py").unlink()
    with pytest.raises(notebooks.PageError, match=r"nbgrader_config\.py: missing"):
        release.sync_release(Path())


def test_a_page_of_the_book_alone_does_not_touch_the_release(graded_course, ran):
    page = Path("book/02-small.md")
    page.write_text(HEADER)
    assert sync.main([str(page)]) == 0
    assert not EXERCISE.exists()


def test_a_wrong_shape_in_a_students_notebook_names_its_axes(graded_course):
    wrong = "try:\n    scores(torch.ones(2, 3), torch.ones(4, 5))\nexcept Exception as error:\n"
    text = PAGE + cell(wrong + "    print(type(error).__name__, error)")
    text = setup_cell.fill(SOLUTION, text, settings.load(), exercise=True)
    notebook = execute.run(notebooks.read_text(SOLUTION, text), SOLUTION, text)
    said = json.dumps(notebook.cells[-1].outputs)
    for part in ("TypeCheckError", "parameter 'key'", "f32[4,5]", "'k d'", "d=3"):
        assert part in said


@pytest.mark.parametrize(
    ("said", "order"), [("**2 points · 5 minutes · easy**", 0), ("**4 points · 5 minutes**", 1)]
)
def test_a_prompt_that_says_other_points_than_its_cell_gives_is_refused(
    graded_course, capsys, said, order
):
    SOLUTION.write_text(
        PAGE.replace(graded(SCORES, "scores"), f"\n{said}\n{graded(SCORES, 'scores')}")
    )
    assert sync.main([]) == order
    assert EXERCISE.exists() == (not order)
    told = "check-scores is worth 2 points, and the text above says 4: change one of them"
    assert (told in capsys.readouterr().err) == bool(order)
    assert sync.main(["--check"]) == order


def test_nbgraders_own_command_writes_the_same_bytes(graded_course):
    assert sync.main([]) == 0
    before, rules = EXERCISE.read_bytes(), RULES.read_bytes()
    tiny.command(graded_course, "nbgrader", "generate_assignment", "02-small", "--force")
    assert (EXERCISE.read_bytes(), RULES.read_bytes()) == (before, rules)
    assert {p for p in Path("exercises").rglob("*") if p.is_file()} == {EXERCISE, RULES}


def worth(intro, *tasks):
    """Return the text of a graded notebook with an introduction and the points of its tasks."""
    said = [intro]
    for n, points in enumerate(tasks):
        test = graded("assert a == 1", f"t{n}", points=points)
        said.append(f"\n## {n}. Task\n\n**{points} points**\n" + graded("a = 1", f"a{n}") + test)
    return HEADER + "\n".join(said)


@pytest.mark.parametrize(
    ("intro", "tasks", "said"),
    [
        (
            "All in all 29 points.",
            (2, 4),
            "its tasks are worth 6 points, and its introduction says 29",
        ),
        ("Two tasks: 5 points, an hour.", (2, 4), "worth 6 points, and its introduction says 5"),
        ("In all 7.5 points.", (2.5, 4), "worth 6.5 points, and its introduction says 7.5"),
    ],
)
def test_a_notebook_that_says_another_sum_is_not_released(
    intro, tasks, said, graded_course, capsys
):
    SOLUTION.write_text(worth(intro, *tasks))
    assert sync.main([]) == 1
    assert said in capsys.readouterr().err
    assert not EXERCISE.exists()


@pytest.mark.parametrize(
    "intro", ["6 points in all.", "A task gives 3 points, all give 6 points.", "No number."]
)
def test_a_notebook_that_says_its_sum_is_released(intro, graded_course):
    SOLUTION.write_text(worth(intro, 2, 4))
    assert sync.main([]) == 0


def test_parts_of_an_essay_add_up_to_what_it_is_worth():
    essay = new_markdown_cell("Because.")
    role = {"grade_id": "e", "grade": True, "solution": True, "points": 5}
    essay.metadata["nbgrader"] = role
    for parts, wrong in ((("1.5", "1.5", "2"), 0), (("1", "1"), 1), ((), 0)):
        text = "**5 points**\n\n" + "\n".join(f"- {part} points. So." for part in parts)
        notebook = new_notebook(cells=[new_markdown_cell(text), essay])
        assert len(rules.misleading(notebook)) == wrong


def test_nbgrader_refuses_it_too_and_leaves_the_release_as_it_was(tmp_path):
    made = tiny.make(tmp_path / "course")
    config = made / "nbgrader_config.py"
    config.write_text(
        config.read_text() + "\nfrom plaincourse.notebooks.release import ReleaseExporter\n"
        "c.GenerateAssignment.exporter_class = ReleaseExporter\n"
    )
    path = made / "source" / tiny.NAME / "one.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, new_markdown_cell("# One\n\n10 points.", id="intro"))
    nbformat.write(notebook, path)
    said = tiny.command(made, "nbgrader", "generate_assignment", tiny.NAME, "--force", status=1)
    assert "its tasks are worth 9 points, and its introduction says 10" in said
    assert (made / "release" / tiny.NAME / "one.ipynb").exists()

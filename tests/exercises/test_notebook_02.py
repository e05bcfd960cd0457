"""The graded notebook of chapter 02 says what the data says, and its examples hold."""

import contextlib
import doctest
import inspect
import re
from pathlib import Path

import jupytext
import pytest
import torch
from nbformat import NotebookNode

from plaincourse.bank import chapter
from plaincourse.exercise import Essay, Exercise, Question

SLUG = "02-scaled-dot-product-attention"
TEXT = Path(__file__).parents[2] / "solutions" / SLUG / f"{SLUG}.md"
TASKS = chapter("02")


@pytest.fixture(scope="module")
def cells() -> list[NotebookNode]:
    return jupytext.read(TEXT).cells


@pytest.fixture(scope="module")
def solution(cells: list[NotebookNode]) -> dict[str, object]:
    """Everything that the solution defines."""
    names: dict[str, object] = {}
    for cell in cells:
        setup = "setup" in cell.metadata.get("tags", [])
        graded = cell.metadata.get("nbgrader", {}).get("grade")
        if cell.cell_type == "code" and not setup and not graded:
            exec(cell.source, names)
    return names


def heading(cells: list[NotebookNode], title: str) -> str:
    return next(c.source for c in cells if re.search(rf"^## \d\. {title}$", c.source, re.MULTILINE))


def test_tasks_come_in_the_order_of_the_data(cells: list[NotebookNode]) -> None:
    graded = [c.metadata.nbgrader for c in cells if c.metadata.get("nbgrader", {}).get("grade")]
    assert [(g.grade_id, g.points) for g in graded] == [
        (task.id.removeprefix("02."), task.points) for task in TASKS
    ]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_each_prompt_states_points_minutes_and_level(
    cells: list[NotebookNode], task: Exercise | Question | Essay
) -> None:
    stated = f"**{task.points:g} points · {task.minutes} minutes · {task.level}**"
    assert stated in heading(cells, task.title)


def test_the_head_states_the_sums(cells: list[NotebookNode]) -> None:
    points, minutes = sum(t.points for t in TASKS), sum(t.minutes for t in TASKS)
    assert f"{points:g} points, about {minutes} minutes" in " ".join(cells[0].source.split())


@pytest.mark.parametrize("task", [t for t in TASKS if isinstance(t, Exercise)], ids=lambda t: t.id)
def test_the_example_in_the_prompt_holds(
    cells: list[NotebookNode], solution: dict[str, object], task: Exercise
) -> None:
    prompt = heading(cells, task.title)
    code = "\n".join(re.findall(r"```python\n(.*?)```", prompt, re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, dict(solution), task.id, str(TEXT), 0)
    assert example.examples, f"{task.id} shows no example"
    said: list[str] = []
    doctest.DocTestRunner().run(example, out=said.append)
    assert not said, "".join(said)


def test_options_and_rubric_are_shown_as_they_stand_in_the_data(cells: list[NotebookNode]) -> None:
    for task in TASKS:
        if isinstance(task, Question):
            for letter, option in task.options.items():
                assert f"- **{letter}**: {option}" in heading(cells, task.title)
        if isinstance(task, Essay):
            shown = " ".join(heading(cells, task.title).split())
            for points, criterion in task.rubric:
                assert f"- {points:g} point{'' if points == 1 else 's'}. {criterion}" in shown


def test_hidden_seeds_differ_and_are_not_the_visible_one(cells: list[NotebookNode]) -> None:
    seeds = [int(s) for c in cells for s in re.findall(r"seed=(\d+)", c.source)]
    assert len(seeds) == len(set(seeds)) == sum(not isinstance(t, Essay) for t in TASKS)
    assert 0 not in seeds


@pytest.mark.parametrize("task", [t for t in TASKS if isinstance(t, Exercise)], ids=lambda t: t.id)
def test_known_answers_can_be_pasted_into_the_notebook(
    cells: list[NotebookNode], task: Exercise
) -> None:
    imports = next(c.source for c in cells if c.source.startswith("import math"))
    for known in (*task.misconceptions, *task.alternatives):
        names: dict[str, object] = {}
        exec(imports, names)
        exec(inspect.getsource(known.answer), names)
        inputs = task.rungs[0].draw(torch.Generator().manual_seed(0))[0]
        with contextlib.suppress(RuntimeError, IndexError, ValueError):
            task.call(names[known.answer.__name__], inputs)

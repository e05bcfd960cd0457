"""The graded notebooks agree with the data, and their examples are correct."""

import contextlib
import doctest
import functools
import inspect
import re
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest
import torch
from jaxtyping import jaxtyped
from nbformat import NotebookNode

from plaincourse import typed
from plaincourse.checking.compare import same
from plaincourse.exercise import Essay, Exercise, Task, totals
from plaincourse.exercise.bank import chapter, counted
from plaincourse.proving.pasting import pasted

SOLUTIONS = Path(__file__).parents[2] / "solutions"
TEXTS = {folder.name[:2]: folder / f"{folder.name}.md" for folder in sorted(SOLUTIONS.iterdir())}
TASKS = [task for number in TEXTS for task in chapter(number)]
EXERCISES = [task for task in TASKS if isinstance(task, Exercise)]


@functools.cache
def cells(number: str) -> list[NotebookNode]:
    return jupytext.read(TEXTS[number]).cells


@functools.cache
def solution(number: str) -> dict[str, object]:
    """Return all names that the solution defines."""
    names: dict[str, object] = {}
    for cell in cells(number):
        setup = "setup" in cell.metadata.get("tags", [])
        graded = cell.metadata.get("nbgrader", {}).get("grade")
        if cell.cell_type == "code" and not setup and not graded:
            exec(cell.source, names)
    return names


def prompt(task: Task) -> str:
    here = rf"^##{'#' if task.extra else ' [0-9].'} {re.escape(task.title)}$"
    return next(c.source for c in cells(task.id[:2]) if re.search(here, c.source, re.MULTILINE))


@pytest.mark.parametrize("number", TEXTS)
def test_tasks_come_in_the_order_of_the_data(number: str) -> None:
    metadata = [cell.metadata.get("nbgrader", {}) for cell in cells(number)]
    assert [(m.grade_id, m.points) for m in metadata if m.get("grade")] == [
        (task.id.removeprefix(f"{number}."), 0 if task.extra else task.points)
        for task in chapter(number)
    ]


TYPED = [task for task in EXERCISES if any(rung.dtype for rung in task.rungs)]


@pytest.mark.parametrize("task", TYPED, ids=lambda task: task.id)
def test_a_type_that_a_check_asks_for_stands_in_the_text(task: Exercise) -> None:
    of = f"{task.id.partition('.')[2]}-answer"
    answer = [
        cell.source
        for cell in cells(task.id[:2])
        if cell.metadata.get("nbgrader", {}).get("grade_id") == of
    ]
    docstring = re.search(r'"""(.*?)"""', answer[0], re.DOTALL)
    assert docstring is not None
    assert re.search(r"float32|float16|dtype", prompt(task) + docstring[1])


@pytest.mark.parametrize("number", TEXTS)
def test_the_last_cells_add_up_the_points_and_hand_the_notebook_in(number: str) -> None:
    """The call that submits is commented out, so that *Run all* does not download anything."""
    total, last = [cell.source for cell in cells(number) if cell.cell_type == "code"][-2:]
    assert total == f'total("{number}")'
    assert last == f'# hand_in("{TEXTS[number].stem}")'


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_each_prompt_states_points_minutes_and_level(task: Task) -> None:
    points = "No" if task.extra else f"{task.points:g}"
    assert f"**{points} points · {task.minutes} minutes · {task.level}**" in prompt(task)


@pytest.mark.parametrize("number", TEXTS)
def test_the_head_states_the_sums(number: str) -> None:
    tasks = counted(number)
    points, minutes = sum(t.points for t in tasks), sum(t.minutes for t in tasks)
    stated = f"{points:g} points, about {minutes} minutes"
    assert stated in " ".join(cells(number)[0].source.split())


@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_the_example_in_the_prompt_holds(task: Exercise) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", prompt(task), re.DOTALL))
    names, slug = dict(solution(task.id[:2])), task.id.partition(".")[2]
    if slug in names:  # as in the notebook
        names[slug] = jaxtyped(typechecker=typed)(names[slug])
    example = doctest.DocTestParser().get_doctest(code, names, task.id, None, 0)
    assert example.examples, f"{task.id} shows no example"
    said: list[str] = []
    doctest.DocTestRunner().run(example, out=said.append)
    assert not said, "".join(said)


#: Prompts whose example has a box that the check replaces, or no call.
OF_BOXES = {
    "01.name_the_score", "02.name_the_mistake", "03.find_leak", "04.who_shares", "05.name_the_bug",
    "08.find_fault", "09.backup", "09.silences", "11.find_fault", "12.fix_forward",
    "13.find_fault", "14.find_fault", "15.find_fault", "16.find_fault",
}  # fmt: skip


def noted(function: Any, calls: list[dict[str, Any]]) -> Any:
    """Return a function, or a class, that records its arguments."""
    signature = inspect.signature(function)

    def note(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        calls.append(dict(given.arguments))
        return function(*args, **kwargs)

    return note


@pytest.mark.parametrize(
    "task", [task for task in EXERCISES if task.id not in OF_BOXES], ids=lambda task: task.id
)
def test_the_example_in_the_prompt_is_checked(task: Exercise) -> None:
    """A student with a different answer to the example loses points."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", prompt(task), re.DOTALL))
    names, slug = dict(solution(task.id[:2])), task.id.partition(".")[2]
    right, shown, asked = names[slug], [], []
    names[slug] = noted(right, shown)
    example = doctest.DocTestParser().get_doctest(code, names, task.id, None, 0)
    doctest.DocTestRunner().run(example, out=lambda said: None)
    for number, rung in enumerate(task.rungs):
        for inputs in rung.draw(torch.Generator().manual_seed(number)):
            with contextlib.suppress(ValueError):  # if the right answer is an error
                task.call(noted(right, asked), inputs)
    assert shown
    for given in shown:
        assert not all(map(callable, given.values())), "a box is like any other here"
        assert any(alike(task, given, each) for each in asked), given


def alike(task: Exercise, a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Return whether two calls are the same except for types, and a shift of all logits."""
    a, b = (
        {
            k: x.log_softmax(-1) if k == "logits" and task.id == "14.top_p" else x
            for k, x in c.items()
        }
        for c in (a, b)
    )
    return same(a, b, rtol=1e-5, atol=1e-6, dtype="any")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_options_and_rubric_are_shown_as_they_stand_in_the_data(task: Task) -> None:
    shown = " ".join(prompt(task).split())
    for letter, option in getattr(task, "options", {}).items():
        assert f"- **{letter}**: {option}" in shown
    for points, criterion in getattr(task, "rubric", ()):
        assert f"- {points:g} point{'' if points == 1 else 's'}. {criterion}" in shown


@pytest.mark.parametrize("number", TEXTS)
def test_hidden_seeds_differ_and_nobody_finds_them_by_trying(number: str) -> None:
    seeds = [int(s) for c in cells(number) for s in re.findall(r"seed=(\d+)", c.source)]
    checked = [task for task in chapter(number) if not isinstance(task, Essay)]
    assert len(seeds) == len(set(seeds)) == len(checked)
    assert min(seeds) >= 2**64


@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_known_answers_can_be_pasted_into_the_notebook(task: Exercise) -> None:
    """They need only the notebook's own imports."""
    imports = next(c.source for c in cells(task.id[:2]) if c.source.startswith("import math"))
    for known in (*task.misconceptions, *task.alternatives):
        names: dict[str, object] = {}
        exec(imports, names)
        exec(pasted(known.answer, "mine"), names)
        inputs = task.rungs[0].draw(torch.Generator().manual_seed(0))[0]
        with contextlib.suppress(
            RuntimeError, LookupError, ValueError, ArithmeticError, BufferError
        ):
            task.call(names["mine"], inputs)


@pytest.mark.parametrize("number", TEXTS)
def test_an_untouched_release_runs_to_its_end_and_nothing_in_it_is_answered_yet(
    number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "_last", {})
    name = TEXTS[number].stem
    released = nbformat.read(SOLUTIONS.parent / "exercises" / name / f"{name}.ipynb", as_version=4)
    names: dict[str, object] = {}
    for cell in released.cells:
        if cell.cell_type == "code" and "setup" not in cell.metadata.get("tags", []):
            exec(cell.source, names)
    asked = [task for task in chapter(number) if not (isinstance(task, Essay) or task.extra)]
    assert totals.add_up(number).said.count("not answered yet") == len(asked)

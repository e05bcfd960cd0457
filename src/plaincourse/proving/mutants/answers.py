"""Find the right answers of a chapter, from which the mutants are made."""

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from nbformat import NotebookNode

from plaincourse.exercise import Exercise, Project, Question
from plaincourse.exercise.course import subject
from plaincourse.proving.submissions import Graded, grade_id, graded

_MARKS = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", re.M)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A right answer, as source.

    Attributes:
        task: the task that it answers.
        cell: the grade id of the cell that checks it.
        seed: the hidden seed that it is graded with.
        name: the name that it defines.
        source: its definition.
        around: the names that are defined at its place in the notebook or file.
        label: the beginning of its mutants' names.
    """

    task: Exercise | Question
    cell: str
    seed: int | None
    name: str
    source: str
    around: dict[str, Any]
    label: str = ""

    def define(self, source: str) -> Any:
        """Run a source in the namespace of this answer, and return the checked object.

        Raises:
            LookupError: the source does not define the name that is checked.
        """
        names = dict(self.around)
        names.pop(self.name, None)
        exec(compile(source, "<answer>", "exec", dont_inherit=True), names)
        if self.name not in names:
            raise LookupError(f"`{self.name}` is not defined")
        return names[self.name]


def answers(solution: NotebookNode) -> list[Answer]:
    """List the right answers of a solution notebook: its own, and the references of the bank.

    Raises:
        ValueError: a graded cell is malformed, or has no answer above it.
    """
    around = _around(solution)
    own = _own(solution)
    found = []
    for each in graded(solution):
        if isinstance(each.task, Project):  # measured: there is no right answer to change
            continue
        if each.cell not in own:
            raise ValueError(f"cell {each.cell!r}: there is no answer cell above it")
        found.append(
            Answer(
                task=each.task, cell=each.cell, seed=each.seed, name=each.name,
                source=own[each.cell], around=around,
            )
        )  # fmt: skip
        found += _reference(each)
    return found


def _own(solution: NotebookNode) -> dict[str, str]:
    """Return the answer to each graded cell: the nearest solution above it."""
    own, above = {}, None
    for cell in solution.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            above = _MARKS.sub("", cell.source)
        elif grade_id(cell) and above is not None:
            own[grade_id(cell)] = above
    return own


def _around(solution: NotebookNode) -> dict[str, Any]:
    """Run the cells that are neither set-up, answer nor test, and return their definitions."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in solution.cells:
        plain = "setup" not in cell.metadata.get("tags", []) and not grade_id(cell)
        if cell.cell_type == "code" and plain:
            exec(compile(cell.source, "<notebook>", "exec", dont_inherit=True), names)
    return names


def _reference(each: Graded) -> Iterator[Answer]:
    """Yield the reference, if it was written for the exercise.

    It may use code that a student may not use, such as the package. A reference that is a function
    of the package is left out: it does more than the exercise requires, and has its own tests.
    """
    if not isinstance(each.task, Exercise):
        return
    reference = inspect.unwrap(each.task.reference)
    if reference.__module__.partition(".")[0] in subject():
        return
    yield Answer(
        task=replace(each.task, forbid=()),
        cell=each.cell,
        seed=each.seed,
        name=reference.__name__,
        source=textwrap.dedent(inspect.getsource(reference)),
        around=dict(vars(sys.modules[reference.__module__])),
        label="reference ",
    )

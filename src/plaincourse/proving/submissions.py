"""Write the notebooks that students would submit.

They test the whole path from a submission to its grade and feedback.
"""

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from plaincourse.checking.grader import grade
from plaincourse.exercise import Essay, Exercise, Project, Question
from plaincourse.exercise.bank import load
from plaincourse.exercise.report import NOT_YET
from plaincourse.proving.pasting import pasted

_CHECK = re.compile(r'^check\("(?P<id>[\w.]+)", (?P<name>\w+)(?:, seed=(?P<seed>\d+))?\)$', re.M)
_MARKS = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", re.M)


@dataclass(frozen=True, kw_only=True)
class Graded:
    """A cell that checks a task: its grade id, the task, the name checked, the hidden seed."""

    cell: str
    task: Exercise | Question | Project
    name: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A notebook to submit.

    Attributes:
        name: the student's id; no blanks.
        notebook: the notebook.
        scores: the expected points by grade id.
        says: the text that the feedback must have, by grade id.
    """

    name: str
    notebook: NotebookNode
    scores: dict[str, float]
    says: dict[str, tuple[str, ...]] = field(default_factory=dict)


def graded(solution: NotebookNode) -> list[Graded]:
    """List the cells of a solution notebook that check a task.

    Raises:
        ValueError: such a cell lacks a visible or a hidden check, or its points differ from its
            task's.
    """
    found = []
    for cell in solution.cells:
        meta = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" or not meta.get("grade") or meta.get("solution"):
            continue
        calls = list(_CHECK.finditer(cell.source))
        if len(calls) != 2 or calls[0]["seed"] or not calls[1]["seed"]:
            raise ValueError(
                f"cell {meta['grade_id']!r}: expected check(id, answer) and, between ### BEGIN "
                f"HIDDEN TESTS and ### END HIDDEN TESTS, the same with seed=…; got\n{cell.source}"
            )
        task = load(calls[0]["id"])
        if isinstance(task, Essay):
            raise ValueError(f"cell {meta['grade_id']!r}: {task.id} is graded by a person")
        worth = 0 if task.extra else task.points
        if float(meta["points"]) != worth:
            raise ValueError(
                f"cell {meta['grade_id']!r} is worth {meta['points']} points, its task {task.id} "
                f"{worth:g}: make them equal"
            )
        name, seed = calls[0]["name"], int(calls[1]["seed"])
        found.append(Graded(cell=meta["grade_id"], task=task, name=name, seed=seed))
    return found


class Class:
    """A class of simulated students for one assignment.

    Args:
        solution: the notebook from ``solutions/``.
        release: the notebook from ``exercises/``.
    """

    def __init__(self, solution: NotebookNode, release: NotebookNode) -> None:
        self.release = release
        self.graded = graded(solution)
        self.full: dict[str, float] = {
            each.cell: 0 if each.task.extra else each.task.points for each in self.graded
        }
        self._right = {
            grade_id(cell): _MARKS.sub("", cell.source)
            for cell in solution.cells
            if cell.metadata.get("nbgrader", {}).get("solution")
        }

    def hand_in(
        self, name: str, answers: dict[str, str], scores: dict[str, float], **more: Any
    ) -> Submission:
        """Fill the release with answers, by grade id of their test, and right answers elsewhere."""
        notebook = copy.deepcopy(self.release)
        sources = {self._answer_cell(test): source for test, source in answers.items()}
        for index, cell in enumerate(notebook.cells):
            cell.source = sources.get(index, self._right.get(grade_id(cell), cell.source))
        return Submission(name=name, notebook=notebook, scores={**self.full, **scores}, **more)

    def honest(self, most: int | None = None) -> Iterator[Submission]:
        """Yield the full solution, the untouched release, and each misconception and alternative.

        The n-th submission has the n-th misconception of every task at once.

        Args:
            most: the number of submissions with misconceptions, and with alternatives; None means
                all.
        """
        yield self.hand_in("full", {}, {})
        yield Submission(
            name="blank",
            notebook=copy.deepcopy(self.release),
            scores=dict.fromkeys(self.full, 0.0),
            says={each.cell: (NOT_YET,) for each in self.graded},
        )
        for what in ("misconceptions", "alternatives"):
            longest = max((len(getattr(each.task, what)) for each in self.graded), default=0)
            for number in range(longest if most is None else min(most, longest)):
                yield self._known(what, number)

    def _known(self, what: str, number: int) -> Submission:
        answers, scores, says = {}, {}, {}
        for each in self.graded:
            for one in getattr(each.task, what)[number : number + 1]:
                answers[each.cell] = known(each, what, number)
                found = grade(each.task, one.answer, seed=each.seed)
                scores[each.cell] = 0 if each.task.extra else found.score
                says[each.cell] = (one.says,) if what == "misconceptions" else ()
        return self.hand_in(f"{what[:-1]}-{number}", answers, scores, says=says)

    def own(self, each: Graded) -> str:
        """Return the right answer that a cell tests, as source."""
        return self._right[grade_id(self.release.cells[self._answer_cell(each.cell)])]

    def handed_out(self, each: Graded) -> str:
        """Return the source that the release has in the place of an answer."""
        return str(self.release.cells[self._answer_cell(each.cell)].source)

    def _answer_cell(self, test: str) -> int:
        """Return the index of the answer that a test cell checks: the nearest above it."""
        answer = None
        for index, cell in enumerate(self.release.cells):
            if grade_id(cell) == test and answer is not None:
                return answer
            if cell.metadata.get("nbgrader", {}).get("solution"):
                answer = index
        raise ValueError(f"cell {test!r}: there is no answer cell above it")


def grade_id(cell: NotebookNode) -> str:
    """Return a cell's name in nbgrader, or an empty text."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def known(each: Graded, what: str, number: int) -> str:
    """Write code that defines a known answer under the name that is checked."""
    if isinstance(each.task, Question):
        return f"{each.name} = {getattr(each.task, what)[number].answer!r}"
    return pasted(getattr(each.task, what)[number].answer, each.name)

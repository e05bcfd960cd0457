"""Write the notebooks that students would hand in: right, wrong and broken.

They prove the whole way from a submission to its grade and feedback.
"""

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from plaincourse.bank import load
from plaincourse.exercise import Exercise, Question
from plaincourse.grader import grade

_CHECK = re.compile(r'^check\("(?P<id>[\w.]+)", (?P<name>\w+)(?:, seed=(?P<seed>\d+))?\)$', re.M)

BROKEN = {
    "an exception": "def {name}(*args, **kwargs):\n    return nowhere_defined + 1",
    "an endless loop in the function": "def {name}(*args, **kwargs):\n    while True:\n        pass",
    "an endless loop in the cell": "while True:\n    pass",
    "a syntax error": "def {name}(:\n    return 0",
    "an exit": "def {name}(*args, **kwargs):\n    raise SystemExit(3)",
}
_NOISY = """

import functools, logging, sys, warnings
_quiet = {name}
logging.basicConfig(stream=sys.stderr, force=True)

@functools.wraps(_quiet)
def {name}(*args, **kwargs):
    warnings.warn("noise")
    logging.warning("noise")
    print("noise", file=sys.stderr)
    return _quiet(*args, **kwargs)
"""


@dataclass(frozen=True, kw_only=True)
class Graded:
    """A graded cell that checks a task: its id, the task's, the name checked, the hidden seed."""

    cell: str
    id: str
    name: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A notebook to hand in.

    Attributes:
        name: who hands it in; no blanks.
        notebook: what is handed in.
        scores: points by grade id, as they should come out.
        says: by grade id, what the feedback must say.
    """

    name: str
    notebook: NotebookNode
    scores: dict[str, float]
    says: dict[str, tuple[str, ...]] = field(default_factory=dict)


def graded(solution: NotebookNode) -> list[Graded]:
    """List the cells of a solution notebook that check a task.

    Raises:
        ValueError: such a cell has no visible check, no hidden one, or other points than its task.
    """
    found = []
    for cell in solution.cells:
        meta = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" or not meta.get("grade") or meta.get("solution"):
            continue
        calls = list(_CHECK.finditer(cell.source))
        if len(calls) != 2 or calls[0]["seed"] or not calls[1]["seed"]:
            raise ValueError(
                f"cell {meta['grade_id']!r}: expected a visible check(...) and, between ### BEGIN "
                f"HIDDEN TESTS and ### END HIDDEN TESTS, the same with seed=...; got\n{cell.source}"
            )
        task = load(calls[0]["id"])
        if float(meta["points"]) != task.points:
            raise ValueError(
                f"cell {meta['grade_id']!r} is worth {meta['points']} points, its task {task.id} "
                f"{task.points:g}: make them equal"
            )
        seed = int(calls[1]["seed"])
        found.append(Graded(cell=meta["grade_id"], id=task.id, name=calls[0]["name"], seed=seed))
    return found


class Class:
    """A class of made-up students for one assignment.

    Args:
        solution: the notebook from ``solutions/``.
        release: the notebook from ``exercises/``.
    """

    def __init__(self, solution: NotebookNode, release: NotebookNode) -> None:
        self.release = release
        self.graded = graded(solution)
        self.right = _answers(solution)
        self.full = {each.cell: load(each.id).points for each in self.graded}

    def hand_in(
        self, name: str, answers: dict[str, str], scores: dict[str, float], **more: Any
    ) -> Submission:
        """Return the release with the given answers, by grade id of the test, and full for the rest."""
        notebook = copy.deepcopy(self.release)
        sources = {_answer_cell(notebook, cell): source for cell, source in answers.items()}
        for index, cell in enumerate(notebook.cells):
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if index in sources:
                cell.source = sources[index]
            elif grade_id in self.right:
                cell.source = self.right[grade_id]
        return Submission(name=name, notebook=notebook, scores={**self.full, **scores}, **more)

    def honest(self) -> Iterator[Submission]:
        """Yield the full solution, the untouched release, and each misconception and alternative.

        The n-th submission holds the n-th misconception of every task at once.
        """
        yield self.hand_in("full", {}, {})
        yield Submission(
            name="blank",
            notebook=copy.deepcopy(self.release),
            scores=dict.fromkeys(self.full, 0.0),
            says={each.cell: (_blank(each),) for each in self.graded},
        )
        for what in ("misconceptions", "alternatives"):
            known = {each: getattr(load(each.id), what) for each in self.graded}
            for number in range(max(map(len, known.values()), default=0)):
                answers, scores, says = {}, {}, {}
                for each, list_of in known.items():
                    if number < len(list_of):
                        one = list_of[number]
                        answers[each.cell] = _source(each, what, number, one.answer)
                        scores[each.cell] = grade(load(each.id), one.answer, seed=each.seed).score
                        says[each.cell] = (one.says,) if what == "misconceptions" else ()
                yield self.hand_in(f"{what[:-1]}-{number}", answers, scores, says=says)

    def broken(self) -> Iterator[Submission]:
        """Yield submissions with what breaks, each kind of damage in another exercise.

        There are as many submissions as it takes for every kind to have its turn.
        """
        exercises = [each for each in self.graded if isinstance(load(each.id), Exercise)]
        damages = list(BROKEN.items())
        for start in range(0, len(damages), len(exercises)):
            answers, scores, says = {}, {}, {}
            turn = damages[start : start + len(exercises)]
            for each, (_, source) in zip(exercises, turn, strict=False):
                answers[each.cell] = source.format(name=each.name)
                scores[each.cell] = 0.0
            says = {e.cell: _said(kind, e) for e, (kind, _) in zip(exercises, turn, strict=False)}
            yield self.hand_in(f"broken-{start}", answers, scores, says=says)

    def tampered(self) -> Iterator[Submission]:
        """Yield a deleted test, an edited test, tests and answers moved, and noise on stderr."""
        first, last = self.graded[0], self.graded[-1]
        wrong = load(first.id).misconceptions[0]  # type: ignore[union-attr]
        source = _source(first, "misconceptions", 0, wrong.answer)
        loses = {first.cell: grade(load(first.id), wrong.answer, seed=first.seed).score}

        deleted = self.hand_in("deleted", {first.cell: source}, loses)
        gone = {first.cell, last.cell}
        deleted.notebook.cells = [c for c in deleted.notebook.cells if _grade_id(c) not in gone]
        yield deleted

        edited = self.hand_in("edited", {first.cell: source}, loses)
        for cell in edited.notebook.cells:
            if _grade_id(cell) == first.cell:
                cell.source = str(self.full[first.cell])
        yield edited

        shadowed = self.hand_in(
            "shadowed",
            {last.cell: f"{_own(self, last)}\ncheck = lambda *a, **k: None"},
            {last.cell: 0.0},
        )
        yield shadowed

        noisy = {
            each.cell: _own(self, each) + _NOISY.format(name=each.name)
            for each in self.graded
            if _own(self, each).lstrip().startswith("def ")
        }
        yield self.hand_in("noisy", noisy, {})


def _said(kind: str, each: Graded) -> tuple[str, ...]:
    """Return what the feedback says to a kind of damage."""
    return {
        "an exception": ("name 'nowhere_defined' is not defined", "return nowhere_defined + 1"),
        "an endless loop in the function": ("is there an endless loop?",),
        "an endless loop in the cell": (f"`{each.name}` is not defined.",),
        "a syntax error": (f"`{each.name}` is not defined.", "SyntaxError"),
        "an exit": ("ends the program",),
    }[kind]


def _blank(each: Graded) -> str:
    if isinstance(load(each.id), Question):
        return f"`{each.name}` is not defined."
    return "Not attempted yet."


def _own(group: Class, each: Graded) -> str:
    cell = group.release.cells[_answer_cell(group.release, each.cell)]
    return group.right[cell.metadata["nbgrader"]["grade_id"]]


def _grade_id(cell: NotebookNode) -> str | None:
    name: str | None = cell.metadata.get("nbgrader", {}).get("grade_id")
    return name


def _answers(solution: NotebookNode) -> dict[str, str]:
    """Return the solution's answers by grade id, without the marks around them."""
    marks = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", flags=re.M)
    return {
        cell.metadata["nbgrader"]["grade_id"]: marks.sub("", cell.source)
        for cell in solution.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def _answer_cell(notebook: NotebookNode, test: str) -> int:
    """Return the index of the answer that a test cell tests: the nearest above it."""
    answer = None
    for index, cell in enumerate(notebook.cells):
        meta = cell.metadata.get("nbgrader", {})
        if meta.get("grade_id") == test and answer is not None:
            return answer
        if meta.get("solution"):
            answer = index
    raise ValueError(f"cell {test!r}: there is no answer cell above it")


def _source(each: Graded, what: str, number: int, answer: Any) -> str:
    """Write code that defines a known answer under the name that is checked."""
    if isinstance(load(each.id), Question):
        return f"{each.name} = {answer!r}"
    return f"from plaincourse.bank import load\n{each.name} = load({each.id!r}).{what}[{number}].answer"

"""The definition of an attack, as data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

Edit = Callable[[NotebookNode], None]
Plant = Callable[[Path, dict[str, str]], None]

#: Answers that earn no points, by the test that checks them.
WRONG = {
    "target": "def scores(query, key):\n    return query",
    "plain": "def double(x):\n    return x",
    "partial": "def squares(n):\n    return []",
    "choice": "answer_output_shape = (4, 6, 4, 8, 6, 5)",
}


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One hostile submission.

    All answers are right except those in ``wrong`` and ``answers``. Those earn no points, unless
    ``scores`` has their points.

    Attributes:
        name: also the student's id.
        theme: reading, forging, breaking, escaping, folders or tampering.
        named: whether issue 4 names it.
        attempts: the goal of the attack, in a sentence.
        first: a code cell of the student's own, above all answers.
        after: a code cell of the student's own, below all tests.
        wrong: tests whose answers are the ones in ``WRONG``.
        answers: source of an answer, by the test that checks it.
        scores: the points of an answer's honest part, if not 0.
        loses: tests whose points may also be lost, because the attack breaks its own kernel; their
            score must be full or 0.
        edit: changes the notebook before it is submitted.
        plant: puts files into the submission's folder; receives the folder and the places.
        flags: kinds of flag; the record must have at least one of them.
        says: text that the record's reason must contain, for an attack that cannot be graded.
        page: whether the feedback page is checked, too.
    """

    name: str
    theme: str
    attempts: str
    named: bool = False
    first: str = ""
    after: str = ""
    wrong: tuple[str, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    loses: tuple[str, ...] = ()
    edit: Edit | None = None
    plant: Plant | None = None
    flags: tuple[str, ...] = ()
    says: str = ""
    page: bool = False

    def expected(self, full: dict[str, float]) -> dict[str, float]:
        """Return the expected points by test."""
        lost = dict.fromkeys((*self.wrong, *self.answers), 0.0)
        return {**full, **lost, **self.scores}

"""What an attack is, as data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

Edit = Callable[[NotebookNode], None]
Plant = Callable[[Path, dict[str, str]], None]

#: Answers that earn nothing, by the test that they face.
WRONG = {
    "target": "def scores(query, key):\n    return query",
    "plain": "def double(x):\n    return x",
    "partial": "def squares(n):\n    return []",
    "choice": "answer_output_shape = (4, 6, 4, 8, 6, 5)",
}


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One hostile submission.

    All answers are right but for those in ``wrong`` and ``answers``; what stands there earns
    nothing unless ``scores`` says otherwise.

    Attributes:
        name: also the student's id.
        theme: reading, forging, breaking, escaping, folders or tampering.
        named: whether issue 4 names it.
        attempts: what it tries, in a sentence.
        first: a code cell of the student's own, above all answers.
        after: a code cell of the student's own, below all tests.
        wrong: tests whose answers are wrong in the plain way.
        answers: source of an answer, by the test that it faces.
        scores: what the honest part of an answer earns, where that is not 0.
        loses: tests whose points may be lost as well, because the attack breaks its own kernel;
            their score must be full or 0.
        edit: changes the notebook before it is handed in.
        plant: puts files into the submission's folder; gets the folder and the places.
        flags: kinds of flag, of which the record must hold at least one.
        says: what the reason in the record must mention, where there can be no grade.
        page: whether the feedback page is looked at as well.
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
        """Return the points that are earned, by test."""
        lost = dict.fromkeys((*self.wrong, *self.answers), 0.0)
        return {**full, **lost, **self.scores}

"""An exercise is data: what is asked, what is right, and every way we know to get it wrong.

The checker (:mod:`plaincourse.check`) uses the same data three ways: to diagnose a student's
answer, to prove that the grader tells right from wrong, and to list a chapter's common mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from plaincourse.exercise.course import subject
from plaincourse.exercise.precision import USUAL, Precision

if TYPE_CHECKING:
    import torch

Level = Literal["warm-up", "easy", "medium", "hard"]
Kind = Literal["idea", "form", "corner"]
Inputs = Mapping[str, Any]
Law = Callable[[Inputs, Any], str | None]


@dataclass(frozen=True, kw_only=True)
class Misconception:
    """A wrong answer that a student would really write, and what to say to the one who did.

    Attributes:
        name: slug, unique within the exercise.
        answer: the wrong answer: a function, a class, or the wrong value.
        believed: what its author believed, one sentence.
        says: the diagnosis, in the second person: what the output shows, with a fact that the
            student can check ("your columns sum to 1, your rows do not").
        hints: the ladder, from a question to all but the answer.
        variants: other answers of the same belief, which give other outputs and of which the same
            can be said. Those that differ in arithmetic or types alone need not be here
            (:mod:`plaincourse.proving.styles` makes them).
        kind: what is wrong: an *idea* of the exercise; its *form*, such as a changed argument, a
            dtype, or one place that is off by one; or a *corner*, an input that few would try.
            It bounds what the mistake may cost (:mod:`plaincourse.proving.shares`).
    """

    name: str
    answer: Any
    believed: str
    says: str
    hints: tuple[str, ...]
    variants: tuple[Any, ...] = ()
    kind: Kind = "idea"

    @property
    def ways(self) -> dict[str, Any]:
        """The answer and its variants, each by a key of its own within the exercise."""
        every = enumerate((self.answer, *self.variants))
        return {f"{self.name}, {number}" if number else self.name: way for number, way in every}


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A right answer, written differently. It must get full marks."""

    name: str
    answer: Any


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One requirement of an exercise, and one step of its ladder of isolation.

    The first rung has inputs so small that only one thing can go wrong; each further rung adds
    one more thing; the last is the whole, at awkward sizes.

    Attributes:
        name: the requirement, as the student reads it: "each row sums to 1".
        points: what meeting it earns.
        draw: makes inputs (keyword arguments of the answer) from a generator, smallest first.
        law: says what rule an output breaks, ``None`` if none. It is shown where no misconception
            matches.
        compare: whether the output must equal the reference's.
        dtype: whether the output must have the reference's dtype to the letter. Where it need
            not, float32 serves as well as float64, and nothing coarser than both the reference's
            dtype and float32; boolean, whole and floating still differ.
        idea: which idea of the exercise it tests, in a few words, as the student reads it beside
            the points; empty if it tests a form or a corner.
    """

    name: str
    points: float
    draw: Callable[[torch.Generator], Sequence[Inputs]]
    law: Law | None = None
    compare: bool = True
    dtype: bool = False
    idea: str = ""


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A coding exercise: the student writes a function or a class.

    Attributes:
        id: chapter and slug, ``"02.softmax_rows"``; the slug is the name that the student defines.
        title: what it is called.
        level: how hard it is.
        minutes: how long it takes.
        concepts: ids from ``book/concepts.yml`` that it practises.
        reference: the right answer.
        rungs: its requirements, in order.
        misconceptions: wrong answers, at least six.
        alternatives: right answers, at least two.
        hints: the general ladder, where no misconception matches.
        forbid: names that the answer may not use, such as ``"scaled_dot_product_attention"``; by
            default the package that the course teaches with. They are looked for in its code, and
            noticed while it runs (:mod:`plaincourse.checking.noticing`). The prompt says each.
        call: applies an answer to inputs; by default ``answer(**inputs)``. What it returns is
            data; an answer that makes an object is called by
            :func:`plaincourse.judge.answers.whole`.
        shown: what a student sees of inputs that their answer fails on, by name; by default the
            inputs. A box says there what it does, which its own name must not.
        precision: how far a number may be from the reference's, by the kind of number that it is.
        seconds: how long one call may compute; by the clock it may take four times as long.
        axes: letters of the output's axes for messages, ``"b h q k"``; by default those of the
            reference's return annotation.
        equivalents: small changes to the right answer that rightly earn all points, by the name
            that :mod:`plaincourse.proving.mutants` gives them, and why each is no mistake.
        one_process: why it must be checked in the student's own process, a sentence; empty where
            it need not. A pass there is unconfirmed, and the grade says so.
        extra: Whether it is a further task: checked like all others, and without effect on
            points, minutes and gate. Its points only weigh its requirements.
    """

    id: str
    title: str
    level: Level
    minutes: int
    concepts: tuple[str, ...]
    reference: Callable[..., Any]
    rungs: tuple[Rung, ...]
    misconceptions: tuple[Misconception, ...]
    alternatives: tuple[Alternative, ...]
    hints: tuple[str, ...]
    forbid: tuple[str, ...] = subject()
    call: Callable[[Any, Inputs], Any] = field(default=lambda answer, inputs: answer(**inputs))
    shown: Callable[[Inputs], Inputs] = field(default=lambda inputs: inputs)
    precision: Precision = USUAL
    seconds: float = 5.0
    axes: str = ""
    equivalents: Mapping[str, str] = field(default_factory=dict)
    one_process: str = ""
    extra: bool = False

    @property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """What earns points, and how many: the rungs, as the parts of a project."""
        return tuple((rung.name, rung.points) for rung in self.rungs)

    @property
    def ideas(self) -> tuple[str, ...]:
        """What its requirements test, in their order."""
        return tuple(dict.fromkeys(rung.idea for rung in self.rungs if rung.idea))

    @property
    def points(self) -> float:
        """All points together."""
        return sum(rung.points for rung in self.rungs)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question whose answer is one value: a letter, a number, or a tuple of numbers.

    Attributes:
        id, title, level, minutes, concepts: as in :class:`Exercise`.
        points: what the right answer earns.
        answer: the right answer.
        parts: what earns an equal share of the points each, by its name: the places in the answer
            of the numbers that it takes, counted from 0. By default each number is a part. A
            number that can be guessed, as it stands in the prompt or is 0 or 1, takes others with
            it into its part.
        options: for multiple choice, the letter and text of each option; empty for a number.
        letters: what the prompt calls the numbers, if each has a letter. A misconception that errs
            in one number then speaks of that one alone: it is told whatever the others are, and
            which of these are right is said behind it.
        extra: As in :class:`Exercise`.
        misconceptions: wrong answers and what to say to each; for multiple choice, every wrong
            option has one.
        alternatives: other ways to write the right answer.
        hints: the general ladder.
        tolerance: how far a number may be off.
    """

    id: str
    title: str
    level: Level
    minutes: int
    concepts: tuple[str, ...]
    points: float
    answer: Any
    misconceptions: tuple[Misconception, ...]
    alternatives: tuple[Alternative, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    hints: tuple[str, ...] = ()
    tolerance: float = 1e-3
    parts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    letters: str = ""
    extra: bool = False


@dataclass(frozen=True, kw_only=True)
class Essay:
    """A question answered in words and graded by a person, by a rubric.

    Attributes:
        id, title, level, minutes, concepts: as in :class:`Exercise`.
        rubric: what earns points: (points, what the answer must say).
    """

    id: str
    title: str
    level: Level
    minutes: int
    concepts: tuple[str, ...]
    rubric: tuple[tuple[float, str], ...]
    extra: ClassVar[bool] = False

    @property
    def points(self) -> float:
        """All points together."""
        return sum(points for points, _ in self.rubric)


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What a piece of work was found to be worth.

    Attributes:
        earned: points by the names of the project's parts.
        facts: what was measured, by name; it stands in the report and on the leaderboard.
        said: why something did not count, a sentence each.
    """

    earned: Mapping[str, float]
    facts: Mapping[str, float] = field(default_factory=dict)
    said: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Project:
    """A piece of work that is measured: there is no right answer, only better and worse ones.

    The student writes a function. It is called once, and what it returns is measured where it
    cannot reach; so it must be data.

    Attributes:
        id, title, level, minutes, concepts, hints, forbid: as in :class:`Exercise`.
        parts: what is measured, and what each part earns at most.
        inputs: from a seed to what the function is called with; 0 is the seed that all may see.
        assess: from a seed and what was returned to what it is worth.
        seconds: how long the call may compute; by the clock it may take four times as long.
        call: applies the answer to the inputs.
    """

    id: str
    title: str
    level: Level
    minutes: int
    concepts: tuple[str, ...]
    parts: tuple[tuple[str, float], ...]
    inputs: Callable[[int], Inputs]
    assess: Callable[[int, Any], Worth]
    seconds: float
    hints: tuple[str, ...]
    forbid: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    call: Callable[[Any, Inputs], Any] = field(default=lambda answer, inputs: answer(**inputs))
    extra: ClassVar[bool] = False

    @property
    def points(self) -> float:
        """All points together."""
        return sum(points for _, points in self.parts)


Task = Exercise | Question | Essay | Project

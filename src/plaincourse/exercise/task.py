"""Exercises as data: the prompt's facts, the right answer, and every known wrong answer.

The checker (:mod:`plaincourse.check`) uses the same data in three ways: to diagnose a student's
answer, to prove that the grader separates right from wrong, and to list a chapter's common
mistakes.
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
    """A wrong answer that students really write, and the feedback for it.

    Attributes:
        name: slug, unique within the exercise.
        answer: the wrong answer: a function, a class, or the wrong value.
        believed: the belief of a student who writes it, one sentence.
        says: the diagnosis, in the second person: the fault in the output, with a fact that the
            student can check ("your columns sum to 1, your rows do not").
        hints: the ladder, from a question to almost the whole answer.
        variants: other answers of the same belief, with other outputs, for which the same feedback
            is true. Variants that differ only in arithmetic or types can be left out
            (:mod:`plaincourse.proving.styles` makes them).
        kind: the kind of error: an *idea* of the exercise; its *form*, such as a changed argument,
            a dtype, or one place that is off by one; or a *corner*, an input that few students
            would try. It bounds the points that the mistake may cost
            (:mod:`plaincourse.proving.shares`).
        shown: the right output of the input beside the diagnosis, if the smallest failing input
            does not show this mistake: "none" for a false alarm.
    """

    name: str
    answer: Any
    believed: str
    says: str
    hints: tuple[str, ...]
    variants: tuple[Any, ...] = ()
    kind: Kind = "idea"
    shown: str | None = None

    @property
    def ways(self) -> dict[str, Any]:
        """The answer and its variants, each with a key that is unique within the exercise."""
        every = enumerate((self.answer, *self.variants))
        return {f"{self.name}, {number}" if number else self.name: way for number, way in every}


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A right answer that is written differently. It must get full marks."""

    name: str
    answer: Any


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One requirement of an exercise, and one step of its ladder of isolation.

    The first rung has inputs so small that only one thing can go wrong, each further rung adds one
    more thing, and the last tests the whole at awkward sizes.

    Attributes:
        name: the requirement, as the student reads it: "each row sums to 1".
        points: the points for meeting it.
        draw: makes inputs (keyword arguments of the answer) from a generator, smallest first.
        law: returns the rule that an output breaks, or ``None``. It is shown if no misconception
            matches.
        compare: whether the output must equal the reference's.
        dtype: whether the output must have exactly the reference's dtype. If not, the output may be
            float32 or float64, but not coarser than both the reference's dtype and float32;
            boolean, integer and floating dtypes still differ.
        idea: the idea of the exercise that it tests, in a few words, as the student reads it beside
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
        title: its title.
        level: its difficulty.
        minutes: the time that it takes.
        concepts: ids from ``book/concepts.yml`` that it practises.
        reference: the right answer.
        rungs: its requirements, in order.
        misconceptions: wrong answers, at least six.
        alternatives: right answers, at least two.
        hints: the general ladder, used if no misconception matches.
        forbid: names that the answer may not use, such as ``"scaled_dot_product_attention"``; by
            default the package that the course teaches with. They are searched in its code and
            detected while it runs (:mod:`plaincourse.checking.noticing`). The prompt names each of
            them.
        call: applies an answer to inputs; by default ``answer(**inputs)``. It must return data; an
            answer that makes an object is called by :func:`plaincourse.judge.answers.whole`.
        shown: the inputs as a student sees them if their answer fails on them, by name; by default
            the inputs themselves. A box is shown there with its function, because its name must
            not reveal it.
        precision: the tolerance for a number, by its kind.
        seconds: the computing time that one call may take; its elapsed time may be four times as
            long.
        axes: letters of the output's axes for messages, ``"b h q k"``; by default those of the
            reference's return annotation.
        equivalents: small changes to the right answer that rightly earn all points: the name that
            :mod:`plaincourse.proving.mutants` gives each, and the reason why it is correct.
        one_process: the reason why it must be checked in the student's own process, a sentence;
            empty if that is not necessary. A pass there is unconfirmed, and the grade is marked
            accordingly.
        extra: whether it is a further task: checked like all others, but without effect on points,
            minutes and gate. Its points only weight its requirements.
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
        """The rungs and their points, in the form of a project's parts."""
        return tuple((rung.name, rung.points) for rung in self.rungs)

    @property
    def ideas(self) -> tuple[str, ...]:
        """The ideas that its requirements test, in their order."""
        return tuple(dict.fromkeys(rung.idea for rung in self.rungs if rung.idea))

    @property
    def points(self) -> float:
        """The sum of all points."""
        return sum(rung.points for rung in self.rungs)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question whose answer is one value: a letter, a number, or a tuple of numbers.

    Attributes:
        id, title, level, minutes, concepts: as in :class:`Exercise`.
        points: the points for the right answer.
        answer: the right answer.
        parts: the parts that earn an equal share of the points each: by name, the positions in the
            answer of the numbers that belong to it, counted from 0. By default each number is a
            part. A number that can be guessed, because it appears in the prompt or is 0 or 1,
            shares its part with others.
        options: for multiple choice, the letter and text of each option; empty for a number.
        letters: the prompt's names for the numbers, if each has a letter. A misconception that
            differs from the right answer in one number is then about that number alone: it is
            reported regardless of the others, followed by a list of those that are right.
        extra: as in :class:`Exercise`.
        misconceptions: wrong answers and the feedback for each; for multiple choice, every wrong
            option has one.
        alternatives: other ways to write the right answer.
        hints: the general ladder.
        tolerance: the tolerance for a number.
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
    """A question answered in words and graded by a person with a rubric.

    Attributes:
        id, title, level, minutes, concepts: as in :class:`Exercise`.
        rubric: pairs of points and the statement that earns them.
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
        """The sum of all points."""
        return sum(points for points, _ in self.rubric)


@dataclass(frozen=True, kw_only=True)
class Worth:
    """The assessed value of a piece of work.

    Attributes:
        earned: points by the names of the project's parts.
        facts: the measurements, by name, for the report and the leaderboard.
        said: the reasons why something did not count, a sentence each.
    """

    earned: Mapping[str, float]
    facts: Mapping[str, float] = field(default_factory=dict)
    said: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Project:
    """A piece of work that is measured: it has no right answer, only better and worse ones.

    The student writes a function. It is called once. Its return value must be data, because it is
    measured where the student's code cannot reach it.

    Attributes:
        id, title, level, minutes, concepts, hints, forbid: as in :class:`Exercise`.
        parts: the names of the measured parts and the maximum points of each.
        inputs: makes the function's arguments from a seed; seed 0 is public.
        assess: returns the worth of a return value, given the seed and that value.
        seconds: the computing time that the call may take; its elapsed time may be four times as
            long.
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
        """The sum of all points."""
        return sum(points for _, points in self.parts)


Task = Exercise | Question | Essay | Project

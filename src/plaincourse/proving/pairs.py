"""Find pairs of mistakes that are taken for a third one.

A student may make two mistakes at once. What comes of two recorded ones together is not recorded,
but much of it is known: where only one of them errs, its output comes. Where both err, that of the
first is taken here. Such an answer may be told of either mistake, or of none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from plaincourse.checking.calling import Outcome
from plaincourse.checking.diagnose import match
from plaincourse.checking.trials import Trial, alike, draw, failures, run
from plaincourse.exercise import Exercise, Misconception


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two mistakes in one answer, and what it was told.

    Attributes:
        first: its output comes where both err.
        second: its output comes where it errs alone.
        named: which misconception the report names; None for none.
        third: whether that is neither of them, and gives other outputs than the pair where the
            report says that it gives the same.
    """

    first: str
    second: str
    named: str | None
    third: bool


def pairs(exercise: Exercise) -> Iterator[Pair]:
    """Yield what every pair of mistakes of an exercise is told, in both orders.

    A pair is left out where it does what one of the two does alone.

    Args:
        exercise: the exercise, whose visible draws are asked.
    """
    trials = draw(exercise, None)
    did = {each.name: run(exercise, each.answer, trials) for each in exercise.misconceptions}
    known = {each.name: each for each in exercise.misconceptions}
    errs = {
        name: [
            not alike(exercise, t, t.expected, o) for t, o in zip(trials, outcomes, strict=False)
        ]
        for name, outcomes in did.items()
        if len(outcomes) == len(trials)
    }
    for first, second in permutations(errs, 2):
        if not any(b and not a for a, b in zip(errs[first], errs[second], strict=True)):
            continue
        outcomes = [
            a if wrong else b
            for a, b, wrong in zip(did[first], did[second], errs[first], strict=True)
        ]
        yield _told(exercise, known[first], known[second], trials, outcomes, did)


def _told(
    exercise: Exercise,
    first: Misconception,
    second: Misconception,
    trials: list[Trial],
    outcomes: list[Outcome],
    did: dict[str, list[Outcome]],
) -> Pair:
    failed = failures(exercise, first.answer, trials, outcomes)
    finding = match(exercise, trials, outcomes, failed) if failed else None
    named = finding.misconception.name if finding else None
    third = named is not None and named not in (first.name, second.name)
    if third and named:
        where = finding.where if finding and finding.where else tuple(trials)
        here = [i for i, trial in enumerate(trials) if any(trial is each for each in where)]
        third = not all(alike(exercise, trials[i], did[named][i], outcomes[i]) for i in here)
    return Pair(first=first.name, second=second.name, named=named, third=third)

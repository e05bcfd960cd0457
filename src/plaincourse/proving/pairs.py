"""Find pairs of mistakes that are taken for a third one.

A student may make two mistakes at once. What comes of two recorded ones together is not recorded,
but much of it is known: where only one of them errs, its output comes. Where both err, that of the
first is taken here. Such an answer may be told of either mistake, or of none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from plaincourse.checking.diagnose import match
from plaincourse.checking.trials import alike, draw, failures, run
from plaincourse.exercise import Exercise


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
    did, fails = {}, {}
    for each in exercise.misconceptions:
        outcomes = run(exercise, each.answer, trials)
        if len(outcomes) == len(trials):
            found = failures(exercise, each.answer, trials, outcomes)
            did[each.name] = outcomes
            fails[each.name] = {id(failure.trial): failure for failure in found}
    for first, second in permutations(did, 2):
        if fails[second].keys() <= fails[first].keys():
            continue
        wrong = fails[second] | fails[first]
        outcomes = [
            did[first if id(trial) in fails[first] else second][i] for i, trial in enumerate(trials)
        ]
        failed = [wrong[id(trial)] for trial in trials if id(trial) in wrong]
        finding = match(exercise, trials, outcomes, failed)
        named = finding.misconception.name if finding else None
        third = False
        if finding and named not in (first, second):
            where = set(map(id, finding.where or trials))
            third = not all(
                alike(exercise, trial, did[finding.misconception.name][i], outcomes[i])
                for i, trial in enumerate(trials)
                if id(trial) in where
            )
        yield Pair(first=first, second=second, named=named, third=third)

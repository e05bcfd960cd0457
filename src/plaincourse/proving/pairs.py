"""Find pairs of mistakes that are reported as a third one.

A student may make two mistakes at once. The output of two recorded mistakes together is not
recorded, but it is mostly known: where only one of them is wrong, the pair gives its output. Where
both are wrong, this module uses the first one's. The report on such an answer may name either of
the two mistakes, or no mistake.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from plaincourse.checking.diagnose import match
from plaincourse.checking.trials import alike, draw, failures, run
from plaincourse.exercise import Exercise


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two mistakes in one answer, and the mistake that the report names.

    Attributes:
        first: the mistake whose output is used where both are wrong.
        second: the mistake whose output is used where only it is wrong.
        named: the misconception that the report names, or None.
        third: whether that is neither of the two, and its outputs differ from the pair's on draws
            for which the report claims that they are equal.
    """

    first: str
    second: str
    named: str | None
    third: bool


def pairs(exercise: Exercise) -> Iterator[Pair]:
    """Yield the reported mistake for every pair of mistakes of an exercise, in both orders.

    A pair that behaves like one of the two alone is left out.

    Args:
        exercise: the exercise; its visible draws are used.
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

"""Find the misconception that explains a wrong answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from plaincourse.checking.calling import Outcome, call
from plaincourse.checking.compare import as_tensor, is_array, same
from plaincourse.checking.trials import Failure, Trial, alike, written_into
from plaincourse.exercise import Exercise, Misconception

#: Precedes a misconception if few values are possible, so that equal outputs say little about how
#: an answer computes them.
_ALIKE = "On every input that you can see, your answer gives what this mistake gives:"
#: Precedes a mistake that explains a part: with equal outputs, or with equal test results only.
_GIVES = "gives what this mistake gives. There, and perhaps only there:"
_FAILS = "fails as this mistake does, with another output. It may be this:"
_FURTHER = "More may be wrong further on. Mend this first."
_OTHERS = "What else fails may have another cause. Mend this first."
#: Follows if a requirement tests a part of the output and the rest of it is wrong in another way.
_MORE = "Look at the rest of the example as well: something else may be wrong, too."
_DTYPE = "Besides, look at the dtype of your output."
_CHANGED = "Besides, your function changes its input {}: work on a copy."


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A misconception that fits, with sentences to show before and after it.

    Attributes:
        where: the trials that it explains, if it does not explain all.
    """

    misconception: Misconception
    before: str = ""
    besides: str = ""
    where: tuple[Trial, ...] = ()

    @property
    def says(self) -> str:
        """The misconception's diagnosis, without its praise if other things fail, too."""
        says = self.misconception.says
        return without_praise(says) if self.where else says


#: Match "Your sum is right.", and the first half of "Your sum is right, and your mean is not
#: divided."
_PRAISE = re.compile(
    r"[^,;:]*\b((is|are) right(, and so (is|are) [^,;:]*)?|(have|attend to) the right \w+)\."
)
_AND = re.compile(
    r"[^,;:]*\b(is|are) right, (and|but) (?=(you|your|each|its|the) )(?!.* (is|are) not\b)"
)


def without_praise(says: str) -> str:
    """Remove praise from a diagnosis, because it may be false for an answer with two mistakes."""
    kept = []
    for sentence in re.split(r"(?<=[.!?])\s+", says):
        if not _PRAISE.fullmatch(sentence):
            praise = _AND.match(sentence)
            rest = sentence[praise.end() :] if praise else ""
            kept.append(rest[:1].upper() + rest[1:] or sentence)  # it may begin with nn.Linear
    return " ".join(kept) or says


def match(
    exercise: Exercise, trials: list[Trial], outcomes: list[Outcome], failed: list[Failure]
) -> Finding | None:
    """Return the misconception that agrees with an answer.

    The search has four steps. First, a misconception that agrees in every trial. Second, one that
    agrees except for the dtype, or except for the inputs that the answer changed. Third, for an
    answer with several mistakes, the only one that agrees wherever the first broken requirement was
    tested. Last, the one that agrees in most of the trials that fail. In the last two steps it must
    also be right wherever the answer is. A misconception that agrees in part is reported with the
    place where it agrees, because its diagnosis holds only there. It counts only if the agreement
    is not by chance: one word or one small number is not evidence.
    """
    if any(outcome.slow for outcome in outcomes):
        return None
    suspects = Suspects(exercise, trials, outcomes)
    every = range(len(trials))
    for dtype, changes, besides in _overlooked(trials, outcomes):
        for way in suspects.ways:
            if suspects.fits(way, every, dtype=dtype, changes=changes):
                chance = not any(suspects.telling(i) for i in every)
                return Finding(
                    misconception=way.misconception,
                    before=_ALIKE if chance else "",
                    besides=besides,
                )
    broken = failed[0].trial.rung
    here = [i for i in every if trials[i].rung is broken]
    fails = {id(each.trial) for each in failed}
    wrong = [i for i in every if id(trials[i]) in fails]
    right = [i for i in every if id(trials[i]) not in fails]
    fitting = {
        w.misconception.name: w
        for w in suspects.ways
        if suspects.fits(w, here) and suspects.agrees_in_all(w, right)
    }
    if len(fitting) == 1 and failed[0].kind != "error" and any(map(suspects.telling, here)):
        before = f"Where “{broken.name}” is tested, your answer"
        return _in_part(suspects, next(iter(fitting.values())), here, before, _FURTHER)
    return _mostly(suspects, wrong, right)


def _overlooked(trials: list[Trial], outcomes: list[Outcome]) -> list[tuple[bool, bool, str]]:
    """Return whether a dtype counts, whether changed inputs count, and a sentence if one does not.

    An answer that changes its inputs in some trials may contain a second mistake.
    """
    ways = [(True, True, ""), (False, True, _DTYPE)]
    pairs = zip(trials, outcomes, strict=True)
    names = dict.fromkeys(name for t, o in pairs for name in written_into(t, o))
    if names:
        ways.append((True, False, _CHANGED.format(" and ".join(f"`{name}`" for name in names))))
    return ways


def _in_part(
    suspects: "Suspects", way: "Way", where: Sequence[int], before: str, besides: str
) -> Finding:
    """Return a finding for some trials, limited to those with the same output if there are any."""
    alone = [i for i in where if suspects.gives(way, i)]
    return Finding(
        misconception=way.misconception,
        where=tuple(suspects.trials[i] for i in alone or where),
        before=f"{before} {_GIVES if len(alone) == len(where) else _FAILS}",
        besides=besides if alone else _MORE,
    )


def _mostly(suspects: "Suspects", wrong: Sequence[int], right: Sequence[int]) -> Finding | None:
    """Return the one misconception that explains most failed trials and agrees in all others."""
    counts: dict[str, tuple[list[int], Way]] = {}
    for way in suspects.ways:
        m = way.misconception
        agree: list[int] = []
        for tried, i in enumerate(wrong, start=1):
            if suspects.telling(i) and suspects.fits(way, [i]):
                agree.append(i)
            if 2 * (len(agree) + len(wrong) - tried) <= len(wrong):
                break  # a majority is no longer possible
        most = len(agree) >= 2 and 2 * len(agree) > len(wrong)
        if most and suspects.agrees_in_all(way, right):
            counts[m.name] = max(
                counts.get(m.name, ([], way)), (agree, way), key=lambda x: len(x[0])
            )
    ranked = sorted(counts.values(), key=lambda each: -len(each[0]))
    if not ranked or (len(ranked) > 1 and len(ranked[0][0]) == len(ranked[1][0])):
        return None
    explained, found = ranked[0]
    share = f"{len(explained)} of the {len(wrong)} inputs where your answer fails"
    before = f"On {share}, it"
    return _in_part(suspects, found, explained, before, _OTHERS)


def telling(value: Any, depth: int = 3) -> bool:
    """Return whether two answers that give this value are unlikely to do so by chance.

    A word, a truth value, or one or two small integers can agree by chance; a number with a
    fraction, or many values of any kind, cannot.
    """
    if isinstance(value, (Mapping, tuple, list)):
        parts = value.values() if isinstance(value, Mapping) else value
        return len(value) > 2 or (depth > 0 and any(telling(each, depth - 1) for each in parts))
    if is_array(value):
        tensor = as_tensor(value)
        return tensor.numel() > (0 if tensor.dtype.is_floating_point else 3)
    if isinstance(value, float):
        return not value.is_integer()
    return isinstance(value, int) and abs(value) >= 100


@dataclass(frozen=True, kw_only=True)
class Way:
    """One form of a mistake: its answer, or a variant of it."""

    misconception: Misconception
    answer: Any
    key: str


class Suspects:
    """Compare an answer with the known mistakes, each of which runs only until it differs."""

    def __init__(self, exercise: Exercise, trials: list[Trial], outcomes: list[Outcome]) -> None:
        self.exercise, self.trials, self.outcomes = exercise, trials, outcomes
        self.ways = [
            Way(misconception=m, answer=answer, key=key)
            for m in exercise.misconceptions
            for key, answer in m.ways.items()
        ]

    def fits(
        self, way: Way, where: Sequence[int], *, dtype: bool = True, changes: bool = True
    ) -> bool:
        """Return whether a mistake agrees with the answer in these trials, and errs in one."""
        wrong = False
        for i in where:
            trial, did = self.trials[i], self._outcome(way, i)
            alike_here = partial(alike, self.exercise, trial, dtype=dtype, changes=changes)
            if not alike_here(did, self.outcomes[i]):
                return False
            wrong = wrong or not alike_here(trial.expected, did)
        return wrong

    def agrees(self, way: Way, i: int) -> bool:
        """Return whether a mistake agrees with the answer in a trial."""
        return alike(self.exercise, self.trials[i], self._outcome(way, i), self.outcomes[i])

    def agrees_in_all(self, way: Way, where: Sequence[int]) -> bool:
        """Return whether a mistake agrees with the answer in each of some trials."""
        return all(self.agrees(way, i) for i in where)

    def gives(self, way: Way, i: int) -> bool:
        """Return whether a mistake returns the answer's whole output.

        A requirement may test a part of an output, or a rule that many outputs break.
        """
        mine, precision = self.outcomes[i], self.exercise.precision
        theirs = self._outcome(way, i)
        if mine.error is not None or theirs.error is not None:
            return self.agrees(way, i)
        return same(mine.value, theirs.value, rtol=precision.rtol, atol=precision.atol, dtype="any")

    def telling(self, i: int) -> bool:
        """Return whether agreement in a trial is unlikely to be chance."""
        outcome = self.outcomes[i]
        return outcome.error is None and telling(outcome.value)

    def _outcome(self, way: Way, i: int) -> Outcome:
        trial = self.trials[i]
        if way.key not in trial.wrong:
            trial.wrong[way.key] = call(self.exercise, way.answer, trial.inputs)
        return trial.wrong[way.key]

"""Find the misconception that explains a wrong answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from plaincourse.calling import Outcome, call
from plaincourse.exercise import Exercise, Misconception
from plaincourse.trials import Failure, Trial, alike


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A misconception that fits, and what there is to say besides."""

    misconception: Misconception
    besides: str = ""


def match(
    exercise: Exercise, trials: list[Trial], outcomes: list[Outcome], failed: list[Failure]
) -> Finding | None:
    """Return the misconception that does what an answer did.

    First, one that agrees in every trial; then one that agrees but for the dtype; then, for an
    answer that holds several mistakes, the only one that agrees wherever the first broken
    requirement was tested.
    """
    if any(outcome.slow for outcome in outcomes):
        return None
    suspects = Suspects(exercise, trials, outcomes)
    every = range(len(trials))
    for dtype in (True, False):
        for m in exercise.misconceptions:
            if suspects.fits(m, every, dtype=dtype):
                return Finding(misconception=m, besides="" if dtype else _DTYPE)
    broken = failed[0].trial.rung
    here = [i for i in every if trials[i].rung is broken]
    fitting = [m for m in exercise.misconceptions if suspects.fits(m, here)]
    if len(fitting) != 1 or failed[0].kind == "error":
        return None
    return Finding(
        misconception=fitting[0],
        besides=f"That explains “{broken.name}”. More may be wrong further on; mend this first.",
    )


_DTYPE = "Besides, the dtype of your output is another than expected."


class Suspects:
    """Compare an answer with misconceptions, each of which runs only until it differs."""

    def __init__(self, exercise: Exercise, trials: list[Trial], outcomes: list[Outcome]) -> None:
        self.exercise, self.trials, self.outcomes = exercise, trials, outcomes

    def fits(self, m: Misconception, where: Sequence[int], *, dtype: bool = True) -> bool:
        """Say whether a misconception agrees with the answer there, and errs somewhere there."""
        wrong = False
        for i in where:
            trial, did = self.trials[i], self._outcome(m, i)
            if not alike(self.exercise, trial, did, self.outcomes[i], dtype=dtype):
                return False
            wrong = wrong or not alike(self.exercise, trial, trial.expected, did, dtype=dtype)
        return wrong

    def _outcome(self, m: Misconception, i: int) -> Outcome:
        trial = self.trials[i]
        if m.name not in trial.wrong:
            trial.wrong[m.name] = call(self.exercise, m.answer, trial.inputs)
        return trial.wrong[m.name]

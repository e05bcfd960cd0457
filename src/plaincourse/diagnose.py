"""Find the misconception that explains a wrong answer."""

from dataclasses import dataclass

from plaincourse.calling import Outcome
from plaincourse.exercise import Exercise, Misconception
from plaincourse.trials import Failure, Trial, alike, run


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
    theirs = {m.name: run(exercise, m.answer, trials) for m in exercise.misconceptions}
    every = range(len(trials))
    for dtype in (True, False):
        for m in exercise.misconceptions:
            if _fits(exercise, trials, outcomes, theirs[m.name], every, dtype):
                return Finding(misconception=m, besides="" if dtype else _DTYPE)
    broken = failed[0].trial.rung
    here = [i for i in every if trials[i].rung is broken]
    fitting = [
        m
        for m in exercise.misconceptions
        if _fits(exercise, trials, outcomes, theirs[m.name], here, True)
    ]
    if len(fitting) != 1 or failed[0].kind == "error":
        return None
    return Finding(
        misconception=fitting[0],
        besides=f"That explains “{broken.name}”. More may be wrong further on; mend this first.",
    )


_DTYPE = "Besides, the dtype of your output is another than expected."


def _fits(
    exercise: Exercise,
    trials: list[Trial],
    outcomes: list[Outcome],
    theirs: list[Outcome],
    where: range | list[int],
    dtype: bool,
) -> bool:
    """Say whether a misconception agrees with the answer there, and is wrong somewhere there."""
    if len(theirs) != len(trials):
        return False
    agrees = all(alike(exercise, trials[i], outcomes[i], theirs[i], dtype=dtype) for i in where)
    return agrees and any(
        not alike(exercise, trials[i], theirs[i], trials[i].expected, dtype=dtype) for i in where
    )

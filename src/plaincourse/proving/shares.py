"""Measure the share of points that mistakes keep: a wrong idea costs most, a corner case least.

Each mistake of an exercise is labelled by its kind, which bounds the share that it may keep. The
mistakes of a question have no bounds: its numbers are its parts, and each is worth its share.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise, Kind, Misconception, Task

#: The least and the greatest share of the points that a mistake of each kind may keep.
BOUNDS: dict[Kind, tuple[float, float]] = {
    "idea": (0.0, 2 / 3),
    "form": (0.8, 1.0),
    "corner": (0.9, 1.0),
}
#: The greatest median share that the wrong ideas of a chapter may keep.
MEDIAN = 0.6
MOST_IDEAS = 3
_ROUNDING = 1e-9


def shares(task: Exercise) -> list[tuple[Misconception, float]]:
    """Return the share of points that each recorded mistake keeps on the visible draws."""
    return [(each, grade(task, each.answer).score / task.points) for each in task.misconceptions]


def out_of_bounds(mistake: Misconception, kept: float) -> str:
    """Report that a mistake's share is outside the bounds of its kind; empty if it is within."""
    least, most = BOUNDS[mistake.kind]
    if least - _ROUNDING <= kept <= most + _ROUNDING:
        return ""
    bound = f"at most {most:.0%}" if kept > most else f"at least {least:.0%}"
    return (
        f"misconception {mistake.name!r} keeps {kept:.0%}; expected {bound} for its {mistake.kind}"
    )


def undeclared(task: Exercise) -> Iterator[str]:
    """Yield the problems with the ideas that an exercise declares."""
    if not 1 <= len(task.ideas) <= MOST_IDEAS:
        yield f"its requirements name {len(task.ideas)} ideas; expected 1 to {MOST_IDEAS}"
    if all(each.kind != "idea" for each in task.misconceptions):
        yield "none of its misconceptions is a wrong idea"


def table(chapters: Iterable[tuple[str, Sequence[Task]]]) -> tuple[str, list[str]]:
    """Return the shares of each kind of mistake by chapter as Markdown, and those out of bounds.

    Args:
        chapters: numbers of chapters, with their tasks.
    """
    lines = ["| chapter | a wrong idea keeps | a form | a corner |", "|---|---|---|---|"]
    problems, every = list[str](), list[tuple[Misconception, float]]()
    for number, tasks in chapters:
        kept = list[tuple[Misconception, float]]()
        for task in (each for each in tasks if isinstance(each, Exercise)):
            found = shares(task)
            said = [*undeclared(task), *filter(None, (out_of_bounds(*each) for each in found))]
            problems += [f"{task.id}: {each}" for each in said]
            kept += found
        ideas = [share for mistake, share in kept if mistake.kind == "idea"]
        if ideas and (middle := median(ideas)) > MEDIAN:
            problems.append(f"chapter {number}: wrong ideas keep {middle:.0%} in the median")
        if kept:
            lines.append(_row(number, kept))
        every += kept
    return "\n".join([*lines, _row("all", every)]), problems


def _row(title: str, kept: list[tuple[Misconception, float]]) -> str:
    return f"| {title} | {' | '.join(_cell(kind, kept) for kind in BOUNDS)} |"


def _cell(kind: Kind, kept: list[tuple[Misconception, float]]) -> str:
    """Write the median and the extremes of the shares for a kind of mistake."""
    found = [share for mistake, share in kept if mistake.kind == kind]
    if not found:
        return "none"
    return f"{median(found):.0%} ({min(found):.0%} to {max(found):.0%}; {len(found)} mistakes)"

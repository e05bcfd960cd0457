"""Grade a project: call what the student wrote once, and measure what came of it."""

from typing import Any

from plaincourse.checking.calling import call
from plaincourse.checking.mistake import complaint
from plaincourse.exercise import Project, Worth
from plaincourse.exercise.report import NOT_YET, Line, Report

VISIBLE = 0


def grade_project(project: Project, answer: Any, seed: int | None) -> Report:
    """Grade a project.

    Args:
        project: what is asked.
        answer: a function.
        seed: of the inputs and of all that is measured; when left out, the one that all may see.
    """
    number = seed or VISIBLE
    outcome = call(project, answer, project.inputs(number))
    if outcome.slow:
        limit = f"Your function did not come back within {project.seconds:g} seconds."
        return nothing(project, "It took too long.", limit)
    if type(outcome.error) is NotImplementedError:
        return nothing(
            project, NOT_YET, "Replace the `raise NotImplementedError()` line by your own."
        )
    if outcome.error is not None:
        said = complaint(outcome.error, answer)
        return nothing(project, "Your function raised an error.", said)
    return _reported(project, project.assess(number, outcome.value))


def nothing(project: Project, headline: str, why: str) -> Report:
    """Report that a project earns no points.

    Args:
        project: which.
        headline: what happened.
        why: in a sentence.
    """
    worth = Worth(earned={}, said=(why,))
    return _reported(project, worth, headline=headline)


def _reported(project: Project, worth: Worth, *, headline: str = "") -> Report:
    rungs = tuple(
        Line(name=name, points=points, earned=min(points, max(0.0, worth.earned.get(name, 0.0))))
        for name, points in project.parts
    )
    score = round(sum(rung.earned for rung in rungs), 6)
    measured = "; ".join(f"{name} {value:g}" for name, value in worth.facts.items())
    full = "It was measured." if worth.facts else "Nothing could be measured."
    return Report(
        id=project.id,
        title=project.title,
        score=score,
        points=project.points,
        headline=headline or full,
        diagnosis=(*worth.said, *((f"Measured: {measured}.",) if measured else ())),
        rungs=rungs,
        hints=project.hints,
        facts=worth.facts,
    )

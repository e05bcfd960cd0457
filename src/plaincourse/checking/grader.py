"""Grade an answer to a task, and infer the author's misconception."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from plaincourse.checking.calling import Outcome, call, half_the_time
from plaincourse.checking.diagnose import Finding, match
from plaincourse.checking.drawing import VISIBLE
from plaincourse.checking.effects import ALSO, PASSES_BY, READY_MADE, UNSEEN
from plaincourse.checking.forbidden import find
from plaincourse.checking.in_words import other_kind, show, show_both, show_input
from plaincourse.checking.limits import captured, clean_state
from plaincourse.checking.mistake import complaint, in_example, unfit, unquoted
from plaincourse.checking.questions import grade_question, still
from plaincourse.checking.trials import (
    NOT_TRIED,
    Failure,
    Trial,
    draw,
    failures,
    gives_the_right,
    run,
    written_into,
)
from plaincourse.checking.untouched import LEFT_ALONE
from plaincourse.checking.untouched import hints as hints_of_copies
from plaincourse.exercise import Essay, Exercise, Project, Question, Task, totals
from plaincourse.exercise.bank import load
from plaincourse.exercise.hints import remember
from plaincourse.exercise.report import LEGEND, NO_ANSWER, NOT_YET, Example, Line, Report

#: Called with each new report.
watchers: list[Callable[[Report], None]] = []
#: Growth in bytes from which a report mentions memory.
_MUCH = 1 << 28
#: Seconds that all calls of a check share, unless nbgrader_config.py sets another time.
_USUAL = 60.0
#: The width, in columns, of the smallest failing input.
_COLUMNS = 76
_RAISES = "Replace the `raise NotImplementedError()` line by your own."


def grade(task: Task | str, answer: Any, *, seed: int | None = None) -> Report:
    """Grade an answer. See :func:`plaincourse.check`.

    Raises:
        LookupError: there is no such task.
        TypeError: the task is graded by a person.
    """
    task = load(task) if isinstance(task, str) else task
    if isinstance(task, Essay):
        raise TypeError(f"{task.id} is answered in words and graded by a person; nothing to check")
    with captured(), clean_state():
        if isinstance(task, Question):
            report = grade_question(task, answer)
        elif isinstance(task, Project):
            report = _refused(task, answer) or _measured(task, answer, seed or VISIBLE)
        else:
            report = _refused(task, answer) or _graded(task, answer, draw(task, seed))
    remember(task, report)
    totals.remember(report)
    for watch in watchers:
        watch(report)
    return report


def points(exercise: Exercise, answer: Any, *, seed: int | None = None) -> float:
    """Return the points of an answer, without the search for a mistake, which takes longest.

    Args:
        exercise: the exercise.
        answer: the answer.
        seed: seed of hidden draws, which are tried in addition to the visible ones; ``None`` for
            visible draws only.
    """
    with captured(), clean_state():
        report = _refused(exercise, answer)
        return (report or _graded(exercise, answer, draw(exercise, seed), explain=False)).score


def _refused(exercise: Exercise | Project, answer: Any) -> Report | None:
    """Report an answer that cannot be called, or that uses a forbidden name."""
    slug = exercise.id.partition(".")[2]
    if answer is None or answer is ...:
        return _nothing(exercise, NOT_YET, still(answer))
    if not callable(answer):
        what = f"`{slug}` is {show(answer)}, of type {type(answer).__name__}."
        should = "It should be a function or class."
        said = _nothing(exercise, "This cannot be called.", f"{what} {should}")
        return replace(said, instead=should)
    name = find(answer, exercise.forbid)
    if name:
        return _nothing(exercise, f"`{name}` is not allowed here.", _named(name))
    return None


def _named(name: str) -> str:
    """Explain why a name is not allowed in an answer: it is forbidden, or it bypasses the watch."""
    if name in PASSES_BY:
        return (
            f"Your code names or holds `{name}`, by which PyTorch runs operations that the check "
            "cannot see. Take it out, even if the line does not run: no answer needs it."
        )
    others = [f"`{each}`" for each in ALSO.get(name, ())]
    also = f", by this name or another one ({', '.join(others)})" if others else ""
    return (
        f"This task is to be solved without `{name}`, and your code names it{also}, even if the "
        "line does not run. Find another way; a comparison of your own belongs in another cell."
    )


def _graded(
    exercise: Exercise, answer: Any, trials: list[Trial], *, explain: bool = True
) -> Report:
    with half_the_time(answer) as together:
        exercise = _patient(exercise, together)
        begun = min(trials, key=lambda trial: trial.turn)
        outcomes = run(exercise, answer, [begun])
        if type(outcomes[0].error) is NotImplementedError and begun.expected.error is None:
            return _nothing(exercise, NOT_YET, _RAISES)
        if begun is not trials[0]:  # in a grader, which remembers outcomes
            outcomes = run(exercise, answer, trials)
        elif not outcomes[0].slow:
            outcomes += run(exercise, answer, trials[1:])
    used = next((each.used for each in outcomes if each.used), "")
    if used:
        return _ran(exercise, used)
    failed = failures(exercise, answer, trials, outcomes)
    lost = {failure.trial.rung.name for failure in failed}
    shown = [each for each in failed if each.trial.visible]
    wrote = {each.trial.rung.name for each in shown if each.kind == "input"}
    rungs = tuple(
        Line(
            name=rung.name,
            points=rung.points,
            earned=0.0 if rung.name in lost else rung.points,
            rule=LEFT_ALONE if rung.name in wrote else "",
            idea=rung.idea,
        )
        for rung in exercise.rungs
    )
    score = round(sum(rung.earned for rung in rungs), 6)
    if not failed:
        return Report(
            id=exercise.id, title=exercise.title, score=score, points=exercise.points,
            headline="All requirements are met.", rungs=rungs,
        )  # fmt: skip
    finding = _explained(exercise, trials, outcomes, failed) if explain else None
    grown = max(each.grown for each in outcomes)
    failed = [_timed(each, exercise, together, grown) for each in failed]
    tried = [each for each in failed if each.why != NOT_TRIED]
    if finding and any(each.kind != "input" for each in shown):  # the finding explains an output
        tried = [each for each in tried if each.kind != "input"]
    example, least = _example(exercise, tried, finding)
    slow = any(each.slow for each in outcomes)
    first = shown[0] if shown and not slow else tried[0]
    diagnosis, instead = _diagnosis(exercise, answer, finding, first, least)
    aimed = finding.misconception.hints if finding else _hints_of_form(first)
    return Report(
        id=exercise.id,
        title=exercise.title,
        score=score,
        points=exercise.points,
        headline=_headline(rungs),
        diagnosis=diagnosis,
        rungs=rungs,
        matched=finding.misconception.name if finding else None,
        example=example,
        hints=aimed or exercise.hints,
        aimed=bool(aimed),
        instead=instead,
        stopped=slow,
        legend=LEGEND,
    )


def _hints_of_form(failure: Failure) -> tuple[str, ...]:
    """Return the hints for an answer with the right output that writes into its arguments."""
    if failure.kind != "input" or not failure.trial.visible:
        return ()
    return hints_of_copies(written_into(failure.trial, failure.outcome), failure.trial.inputs)


def _explained(
    exercise: Exercise, trials: list[Trial], outcomes: list[Outcome], failed: list[Failure]
) -> Finding | None:
    """Return the mistake that explains the failures on visible inputs, independent of hidden ones.

    Otherwise an answer could reveal a hidden input by its mistakes and by their number.
    """
    seen = [(t, o) for t, o in zip(trials, outcomes, strict=False) if t.visible]
    shown = [each for each in failed if each.trial.visible]
    if not shown or any(each.slow for each in outcomes):
        return None
    return match(exercise, [t for t, _ in seen], [o for _, o in seen], shown)


def _patient(exercise: Exercise, together: float) -> Exercise:
    """Let each call take longer if all calls of a check may, as on a slow or busy machine."""
    if not _USUAL < together < math.inf:
        return exercise
    return replace(exercise, seconds=exercise.seconds * together / _USUAL)


def _measured(project: Project, answer: Any, seed: int) -> Report:
    """Call the student's function once, and measure its return value."""
    outcome = call(project, answer, project.inputs(seed))
    if outcome.slow:
        limit = f"Your function did not come back within {project.seconds:g} seconds."
        return _nothing(project, "It took too long.", limit)
    if type(outcome.error) is NotImplementedError:
        return _nothing(project, NOT_YET, _RAISES)
    if outcome.error is not None:
        said = complaint(outcome.error, answer)
        return _nothing(project, "Your function raised an error.", said)
    worth = project.assess(seed, outcome.value)
    rungs = tuple(
        Line(name=name, points=points, earned=min(points, max(0.0, worth.earned.get(name, 0.0))))
        for name, points in project.parts
    )
    measured = "; ".join(f"{name} {value:g}" for name, value in worth.facts.items())
    return Report(
        id=project.id,
        title=project.title,
        score=round(sum(rung.earned for rung in rungs), 6),
        points=project.points,
        headline="It was measured." if measured else "Nothing could be measured.",
        diagnosis=(*worth.said, *((f"Measured: {measured}.",) if measured else ())),
        rungs=rungs,
        hints=project.hints,
        facts=worth.facts,
    )


def _ran(exercise: Exercise, name: str) -> Report:
    """Report an answer that was observed to run a forbidden operation, under any name."""
    if name.startswith(READY_MADE):
        library = f"`{name.removeprefix(READY_MADE)}`"
        why = f"While your answer ran, {READY_MADE}{library} did a part of its work."
        should = "This task is yours to solve: write that part yourself."
        return _nothing(exercise, f"{library} is not allowed here.", f"{why} {should}")
    if name == UNSEEN:
        why = "Your code switches off or changes the watch over the operations of an answer."
        should = "This task forbids some of them, so the watch must stay on: take that out."
        return _nothing(
            exercise, "What the check cannot see is not allowed here.", f"{why} {should}"
        )
    why = f"While your answer ran, `{name}` was used, by this name or another one."
    should = f"This task is to be solved without `{name}`. Find another way."
    return _nothing(exercise, f"`{name}` is not allowed here.", f"{why} {should}")


def _headline(rungs: tuple[Line, ...]) -> str:
    met = sum(rung.met for rung in rungs)
    if not met:
        return "No requirement is met yet."
    return f"{met} of {len(rungs)} requirements {'is' if met == 1 else 'are'} met."


def _diagnosis(
    exercise: Exercise, answer: Any, finding: Finding | None, first: Failure, shown: Failure | None
) -> tuple[tuple[str, ...], str]:
    """Return the diagnosis and, if it quotes the answer, a version without the quotation."""
    if finding:
        words = finding.before, finding.says, finding.besides
        return tuple(each for each in words if each), ""
    if shown is None and first.kind == "slow":
        end = "" if first.why.endswith("?") else "."
        why = f"{_capital(first.why)}{end}"
        return (f"Failed: “{first.rule}”. {why}",), ""
    if shown is None:
        return (
            "Your answer passes on the inputs that you can see and fails on fresh ones of the same "
            f"kind. The first requirement that breaks: {first.trial.rung.name}.",
        ), ""
    directly = exercise.call is Exercise.call  # else the inputs are not the answer's arguments
    inputs = dict(shown.trial.inputs)
    wrong = unfit(answer, inputs) if directly and shown.kind == "error" else None
    called = f"your function has other parameters than it is called with: ({', '.join(inputs)})"
    said, instead = (
        f"Failed: “{shown.rule}”. {_capital(why)}{'' if why.endswith(('.', '?')) else '.'}"
        for why in (wrong or shown.why, called if wrong else _unquoted(shown))
    )
    return (said,), instead


def _capital(said: str) -> str:
    """Capitalise a sentence, unless its first word is a name in code, such as nn.Linear."""
    first = said.split(" ", 1)[0]
    return said if re.search(r"\w[._(]\w", first) else said[:1].upper() + said[1:]


def _unquoted(failure: Failure) -> str:
    """Explain a failed trial without quoting the answer, as a sentence without its full stop.

    Feedback shows this once hidden tests have run, because a quotation could then contain their
    inputs. The explanation reveals only the kind of the output, one of ten.
    """
    error, raises = failure.outcome.error, failure.trial.expected.error
    if failure.kind in ("slow", "input") or (failure.kind == "error" and error is None):
        return failure.why
    if failure.kind == "error" and error is not None:
        wanted = f". Expected {type(raises).__name__}" if raises is not None else ""
        return unquoted(error) + wanted
    if of_kind := other_kind(failure.trial.expected.value, failure.outcome.value):
        return of_kind
    if failure.kind == "law":
        return "your output breaks a rule that every right output keeps"
    return "your output is another than expected"


def _example(
    exercise: Exercise, failed: list[Failure], finding: Finding | None
) -> tuple[Example | None, Failure | None]:
    """Return the smallest failing input that a student may see, preferably an explained one."""
    if finding:
        here, shown = set(map(id, finding.where)), finding.misconception.shown
        failed = [f for f in failed if f.trial.visible and id(f.trial) in here] or failed
        if shown is not None:
            failed = [f for f in failed if f.trial.expected.value == shown] or failed
    seen = [failure for failure in failed if failure.trial.visible and failure.kind != "slow"]
    seen = seen or [failure for failure in failed if failure.trial.visible]
    if not seen:
        return None, None
    rung = seen[0].trial.rung
    least = min((f for f in seen if f.trial.rung is rung), key=lambda f: f.trial.size)
    outcome, expected = least.outcome, least.trial.expected
    wanted, got = show_both(expected.value, outcome.value, width=_COLUMNS)
    if expected.error:
        wanted = f"raises {type(expected.error).__name__}"
    if least.kind == "input":
        names = " and ".join(f"`{x}`" for x in written_into(least.trial, outcome))
        right = "the output is right, and " if gives_the_right(exercise, least) else ""
        wanted, got = LEFT_ALONE, f"{right}{names} changed"
    if outcome.slow:
        got = NO_ANSWER
    elif outcome.error is not None:
        got = in_example(outcome.error)
    return Example(
        inputs=tuple(
            (name, show_input(x, width=_COLUMNS, exactly=least.trial.rung.dtype))
            for name, x in exercise.shown(least.trial.inputs).items()
        ),
        expected=wanted,
        got=got,
        printed=outcome.printed,
    ), least


def _timed(failure: Failure, exercise: Exercise, together: float, grown: int) -> Failure:
    """Add both limits to the message for an answer that was stopped, since either may apply.

    Filling memory takes time, so an answer that never stops filling it is often stopped by the time
    limit. The amount of memory is not stated, because an answer could encode a hidden input in it.
    """
    if not (failure.outcome.slow and math.isfinite(together)):
        return failure
    why = "your function was too slow and was stopped: one call"
    if grown >= _MUCH:
        why = (
            "your function took more and more memory, and time with it, until it was stopped. One "
            "call"
        )
    return replace(
        failure,
        why=f"{why} may take {exercise.seconds:g} seconds, and all calls of a check together "
        f"{together:g}. What was not reached gives no points",
    )


def _nothing(exercise: Exercise | Project, headline: str, why: str) -> Report:
    rungs = tuple(Line(name=name, points=points, earned=0.0) for name, points in exercise.parts)
    return Report(
        id=exercise.id, title=exercise.title, score=0.0, points=exercise.points,
        headline=headline, diagnosis=(why,), rungs=rungs, hints=exercise.hints,
    )  # fmt: skip

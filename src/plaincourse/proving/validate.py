"""Find problems in the data of a task."""

from collections import Counter
from collections.abc import Iterator

from plaincourse.checking import memory
from plaincourse.checking.forbidden import find
from plaincourse.checking.grader import grade
from plaincourse.checking.noticing import held
from plaincourse.checking.trials import Trial, draw, failures, run
from plaincourse.exercise import Essay, Exercise, Project, Question, Task
from plaincourse.exercise.report import NOT_YET
from plaincourse.proving.shares import out_of_bounds
from plaincourse.proving.styles import styled

LEAST_MISCONCEPTIONS = 6
LEAST_ALTERNATIVES = 2


def validate(
    task: Task,
    *,
    seed: int | None = None,
    styles: bool = False,
    anew: bool = False,
    variants: bool = True,
) -> list[str]:
    """Return the problems of a task, each in a sentence; an empty list if there are none.

    For a coding exercise, the reference and the alternatives must earn all points on the visible
    draws and on those of ``seed``, and the stub none. Each misconception, and each of its variants,
    must lose points, differ from every other, and be reported under its own name.

    Args:
        task: the task.
        seed: the seed of hidden draws, which are tried in addition to the visible ones; by default
            only the visible ones are tried.
        styles: whether each mistake is also tried in other styles
            (:mod:`plaincourse.proving.styles`), which takes several times as long.
        anew: whether a mistake is called once as a suspect and again as an answer, which takes
            twice as long, but detects a mistake that keeps state between calls.
        variants: whether the variants of mistakes are tried, too.
    """
    if isinstance(task, Essay):
        return [] if task.rubric and task.points > 0 else [f"{task.id}: the rubric is empty"]
    if isinstance(task, Project):  # its measurements have their own tests
        return [] if task.parts and task.hints else [f"{task.id}: it has no parts, or no hints"]
    problems = [*_names(task), *_ladders(task)]
    with memory.kept(answers=True), held():
        if isinstance(task, Question):
            problems += _question(task)
        else:
            problems += _exercise(task, seed, styles=styles, anew=anew, variants=variants)
    return [f"{task.id}: {problem}" for problem in problems]


def _names(task: Exercise | Question) -> Iterator[str]:
    for what in (task.misconceptions, task.alternatives):
        for name, times in Counter(each.name for each in what).items():
            if times > 1:
                yield f"{times} of its {type(what[0]).__name__.lower()}s are called {name!r}"
    if isinstance(task, Exercise):
        for name, times in Counter(rung.name for rung in task.rungs).items():
            if times > 1:
                yield f"{times} of its rungs are called {name!r}"


def _ladders(task: Exercise | Question) -> Iterator[str]:
    if not task.hints:
        yield "it has no general hints"
    for each in task.misconceptions:
        if not (each.says and each.hints and each.believed):
            yield f"misconception {each.name!r} lacks what it says, its hints or what was believed"


def _question(question: Question) -> Iterator[str]:
    for answer in (question.answer, *(each.answer for each in question.alternatives)):
        if grade(question, answer).score != question.points:
            yield f"the right answer {answer!r} does not earn all points"
    for each in question.misconceptions:
        for answer in each.ways.values():
            report = grade(question, answer)
            if report.score == question.points or report.matched != each.name:
                yield f"{answer!r} earns {report.score:g} and is taken for {report.matched!r}"
    wrong = [each.answer for each in question.misconceptions]
    for letter in question.options:
        if letter not in (question.answer, *wrong):
            yield f"option {letter} has no misconception, so it cannot be explained"
    if not question.misconceptions:
        yield "it has no misconceptions"
    if question.parts:
        taken = {place for places in question.parts.values() for place in places}
        if taken != set(range(len(question.answer))):
            yield f"its parts take the numbers {sorted(taken)} of {len(question.answer)}"
    if question.letters and len(question.letters) != len(question.answer):
        yield f"it has {len(question.letters)} letters for {len(question.answer)} numbers"


def _exercise(
    exercise: Exercise, seed: int | None, *, styles: bool, anew: bool, variants: bool
) -> Iterator[str]:
    if len(exercise.misconceptions) < LEAST_MISCONCEPTIONS:
        yield f"{len(exercise.misconceptions)} misconceptions; at least {LEAST_MISCONCEPTIONS}"
    if len(exercise.alternatives) < LEAST_ALTERNATIVES:
        yield f"{len(exercise.alternatives)} alternatives; at least {LEAST_ALTERNATIVES}"
    trials = draw(exercise, seed)
    yield from _right(exercise, trials, seed)
    if variants and not anew:
        _ask(exercise, [trial for trial in trials if trial.visible])
    yield from _wrong(exercise, seed)
    if variants:
        yield from _variants(exercise, seed)
    if styles:
        yield from _in_other_styles(exercise, seed)


def _ask(exercise: Exercise, trials: list[Trial]) -> None:
    """Run every mistake once, and keep its outcomes both as an answer's and as a suspect's."""
    for each in exercise.misconceptions:
        for key, way in each.ways.items():
            for trial, outcome in zip(trials, run(exercise, way, trials), strict=False):
                trial.wrong[key] = outcome


def _right(exercise: Exercise, trials: list[Trial], seed: int | None) -> Iterator[str]:
    outcomes = run(exercise, exercise.reference, trials)
    for failure in failures(exercise, exercise.reference, trials, outcomes):
        yield f"the reference fails {failure.trial.rung.name!r}: {failure.why}"
    for each in exercise.alternatives:
        report = grade(exercise, each.answer, seed=seed)
        if report.score != exercise.points:
            said = " ".join(report.diagnosis)
            earned = f"{report.score:g} of {report.points:g}"
            yield f"alternative {each.name!r} earns {earned}: {said}"
    report = grade(exercise, _stub, seed=seed)
    if report.score or report.headline != NOT_YET:
        yield f"the stub earns {report.score:g}: {report.headline}"


def _wrong(exercise: Exercise, seed: int | None) -> Iterator[str]:
    for each in exercise.misconceptions:
        if name := find(each.answer, exercise.forbid):
            yield f"misconception {each.name!r} uses {name!r}, which is forbidden: never diagnosed"
            continue
        report = grade(exercise, each.answer, seed=seed)
        if report.score == exercise.points:
            yield f"misconception {each.name!r} earns all points"
        elif report.matched != each.name or each.says not in report.diagnosis:
            yield f"misconception {each.name!r} is taken for {report.matched!r}"
        elif exercise.ideas and (said := out_of_bounds(each, report.score / report.points)):
            yield said
        if report.example is None:
            yield f"misconception {each.name!r} has no failing input that a student may see"


def _variants(exercise: Exercise, seed: int | None) -> Iterator[str]:
    for each in exercise.misconceptions:
        for variant in each.variants:
            report = grade(exercise, variant, seed=seed)
            if report.matched != each.name:
                yield f"a variant of {each.name!r} is taken for {report.matched!r}"


def _in_other_styles(exercise: Exercise, seed: int | None) -> Iterator[str]:
    """Yield the mistakes that are not named in a style in which the right answer passes."""
    right = {}
    for alternative in exercise.alternatives[:1]:
        for name, answer, style in styled(alternative.answer):
            memory.forget()  # the last answer; this one may have the same address in memory
            report = grade(exercise, answer, seed=seed)
            right[name] = report.score == exercise.points or (style.usual and report.matched)
    for each in exercise.misconceptions:
        for name, answer, style in styled(each.answer):
            if not right.get(name):
                continue
            memory.forget()
            found = grade(exercise, answer, seed=seed)
            lost = style.engaged and found.score < exercise.points
            if lost and found.matched not in (each.name, right[name]):
                yield f"misconception {each.name!r} {name} is taken for {found.matched!r}"


def _stub(*args: object, **kwargs: object) -> None:
    raise NotImplementedError

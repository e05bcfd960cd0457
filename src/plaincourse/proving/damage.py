"""Break submissions in every way that students break them."""

from collections.abc import Iterator

from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.proving.submissions import Class, Submission, grade_id, known

_UNDEFINED = "`{name}` is not defined."

#: Kinds of broken answers: the source, and the feedback that it must get.
BROKEN = {
    "an exception": (
        "def {name}(*args, **kwargs):\n    return nowhere_defined + 1",
        ("Your function raises `NameError`",),
    ),
    "an endless loop in the function": (
        "def {name}(*args, **kwargs):\n    while True:\n        pass",
        ("was too slow and was stopped",),
    ),
    "an endless loop in the cell": ("while True:\n    pass", (_UNDEFINED,)),
    "a syntax error": ("def {name}(:\n    return 0", (_UNDEFINED, "SyntaxError")),
    "an exit": (
        "def {name}(*args, **kwargs):\n    raise SystemExit(3)",
        ("Your function ends the program",),
    ),
}
_NOISY = """

import functools, logging, sys, warnings
_quiet_{name} = {name}
logging.basicConfig(stream=sys.stderr, force=True)

@functools.wraps(_quiet_{name})
def {name}(*args, **kwargs):
    warnings.warn("noise")
    logging.warning("noise")
    print("noise", file=sys.stderr)
    return _quiet_{name}(*args, **kwargs)
"""


def broken(students: Class) -> Iterator[Submission]:
    """Yield submissions with each kind of damage once, in different exercises of the notebook."""
    exercises = [each for each in students.graded if isinstance(each.task, Exercise)]
    kinds = list(BROKEN.values())
    for start in range(0, len(kinds), len(exercises)):
        answers, scores, says = {}, {}, {}
        for each, (source, said) in zip(exercises, kinds[start:], strict=False):
            answers[each.cell] = source.format(name=each.name)
            scores[each.cell] = 0.0
            says[each.cell] = tuple(line.format(name=each.name) for line in said)
        yield students.hand_in(f"broken-{start}", answers, scores, says=says)


def tampered(students: Class) -> Iterator[Submission]:
    """Yield submissions with deleted tests, an edited test, and a `check` of the student's own."""
    first, last = students.graded[0], students.graded[-1]
    wrong = {first.cell: known(first, "misconceptions", 0)}
    answer = first.task.misconceptions[0].answer
    loses = {first.cell: grade(first.task, answer, seed=first.seed).score}
    restored = {each.cell: (f"The cell {each.cell} was missing",) for each in (first, last)}

    deleted = students.hand_in("deleted", wrong, loses, says=restored)
    kept = [cell for cell in deleted.notebook.cells if grade_id(cell) not in restored]
    deleted.notebook.cells = kept
    yield deleted

    edited = students.hand_in("edited", wrong, loses)
    for cell in edited.notebook.cells:
        if grade_id(cell) == first.cell:
            cell.source = str(students.full[first.cell])
    yield edited

    shadow = f"{students.own(last)}\ncheck = lambda *args, **kwargs: None"
    yield students.hand_in("shadowed", {last.cell: shadow}, {})  # the judge uses its own `check`


def noisy(students: Class) -> Submission:
    """Return right answers that write to stderr through a warning, a logger and a print."""
    loud = {
        each.cell: students.own(each) + _NOISY.format(name=each.name)
        for each in students.graded
        if students.own(each).lstrip().startswith("def ")
    }
    return students.hand_in("noisy", loud, {})

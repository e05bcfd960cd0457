"""Submit mutants as students would, so that nbgrader's own commands grade them too."""

from collections import Counter
from collections.abc import Iterator, Sequence

from nbformat import NotebookNode

from plaincourse.exercise import Exercise
from plaincourse.proving.mutants.answers import Answer, answers
from plaincourse.proving.mutants.mutate import Mutant, mutants
from plaincourse.proving.mutants.proof import Result, run
from plaincourse.proving.submissions import Class, Submission


def submissions(students: Class, solution: NotebookNode, *, each: int = 5) -> Iterator[Submission]:
    """Yield submissions that each have one mutant of every solution.

    They expect exactly the scores of direct grading, and the text of the misconception that it
    matched.

    Args:
        students: the class that submits them.
        solution: the notebook from ``solutions/``.
        each: the number of mutants of each solution; they are chosen to cover the operators.
    """
    used: Counter[str] = Counter()
    columns = [_graded(answer, each, used) for answer in answers(solution) if not answer.label]
    for number in range(each):
        row = [column[number] for column in columns if number < len(column)]
        yield students.hand_in(
            f"mutant-{number}",
            {result.cell: result.mutant.source for _, result in row},
            {result.cell: result.score for _, result in row},
            says={result.cell: _says(answer, result) for answer, result in row},
        )


def _graded(answer: Answer, number: int, used: Counter[str]) -> list[tuple[Answer, Result]]:
    chosen = choose(answer, mutants(answer.source), number, used)
    # A mutant that hangs would block a kernel until its time limit, and prove nothing more.
    return [(answer, result) for result in run(answer, chosen) if result.fate != "no answer"]


def choose(
    answer: Answer, known: Sequence[Mutant], number: int, used: Counter[str]
) -> list[Mutant]:
    """Choose mutants by the least used operators; one of them is a declared equivalent.

    Args:
        answer: the right answer.
        known: its mutants.
        number: the number of mutants to choose.
        used: how often each operator was chosen; updated in place.
    """
    declared = answer.task.equivalents if isinstance(answer.task, Exercise) else {}
    chosen = [each for each in known if each.name in declared][:1]
    used.update(each.operator for each in chosen)
    rest = [each for each in known if each.name not in declared]
    while rest and len(chosen) < number:
        least = min(rest, key=lambda each: used[each.operator])
        rest.remove(least)
        chosen.append(least)
        used[least.operator] += 1
    return chosen


def _says(answer: Answer, result: Result) -> tuple[str, ...]:
    known = {each.name: each.says for each in answer.task.misconceptions}
    return (known[result.matched],) if result.matched else ()

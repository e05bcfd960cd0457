"""Prove that a grader notices every small change to a right answer."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from nbformat import NotebookNode

from plaincourse.exercise import Exercise, Question
from plaincourse.proving.mutants.answers import Answer, answers
from plaincourse.proving.mutants.mutate import Mutant, mutants
from plaincourse.proving.mutants.run import BROKEN, Result, run


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What came of all mutants of a task.

    Attributes:
        task: the task.
        results: one for each mutant that was graded, in order.
        left_out: the names of those that were not, where a sample was asked for.
    """

    task: Exercise | Question
    results: tuple[Result, ...]
    left_out: frozenset[str] = frozenset()

    @property
    def survivors(self) -> tuple[str, ...]:
        """The names of the mutants that earned all points."""
        return tuple(each.mutant.name for each in self.results if each.fate == "survived")

    @property
    def equivalents(self) -> dict[str, str]:
        """The names that the task declares to be no mistakes, and why."""
        return dict(self.task.equivalents) if isinstance(self.task, Exercise) else {}

    def problems(self) -> list[str]:
        """Return what is wrong, each in a sentence; an empty list if nothing is."""
        return [f"{self.task.id}: {problem}" for problem in self._problems()]

    def _problems(self) -> Iterator[str]:
        by_name = {each.mutant.name: each for each in self.results}
        for name in self.survivors:
            if name not in self.equivalents:
                yield (
                    f"mutant {name!r} earns all points; draw inputs that tell it from the right "
                    "answer, or declare it in `equivalents` with the reason"
                )
        for result in self.results:
            if result.why.startswith(BROKEN):
                yield f"mutant {result.mutant.name!r}: {result.why}; a student would see that"
        for name, reason in self.equivalents.items():
            if name in self.left_out:
                continue
            if name not in by_name:
                yield f"{name!r} is declared equivalent, but no mutant has that name; remove it"
            elif by_name[name].fate != "survived":
                lost = ", ".join(by_name[name].lost) or by_name[name].why
                yield f"{name!r} is declared equivalent, but it loses points ({lost}); remove it"
            elif not reason.strip():
                yield f"{name!r} is declared equivalent without a reason; say why"

    def table(self) -> str:
        """Return what each mutant scores, where it failed first, and what it was taken for."""
        fates = Counter(each.fate for each in self.results)
        known = sum(name in self.equivalents for name in self.survivors)
        said = [f"{fates['killed']} killed", f"{fates['no answer']} gave no answer"]
        said += [f"{known} equivalent", f"{fates['survived'] - known} survived"]
        lines = [f"{self.task.id}  {len(self.results)} mutants: {', '.join(said)}"]
        lines += [self._row(each) for each in self.results]
        lines += _counted("first failed at", [(r.lost or (r.why,))[0] for r in self.results])
        lines += _counted("taken for", [r.matched or "" for r in self.results])
        return "\n".join(lines)

    def _row(self, result: Result) -> str:
        name = result.mutant.name
        if result.fate == "survived":
            why = self.equivalents.get(name)
            end = f"EQUIVALENT: {why}" if why else "SURVIVED"
        elif result.fate == "no answer":
            end = f"no answer: {result.why}"
        else:
            end = f"{'; '.join(result.lost[:1])}"
            end += f" [{result.matched}]" if result.matched else ""
        return f"  {result.score:5.2f}  {name}  →  {end}"


def prove(
    solution: NotebookNode, *, cells: tuple[str, ...] = (), sample: bool = False
) -> list[Proof]:
    """Grade the mutants of all right answers of a solution notebook.

    Args:
        solution: a notebook from ``solutions/``.
        cells: only these graded cells; all if empty.
        sample: grade one mutant of each operator for each task, the same ones each time, and
            leave out the others: about a fifth of the time.
    """
    found = [each for each in answers(solution) if not cells or each.cell in cells]
    proofs = []
    for _, same in groupby(found, key=lambda each: each.cell):
        group = [*_distinct(list(same))]
        every = [mutant for _, changed in group for mutant in changed]
        chosen = _one_of_each_operator(every) if sample else every
        results = [r for a, changed in group for r in run(a, [m for m in changed if m in chosen])]
        left_out = frozenset(m.name for m in every) - {m.name for m in chosen}
        proofs.append(Proof(task=group[0][0].task, results=tuple(results), left_out=left_out))
    return proofs


def _one_of_each_operator(every: list[Mutant]) -> list[Mutant]:
    """Return those whose digest comes first: any one, but the same one each time."""
    first: dict[str, Mutant] = {}
    for mutant in sorted(every, key=lambda each: each.code):
        first.setdefault(mutant.operator, mutant)
    return list(first.values())


def _distinct(group: list[Answer]) -> Iterator[tuple[Answer, list[Mutant]]]:
    """Yield the mutants of each right answer to a task, those left out that came before."""
    seen = set[str]()
    for answer in group:
        new = [each for each in mutants(answer.source, label=answer.label) if each.code not in seen]
        seen.update(each.code for each in new)
        yield answer, new


def _counted(what: str, names: list[str]) -> list[str]:
    counts = Counter(name for name in names if name)
    return [f"  {times:4d} {what} “{name}”" for name, times in counts.most_common()]

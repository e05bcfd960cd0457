"""Prove that a grader notices every small change to a right answer.

Mutants are graded in forked processes, so that they can neither hang nor harm the caller.
"""

import contextlib
import json
import os
import signal
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import torch
from nbformat import NotebookNode

from plaincourse.checking import memory
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise, Question
from plaincourse.kernels.listening import readable
from plaincourse.proving.mutants.answers import Answer, answers
from plaincourse.proving.mutants.mutate import Mutant, mutants

Fate = Literal["killed", "survived", "no answer"]

#: The number of operators with a mutant in a sample.
OPERATORS = 3
#: The CPU time in seconds of one mutant, and the seconds without output that count as a hang.
SECONDS = 10
SILENCE = 60.0

#: The beginning of a result's ``why`` if the checker failed, not the answer.
BROKEN = "the check itself failed"


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of a mutant.

    Attributes:
        mutant: the changed answer.
        cell: the grade id of the cell that checks it.
        fate: *killed* if it lost points; *survived* if it got all; *no answer* if it could not be
            defined, hung or ended the process.
        score: the points that it got.
        lost: the requirements that it did not meet, in order.
        matched: the misconception that it matched.
        why: why it has no answer.
    """

    mutant: Mutant
    cell: str
    fate: Fate
    score: float = 0.0
    lost: tuple[str, ...] = ()
    matched: str | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The results of all mutants of a task.

    Attributes:
        task: the task.
        results: one for each graded mutant, in order.
        left_out: the mutants that were not graded, if only a sample is used.
    """

    task: Exercise | Question
    results: tuple[Result, ...]
    left_out: tuple[Mutant, ...] = ()

    @property
    def survivors(self) -> tuple[str, ...]:
        """The names of the mutants that earned all points."""
        return tuple(each.mutant.name for each in self.results if each.fate == "survived")

    @property
    def equivalents(self) -> dict[str, str]:
        """The names of the mutants that the task declares to be equivalent, and why."""
        return dict(self.task.equivalents) if isinstance(self.task, Exercise) else {}

    def problems(self) -> list[str]:
        """Return the problems, each in a sentence; an empty list without problems."""
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
        left_out = {each.name for each in self.left_out}
        for name, reason in self.equivalents.items():
            if name in left_out:
                continue
            if name not in by_name:
                yield f"{name!r} is declared equivalent, but no mutant has that name; remove it"
            elif by_name[name].fate != "survived":
                lost = ", ".join(by_name[name].lost) or by_name[name].why
                yield f"{name!r} is declared equivalent, but it loses points ({lost}); remove it"
            elif not reason.strip():
                yield f"{name!r} is declared equivalent without a reason; say why"

    def table(self) -> str:
        """Return each mutant's score, first failed requirement, and matched misconception."""
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
        sample: for each task, grade only one mutant of each of three operators, the same ones each
            time, in about a twentieth of the time.
    """
    found = [each for each in answers(solution) if not cells or each.cell in cells]
    proofs = []
    for _, same in groupby(found, key=lambda each: each.cell):
        group = [*_distinct(list(same))]
        every = [mutant for _, changed in group for mutant in changed]
        chosen = _one_each_of_some_operators(every) if sample else every
        results = [r for a, changed in group for r in run(a, [m for m in changed if m in chosen])]
        left_out = tuple(mutant for mutant in every if mutant not in chosen)
        proofs.append(Proof(task=group[0][0].task, results=tuple(results), left_out=left_out))
    return proofs


def run(answer: Answer, mutants: Sequence[Mutant], *, seconds: int = SECONDS) -> list[Result]:
    """Grade each mutant of an answer, in order.

    A child process grades them in turn; if a mutant ends the process, another child continues with
    the next mutant.

    Args:
        answer: the right answer.
        mutants: its changes.
        seconds: the limit on CPU time for each.

    Raises:
        RuntimeError: this system cannot fork.
    """
    if not hasattr(os, "fork"):
        raise RuntimeError("mutants are graded in forked processes; use Linux, macOS or WSL")
    found: list[Result] = []
    while len(found) < len(mutants):
        rest = mutants[len(found) :]
        told, why = _child(answer, rest, seconds)
        found += [_result(answer, *each) for each in zip(rest, told, strict=False)]
        if len(told) < len(rest):
            found.append(
                Result(mutant=rest[len(told)], cell=answer.cell, fate="no answer", why=why)
            )
    return found


def _one_each_of_some_operators(every: list[Mutant]) -> list[Mutant]:
    """Return the mutants with the smallest digests: arbitrary ones, but the same in each run."""
    first: dict[str, Mutant] = {}
    for mutant in sorted(every, key=lambda each: each.code):
        first.setdefault(mutant.operator, mutant)
    return list(first.values())[:OPERATORS]


def _distinct(group: list[Answer]) -> Iterator[tuple[Answer, list[Mutant]]]:
    """Yield the mutants of each right answer to a task, without those of earlier answers."""
    seen = set[str]()
    for answer in group:
        new = [each for each in mutants(answer.source, label=answer.label) if each.code not in seen]
        seen.update(each.code for each in new)
        yield answer, new


def _counted(what: str, names: list[str]) -> list[str]:
    counts = Counter(name for name in names if name)
    return [f"  {times:4d} {what} “{name}”" for name, times in counts.most_common()]


def _result(answer: Answer, mutant: Mutant, told: dict[str, Any]) -> Result:
    fate: Fate = "survived" if told["score"] == answer.task.points else "killed"
    if told["why"]:
        fate = "no answer"
    lost = tuple(told.pop("lost"))
    return Result(mutant=mutant, cell=answer.cell, fate=fate, lost=lost, **told)


def _child(
    answer: Answer, mutants: Sequence[Mutant], seconds: int
) -> tuple[list[dict[str, Any]], str]:
    """Fork a child that grades; return its results, and why it ended."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn about a fork with threads. The child runs no threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reading)
            with memory.kept():  # share the inputs and the misconceptions' outputs
                _grade_all(answer, mutants, seconds, writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    told, hung = _listen(reading)
    if hung:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [json.loads(line) for line in told], _why(status, hung, seconds)


def _listen(reading: int) -> tuple[list[bytes], bool]:
    """Read lines until the child closes its end, or writes nothing for too long."""
    heard = b""
    with open(reading, "rb", buffering=0) as pipe:
        while True:
            if not readable(reading, SILENCE):
                return heard.split(b"\n")[:-1], True
            part = pipe.read(65536)
            if not part:
                return heard.split(b"\n")[:-1], False
            heard += part


def _why(status: int, hung: bool, seconds: int) -> str:
    if hung:
        return f"it said nothing for {SILENCE:g} s"
    if status == -signal.SIGXCPU:
        return f"it took more than {seconds} s of CPU time"
    return f"it ended the process with {status}"


def _grade_all(answer: Answer, mutants: Sequence[Mutant], seconds: int, writing: int) -> None:
    import resource

    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    for mutant in mutants:
        used = resource.getrusage(resource.RUSAGE_SELF)
        until = int(used.ru_utime + used.ru_stime) + 1 + seconds
        resource.setrlimit(resource.RLIMIT_CPU, (until, hard))
        os.write(writing, json.dumps(_graded(answer, mutant)).encode() + b"\n")


def _graded(answer: Answer, mutant: Mutant) -> dict[str, Any]:
    failed: dict[str, Any] = {"score": 0.0, "lost": [], "matched": None}
    try:
        changed = answer.define(mutant.source)
    except (Exception, SystemExit) as error:
        return {**failed, "why": f"it cannot be defined: {type(error).__name__}: {error}"}
    try:
        report = grade(answer.task, changed, seed=answer.seed)
    except Exception as error:
        return {**failed, "why": f"{BROKEN}: {type(error).__name__}: {error}"}
    lost = [rung.name for rung in report.rungs if not rung.met]
    return {"score": report.score, "lost": lost, "matched": report.matched, "why": ""}

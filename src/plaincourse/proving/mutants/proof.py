"""Prove that a grader notices every small change to a right answer.

Mutants are graded in forked processes, so that none can hang or harm the one that asks.
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

#: Of how many operators a sample has a mutant.
OPERATORS = 3
#: How many seconds of CPU time one mutant may take, and how many seconds of silence are a hang.
SECONDS = 10
SILENCE = 60.0

#: What a result's ``why`` begins with when the checker broke, not the answer.
BROKEN = "the check itself failed"


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of a mutant.

    Attributes:
        mutant: the changed answer.
        cell: the grade id of the cell that checks it.
        fate: *killed*, it lost points; *survived*, it got all; *no answer*, it could not be
            defined, hung or ended the process.
        score: the points that it got.
        lost: the requirements that it did not meet, in order.
        matched: the misconception that it was taken for.
        why: what kept it from an answer.
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
    """What came of all mutants of a task.

    Attributes:
        task: the task.
        results: one for each mutant that was graded, in order.
        left_out: those that were not graded, where a sample was asked for.
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
        sample: grade a mutant of each of three operators for each task, the same ones each time,
            and leave out the others: about a twentieth of the time.
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

    One child grades one after the other; where one ends the child, the next child goes on behind
    it.

    Args:
        answer: the right answer.
        mutants: its changes.
        seconds: how much CPU time each may take.

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
    """Return those whose digests come first: any, but the same ones each time."""
    first: dict[str, Mutant] = {}
    for mutant in sorted(every, key=lambda each: each.code):
        first.setdefault(mutant.operator, mutant)
    return list(first.values())[:OPERATORS]


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


def _result(answer: Answer, mutant: Mutant, told: dict[str, Any]) -> Result:
    fate: Fate = "survived" if told["score"] == answer.task.points else "killed"
    if told["why"]:
        fate = "no answer"
    lost = tuple(told.pop("lost"))
    return Result(mutant=mutant, cell=answer.cell, fate=fate, lost=lost, **told)


def _child(
    answer: Answer, mutants: Sequence[Mutant], seconds: int
) -> tuple[list[dict[str, Any]], str]:
    """Fork a child that grades; return what it told before it ended, and why it ended."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn where there are threads. The child runs none of theirs, and none of
        # its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reading)
            with memory.kept():  # the same inputs for all, and what misconceptions make of them
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
    """Read lines until the child closes its end, or says nothing for too long."""
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

"""Grade mutants in forked processes, so that none can hang or harm the one that asks."""

import contextlib
import json
import os
import select
import signal
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from plaincourse.checking import memory
from plaincourse.checking.grader import grade
from plaincourse.proving.mutants.answers import Answer
from plaincourse.proving.mutants.mutate import Mutant

Fate = Literal["killed", "survived", "no answer"]

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
            if not select.select([pipe], [], [], SILENCE)[0]:
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

"""The judge: a process that runs test cells and requests data from the student's process."""

import contextlib
import math
import socket
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from nbformat import NotebookNode

from plaincourse.checking import grader, memory
from plaincourse.checking.cells import checked
from plaincourse.checking.remote import StudentGone
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from plaincourse.exercise.report import Report
from plaincourse.judge import activity
from plaincourse.judge.channel import Channel, Closed
from plaincourse.judge.integrity import CHANGED, TESTED
from plaincourse.judge.keeping import keeps
from plaincourse.judge.loading import MODELS, unnamed
from plaincourse.judge.outputs import Judged, error
from plaincourse.judge.preamble import READY, Preamble
from plaincourse.judge.session import Session
from plaincourse.judge.source_names import imported_by, importing, suspect
from plaincourse.judge.tables import table
from plaincourse.sandbox import Level, Room, enter, process_state

#: Number of bits from which a submission's feedback reveals too much of the hidden inputs.
MOST_BITS = 8.0
_TELLS = (
    "The feedback of this submission could tell {bits:.0f} bits of the hidden inputs: by which "
    "requirements its answers fail on fresh inputs and not on those that its author can see{kept}. "
    "Read the answers before you return the feedback, and draw other seeds if they mean to."
)
_KEPT = (
    ", and by the mistakes that answers show after an earlier test, from which one may keep "
    "something (`{line}`)"
)
#: The number of kinds of error, of value and of shape that a report may name.
_KINDS = 32
_LOOKS = (
    "The notebook uses what can show how it is graded: {what}. That may have another purpose, and "
    "alone it takes no points off. Read its cells."
)
_RUNS = (
    "The notebook runs text as code (`exec`, `eval` or `compile`). What that text defines was "
    "graded like any other code, and takes no points off. Read what is run: the search for "
    "forbidden names in the cells does not see it."
)
_STARTS = (
    "An answer starts another process while it is tested ({what}). That is refused, here "
    "and by the check in the student's own notebook, so a call that needs the process fails. Read "
    "the answer."
)
_CHANGED = (
    "The notebook changes what watches its answers: {what}. Tasks that forbid something earned "
    "nothing from then on. Read its cells."
)
_LOADS = (
    "The notebook loads or reads {what} without naming it. Values that it takes from there in one "
    "cell, and returns in an answer, are not noticed. That alone takes no points off. Read its "
    "cells."
)
#: Audit events of text that is run as code.
_RUN = frozenset({"compile", "exec"})
_SLOW = "The answer was too slow and was stopped. What it was not asked gave no points."


def run(arguments: dict[str, Any], fds: list[int]) -> None:
    """Judge test cells until the control connection closes.

    Args:
        arguments: ``notebook``, a name passed to :func:`plaincourse.judge.preamble.prepare` in the
            process that forked this one; ``room`` and ``level``, as for a student's kernel.
        fds: the control connection, and a page for :mod:`plaincourse.judge.activity`. The
            connection receives ``{"do": "student"}`` with the agent's connection, and
            ``{"do": "cell", ...}``, which is answered.
    """
    activity.write_to(fds[1])
    _lock_in(arguments, fds)
    control = Channel(socket.socket(fileno=fds[0]))
    judge = Judge(READY[arguments["notebook"]])
    while True:
        try:
            tree, _, more = control.receive()
        except Closed:
            return
        if tree["do"] == "student":
            judge.meet(socket.socket(fileno=more[0]))
            control.send({}, [])
        else:
            judged = judge.cell(
                tree["source"],
                name=tree["name"],
                count=tree["count"],
                seconds=tree["seconds"],
                code=tree["code"],
            )
            control.send(judged.as_data(), [])


def _lock_in(arguments: dict[str, Any], fds: list[int]) -> None:
    """Enter the room, if there is one, because a judge processes data made by a student's code."""
    room, level = Room.from_json(arguments["room"]), Level[arguments["level"]]
    if level is Level.NONE:
        process_state.first_to_go()
        process_state.limit_memory(room.limits)
    else:
        enter(room, level=level, keep=fds)


class Judge:
    """Runs the test cells of one submission.

    Args:
        preamble: the notebook's tests and definitions.
    """

    def __init__(self, preamble: Preamble) -> None:
        self._preamble = preamble
        self._session: Session | None = None
        self._bits = 0.0
        self._met_hidden = False
        self._noted: list[str] = []
        self._loaded: list[str] = []

    def meet(self, sock: socket.socket) -> None:
        """Send requests to this student's process from now on."""
        if self._session is not None:
            self._session.channel.close()
        self._session = Session(Channel(sock))

    def cell(
        self, source: str, *, name: str, count: int, seconds: float, code: list[str] | None = None
    ) -> Judged:
        """Run a test cell.

        Args:
            source: the cell.
            name: its grade id.
            count: its number among the cells that were run.
            seconds: the total time that the student's code may take in it.
            code: the student's cells, to search for forbidden names.
        """
        began = time.perf_counter()
        reports: list[Report] = []
        grader.watchers[:] = [reports.append]
        memory.forget()
        session = self._session
        try:
            if session is None:
                raise StudentGone("The student's process was not there to be tested.")
            session.begin(seconds)
            outputs = self._run(session, source, count)
        except (StudentGone, TimeoutError) as missing:  # before the cell itself could begin
            outputs = [error(type(missing).__name__, str(missing))]
        if session is not None:
            with contextlib.suppress(StudentGone, TimeoutError):  # the next cell will report it
                session.settle()
        gone, lied = (session.gone, session.lied) if session else ("", False)
        return Judged(
            outputs=outputs,
            seconds=time.perf_counter() - began,
            reports=[_told(each) for each in reports],
            flags=[
                *_flags(name, gone, lied),
                *_stopped(name, reports),
                *self._looks(name),
                *self._loads(name, code or []),
                *self._tells(name, reports, code or []),
                *_hidden(name, source, reports, code or []),
                *_listed(name, source, reports, code or []),
            ],
            gone=gone,
        )

    def _tells(self, name: str, reports: list[Report], code: list[str]) -> list[dict[str, str]]:
        """Flag the cell with which a submission has revealed too much of the hidden inputs."""
        said = said_bits(reports) if self._met_hidden else 0.0
        kept = keeps(code) if said else ""
        before, self._bits = self._bits, self._bits + told_bits(reports) + (said if kept else 0.0)
        self._met_hidden = self._met_hidden or len(reports) > 1
        if not before < MOST_BITS <= self._bits:
            return []
        by = _KEPT.format(line=kept[:60].replace("`", "'")) if kept else ""
        return [{"cell": name, "kind": "tells", "why": _TELLS.format(bits=self._bits, kept=by)}]

    def _looks(self, name: str) -> list[dict[str, str]]:
        """Flag the cell at which an inspection of a caller was discovered."""
        notes = self._session.notes if self._session else []
        new = [each for each in notes if each not in self._noted]
        self._noted += new
        starts = [each.removesuffix(TESTED) for each in new if each.endswith(TESTED)]
        looks = [each for each in new if not each.endswith(TESTED)]
        seen = [each for each in looks if each != CHANGED and each not in _RUN]
        said = []
        if seen or CHANGED in looks:
            what = ", ".join(dict.fromkeys(seen)) or "a part of it"
            said.append((_CHANGED if CHANGED in looks else _LOOKS).format(what=what))
        if _RUN & {*new} and not _RUN & {*self._noted[: -len(new)]}:
            said.append(_RUNS)
        by_kind = {
            "processes": _STARTS.format(what=", ".join(starts)) if starts else "",
            "looks": " ".join(said),
        }
        return [{"cell": name, "kind": kind, "why": why} for kind, why in by_kind.items() if why]

    def _loads(self, name: str, code: list[str]) -> list[dict[str, str]]:
        """Flag the cell at which the loading of a package that no cell names was discovered."""
        loads = self._session.loads if self._session else []
        new = [each for each in unnamed(loads, code) if each not in self._loaded]
        self._loaded += new
        why = _LOADS.format(what=" and ".join(f"`{each}`" for each in new))
        return [{"cell": name, "kind": "forbidden", "why": why}] if new else []

    def _run(self, session: Session, source: str, count: int) -> list[NotebookNode]:
        """Run a cell with the student's names in its namespace during the run."""
        names = session.names(self._preamble.wanted(source))
        namespace = self._preamble.shell.user_ns
        namespace.update(names)
        try:
            return self._preamble.shell.run(source, count=count)
        finally:
            for key, value in names.items():
                if namespace.get(key) is value:
                    del namespace[key]


def told_bits(reports: list[Report]) -> float:
    """Return how many bits of hidden inputs an answer can reveal by its failures on them alone.

    Nothing else in a report depends on the hidden inputs of its own test. The count covers how
    many, and which, of the requirements that hold on visible inputs are lost on hidden ones.

    Args:
        reports: the reports of a test cell: for each task one on visible inputs, then one that
            includes hidden ones.
    """
    bits = 0.0
    for visible, hidden in pairwise(reports):
        if visible.id == hidden.id:
            held = [now for now, then in zip(hidden.rungs, visible.rungs, strict=True) if then.met]
            lost = sum(not line.met for line in held)
            ways = (1 + len(held)) * math.comb(len(held), lost)
            bits += math.log2(ways) if lost else 0.0
    return bits


def said_bits(reports: list[Report]) -> float:
    """Return how many bits an answer can encode in its failures on visible inputs.

    An answer can do so if it has stored information on hidden inputs of an earlier test and chooses
    its failures by it. The report then shows which requirements are lost, and which mistake or kind
    of error it was.

    Args:
        reports: the reports of a test cell: for each task one on visible inputs, then one that
            includes hidden ones.
    """
    bits = 0.0
    for visible, hidden in pairwise(reports):
        if visible.id != hidden.id or visible.score == visible.points:
            continue
        if visible.untouched:
            bits += 1.0
        else:
            lost = sum(not line.met for line in visible.rungs)
            ways = (1 + len(visible.rungs)) * math.comb(len(visible.rungs), lost)
            mistakes = getattr(load(visible.id), "misconceptions", ())
            bits += math.log2(ways) + math.log2(_KINDS + len(mistakes))
    return bits


def _flags(name: str, gone: str, lied: bool) -> list[dict[str, str]]:
    kind = "tampered" if lied else "died"
    return [{"cell": name, "kind": kind, "why": gone}] if gone else []


def _stopped(name: str, reports: list[Report]) -> list[dict[str, str]]:
    """Flag that an answer was stopped, since it may be right and the machine busy."""
    late = any(each.stopped for each in reports)
    return [{"cell": name, "kind": "slow", "why": _SLOW}] if late else []


def _earning(source: str, reports: list[Report]) -> Iterator[tuple[str, Exercise]]:
    """Yield the names of a cell's answers in code that earned points, with their tasks."""
    earned = {each.id for each in reports if each.score}
    for id, answer in checked(source).items():
        if id in earned and isinstance(task := load(id), Exercise):
            yield answer, task


def _hidden(name: str, source: str, reports: list[Report], code: list[str]) -> list[dict[str, str]]:
    """Flag an answer that earned points and whose text contains a forbidden name."""
    for answer, task in _earning(source, reports):
        more = [importing(each) for each in MODELS] if task.forbid else []
        if word := suspect(code, answer, [*task.forbid, *more]):
            what = imported_by(word)
            why = f"`{answer}` earned points, and its text names `{what}`, which is not allowed."
            return [{"cell": name, "kind": "forbidden", "why": why}]
    return []


def _listed(name: str, source: str, reports: list[Report], code: list[str]) -> list[dict[str, str]]:
    """Flag an answer that earned points and possibly looks up its results."""
    for answer, task in _earning(source, reports):
        words = getattr(task.reference, "__annotations__", {}).get("return") in (str, "str")
        if held := table(code, answer, words=words):
            why = f"`{answer}` earned points, and what it uses holds {held}. It may look them up."
            return [{"cell": name, "kind": "table", "why": why}]
    return []


def _told(report: Report) -> dict[str, Any]:
    return {
        "id": report.id,
        "score": report.score,
        "points": report.points,
        "matched": report.matched,
        "rungs": [[each.name, each.earned, each.points] for each in report.rungs],
        "facts": dict(report.facts),
    }

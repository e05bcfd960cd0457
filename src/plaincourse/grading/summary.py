"""The instructor's view: progress while grading, and a summary at the end."""

import re
import statistics
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from tqdm import tqdm  # type: ignore[import-untyped]

from plaincourse.exercise.report import rounded
from plaincourse.grading.jobs import EARLIER, EXPLAIN, Known, Result
from plaincourse.grading.misplaced import MOST
from plaincourse.grading.text import few

#: The maximal number of slowest submissions that are named, and the seconds from which one is slow.
_NAMED, _LONG = 3, 60.0
_BARS = "▁▂▃▄▅▆▇█"
#: Two reasons that differ only in these parts are alike: quotations and numbers.
_PARTS = re.compile(r"`[^`]*`|\([^)]*\)|\d+")
_QUOTES = re.compile(r"`[^`]*`")
#: The number of different reasons of one kind that are quoted.
_QUOTED = 3
#: The number of cells or packages that are named with such a reason.
_LISTED = 12
_STATES = ("graded", "flagged", "failed")
#: Exit codes, besides 2 for wrong usage.
FLAGGED, FAILED, INTERRUPTED = 3, 4, 130
_UNCONFIRMED = (
    "no pass is confirmed: the tests ran in the students' own processes, as --one-process says, "
    "where code can make one up"
)


class Progress:
    """A bar in a terminal, a line for each submission elsewhere, nothing when quiet.

    Args:
        total: how many submissions will be graded.
        quiet: print nothing.
        stream: the output stream.
    """

    def __init__(self, total: int, *, quiet: bool, stream: TextIO | None = None) -> None:
        self._total, self._quiet, self._stream = total, quiet, stream or sys.stderr
        self._counts = dict.fromkeys(_STATES, 0)
        terminal = self._stream.isatty() and not quiet
        self._bar: Any = None
        if terminal:
            self._bar = tqdm(total=total, unit="", file=self._stream, dynamic_ncols=True)

    def tick(self) -> None:
        """Keep the clock of the bar going while nothing happens."""
        if self._bar is not None:
            self._bar.refresh()

    def add(self, result: Result) -> None:
        """Count a submission."""
        self._counts[result.status] += 1
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join(f"{self._counts[s]} {s}" for s in _STATES))
            self._bar.update()
        elif not self._quiet:
            done = sum(self._counts.values())
            said = f"{done}/{self._total} {clean(result.student)}: {_told(result.record)}"
            print(said, file=self._stream, flush=True)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()


class Summary:
    """Counts the results, and reports them in a few lines.

    Args:
        assignment: the name of the assignment.
        unchanged: records of submissions that needed no grading, by student.
        one_process: whether all tests ran in the students' own processes.
        misplaced: paths of possible submissions that were not graded.
    """

    def __init__(
        self,
        assignment: str,
        unchanged: Mapping[str, dict[str, Any]],
        *,
        one_process: bool = False,
        misplaced: Sequence[str] = (),
    ) -> None:
        self._misplaced = misplaced
        self._assignment, self._one_process = assignment, one_process
        self._unchanged = len(unchanged)
        self._records = dict(unchanged)
        self._new = 0
        self._started = time.perf_counter()
        self.interrupted = 0
        self.passed_over: list[str] = []

    def add(self, result: Result) -> None:
        """Count a submission whose grade is in the gradebook."""
        self._records[result.student] = result.record
        self._new += 1

    @property
    def code(self) -> int:
        """The exit code of the command."""
        if self.interrupted:
            return INTERRUPTED
        found = {record["status"] for record in self._records.values()}
        flagged = "flagged" in found or self._misplaced
        return FAILED if "failed" in found else FLAGGED if flagged else 0

    def text(self) -> str:
        """Return the summary as lines."""
        records = self._records.values()
        counts = {state: sum(each["status"] == state for each in records) for state in _STATES}
        lines = [
            f"{clean(self._assignment)}: {len(self._records)} submissions: "
            + ", ".join(f"{counts[state]} {state}" for state in _STATES)
            + (f" ({self._unchanged} unchanged since they were graded)" if self._unchanged else "")
        ]
        if self._new:
            seconds = time.perf_counter() - self._started
            rate = f"{seconds / self._new:.2f} s a submission"
            lines.append(f"time: {seconds:.1f} s for {self._new} submissions, {rate}")
        lines += _slowest(self._records)
        if waiting := sum(map(_waits, records)):
            whose = "1 submission waits" if waiting == 1 else f"{waiting} submissions wait"
            lines.append(
                f"waiting: {whose} for a person, in formgrader, who reads some of the answers; "
                "points for these are not in yet"
            )
        lines += _late(self._records)
        lines += _marked_late(self._records)
        lines += _of_earlier_releases(self._records)
        if points := [_points(record) for record in records if record["status"] != "failed"]:
            lines.append(_distribution(points))
        if self._one_process:
            lines.append(_UNCONFIRMED)
        lines += _elsewhere(self._misplaced, self._assignment)
        if self.passed_over:
            names = ", ".join(map(clean, self.passed_over[:10]))
            lines.append(f"passed over: {names}: folders that tools make are not submissions")
        for state in ("flagged", "failed"):
            lines += _table(state, self._records)
        if self.interrupted:
            left = f"{self.interrupted} submissions are not graded"
            lines.append(f"interrupted: {left}; the same command goes on where this one stopped")
        return "\n".join(lines)


def as_entered(record: Mapping[str, Any], known: Known) -> dict[str, Any]:
    """Return a record with the points that a person has given since it was written."""
    told = {}
    for name, notebook in record["notebooks"].items():
        cells = dict(notebook["cells"])
        for book, cell in known.settled:
            if book == name and cell in cells:
                score = known.manual[book, cell] + known.extra.get((book, cell), 0.0)
                cells[cell] = {**cells[cell], "score": score}
        told[name] = {**notebook, "cells": cells}
    return {**record, "notebooks": told}


def clean(text: str) -> str:
    """Return text without control characters, safe for a terminal."""
    return "".join(each if each.isprintable() else "?" for each in text)


def _late(records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """List the students who were late by a known time, by how much, and whether it costs points."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for name, record in sorted(records.items()):
        flags = [flag for flag in _flags(record) if flag["kind"] == "late"]
        if flags:
            much = f" ({by})" if (by := flags[0].get("by")) else ""
            found[any("costs" in flag for flag in flags)].append(f"{name}{much}")
    lines = []
    for costs, names in found.items():
        what = "submission" if len(names) == 1 else "submissions"
        verb = ("loses" if len(names) == 1 else "lose") if costs else "came after the due date"
        lost = " points for it, which are still counted below" if costs else " and lost no points"
        if names:
            told = clean(few(names, MOST))
            lines.append(f"late: {len(names)} {what} {verb}{lost}: {told}")
    return lines


def _marked_late(records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return why the platform marked students late at no cost, and their names."""
    found: dict[str, list[str]] = {}
    for name, record in sorted(records.items()):
        for flag in _flags(record):
            if flag["kind"] == "marked late":
                found.setdefault(flag["why"], []).append(name)
    return [
        f"marked late: {why} So it is for {count} of {len(records)}: {names}"
        for why, whose in found.items()
        for count, names in [(len(whose), clean(", ".join(whose)))]
    ]


def _of_earlier_releases(records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a line on students who submitted an earlier release, by which they are graded."""
    names = [
        name
        for name, record in sorted(records.items())
        if any(flag["kind"] == EARLIER for flag in _flags(record))
    ]
    if not names:
        return []
    what = "submission has" if len(names) == 1 else "submissions have"
    return [
        f"earlier release: {len(names)} {what} the notebook as it was released before, and by that "
        f"version they were graded: {clean(few(names, 10))}. If the present one shall "
        "count, ask for it to be fetched again and handed in anew"
    ]


def _cells(record: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return (
        cell for notebook in record["notebooks"].values() for cell in notebook["cells"].values()
    )


def _flags(record: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return record.get("flags", ())  # type: ignore[no-any-return]


def _waits(record: Mapping[str, Any]) -> bool:
    """Return whether an answer waits for a person; failed submissions are listed separately."""
    waits = any(cell["score"] is None for cell in _cells(record))
    return waits and record["status"] != "failed"


def _points(record: Mapping[str, Any]) -> tuple[float, float]:
    cells = list(_cells(record))
    return sum(cell["score"] or 0.0 for cell in cells), sum(cell["max"] for cell in cells)


def _told(record: Mapping[str, Any]) -> str:
    got, most = _points(record)
    said = f"{record['status']}, {rounded(got)} of {most:g} points, {record['seconds']:.2f} s"
    return f"{said}: {clean(_why(record))}" if record["status"] != "graded" else said


def _why(record: Mapping[str, Any]) -> str:
    """Return why a person should look: each reason once, with the other cells that share it.

    Only a few different reasons of one kind are quoted; the record and the report have them all.
    """
    kinds: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for flag in _flags(record):
        if flag["kind"] not in EXPLAIN:
            why, cell = flag["why"], flag["cell"]
            form = _PARTS.sub("", re.sub(rf"\b{re.escape(cell)}\b", "", why) if cell else why)
            alike = kinds.setdefault(flag["kind"], {}).setdefault(form, [])
            alike += [(why, cell)] if (why, cell) not in alike else []
    if record["status"] != "flagged" or not kinds:
        return str(record["why"])
    said = []
    for found in kinds.values():
        reasons = list(found.values())
        for (first, cell), *more in reasons[:_QUOTED]:
            where = f" ({cell})" if len(reasons) > 1 and _place("", cell, beside=first) else ""
            names = dict.fromkeys(filter(None, (_place(*each, beside=first) for each in more)))
            also = few(list(names), _LISTED) or f"{len(more)} more"
            said.append(f"{first}{where}" + (f" Likewise {also}." if more else ""))
        if left := reasons[_QUOTED:]:
            cells = dict.fromkeys(cell for each in left for _, cell in each if cell)
            where = f" ({few(list(cells), _LISTED)})" if cells else ""
            said.append(f"{len(left)} more reasons of this kind are in the report{where}.")
    return " ".join(said)


def _place(why: str, cell: str, *, beside: str) -> str:
    """Return the cell or quotation of a reason that the neighbouring reason lacks."""
    if cell and not re.search(rf"\b{re.escape(cell)}\b", beside):
        return cell
    return next((each for each in _QUOTES.findall(why) if each not in beside), "")


def _distribution(points: list[tuple[float, float]]) -> str:
    """Return lowest, quartiles and highest, and a histogram of ten bars, in one line."""
    got, most = sorted(each for each, _ in points), max(worth for _, worth in points)
    quarters = statistics.quantiles(got, n=4, method="inclusive") if len(got) > 1 else got * 3
    counts = [0] * 10
    for each in got if most else ():  # nothing to earn: no bar
        counts[min(9, max(0, int(10 * each / most)))] += 1
    height = max(max(counts), 1)
    bars = "".join(_BARS[round(7 * count / height)] if count else " " for count in counts)
    middle = ", ".join(map(rounded, quarters))
    return f"points: {rounded(got[0])} [{middle}] {rounded(got[-1])} of {most:g} |{bars}|"


def _elsewhere(paths: Sequence[str], assignment: str) -> list[str]:
    """Name files in places that are not searched for submissions, and where they belong."""
    if not paths:
        return []
    what = "1 file was" if len(paths) == 1 else f"{len(paths)} files were"
    more = [f"  and {len(paths) - MOST} more"] if len(paths) > MOST else []
    where = f"{paths[0].split('/')[0]}/STUDENT/{assignment}/"
    told = f"not graded: {what} not looked at. Submissions lie in {where}; move there what is meant"
    return [clean(told), *(f"  {clean(each)}" for each in paths[:MOST]), *more]


def _slowest(records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Name the submissions that took longest, if one took long."""
    took = {name: float(record.get("seconds") or 0.0) for name, record in records.items()}
    longest = sorted(took, key=lambda name: (-took[name], name))[:_NAMED]
    slow = [name for name in longest if took[name] >= _LONG]
    if not slow:
        return []
    return ["slowest: " + ", ".join(f"{clean(name)} {took[name]:.0f} s" for name in slow)]


def _table(state: str, records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    found = {name: _why(each) for name, each in sorted(records.items()) if each["status"] == state}
    if not found:
        return []
    width = min(32, max(len(clean(name)) for name in found))
    rows = [f"  {clean(name):<{width}}  {clean(why)}" for name, why in found.items()]
    return [f"{state}:", *rows]

"""The cost of lateness, by nbgrader's plugin: tried before the first job, run for every student.

The coordinator computes it on each run, also for submissions whose grade is unchanged. So a new
plugin, penalty, due date or extension, and points that a person gave, take effect for the whole
class at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from traitlets.config import Config

from plaincourse.grading.assignment import Snapshot
from plaincourse.grading.gradebook import Writer
from plaincourse.grading.jobs import CourseError, Known, Result, settle
from plaincourse.grading.marks import penalty, seconds_late
from plaincourse.grading.results import Journal

#: The trial of the plugin: seconds late, and the maximal number of students.
_TRIAL, _STUDENTS = 3600.0, 3
_KINDS = ("late", "penalty")
_LOST = "`{name}` was handed in {late} late, which costs {lost:g} points."
_FREE = "It was handed in {late} late, which costs no points."
_FAILED = (
    "What being late costs could not be computed for `{name}`: {plugin} fails with {error}. All "
    "points are kept, and no penalty is taken."
)


@dataclass(frozen=True, kw_only=True)
class Lateness:
    """The late penalties of one assignment.

    Attributes:
        config: nbgrader's, which names the plugin.
        snapshot: the assignment, with its due date.
    """

    config: Config
    snapshot: Snapshot

    @property
    def plugin(self) -> str:
        """The plugin's name, as in the configuration."""
        found = self.config.AssignLatePenalties.get("plugin_class", "nbgrader's plugin")
        return getattr(found, "__qualname__", None) or str(found)

    def try_out(self, students: Iterable[str]) -> None:
        """Run the plugin for a few students as if they were an hour late.

        Raises:
            CourseError: it cannot be loaded, or fails for each of them.
        """
        most = max(
            (sum(each.worth.values()) for each in self.snapshot.notebooks.values()), default=0
        )
        error: BaseException | None = None
        for student in list(students)[:_STUDENTS]:
            try:
                penalty(student, float(most), _TRIAL, self.config)
                return
            except (Exception, SystemExit) as raised:
                error = raised
        if error is not None:
            raise CourseError(
                f"the late plugin {self.plugin} cannot be used: {_named(error)}. It was tried for "
                f"{most:g} points and {_TRIAL:g} seconds; nothing was graded. Correct "
                "c.AssignLatePenalties.plugin_class in nbgrader_config.py, or the plugin"
            ) from error

    def add(self, result: Result, known: Known) -> Result:
        """Enter the cost of lateness into a new result, and return it."""
        points = dict.fromkeys(self.snapshot.notebooks, 0.0)
        for cell, auto in result.grades.items():
            own = known.manual.get(cell, auto)
            points[cell[0]] += 0.0 if own is None else own + (known.extra.get(cell) or 0.0)
        result.penalties, flags = self._lost(result.student, points, known)
        result.status = _amended(result.record, flags)["status"]
        return result

    def renew(
        self,
        unchanged: dict[str, Any],
        known: Mapping[str, Known],
        journal: Journal,
        writer: Writer,
    ) -> None:
        """Enter the present cost of lateness into submissions that need no grading.

        Args:
            unchanged: their records by student; changed in place.
            known: the gradebook's data on each.
            journal: writes the records that differ.
            writer: writes the penalties that differ.
        """
        points, before = writer.points(), writer.penalties()
        for student, record in unchanged.items():
            lost, flags = self._lost(student, points.get(student, {}), known[student])
            if lost != {name: before.get(student, {}).get(name) for name in lost}:
                writer.penalise(student, lost)
            if flags != [flag for flag in record["flags"] if flag["kind"] in _KINDS]:
                if (kept := journal.record(student)) is not None:
                    journal.amend(student, _amended(kept, flags))
                _amended(record, flags)

    def _lost(
        self, student: str, points: Mapping[str, float], known: Known
    ) -> tuple[dict[str, float | None], list[dict[str, str]]]:
        """Return the points that each notebook loses, and the flags that report it."""
        late = seconds_late(known, self.snapshot)
        lost: dict[str, float | None] = dict.fromkeys(self.snapshot.notebooks)
        flags = []
        for name in lost:
            try:
                lost[name] = penalty(student, points.get(name, 0.0), late, self.config)
            except (Exception, SystemExit) as error:
                why = _FAILED.format(name=name, plugin=self.plugin, error=_named(error))
                flags.append({"cell": "", "kind": "penalty", "why": why})
            if cost := lost[name]:
                why = _LOST.format(name=name, lost=cost, late=in_words(late))
                told = {"by": in_words(late), "costs": f"{cost:g}"}
                flags.append({"cell": "", "kind": "late", "why": why, **told})
        if late and not any(flag["kind"] == "late" for flag in flags):
            why = _FREE.format(late=in_words(late))
            flags.append({"cell": "", "kind": "late", "why": why, "by": in_words(late)})
        return lost, flags


def in_words(seconds: float) -> str:
    """Return a time in its largest unit and the next one, as in "1 day 3 hours"."""
    left = max(1, int(seconds))
    parts: list[str] = []
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        many, left = divmod(left, length)
        if many or parts:
            parts.append(f"{many} {unit}{'s' if many > 1 else ''}" if many else "")
    return " ".join(filter(None, parts[:2]))


def _amended(record: dict[str, Any], flags: list[dict[str, str]]) -> dict[str, Any]:
    """Replace the flags about lateness in a record by these."""
    record["flags"] = [flag for flag in record["flags"] if flag["kind"] not in _KINDS] + flags
    return settle(record)


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ").removesuffix(".")

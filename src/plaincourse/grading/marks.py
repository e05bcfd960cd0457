"""Scores, comments and penalties of one submission, as nbgrader's own steps would leave them.

nbgrader's ``SaveAutoGrades`` and ``AssignLatePenalties`` write into the gradebook as they go.
Workers have none. What a cell earns is nbgrader's ``determine_grade`` here too, and what lateness
costs is its plugin's; only where they are kept is ours.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from plaincourse.grading.entered import written
from plaincourse.grading.jobs import Known
from plaincourse.grading.snapshot import Original, Snapshot

_NO_RESPONSE = "No response."


@dataclass(kw_only=True)
class Mark:
    """A score, with fields named as those of ``nbgrader.api.Grade``."""

    name: str
    max_score: float
    cell_type: str
    auto_score: float | None = None
    manual_score: float | None = None
    extra_credit: float | None = None
    needs_manual_grade: bool = True

    @property
    def score(self) -> float:
        """What counts: a person's points before the machine's, and extra credit."""
        own = self.auto_score if self.manual_score is None else self.manual_score
        return 0.0 if own is None else own + (self.extra_credit or 0.0)


@dataclass(kw_only=True)
class Sheet:
    """What a submitted notebook earned.

    Attributes:
        marks: by the names of the cells that are worth points.
        comments: what stands below each answer, by the answer's name; None for nothing.
        penalty: points lost for being late; None where it is not late, or costs nothing.
    """

    marks: dict[str, Mark]
    comments: dict[str, str | None]
    penalty: float | None = None

    @property
    def score(self) -> float:
        """The sum of its marks."""
        return sum(mark.score for mark in self.marks.values())


def blank(name: str, original: Original, known: Known) -> Sheet:
    """Return the sheet of a notebook before it is graded.

    Args:
        name: the notebook's name.
        original: the assignment's notebook.
        known: what the gradebook knows of the submission.
    """
    cells = original.source.cells
    marks = {
        each.name: Mark(
            name=each.name,
            max_score=original.worth[each.name],
            cell_type=each.cell_type,
            manual_score=known.manual.get((name, each.name)),
            extra_credit=known.extra.get((name, each.name)),
        )
        for each in cells
        if each.name in original.worth
    }
    answers = [each.name for each in cells if each.solution or each.task]
    return Sheet(marks=marks, comments=dict.fromkeys(answers))


def score(sheet: Sheet, cells: list[NotebookNode], settled: Mapping[str, str]) -> None:
    """Enter what the cells of a graded notebook earned.

    A cell waits for a person where nbgrader says so: where only a person can tell, and where one
    gave points before. There it does not wait if that person read the same.

    Args:
        sheet: is filled in.
        cells: of the notebook, after it ran.
        settled: digests of what people read who gave points, by cell.
    """
    for cell in cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if utils.is_grade(cell):
            mark = sheet.marks[name]
            mark.auto_score, _ = utils.determine_grade(cell)
            mark.needs_manual_grade = mark.manual_score is not None or mark.auto_score is None
        if name in settled and settled[name] == written(cells, name):
            sheet.marks[name].needs_manual_grade = False
        if utils.is_solution(cell) or utils.is_task(cell):
            same = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
            sheet.comments[name] = _NO_RESPONSE if same and not utils.is_task(cell) else None


def void(sheets: Iterable[Sheet]) -> None:
    """Give 0 points for everything, as nbgrader does where a notebook is missing."""
    for sheet in sheets:
        for mark in sheet.marks.values():
            mark.auto_score, mark.needs_manual_grade = 0.0, False


def seconds_late(known: Known, snapshot: Snapshot) -> float:
    """Return how late a submission is, extensions taken into account."""
    if known.timestamp is None or snapshot.duedate is None:
        return 0.0
    late = known.timestamp - snapshot.duedate
    return max(0.0, (late - (known.extension or type(late)())).total_seconds())


def penalty(student: str, points: float, late: float, config: Config) -> float | None:
    """Return what being late costs a notebook, by the plugin that nbgrader is configured with.

    Args:
        student: who is late.
        points: what the notebook earned.
        late: seconds.
        config: nbgrader's.

    Returns:
        At least 0 and at most the points; None where the plugin takes nothing, or nobody is late.
    """
    if late <= 0:
        return None
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    lost = step.plugin_inst.late_submission_penalty(student, points, late)
    return None if lost is None else min(max(lost, 0), points)

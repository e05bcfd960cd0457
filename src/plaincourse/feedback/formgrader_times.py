"""Formgrader's list of submissions with the times that ``plaincourse autograde`` reads.

With nbgrader's own reading the list ends in an error for the whole class if the time of one student
cannot be read, and a submission whose time has an offset seems not to be graded.
"""

import datetime
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI

from plaincourse.grading.times import read_time


def read_times_as_graded() -> None:
    """Have formgrader read when a submission came as ``plaincourse autograde`` does."""
    NbGraderAPI.get_submitted_timestamp = _submitted_timestamp


def _submitted_timestamp(
    api: NbGraderAPI, assignment_id: str, student_id: str
) -> datetime.datetime | None:
    """Return when a submission came; None if nothing says so, or nothing that can be read."""
    place = api.coursedir
    folder = place.format_path(place.submitted_directory, student_id, assignment_id)
    try:
        return read_time(Path(folder))
    except (OSError, ValueError):
        return None

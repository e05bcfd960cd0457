"""Make formgrader's list of submissions read times as ``plaincourse autograde`` does.

With nbgrader's own code, the list fails for the whole class if one student's time cannot be read,
and a submission whose time has an offset appears not to be graded.
"""

import datetime
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI

from plaincourse.grading.times import read_time


def read_times_as_graded() -> None:
    """Make formgrader read the times of submissions as ``plaincourse autograde`` does."""
    NbGraderAPI.get_submitted_timestamp = _submitted_timestamp


def _submitted_timestamp(
    api: NbGraderAPI, assignment_id: str, student_id: str
) -> datetime.datetime | None:
    """Return the time of a submission; None if it is missing or cannot be read."""
    place = api.coursedir
    folder = place.format_path(place.submitted_directory, student_id, assignment_id)
    try:
        return read_time(Path(folder))
    except (OSError, ValueError):
        return None

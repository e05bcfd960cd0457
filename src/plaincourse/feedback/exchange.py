"""Release feedback through the exchange when some submissions did not come through it.

``nbgrader release_feedback`` identifies a page's student by a secret that came with the submission.
It stops with an error at the first page without a secret, so later students get no page.
"""

import glob
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeReleaseFeedback

from plaincourse.grading.literal_names import glob_literally

SECRET, TIME = "submission_secret.txt", "timestamp.txt"
#: The most students to name in a message.
_MOST = 10
_LEFT = (
    "%s not released: what %s handed in did not come by the exchange. Hand back by another way "
    "what lies in the feedback folder of %s"
)


def release_what_came_by_the_exchange() -> None:
    """Make ``nbgrader release_feedback`` skip pages of other submissions, and name their students.

    For use in ``nbgrader_config.py``. It does not change an exchange of another kind.
    """
    copy = ExchangeReleaseFeedback.copy_files
    if copy.__name__ != _releasing.__name__:
        ExchangeReleaseFeedback.copy_files = _releasing(copy)


def _releasing(copy: Callable[[Any], None]) -> Callable[[Any], None]:
    def copy_files(app: Any) -> None:
        folders = {Path(each).parent for each in glob_literally(f"{app.src_path}/*.html")}
        others = []
        for folder in sorted(folders):
            if (folder / SECRET).is_file():
                (folder / TIME).touch()  # nbgrader only displays it
                app.src_path = glob.escape(str(folder))
                copy(app)
            else:
                others.append(_student(app.coursedir, folder))
        if others:
            more = [f"{len(others) - _MOST} more"] if len(others) > _MOST else []
            names = ", ".join([*others[:_MOST], *more])
            pages = "1 student's page was" if len(others) == 1 else f"{len(others)} pages were"
            app.log.warning(_LEFT, pages, "they" if len(others) > 1 else others[0], names)

    copy_files.__name__ = _releasing.__name__
    return copy_files


def _student(place: Any, folder: Path) -> str:
    """Return the student to whom a folder of feedback belongs."""
    before, _, after = place.format_path(
        place.feedback_directory, "\0", place.assignment_id
    ).partition("\0")
    return str(folder)[len(before) : len(str(folder)) - len(after)]

"""Work that an instructor links to from elsewhere is graded again when it changes there."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.coursedir import CourseDirectory

from plaincourse.grading.assignment import Snapshot
from plaincourse.grading.course import Course
from plaincourse.grading.jobs import Known
from plaincourse.grading.results import RECORD, Journal
from plaincourse.grading.run import _Run

NAME = "week-1"
#: The place of the link, and its target.
LINKS = {
    "of the assignment": (f"submitted/bob/{NAME}", f"../../repos/bob/{NAME}"),
    "of the assignment, by its whole path": (f"submitted/bob/{NAME}", "{course}/repos/bob/" + NAME),
    "of the student": ("submitted/bob", "../repos/bob"),
    "of the class": ("submitted", "repos"),
    "to a link": (f"submitted/bob/{NAME}", "../../latest"),
}
CHANGES: dict[str, Callable[[Path], object]] = {
    "the notebook": lambda work: (work / "one.ipynb").write_text('{"cells": [2]}'),
    "a module": lambda work: (work / "helper.py").write_text("x = 2"),
    "a further file": lambda work: (work / "data.csv").write_text("1"),
    "a file less": lambda work: (work / "helper.py").unlink(),
}


def grade(course: Path) -> list[str]:
    """Return the students to grade, and write records as if they were graded."""
    place = CourseDirectory(root=str(course), assignment_id=NAME)
    here = Course(place=place, converter=SimpleNamespace(create_student=True))
    settings: Any = SimpleNamespace(digest=lambda: "")
    late: Any = SimpleNamespace(renew=lambda *_: None)
    args: Any = SimpleNamespace(force=False)
    snapshot = Snapshot(assignment=NAME, duedate=None, notebooks={}, files={})
    run = _Run(course=here, snapshot=snapshot, settings=settings, late=late, args=args)
    journal = Journal(graded=here.graded, log=None, ignore=(), files={}, permissions=0o644)
    writer: Any = SimpleNamespace(students={"bob"}, known=lambda: {"bob": Known()})
    jobs, _ = run._sift(here.submitted(), journal, writer)
    for job in jobs:
        path = here.graded(job.student) / RECORD
        path.parent.mkdir(parents=True, exist_ok=True)
        record = {"digest": job.digest, "status": "graded", "notebooks": {}}
        path.write_text(json.dumps(record))
    return [job.student for job in jobs]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("link", LINKS)
def test_a_change_behind_a_link_is_seen(link: str, change: str, tmp_path: Path) -> None:
    work = tmp_path / "repos" / "bob" / NAME
    work.mkdir(parents=True)
    (work / "one.ipynb").write_text('{"cells": [1]}')
    (work / "helper.py").write_text("x = 1")
    (tmp_path / "latest").symlink_to(work)
    place, target = LINKS[link]
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).symlink_to(target.format(course=tmp_path))
    assert grade(tmp_path) == ["bob"]
    assert grade(tmp_path) == []
    CHANGES[change](work)
    assert grade(tmp_path) == ["bob"]

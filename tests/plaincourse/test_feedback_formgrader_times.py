"""Formgrader lists a class even if one student's time cannot be read."""

import datetime
import os
import sys
from pathlib import Path

import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from plaincourse.feedback import read_times_as_graded

STAMPS = {
    "words": b"on Monday",
    "overflow": b"9999-12-31 23:59:59 -1400",
    "utf-16": "2030-01-01 01:00:00 UTC".encode("utf-16"),
    "offset": b"2030-01-01 02:00:00 +0100",
}


def test_the_list_has_everybody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # nbgrader makes a gradebook with a command in the interpreter's folder.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr(NbGraderAPI, "get_submitted_timestamp", None)
    read_times_as_graded()
    for student, stamp in STAMPS.items():
        (tmp_path / "submitted" / student / "week-1").mkdir(parents=True)
        (tmp_path / "submitted" / student / "week-1" / "timestamp.txt").write_bytes(stamp)
    (tmp_path / "submitted" / "ada" / "week-1").mkdir(parents=True)
    place = CourseDirectory(root=str(tmp_path), db_url=f"sqlite:///{tmp_path / 'gradebook.db'}")
    listed = NbGraderAPI(place).get_submissions("week-1")
    times = {each["student"]: each["timestamp"] for each in listed}
    right = datetime.datetime(2030, 1, 1, 1).isoformat()
    unread = dict.fromkeys(["ada", "words", "overflow"])
    assert times == {**unread, "utf-16": right, "offset": right}

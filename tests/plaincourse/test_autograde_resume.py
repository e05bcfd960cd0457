"""Grading may be interrupted at any time; files are never half-written, and it can be resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.plaincourse import autograde_course as tiny

_SLOW = f"import time\ntime.sleep(0.7)\n{tiny.RIGHT}"
_CLASS = [f"s{number}" for number in range(6)]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    made = tiny.make(tmp_path / "course")
    for name in _CLASS:
        tiny.hand_in(made, name, "one two", square=_SLOW)
    return made


def begin(course: Path) -> "subprocess.Popen[str]":
    """Start grading, and return when the first submissions are saved."""
    command = [sys.executable, "-m", "plaincourse.autograde", tiny.NAME, "--jobs=1"]
    running = subprocess.Popen(
        command,
        cwd=course,
        env=tiny.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stderr is not None
    line = running.stderr.readline()
    assert line.startswith("1/6"), line + running.stderr.read()
    return running


def safe(course: Path) -> set[str]:
    """Return the students with a record, and assert that only complete results exist."""
    rows = tiny.tables(course)["grade"]
    found = set()
    for path in (course / "autograded").glob(f"*/{tiny.NAME}/record.json"):
        student = json.loads(path.read_text())["student"]
        assert {each.name for each in path.parent.iterdir()} >= {"one.ipynb", "two.ipynb"}
        scores = [row[4] for row in rows if row[0] == student and row[2] == "test_square"]
        assert scores == [2.0, 2.0]
        found.add(student)
    return found


def test_ctrl_c_keeps_what_is_done_and_the_next_run_does_the_rest(course: Path) -> None:
    running = begin(course)
    asked = time.monotonic()
    os.killpg(running.pid, signal.SIGINT)  # to the whole group, like a terminal
    said, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    assert time.monotonic() - asked < 10
    assert "interrupted" in said
    done = safe(course)
    assert 0 < len(done) < 6
    said = tiny.autograde(course, "--jobs=2")
    assert f"{len(done)} unchanged" in said
    assert safe(course) == set(_CLASS)


def test_a_power_cut_loses_only_what_was_not_safe(course: Path) -> None:
    running = begin(course)
    family = psutil.Process(running.pid).children(recursive=True)
    running.kill()
    running.communicate()
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    done = safe(course)
    assert 0 < len(done) < 6
    tiny.autograde(course, "--jobs=2")
    assert safe(course) == set(_CLASS)
    assert not list((course / "autograded").glob("*/.*"))

"""Several graders at once: rows by another grader, one run per assignment, states in words."""

import contextlib
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from plaincourse.grading import gradebook as module
from plaincourse.grading.gradebook import Writer
from plaincourse.grading.group import NOBODY
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.one_at_a_time import turn
from tests.plaincourse.test_autograde_keep import journal, kept, three
from tests.plaincourse.test_autograde_writer import pair, url

__all__ = ["url"]

_HOLD = """
import fcntl, sys
file = open(sys.argv[1], "r+" if sys.argv[2:] else "w+")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def _execute(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as link:
        for each in statements:
            link.execute(each)
        link.commit()


def _student(*names: str) -> list[str]:
    return [f"insert into student (id) values ('{name}')" for name in names]


_SUBMISSION = """
insert into submitted_assignment (id, assignment_id, student_id)
select 'x', id, 'cy' from assignment where name = 'week-1'
"""
_SHEET = """
insert into submitted_notebook (id, assignment_id, notebook_id)
select 'y', 'x', id from notebook where name = 'one'
"""


@pytest.mark.parametrize(
    "statements",
    [
        _student("bob"),
        _student("ada", "bob", "cy"),
        [*_student("cy"), _SUBMISSION],
        [*_student("cy"), _SUBMISSION, _SHEET],
    ],
    ids=["a student", "all students", "a submission", "a notebook"],
)
def test_rows_that_another_program_wrote_meanwhile_cost_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: list[str]
) -> None:
    begun = Writer.__init__

    def begin(writer: Writer, *given: Any, **more: Any) -> None:
        begun(writer, *given, **more)
        _execute(Path(url.removeprefix("sqlite:///")), *statements)

    monkeypatch.setattr(Writer, "__init__", begin)
    said = kept(url, three(tmp_path), journal(tmp_path))
    assert {each.status for each in said.values()} == {"graded"}
    with Gradebook(url) as book:
        scores = {each.student.id: each.score for each in book.assignment_submissions("week-1")}
    assert scores == {"ada": 2, "bob": 2, "cy": 2}


def test_two_writers_that_began_together_both_write(url: str) -> None:
    writers = [Writer(url, course_id="default_course", assignment="week-1") for _ in range(2)]
    for writer in writers:
        writer.write([pair("ada"), pair("bob")])
    for writer in writers:
        writer.close()
    with Gradebook(url) as book:
        assert len(book.assignment_submissions("week-1")) == 2


def _scribble(path: Path) -> None:
    path.write_bytes(b"not what it was " * 512)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 // 4096 * 4096])


_STATES = {
    "a column lacks": (
        lambda path: _execute(path, "alter table grade rename column auto_score to points"),
        "nbgrader db upgrade",
    ),
    "a table lacks": (lambda path: _execute(path, "drop table comment"), "nbgrader db upgrade"),
    "no database": (_scribble, "damaged or is not a gradebook"),
    "cut short": (_cut, "damaged or is not a gradebook"),
}


@pytest.mark.parametrize("state", _STATES)
def test_a_state_of_the_gradebook_is_told_in_words_while_writing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    change, says = _STATES[state]
    path = Path(url.removeprefix("sqlite:///"))
    begun = Writer.__init__

    def begin(writer: Writer, *given: Any, **more: Any) -> None:
        begun(writer, *given, **more)
        change(path)

    monkeypatch.setattr(Writer, "__init__", begin)
    with pytest.raises(CourseError, match=says) as error:
        kept(url, three(tmp_path), journal(tmp_path))
    _is_one_sentence(str(error.value), path)


def test_a_gradebook_that_stays_locked_is_told_in_words(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WAIT", "PRAGMA busy_timeout = 50")
    path = Path(url.removeprefix("sqlite:///"))
    pairs, begun = three(tmp_path), Writer.__init__
    lock = sqlite3.connect(path, isolation_level=None)

    def begin(writer: Writer, *given: Any, **more: Any) -> None:
        begun(writer, *given, **more)
        lock.execute("begin exclusive")

    monkeypatch.setattr(Writer, "__init__", begin)
    with contextlib.closing(lock), pytest.raises(CourseError, match="Close what has it") as error:
        kept(url, pairs, journal(tmp_path))
    _is_one_sentence(str(error.value), path)


def test_a_full_disk_is_told_in_words(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(url.removeprefix("sqlite:///"))
    with contextlib.closing(sqlite3.connect(path)) as link:
        (pages,) = link.execute("pragma page_count").fetchone()
    monkeypatch.setattr(module, "_WAIT", f"PRAGMA max_page_count = {pages}")
    pairs = three(tmp_path, comments={("one", "answer"): "No. " * 5000})
    with pytest.raises(CourseError, match="Make room") as error:
        kept(url, pairs, journal(tmp_path))
    _is_one_sentence(str(error.value), path)


def _is_one_sentence(said: str, path: Path) -> None:
    assert str(path) in said
    for word in ("[SQL", "sqlite3.", "sqlalche.me", "INSERT", "SELECT", "parameters", "\n"):
        assert word not in said


@contextlib.contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold a lock in another process."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(path)], **pipes) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other
        other.kill()


def test_a_second_run_waits_until_the_first_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with held(tmp_path / ".week-1.lock") as other:
        threading.Timer(0.7, other.kill).start()
        begun = time.monotonic()
        with turn(tmp_path, "week-1", NOBODY, lambda: False) as ours:
            assert ours
            assert time.monotonic() - begun > 0.6
    assert "waiting: another plaincourse autograde is grading week-1" in capsys.readouterr().err


def test_ctrl_c_ends_the_waiting(tmp_path: Path) -> None:
    pressed = iter([False, True])
    with (
        held(tmp_path / ".week-1.lock"),
        turn(tmp_path, "week-1", NOBODY, lambda: next(pressed, True)) as ours,
    ):
        assert not ours


def test_the_lock_of_a_run_that_was_killed_holds_nothing_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with held(tmp_path / ".week-1.lock") as other:
        other.kill()
        other.wait()
        with turn(tmp_path, "week-1", NOBODY, lambda: False) as ours:
            assert ours
    assert capsys.readouterr().err == ""


def test_other_assignments_do_not_wait(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (
        held(tmp_path / ".week-1.lock"),
        turn(tmp_path, "week-2", NOBODY, lambda: False) as ours,
    ):
        assert ours
    assert capsys.readouterr().err == ""


def test_a_folder_that_cannot_hold_a_lock_prevents_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file in its place")
    with turn(tmp_path / "logs", "week-1", NOBODY, lambda: False) as ours:
        assert ours

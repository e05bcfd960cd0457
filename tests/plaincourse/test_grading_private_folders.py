"""A private folder is deleted when its process ends in any way; others are not changed."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from plaincourse.grading import grade as grading
from plaincourse.grading import private_folders
from plaincourse.grading.jobs import Job, Result

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading is Linux's")

_WAITS = """
from plaincourse.grading.private_folders import private_folder
with private_folder() as folder:
    (folder / "work.ipynb").write_text("{}")
    print(folder, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    private_folders._sweep_once.cache_clear()
    return tmp_path


@pytest.fixture
def other() -> Iterator["subprocess.Popen[str]"]:
    """A process that works in its own folder."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _WAITS], stdin=pipe, stdout=pipe, text=True) as it:
        yield it
        it.kill()


def folder_of(process: "subprocess.Popen[str]") -> Path:
    assert process.stdout is not None
    return Path(process.stdout.readline().strip())


def test_a_folder_is_gone_when_it_is_no_longer_needed(place: Path) -> None:
    with private_folders.private_folder() as folder:
        (folder / "a").mkdir()
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
    assert list(place.iterdir()) == []


def test_the_folder_of_a_killed_process_goes_when_the_next_begins(
    other: "subprocess.Popen[str]",
) -> None:
    left = folder_of(other)
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    assert (left / "work.ipynb").exists()
    with private_folders.private_folder() as folder:
        assert folder != left
        assert not left.exists()


def test_the_folder_of_a_process_that_lives_stays(other: "subprocess.Popen[str]") -> None:
    theirs = folder_of(other)
    with private_folders.private_folder() as mine:
        private_folders.sweep()
        assert (theirs / "work.ipynb").exists()
        assert mine.exists()


def test_what_only_looks_like_one_stays(place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "work").write_text("")
    (place / f"{private_folders.PREFIX}link").symlink_to(place / "mine")
    (place / f"{private_folders.PREFIX}file").write_text("")
    before = sorted(place.rglob("*"))
    private_folders.sweep()
    assert sorted(place.rglob("*")) == before


def test_a_folder_of_another_user_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = place / f"{private_folders.PREFIX}left"
    left.mkdir()
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    private_folders.sweep()
    assert left.exists()
    monkeypatch.setattr(os, "getuid", lambda: me)
    private_folders.sweep()
    assert not left.exists()


def test_who_is_swept_away_before_the_lock_begins_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, real = [], tempfile.mkdtemp

    def swept(**given: str) -> str:
        made.append(real(**given))
        if len(made) == 1:
            private_folders.sweep()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", swept)
    with private_folders.private_folder() as folder:
        assert [Path(each).exists() for each in made] == [False, True]
        assert folder == Path(made[1])


def test_who_is_swept_away_just_before_the_lock_begins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import fcntl

    real, made = fcntl.flock, []

    def late(lock: int, how: int) -> None:
        made.append(Path(f"/proc/self/fd/{lock}").readlink())
        if len(made) == 1:
            made[0].rmdir()
        real(lock, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with private_folders.private_folder() as folder:
        assert folder.exists()
        assert folder == made[1]


def test_a_submission_is_graded_in_such_a_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []

    def grade(job: Job, snapshot: object, settings: object, folder: Path) -> Result:
        seen.append(folder)
        return Result(student="ada", assignment="a", digest="d")

    monkeypatch.setattr(grading, "_grade", grade)
    job = Job(student="ada", assignment="a", folder=place, digest="d")
    grading.grade(job, None, None)  # type: ignore[arg-type]
    assert [each.name.startswith(private_folders.PREFIX) for each in seen] == [True]

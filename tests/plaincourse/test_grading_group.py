"""In a course that a group shares, all files that commands write belong to the group."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from plaincourse import class_report, cli
from plaincourse.classroom.reading import find
from plaincourse.grading.group import Group
from plaincourse.grading.one_at_a_time import turn
from tests.plaincourse.test_autograde_keep import journal, kept, three
from tests.plaincourse.test_autograde_writer import url

__all__ = ["url"]

CONFIG = "c = get_config()\nc.CourseDirectory.groupshared = True\n"


@pytest.fixture(autouse=True)
def umask() -> Iterator[int]:
    """The umask of a grader who keeps files private."""
    before = os.umask(0o077)
    yield 0o077
    os.umask(before)


def not_for_the_group(folder: Path, group: int) -> list[str]:
    """List the files below a folder that do not belong to the group."""
    wrong = []
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        need = 0o2770 if stat.S_ISDIR(about.st_mode) else 0o660
        if about.st_mode & need != need or about.st_gid != group:
            wrong.append(f"{path.relative_to(folder)} {stat.S_IMODE(about.st_mode):o}")
    return wrong


def another_group(folder: Path) -> int:
    """Give a folder to a different group, if this user may."""
    if os.geteuid() == 0:
        os.chown(folder, -1, 4711)
    return folder.stat().st_gid


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o027])
def test_what_is_graded_belongs_to_the_group(url: str, tmp_path: Path, mask: int) -> None:
    os.umask(mask)
    course = tmp_path / "course"
    course.mkdir()
    group = another_group(course)
    pairs = three(tmp_path)
    where = journal(course, group=Group(root=course, shared=True), permissions=0o444)
    (pairs[0][1].folder / "more").mkdir()
    (pairs[0][1].folder / "more" / "data.csv").write_text("1")
    kept(url, pairs, where)
    assert not_for_the_group(course, group) == []
    assert (course / "autograded/ada/week-1/more/data.csv").exists()
    assert (course / "logs/log.jsonl").exists()


def test_the_lock_belongs_to_the_group(tmp_path: Path) -> None:
    group = another_group(tmp_path)
    with turn(tmp_path / "logs", "week-1", Group(root=tmp_path, shared=True), lambda: False):
        assert not_for_the_group(tmp_path, group) == []
        assert (tmp_path / "logs/.week-1.lock").exists()


def test_a_course_that_is_not_shared_keeps_its_modes(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "a" / "file"
    path.parent.mkdir()
    path.write_text("")
    Group(root=tmp_path, shared=False).share_below(path.parent)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o777 & ~umask


def test_what_lies_above_the_course_is_left_alone(tmp_path: Path) -> None:
    course = tmp_path / "course"
    (course / "a").mkdir(parents=True)
    before = tmp_path.stat().st_mode, course.stat().st_mode
    Group(root=course, shared=True).share(course / "a")
    assert (tmp_path.stat().st_mode, course.stat().st_mode) == before


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("")
    secret.chmod(0o600)
    (tmp_path / "course").mkdir()
    (tmp_path / "course/link").symlink_to(secret)
    Group(root=tmp_path / "course", shared=True).share_below(tmp_path / "course")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_a_step_that_nbgrader_fills_lets_the_group_in(tmp_path: Path) -> None:
    group = another_group(tmp_path)
    Group(root=tmp_path, shared=True).begin(tmp_path / "submitted")
    (tmp_path / "submitted/ada/week-1").mkdir(parents=True)  # like nbgrader's own commands
    (tmp_path / "submitted/ada/week-1/one.ipynb").write_text("{}")
    assert not_for_the_group(tmp_path, group) == []


def test_reports_belong_to_the_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    record = tmp_path / "autograded/ada/week-1/record.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"status": "graded", "notebooks": {}}')
    words = ["report", "week-1", "--course", str(tmp_path), "--csv", "all"]
    args = cli.parser("report").parse_args(words)
    assert class_report.run(args) == 0, capsys.readouterr().err
    assert len(list((tmp_path / "reports").iterdir())) == 4
    assert not_for_the_group(tmp_path / "reports", tmp_path.stat().st_gid) == []
    assert (tmp_path / "reports").stat().st_mode & 0o2770 == 0o2770
    assert find(tmp_path, "week-1").group.shared

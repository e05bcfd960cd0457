"""The parts of a submission that are copied into the sandbox, and those that are not."""

import os
import socket
from pathlib import Path

import pytest

from plaincourse.sandbox import Level, left_out, process_state
from plaincourse.sandbox.copying import copy_tree
from tests.plaincourse.locked import needs_linux, place_for, run

pytestmark = needs_linux


@pytest.fixture
def submission(tmp_path) -> Path:
    folder = tmp_path / "submission"
    (folder / "data" / "deep").mkdir(parents=True)
    (folder / "work.ipynb").write_text("{}")
    (folder / "data/deep/table.csv").write_text("1,2")
    (folder / "run.sh").write_text("#!/bin/sh")
    (folder / "run.sh").chmod(0o755)
    return folder


def copy(folder: Path, target: Path, limit: int = 1 << 20) -> list[tuple[str, str]]:
    target.mkdir()
    source = os.open(folder, os.O_RDONLY)
    try:
        return [tuple(left) for left in copy_tree(source, str(target), limit=limit)]
    finally:
        os.close(source)


def test_files_and_folders_are_copied(submission, tmp_path):
    assert copy(submission, tmp_path / "copy") == []
    copied = {
        str(path.relative_to(tmp_path / "copy")): path.read_text()
        for path in (tmp_path / "copy").rglob("*")
        if path.is_file()
    }
    assert copied == {"work.ipynb": "{}", "data/deep/table.csv": "1,2", "run.sh": "#!/bin/sh"}
    assert (tmp_path / "copy/run.sh").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "copy/work.ipynb").stat().st_mode & 0o777 == 0o600


def test_what_only_pretends_to_be_a_file_is_left_out_and_named(submission, tmp_path):
    (tmp_path / "gradebook.db").write_text("marks")
    (submission / "link").symlink_to(tmp_path / "gradebook.db")
    (submission / "up").symlink_to(tmp_path)
    (submission / "data" / "pipe").touch()
    (submission / "data" / "pipe").unlink()
    os.mkfifo(submission / "data" / "pipe")
    os.link(tmp_path / "gradebook.db", submission / "hard")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(submission / "sock"))
    left = copy(submission, tmp_path / "copy")
    assert left == [tuple(one) for one in left_out(submission)]
    assert dict(left) == {
        "link": "a symbolic link",
        "up": "a symbolic link",
        "data/pipe": "a pipe",
        "hard": "a file with a second hard link",
        "sock": "a socket",
    }
    names = {path.name for path in (tmp_path / "copy").rglob("*")}
    assert names == {"data", "deep", "table.csv", "work.ipynb", "run.sh"}


def test_a_submission_larger_than_its_copy_may_be_is_refused(submission, tmp_path):
    (submission / "big").write_bytes(bytes(3 << 20))
    with pytest.raises(ValueError, match=r"more than 2 MiB.*Limits"):
        copy(submission, tmp_path / "copy", limit=2 << 20)


def test_a_sparse_file_counts_as_long_as_it_is(submission, tmp_path):
    with (submission / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match="more than 1 MiB"):
        copy(submission, tmp_path / "copy")


def test_folders_without_end_do_not_go_on_without_end(submission, tmp_path):
    deep = submission
    for _ in range(40):
        deep = deep / "d"
    deep.mkdir(parents=True)
    left = copy(submission, tmp_path / "copy")
    assert [why for _, why in left] == ["a folder more than 32 deep"]


def test_a_link_in_the_submission_shows_nothing_in_the_sandbox(tmp_path):
    place = place_for(tmp_path, None)
    (tmp_path / "submitted/ada/link").symlink_to(tmp_path / "gradebook.db")
    assert run(lambda: os.listdir("."), place, Level.NAMESPACES) == ["work.ipynb"]


def test_matplotlib_finds_its_list_of_fonts(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "fonts"))
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts/fontlist-v1.json").write_text("{}")
    (tmp_path / "fonts/matplotlibrc").write_text("not copied")
    assert process_state.font_cache() == [("fontlist-v1.json", b"{}")]

    def look():
        folder = Path(os.environ["MPLCONFIGDIR"])
        return os.listdir(folder), (folder / "fontlist-v1.json").read_text("utf-8")

    seen = run(look, place_for(tmp_path, None), Level.NAMESPACES)
    assert seen == [["fontlist-v1.json"], "{}"]


@pytest.mark.parametrize(
    ("uid_map", "expected"),
    [
        ("0 0 4294967295", 0x70000000 + 77),
        ("0 100000 65536", 32768 + 77),
        ("0 1000 1\n1 100000 65536", 1 + 32768 + 77),
        ("0 1000 1", 0),
    ],
)
def test_the_spare_user_exists_and_is_nobody_else_s(uid_map, expected):
    assert process_state.spare_user(uid_map, 77) == expected


def test_two_sandboxes_have_two_users():
    users = {process_state.spare_user("0 0 4294967295", pid) for pid in range(1000)}
    assert len(users) == 1000


def test_the_environment_keeps_what_changes_no_right_and_drops_the_rest():
    given = {"TZ": "UTC", "OMP_NUM_THREADS": "1", "AWS_SECRET_ACCESS_KEY": "x", "PYTHONPATH": "/x"}
    kept = process_state.environment(given)
    assert kept["TZ"] == "UTC"
    assert kept["OMP_NUM_THREADS"] == "1"
    assert set(kept) == {"TZ", "OMP_NUM_THREADS", "PATH", "PYTHONDONTWRITEBYTECODE"}

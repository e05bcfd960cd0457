"""The rules on files, built without a kernel that enforces them, and one enforced set."""

import os

import pytest

from plaincourse.sandbox import Level, landlock
from plaincourse.sandbox.file_tree import View
from tests.plaincourse.locked import add_library, error_of, needs_linux, place_for, run


@pytest.fixture
def visible(tmp_path):
    for name in ("src/course/bank", "src/course/text", "src/other", "usr"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "src/course/code.py").touch()
    (tmp_path / "src/link").symlink_to("course/bank")
    return tmp_path


def rules_for(visible, *hidden: str) -> dict[str, int]:
    folders = [(str(visible / "src"), True), (str(visible / "usr"), True)]
    folders += [(str(visible / name), False) for name in hidden]
    made = landlock.reading(View(tuple(folders), {}), 17)
    start = str(visible) + "/"
    return {path.removeprefix(start): rights for path, rights in made if path.startswith(start)}


def test_a_visible_folder_needs_one_rule(visible):
    reads = landlock.READING
    assert rules_for(visible) == {"src": reads, "usr": reads}


def test_around_a_hidden_folder_every_neighbour_is_opened_and_it_is_not(visible):
    rules = rules_for(visible, "src/course/bank")
    assert rules == {
        "src": landlock.READ_FOLDER,
        "src/course": landlock.READ_FOLDER,
        "src/course/code.py": landlock.READING,
        "src/course/text": landlock.READING,
        "src/other": landlock.READING,
        "usr": landlock.READING,
    }


def test_of_all_processes_only_itself_can_be_read(visible):
    paths = [path for path, _ in landlock.reading(View((), {}), 17)]
    assert "/proc/17" in paths
    assert "/proc" not in paths
    assert "/dev" not in paths


def test_nothing_is_written_but_below_the_folders_named():
    (own, sockets) = landlock.writing(["/own"], "/sockets")
    assert own.path == "/own"
    assert own.rights & landlock.WRITE_FILE
    assert not own.rights & landlock.READING
    assert sockets.rights & landlock.MAKE_SOCKET
    makes = landlock.known(1) & ~0b111111 & ~landlock.MAKE_SOCKET
    assert not sockets.rights & makes


@pytest.mark.parametrize(
    ("abi", "bits", "scoped"),
    [(0, 0, 0), (1, 13, 0), (2, 14, 0), (3, 15, 0), (4, 15, 0), (5, 16, 0), (6, 16, 3), (9, 16, 3)],
)
def test_each_version_is_asked_for_what_it_knows(abi, bits, scoped):
    assert landlock.known(abi) == (1 << bits) - 1
    assert landlock.scope(abi) == scoped


@needs_linux
@pytest.mark.skipif(not landlock.version(), reason="this kernel has no landlock")
@pytest.mark.parametrize("abi", [1, 2, 3, 4, 5])
def test_an_older_landlock_with_seccomp_keeps_files_as_well(abi, tmp_path, monkeypatch):
    """Seccomp refuses the operations it does not cover yet, such as truncating a file."""
    monkeypatch.setattr(landlock, "version", lambda: abi)
    marks = tmp_path / "gradebook.db"
    visible = add_library(monkeypatch)

    def attack():
        return [
            error_of(marks.read_bytes),
            error_of(lambda: marks.write_bytes(b"")),
            error_of(lambda: os.truncate(marks, 0)),
            error_of(lambda: os.close(os.open(visible, os.O_RDONLY | os.O_TRUNC))),
            error_of(lambda: os.rename(marks, "mine")),
            error_of(lambda: os.link(marks, "mine")),
            error_of(lambda: os.kill(os.getppid(), 0)),
        ]

    seen = run(attack, place_for(tmp_path, None), Level.LANDLOCK)
    assert all(seen), seen
    assert marks.read_text() == "marks"
    assert visible.read_text() == "a = 1"

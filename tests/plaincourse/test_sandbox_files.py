"""Student code can read and write its own files, and nothing around them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plaincourse.exercise import course
from plaincourse.sandbox import Level, landlock, seal
from tests.plaincourse.locked import (
    add_library,
    can_change_user,
    error_of,
    needs_linux,
    place_for,
    run,
    ways,
)

BANK = course.folder()
every_way = pytest.mark.parametrize("way", ways())


@every_way
def test_no_file_outside_can_be_read(way, tmp_path):
    level, user = way
    place = place_for(tmp_path, user, hidden=(BANK,))
    secrets = [
        tmp_path / "gradebook.db",
        tmp_path / "submitted/bob/work.ipynb",
        Path.home() / ".profile",
        Path("/etc/hostname"),
        Path("/proc/1/environ") if level is Level.LANDLOCK else Path("/proc/3/environ"),
        BANK / "__init__.py",
        Path(__file__),
    ]
    seen = run(lambda: [error_of(path.read_bytes) for path in secrets], place, level)
    assert all(seen), dict(zip(map(str, secrets), seen, strict=True))


@every_way
def test_a_hidden_folder_below_a_visible_one_is_hidden_and_its_neighbours_are_not(way, tmp_path):
    level, user = way
    if user is not None and not os.access("/", os.R_OK):
        pytest.skip("the sources are not this user's to read")
    place = place_for(tmp_path, None, hidden=(BANK,))
    source = Path(course.__file__)

    def look():
        return [
            source.read_text("utf-8"),
            error_of((BANK / "__init__.py").read_text),
            error_of(lambda: os.listdir(BANK / "ch02")),
        ]

    text, *errors = run(look, place, level)
    assert text == source.read_text("utf-8")
    # Landlock cannot hide a name in a folder that may be listed.
    assert all(errors) if level is Level.NAMESPACES else errors[0]


@every_way
def test_the_submission_is_there_as_a_copy(way, tmp_path):
    level, user = way

    def change():
        before = Path("work.ipynb").read_text("utf-8")
        Path("work.ipynb").write_text("changed", encoding="utf-8")
        Path("made").mkdir()
        return before, Path("work.ipynb").read_text("utf-8")

    place = place_for(tmp_path, user)
    assert run(change, place, level) == ["ada's answer", "changed"]
    assert (tmp_path / "submitted/ada/work.ipynb").read_text() == "ada's answer"
    assert not (tmp_path / "submitted/ada/made").exists()


@every_way
def test_nothing_outside_can_be_written_or_made(way, tmp_path, monkeypatch):
    level, user = way
    source = add_library(monkeypatch)
    place = place_for(tmp_path, user)
    (tmp_path / "gradebook.db").chmod(0o666)
    tmp_path.chmod(0o777)

    def attack():
        return [
            error_of(lambda: (tmp_path / "gradebook.db").write_text("A")),
            error_of(lambda: (tmp_path / "gradebook.db").chmod(0)),
            error_of(lambda: os.truncate(tmp_path / "gradebook.db", 0)),
            error_of(lambda: os.utime(tmp_path / "gradebook.db", (1, 1))),
            error_of(lambda: (tmp_path / "gradebook.db").unlink()),
            error_of(lambda: source.write_text("")),
            error_of(lambda: source.chmod(0)),
            error_of(lambda: os.close(os.open(source, os.O_RDONLY | os.O_TRUNC))),
            error_of(lambda: (source.parent / "made.py").write_text("")),
            error_of(lambda: Path("/usr/made").write_text("")),
            error_of(lambda: Path("/made").write_text("")),
        ]

    before = (tmp_path / "gradebook.db").stat(), source.stat()
    seen = run(attack, place, level)
    # With namespaces, the folder's name may exist in the student's own /tmp.
    assert all(seen[5:] if level is Level.NAMESPACES else seen), seen
    after = (tmp_path / "gradebook.db").stat(), source.stat()
    assert [(s.st_mtime, s.st_mode, s.st_size) for s in after] == [
        (s.st_mtime, s.st_mode, s.st_size) for s in before
    ]


@every_way
def test_only_sockets_can_be_made_in_the_sockets_folder_and_none_once_it_is_sealed(way, tmp_path):
    level, user = way
    place = place_for(tmp_path, user)
    if not landlock.version():
        pytest.skip("this kernel has no landlock")
    folder = place.room.sockets

    def make():
        import socket

        one, two = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        first = error_of(lambda: one.bind(str(folder / "kernel-1")))
        return [
            first,
            error_of(lambda: (folder / "big").write_text("")),
            error_of((folder / "more").mkdir),
            error_of(lambda: (folder / "link").symlink_to("/etc/passwd")),
            seal(folder),
            error_of(lambda: two.bind(str(folder / "kernel-2"))),
            error_of(lambda: Path("still-mine").write_text("")),
        ]

    error, *refused, sealed, late, own = run(make, place, level)
    assert (error, sealed, own) == ("", True, "")
    assert all(refused)
    assert late
    assert os.listdir(folder) == ["kernel-1"]


@needs_linux
def test_the_interpreter_works_even_where_the_student_could_not_go_outside(tmp_path):
    """Its folder may be below a home folder with mode 700; it is mounted at the same path."""
    code = "import json, sqlite3, numpy; print(numpy.arange(3).sum())"

    def compute():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        return done.stdout.strip(), done.stderr

    assert run(compute, place_for(tmp_path, None), Level.NAMESPACES) == ["3", ""]


@needs_linux
def test_the_host_s_tree_is_not_reachable_by_any_way_up(tmp_path):
    def climb():
        up = os.path.join(*[".."] * 20)
        return [sorted(os.listdir(place)) for place in (up, "/proc/self/root", "/proc/1/root")]

    for listing in run(climb, place_for(tmp_path, None), Level.NAMESPACES):
        assert ".host" not in listing
        assert set(listing) <= set(
            "bin dev etc home lib lib32 lib64 libx32 nix proc root".split()
        ) | ({"sbin", "sys", "tmp", "usr", "var", Path(sys.prefix).parts[1], Path(BANK).parts[1]})


@needs_linux
@pytest.mark.skipif(not can_change_user(), reason="only root gives files away")
def test_the_kernel_s_files_in_the_sockets_folder_become_the_student_s(tmp_path):
    place = place_for(tmp_path, None)
    (place.room.sockets / "connection.json").write_text("{}")
    (place.room.sockets / "connection.json").chmod(0o600)
    (place.room.sockets / "link").symlink_to(tmp_path / "gradebook.db")
    path = place.room.sockets / "connection.json"
    assert run(lambda: path.read_text("utf-8"), place, Level.NAMESPACES) == "{}"
    assert (tmp_path / "gradebook.db").stat().st_uid == os.geteuid()

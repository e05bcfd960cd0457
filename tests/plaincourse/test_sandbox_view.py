"""The planned visible folders, and the new root that is made from them."""

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

import plaincourse
from plaincourse.sandbox import Level, Room, file_tree, linux
from tests.plaincourse.locked import (
    add_library,
    can_change_user,
    error_of,
    needs_linux,
    place_for,
    run,
)

SOURCES = os.path.realpath(Path(plaincourse.__file__).parent.parent)


@pytest.fixture(autouse=True)
def _look_anew():
    file_tree.everything.cache_clear()
    yield
    file_tree.everything.cache_clear()


def shown(room: Room) -> list[str]:
    return [path for path, visible in file_tree.plan(room).folders if visible]


def sees(room: Room, path: Path) -> bool:
    return any(file_tree.inside(os.path.realpath(path), folder) for folder in shown(room))


@pytest.fixture
def room(tmp_path) -> Room:
    return Room(folder=tmp_path, sockets=tmp_path)


@needs_linux
def test_the_interpreter_and_all_that_it_imports_from_are_visible(room):
    assert sees(room, Path(sys.executable))
    assert sees(room, Path(os.__file__))
    assert sees(room, Path(pytest.__file__))
    assert sees(room, Path(plaincourse.__file__))


@needs_linux
@pytest.mark.parametrize("name", ["gradebook.db", "nbgrader_config.py"])
def test_a_course_folder_on_the_path_is_not_shown(name, room, tmp_path, monkeypatch):
    course = tmp_path / "course"
    course.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(course)])
    assert sees(Room(folder=None, sockets=tmp_path / "s"), course)
    file_tree.everything.cache_clear()
    (course / name).touch()
    assert not sees(Room(folder=None, sockets=tmp_path / "s"), course)


@needs_linux
def test_neither_the_current_folder_nor_what_holds_private_folders_is_shown(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "above" / "submission").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    above, home = str(tmp_path / "above"), str(Path.home())
    monkeypatch.setattr(sys, "path", ["", str(tmp_path / "here"), above, home, "/", *sys.path])
    room = Room(folder=tmp_path / "above" / "submission", sockets=tmp_path / "s")
    assert not {above, home, "/", str(tmp_path / "here")} & set(shown(room))


@needs_linux
def test_a_package_installed_for_editing_is_visible_without_its_neighbours(tmp_path, monkeypatch):
    (tmp_path / "project" / "package").mkdir(parents=True)
    finder = ModuleType("__editable___package_1_0_finder")
    finder.MAPPING = {"package": str(tmp_path / "project" / "package")}
    monkeypatch.setitem(sys.modules, finder.__name__, finder)
    room = Room(folder=None, sockets=tmp_path / "s")
    assert sees(room, tmp_path / "project" / "package")
    assert not sees(room, tmp_path / "project")


@needs_linux
def test_what_is_reached_by_a_link_is_visible_under_both_names(tmp_path, monkeypatch):
    (tmp_path / "real" / "site").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "link" / "site"), *sys.path])
    plan = file_tree.plan(Room(folder=None, sockets=tmp_path / "s"))
    assert (str(tmp_path / "real" / "site"), True) in plan.folders
    assert plan.links[str(tmp_path / "link")] == "real"


def test_a_link_to_itself_does_not_hang(tmp_path):
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert file_tree._trace(str(tmp_path / "round" / "x")).real.endswith("x")


def test_only_what_changes_something_is_planned():
    folders = {
        "/a": True,
        "/a/b": True,
        "/a/c": False,
        "/a/c/d": True,
        "/a/c/e": False,
        "/z": False,
    }
    assert list(file_tree._needed(folders)) == [("/a", True), ("/a/c", False), ("/a/c/d", True)]


@needs_linux
def test_a_course_around_the_environment_can_be_hidden_and_the_environment_not(tmp_path):
    """The sources are in the course folder if a repository is used as cloned."""
    place = place_for(tmp_path, None, hidden=(Path(SOURCES),))

    def look():
        return error_of(lambda: os.listdir(SOURCES + "/plaincourse")), Path(os.__file__).exists()

    assert run(look, place, Level.NAMESPACES) == ["FileNotFoundError 2", True]


@needs_linux
@pytest.mark.parametrize("user", [None, 12345] if can_change_user() else [None])
def test_mounts_are_frozen_one_by_one_where_the_kernel_is_old(user, tmp_path, monkeypatch):
    monkeypatch.setattr(linux, "set_mount", lambda target, flags: False)
    source = add_library(monkeypatch)
    place = place_for(tmp_path, user)

    def write():
        return [
            error_of(lambda: (source.parent / "made.py").write_text("")),
            error_of(lambda: Path("/usr/made").write_text("")),
            [line.split()[3].split(",")[0] for line in open("/proc/mounts") if " /usr " in line],
        ]

    assert run(write, place, Level.NAMESPACES) == ["OSError 30", "OSError 30", ["ro"]]


@needs_linux
def test_names_with_spaces_and_accents_are_read_back_from_the_list_of_mounts(monkeypatch):
    frozen = []
    monkeypatch.setattr(linux, "mount", lambda source, target, flags: frozen.append(target))
    lines = [
        "1 0 8:1 / /a\\040b rw,nosuid shared:1 - ext4 /dev/x rw",
        "2 1 8:1 / /a\\040b/é rw - ext4 /dev/x rw",
        "3 0 8:1 / /a\\040bc rw - ext4 /dev/x rw",
    ]
    file_tree.freeze_one_by_one("/a b", "\n".join(lines))
    assert frozen == ["/a b", "/a b/é"]


@needs_linux
def test_where_no_proc_can_be_mounted_what_does_no_harm_is_copied(tmp_path, monkeypatch):
    mount = linux.mount

    def refuse(source, target, **more):
        if more.get("kind") == "proc":
            raise PermissionError(1, "mount proc")
        mount(source, target, **more)

    monkeypatch.setattr(linux, "mount", refuse)

    def look():
        said = Path("/proc/cpuinfo").read_text("utf-8")
        return "processor" in said, "self" in os.listdir("/proc")

    assert run(look, place_for(tmp_path, None), Level.NAMESPACES) == [True, False]

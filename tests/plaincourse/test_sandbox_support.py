"""The detected capabilities of a machine, and the messages about missing ones."""

import os
import sys

import pytest

from plaincourse.sandbox import (
    CONSENT,
    SWITCH,
    Level,
    Support,
    cgroups,
    entrance,
    landlock,
    linux,
    probe,
    refusal,
)
from plaincourse.sandbox.room import Limits
from tests.plaincourse.locked import needs_linux


@pytest.fixture
def _anew():
    probe.cache_clear()
    yield
    probe.cache_clear()


@needs_linux
def test_this_machine_is_tried_and_the_answer_kept():
    found = probe()
    assert found.level in (Level.NAMESPACES, Level.LANDLOCK), found.why
    assert probe() is found
    assert "memory" in found.why


@needs_linux
@pytest.mark.usefixtures("_anew")
def test_where_namespaces_are_refused_landlock_is_tried_and_the_reason_said(monkeypatch):
    if not landlock.version():
        pytest.skip("this kernel has no landlock")

    def refuse(*names):
        raise PermissionError(1, "new namespaces: Operation not permitted")

    monkeypatch.setattr(linux, "unshare", refuse)
    found = probe()
    assert found.level is Level.LANDLOCK
    assert "Namespaces are refused: [Errno 1] new namespaces" in found.why


@needs_linux
@pytest.mark.usefixtures("_anew")
def test_where_all_is_refused_the_level_is_none(monkeypatch):
    monkeypatch.setattr(entrance, "attempt", lambda level: f"no {level.value}")
    found = probe()
    assert found.level is Level.NONE
    assert "no namespaces" in found.why
    assert "no landlock" in found.why


@pytest.mark.usefixtures("_anew")
@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_have_none(system, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    assert probe() == Support(
        Level.NONE, f"It needs Linux; this is {system}. A container gives it a Linux."
    )


@pytest.mark.usefixtures("_anew")
def test_without_libseccomp_the_level_is_none_and_says_how_to_get_it(monkeypatch):
    def missing(refused):
        raise RuntimeError("Unable to find libseccomp. `apt install libseccomp2` mends it")

    monkeypatch.setattr(entrance.seccomp, "program", missing)
    monkeypatch.setattr(sys, "platform", "linux")
    found = probe()
    assert found.level is Level.NONE
    assert "apt install libseccomp2" in found.why


@pytest.mark.parametrize(
    ("path", "value", "advice"),
    [
        (
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            "/proc/sys/kernel/unprivileged_userns_clone",
            "0",
            "sudo sysctl kernel.unprivileged_userns_clone=1",
        ),
        ("/proc/sys/user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=15000"),
        ("/.dockerenv", "", "plaincourse autograde --container docker --dry-run"),
    ],
)
def test_the_setting_that_refuses_is_named_with_the_command_that_changes_it(path, value, advice):
    assert advice in entrance.advice({path: value}.get)


def test_where_no_setting_refuses_nothing_is_advised():
    allowing = {"/proc/sys/kernel/unprivileged_userns_clone": "1"}
    assert entrance.advice(allowing.get) == ""


def test_a_refusal_says_what_is_missing_the_container_and_the_exact_words():
    said = str(refusal(Support(Level.NONE, "It needs Linux; this is darwin.")))
    assert "It needs Linux; this is darwin." in said
    assert "plaincourse autograde --container docker" in said
    assert f'{SWITCH}="{CONSENT}"' in said
    assert (SWITCH, CONSENT) == (
        "PLAINCOURSE_UNSANDBOXED",
        "yes, run student code with my rights",
    )


LIMITS = Limits(memory=100, disk=20, processes=5)


def test_a_group_of_version_2_is_made_beside_our_own(tmp_path):
    (tmp_path / "user.slice").mkdir()
    (tmp_path / "cgroup.controllers").touch()
    (tmp_path / "user.slice/cgroup.subtree_control").write_text("cpu memory pids\n")
    folder = tmp_path / f"user.slice/plaincourse-{os.getpid()}"
    folder.mkdir()
    for name in ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cgroup.procs"):
        (folder / name).touch()
    made = _with_existing(folder, tmp_path, "0::/user.slice/session-1.scope\n")
    assert made == cgroups.Group(folder)
    assert (folder / "memory.max").read_text() == "127"
    assert (folder / "pids.max").read_text() == "6"
    assert made.join()
    assert (folder / "cgroup.procs").read_text() == "0"


def test_a_group_of_version_1_is_made_at_the_top_only(tmp_path):
    folder = tmp_path / f"memory/plaincourse-{os.getpid()}"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").touch()
    assert _with_existing(folder, tmp_path, "4:memory:/\n8:pids:/\n") == cgroups.Group(folder)
    assert (folder / "memory.limit_in_bytes").read_text() == "127"
    own = "4:memory:/service\n8:pids:/\n"
    assert _with_existing(folder, tmp_path, own) == cgroups.Group(None)


def test_where_a_controller_is_not_handed_down_no_group_is_left(tmp_path):
    (tmp_path / "user.slice").mkdir()
    (tmp_path / "cgroup.controllers").touch()
    (tmp_path / "user.slice/cgroup.subtree_control").write_text("cpu memory\n")
    own = "0::/user.slice/session-1.scope\n"
    assert cgroups.create(LIMITS, held=7, mount=tmp_path, own=own) == cgroups.Group(None)
    assert os.listdir(tmp_path / "user.slice") == ["cgroup.subtree_control"]
    assert not cgroups.Group(None).join()


def test_groups_of_the_dead_are_tidied_and_those_of_the_living_not(tmp_path):
    (tmp_path / "memory" / f"plaincourse-{os.getpid()}").mkdir(parents=True)
    (tmp_path / "memory" / "plaincourse-99999999").mkdir()
    (tmp_path / "memory" / "plaincourse-notes").mkdir()
    cgroups.tidy(mount=tmp_path, own="4:memory:/\n")
    assert sorted(os.listdir(tmp_path / "memory")) == [
        f"plaincourse-{os.getpid()}",
        "plaincourse-notes",
    ]


def _with_existing(folder, mount, own):
    """Make a group whose files, which the kernel would create, exist already."""
    mkdir = type(folder).mkdir
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(folder), "mkdir", lambda path: path == folder or mkdir(path))
        return cgroups.create(LIMITS, held=7, mount=mount, own=own)

"""The command line for grading in a container, tested without a container engine."""

import os

import pytest

from plaincourse.sandbox import command


def test_the_course_is_mounted_and_nothing_else_goes_in_or_out(tmp_path):
    words = command("docker", tmp_path, "plainformer:1.0", ["02", "--workers", "4"])
    said = " ".join(words)
    assert words[:3] == ["docker", "run", "--rm"]
    assert "--network none" in said
    assert "--cap-drop ALL" in said
    assert "--security-opt no-new-privileges" in said
    assert "--read-only" in said
    assert "--pids-limit" in said
    assert "--memory" in said
    assert f"--mount type=bind,source={tmp_path.resolve()},target=/course" in said
    assert said.count("--mount") == 1
    assert words[-6:] == ["plainformer:1.0", "plaincourse", "autograde", "02", "--workers", "4"]


def test_files_belong_to_the_one_who_typed_it(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 1000, raising=False)
    monkeypatch.setattr(os, "getgid", lambda: 1001, raising=False)
    docker = command("docker", tmp_path, "image", [])
    podman = command("podman", tmp_path, "image", [])
    assert docker[docker.index("--user") + 1] == "1000:1001"
    assert "--userns" not in docker
    assert podman[podman.index("--userns") + 1] == "keep-id"
    monkeypatch.delattr(os, "getuid")  # Windows
    assert "--user" not in command("docker", tmp_path, "image", [])


def test_what_is_graded_is_never_read_as_an_option_of_the_engine(tmp_path):
    words = command("docker", tmp_path, "image", ["--privileged"])
    assert words.index("--privileged") > words.index("autograde")
    with pytest.raises(ValueError, match="image"):
        command("docker", tmp_path, "--privileged", [])


@pytest.mark.parametrize(
    ("engine", "name", "message"),
    [
        ("lxc", ".", "engine is 'lxc'; expected one of docker, podman"),
        ("docker", "missing", "is not there"),
        ("docker", "a,b", "comma"),
    ],
)
def test_what_cannot_be_put_on_a_command_line_is_named(engine, name, message, tmp_path):
    (tmp_path / "a,b").mkdir()
    with pytest.raises(ValueError, match=message):
        command(engine, tmp_path / name, "image", [])

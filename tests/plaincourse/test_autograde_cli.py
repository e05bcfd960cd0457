"""The command line: wrong usage is refused with advice, before anything runs."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plaincourse import autograde
from plaincourse.sandbox import CONSENT


def run(*words: str) -> int:
    return autograde.main(["week-1", *words])


def test_help_tells_exit_codes_resuming_and_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("--help")
    said = " ".join(capsys.readouterr().out.split())
    for what in ("exit codes", "130", "the same command goes on", autograde.WORDS, "--container"):
        assert what in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--jobs=0"], "at least 1"),
        (["--allow-unsandboxed=yes"], autograde.WORDS),
        (["--container=docker", "--json=/tmp/log"], "below the course's folder"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_is_right(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit:
        run(*words)
    assert exit.value.code == 2
    assert told in capsys.readouterr().err


def test_a_folder_that_is_no_course_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from plaincourse.grading import workers

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers.Pool, "start", lambda self: None)
    assert run() == 1
    assert "no nbgrader_config.py in" in capsys.readouterr().err


def test_a_container_runs_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []

    def fake(line: list[str], check: bool) -> Any:
        ran.append(line)
        return argparse.Namespace(returncode=3)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "run", fake)
    words = ["--jobs=3", "--student=ada", "--student=bob", "--force", "--json=log.jsonl"]
    assert run("--container=podman", "--image=ours:1", *words) == 3
    (line,) = ran
    assert line[0] == "podman"
    after = line[line.index("ours:1") :]
    assert after[1:4] == ["plaincourse", "autograde", "week-1"]
    assert set(after[4:]) == set(words)

    def absent(line: list[str], check: bool) -> Any:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", absent)
    assert run("--container=docker") == 1
    assert "docker is not installed" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["run", "grade"], ids=["coordinator", "worker"])
def test_only_what_forks_kernels_imports_torch(module: str) -> None:
    code = f"import sys, plaincourse.grading.{module}; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_grades_does_without_jupytext() -> None:
    """Jupytext comes with the extra ``book``, for authors of pages."""
    used = "plaincourse.grading.run, plaincourse.feedback, plaincourse.notebooks.release"
    code = f"import sys; sys.modules['jupytext'] = None; import {used}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_words_are_those_of_the_sandbox() -> None:
    assert autograde.WORDS == CONSENT

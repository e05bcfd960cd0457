"""``plaincourse doctor``: its output, and text that must not be in it."""

import getpass
import re
from importlib import metadata
from pathlib import Path

import pytest

from plaincourse import cli, doctor


def test_it_prints_one_line_for_each_thing_that_a_bug_report_needs(capsys):
    cli.main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    found = dict(line.split(maxsplit=1) for line in lines)
    assert (
        list(found)
        == (
            "plainformer python torch numpy ipython jupyter-book nbgrader device node browser lock"
        ).split()
    )
    assert found["torch"] == metadata.version("torch")
    assert found["device"].startswith(("cpu", "cuda", "mps"))


def test_it_prints_nothing_about_the_person(capsys):
    cli.main(["doctor"])
    printed = capsys.readouterr().out
    assert str(Path.home()) not in printed
    assert str(Path.cwd()) not in printed
    if getpass.getuser() != "root":
        assert getpass.getuser() not in printed


def test_a_lock_that_agrees_gives_no_difference(tmp_path):
    lock = tmp_path / "requirements.lock"
    torch = metadata.version("torch").partition("+")[0]
    lock.write_text(f"# torch==0\ntorch=={torch}  # via x\nnumpy=={metadata.version('numpy')}\n")
    assert doctor.lock_differences(lock) == []


def test_a_package_that_is_missing_or_of_another_version_is_named(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text("no-such-package==1.0\nnumpy==0.0.1 ; python_version < '9'\n")
    assert doctor.lock_differences(lock) == [
        "no-such-package is missing",
        f"numpy is {metadata.version('numpy')}, the lock has 0.0.1",
    ]


def test_a_missing_lock_is_a_difference(tmp_path):
    assert doctor.lock_differences(tmp_path / "requirements.lock") == [
        "requirements.lock is missing"
    ]


def test_differences_set_the_exit_status_and_say_what_mends_them(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "lock_differences", lambda lock: ["a is 1, the lock has 2"])
    assert cli.main(["doctor"]) == 1
    assert "a is 1, the lock has 2. Any make target mends .venv" in capsys.readouterr().out


def test_outside_a_clone_there_is_no_lock_to_compare(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["doctor"]) == 0
    assert "not in a clone of the course" in capsys.readouterr().out


def test_many_differences_are_cut_short():
    found = dict(doctor.report([f"p{n} is missing" for n in range(20)]))
    assert "p7 is missing, and 12 more" in found["lock"]
    assert "p8" not in found["lock"]


@pytest.mark.parametrize("script", ["exit 3", "", None])
def test_a_program_that_fails_says_nothing_or_is_missing_has_no_version(
    tmp_path, monkeypatch, script
):
    if script is not None:
        (tmp_path / "node").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor.version("node") is None
    assert re.match("not found", dict(doctor.report(None))["node"])

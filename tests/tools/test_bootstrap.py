"""Set-up: done once, done again when the lock changes, and clear about what is missing."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.house.tree import ROOT


@pytest.fixture
def needs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("needs")


@pytest.fixture
def bootstrap(needs: ModuleType) -> ModuleType:
    return importlib.import_module("bootstrap")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make a machine that has only the programs that the test puts on it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.delenv("CHROMIUM", raising=False)

    def put(name: str, prints: str, status: int = 0) -> None:
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{prints}'\nexit {status}\n")
        (tmp_path / name).chmod(0o755)

    return put


@pytest.mark.parametrize("name", ["bootstrap.py", "needs.py"])
def test_an_old_python_can_read_it_far_enough_to_say_it_is_old(name):
    source = (ROOT / "tools" / name).read_text("utf-8")
    tree = ast.parse(source, feature_version=(3, 4))
    assert not any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None
            assert not any(argument.annotation for argument in node.args.args)


def test_the_preferred_python_that_runs_is_taken(needs, programs):
    programs("python3.11", "", status=127)  # a shim without a Python behind it
    programs("python3.13", "3.13.0")
    programs("python3", "3.14.0")
    assert needs.find_python() == "python3.13"


def test_a_machine_with_old_pythons_only_is_told_which_and_what_to_get(needs, programs):
    programs("python3", "3.9.2")
    with pytest.raises(needs.Missing) as missing:
        needs.find_python()
    assert "Python 3.11 or newer is needed" in str(missing.value)
    assert "python3.11 does not run" in str(missing.value)
    assert "python3 3.9.2" in str(missing.value)
    assert "apt install python3.11" in str(missing.value)


def test_a_python_named_by_hand_is_the_only_one_tried(needs, programs, monkeypatch):
    programs("python3.11", "3.11.0")
    monkeypatch.setenv("PYTHON", "/no/such/python")
    with pytest.raises(needs.Missing, match=r"Tried: /no/such/python does not run\."):
        needs.find_python()


def test_without_node_or_with_an_old_one_it_stops(needs, programs):
    with pytest.raises(needs.Missing, match="Node 20 or newer, with npm, is needed"):
        needs.find_node()
    programs("node", "v18.20.1")
    programs("npm", "9")
    with pytest.raises(needs.Missing, match=r"Node is v18\.20\.1; 20 or newer"):
        needs.find_node()
    programs("node", "v20.0.0")
    assert needs.find_node() == "v20.0.0"


def test_without_node_the_tests_of_python_still_run(bootstrap, programs, capsys):
    bootstrap.set_up_node_if_there()
    assert "tests that need it will be reported as skipped" in capsys.readouterr().out


def test_without_a_browser_it_stops_and_says_what_needs_one(needs, programs):
    with pytest.raises(needs.Missing, match=r"Tried: chromium,(.|\n)*Only `make site-test`"):
        needs.check_chromium()
    programs("google-chrome", "Google Chrome 130")
    needs.check_chromium()


def test_without_a_gpu_it_stops_and_names_what_runs_instead(needs, tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho\n")
    python.chmod(0o755)
    monkeypatch.setattr(needs, "VENV_PYTHON", str(python))
    with pytest.raises(needs.Missing, match=r"sees no CUDA device(.|\n)*`make notebooks`"):
        needs.check_gpu()
    python.write_text("#!/bin/sh\necho 'A GPU'\n")
    needs.check_gpu()


def test_a_finished_step_is_skipped_until_the_lock_changes(bootstrap, tmp_path, monkeypatch):
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).write_text(name)
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(bootstrap, "ROOT", str(tmp_path))
    monkeypatch.setattr(bootstrap, "VENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(bootstrap, "VENV_PYTHON", sys.executable)
    runs = []
    monkeypatch.setattr(bootstrap, "install", lambda total, *words: runs.append(words))
    bootstrap.set_up_python()
    assert runs == [
        ("-r", "requirements.lock"),
        ("--no-deps", "--no-build-isolation", "--editable", "."),
    ]
    bootstrap.set_up_python()
    assert len(runs) == 2
    (tmp_path / "requirements.lock").write_text("changed")
    bootstrap.set_up_python()
    assert len(runs) == 4


def test_a_set_up_that_failed_is_not_remembered(bootstrap, tmp_path, monkeypatch):
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).write_text("")
    (tmp_path / ".venv").mkdir()
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\n[ "$1" = -c ] && echo 3.11.0 && exit\necho no such host; exit 1\n')
    fake.chmod(0o755)
    monkeypatch.setattr(bootstrap, "ROOT", str(tmp_path))
    monkeypatch.setattr(bootstrap, "VENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(bootstrap, "VENV_PYTHON", str(fake))
    with pytest.raises(bootstrap.Missing, match=r"pip could not install(.|\n)*no such host"):
        bootstrap.set_up_python()
    assert list((tmp_path / ".venv").iterdir()) == []


def test_a_step_that_does_not_exist_lists_those_that_do():
    command = [sys.executable, str(ROOT / "tools/bootstrap.py"), "pyhton"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Expected one or more of: python, node, node-if-there, chromium, gpu" in done.stderr

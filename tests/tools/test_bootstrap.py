"""Set-up runs once, runs again if the lock changes, and reports missing requirements clearly."""

import ast
import errno
import importlib
import os
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
    """Return a function that puts programs on a machine that has no others."""
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


FAKE_PYTHON = """\
#!/bin/sh
case "$*" in
  *sys.version_info*) echo 3.11.0 ;;
  *sys.prefix*) echo {venv} ;;
  *config*) cat {folder}/pip.conf ;;
  *) echo "$@" >> {folder}/ran; echo "$UV_FIND_LINKS" >> {folder}/links
     if echo "$@" | grep -q -f {folder}/broken; then echo no such host; exit 1; fi ;;
esac
"""
UV, PIP = "-m uv pip install --python {venv}/bin/python", "-m pip install"
LOCKED, AGAIN = "-r requirements.lock -e .", "--reinstall -r requirements.lock -e ."


@pytest.fixture
def machine(bootstrap, tmp_path, monkeypatch):
    """Make a course whose .venv has a Python that records its commands; some of them fail."""
    venv = tmp_path / ".venv"
    (venv / "bin").mkdir(parents=True)
    python = venv / "bin" / "python"
    python.write_text(FAKE_PYTHON.format(venv=venv, folder=tmp_path))
    python.chmod(0o755)
    for name in ("pyproject.toml", "pip.conf", "broken"):
        (tmp_path / name).touch()
    (tmp_path / "requirements.lock").write_text("numpy==2.0\nuv==0.13.9  # via this course\n")
    values = {"ROOT": tmp_path, "VENV": venv, "VENV_PYTHON": python}
    for name, value in values.items():
        monkeypatch.setattr(bootstrap, name, str(value))

    def set_up(broken: str = "", settings: str = "") -> list[str]:
        (tmp_path / "broken").write_text(broken)
        (tmp_path / "pip.conf").write_text(settings)
        (tmp_path / "ran").write_text("")
        bootstrap.set_up_python()
        ran = (tmp_path / "ran").read_text().replace(str(venv), "{venv}").splitlines()
        return [line for line in ran if "import" not in line]

    return set_up


def test_uv_installs_once_until_the_lock_changes(machine, tmp_path):
    assert machine() == [f"{PIP} --retries=1 uv==0.13.9", f"{UV} {LOCKED}"]
    assert machine() == []
    (tmp_path / "requirements.lock").write_text("uv==0.14.0")
    assert machine() == [f"{PIP} --retries=1 uv==0.14.0", f"{UV} {LOCKED}"]


@pytest.mark.parametrize(
    ("broken", "settings", "reason"),
    [
        ("uv pip", "", "no such host"),
        ("retries=1 uv", "", "no such host"),
        ("", "install.only-binary='torch'\n", "pip's setting only-binary has no counterpart"),
        ("", ":env:.no-index='1'\n", "pip's setting no-index has no counterpart"),
    ],
)
def test_where_uv_cannot_pip_installs_the_same_and_the_reason_is_told(
    machine, capsys, broken, settings, reason
):
    assert machine(broken, settings)[-1] == f"{PIP} {LOCKED}"
    assert reason in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "links"),
    [
        ("global.find-links='/a'\n", "/a"),
        ("global.find-links='\\n/a\\n/b'\nglobal.timeout='9'\n", "/a,/b"),
        (":env:.find-links='/c'\nglobal.find-links='/a'\n", "/c"),
        ("global.find-links='/a'\ninstall.find-links='/d /e'\nwheel.find-links='/f'\n", "/d,/e"),
    ],
)
def test_uv_looks_where_pip_is_set_to_look(machine, tmp_path, monkeypatch, settings, links):
    monkeypatch.delenv("UV_FIND_LINKS", raising=False)
    assert machine(settings=settings)[-1].startswith(UV)
    assert (tmp_path / "links").read_text().splitlines()[1] == links


def test_after_an_interruption_every_package_is_replaced(machine, tmp_path):
    (tmp_path / ".venv" / ".set-up").write_text("unfinished")
    assert machine()[-1] == f"{UV} {AGAIN}"
    assert machine() == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("pip install", "pip could not install(.|\n)*no such host"),
        ("import", "does not run(.|\n)*rm -r"),
    ],
)
def test_a_set_up_that_failed_is_done_again_from_the_start(bootstrap, machine, broken, said):
    with pytest.raises(bootstrap.Missing, match=said):
        machine(broken)
    assert machine()[-1] == f"{UV} {AGAIN}"


def test_no_process_of_the_environment_compiles_grammars_of_addresses(bootstrap, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "e"], check=True)
    python = tmp_path / "e" / "bin" / "python"
    ask = [python, "-c", "import sys; print(sys.modules.get('rfc3987_syntax', 'open'))"]
    answers = [subprocess.check_output(ask, text=True).strip()]
    subprocess.run([python, "-c", bootstrap.LIGHT], check=True)
    assert [*answers, subprocess.check_output(ask, text=True).strip()] == ["open", "None"]


def test_what_is_installed_is_compiled_once_whatever_the_environment_says(
    bootstrap, machine, tmp_path, monkeypatch
):
    python = tmp_path / ".venv" / "bin" / "python"
    noted = f'echo "$PYTHONDONTWRITEBYTECODE:$2" >> {tmp_path}/noted\n'
    python.write_text(python.read_text() + noted)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    machine()
    assert f":{bootstrap.SMOKE}" in (tmp_path / "noted").read_text().splitlines()
    make = ["make", "-f", str(ROOT / "Makefile"), "--eval", "said: ; @env", "said"]
    assert "PYTHONDONTWRITEBYTECODE" not in subprocess.check_output(make, text=True)


@pytest.mark.parametrize("half", ["no Python", "another Python", "no pip"])
def test_a_half_made_environment_is_made_anew(bootstrap, machine, tmp_path, monkeypatch, half):
    venv = tmp_path / ".venv"
    (venv / "bin" / "python").unlink()
    if half == "another Python":
        (venv / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    elif half == "no pip":
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    maker = tmp_path / "maker"
    maker.write_text(f'#!/bin/sh\nmkdir -p "$3/bin"; ln -s {sys.executable} "$3/bin/python"\n')
    maker.chmod(0o755)
    monkeypatch.setattr(bootstrap.needs, "find_python", lambda: str(maker))
    monkeypatch.setattr(bootstrap, "install", lambda again: None)
    (venv / "left").touch()
    machine()
    assert not (venv / "left").exists()
    assert (venv / "bin" / "python").exists()


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.EACCES])
def test_on_a_disk_without_links_it_says_so_and_names_no_package(
    needs, bootstrap, machine, tmp_path, monkeypatch, number
):
    def refuse(*given, **more):
        raise OSError(number, "no")

    (tmp_path / ".venv" / "bin" / "python").unlink()
    monkeypatch.setattr(needs, "find_python", lambda: sys.executable)
    monkeypatch.setattr(bootstrap.subprocess, "call", lambda *given, **more: 1)
    monkeypatch.setattr(os, "symlink", refuse)
    with pytest.raises(needs.Missing, match="has no symbolic links") as missing:
        bootstrap.set_up_python()
    assert "apt install" not in str(missing.value)
    assert not list(tmp_path.glob(".link-*"))


def test_a_disk_with_links_is_told_apart(needs, tmp_path):
    assert needs.has_links(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_step_that_does_not_exist_lists_those_that_do():
    command = [sys.executable, str(ROOT / "tools/bootstrap.py"), "pyhton"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Expected one or more of: python, node, node-if-there, chromium, gpu" in done.stderr

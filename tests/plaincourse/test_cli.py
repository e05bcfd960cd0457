"""``plaincourse``: commands are found and described, and report missing requirements."""

import importlib
import re
import resource
import subprocess
import sys

import pytest

from plaincourse import cli

COMMANDS = ["sync", "configure", "doctor", "cards"]


def test_help_lists_every_command_and_where_to_begin(capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--help"])
    printed = capsys.readouterr().out
    assert exit_.value.code == 0
    assert [name for name in COMMANDS if re.search(rf"\n    {name}\s", printed)] == COMMANDS
    assert "a fork's first day" in printed


def test_what_help_prints_can_be_typed(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    lines = re.findall(r"^  plaincourse (\S.*)$", capsys.readouterr().out, re.MULTILINE)
    assert len(lines) > 8
    for line in lines:
        typed, *rest = re.split(r"\s{2,}", line)[0].split(" && plaincourse ")
        for words in [typed, *rest]:
            argv = words.replace("NN", "02").split()
            _, unknown = cli.parser(argv[0]).parse_known_args(argv)
            assert not unknown, words


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main([name, "--help"])
    printed = capsys.readouterr().out
    assert exit_.value.code == 0
    assert printed.startswith(f"usage: plaincourse {name}")
    assert len(printed.splitlines()) > 5


@pytest.mark.parametrize("argv", [[], ["snyc"], ["doctor", "--no-such-option"]])
def test_words_that_are_no_command_are_refused(argv, capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main(argv)
    assert exit_.value.code == 2
    assert "usage: plaincourse" in capsys.readouterr().err


def test_a_package_that_is_not_installed_names_the_extra_that_brings_it(monkeypatch, capsys):
    real = importlib.import_module

    def without(name, *rest):
        if name == "plaincourse.notebooks.sync":
            raise ModuleNotFoundError("No module named 'jupytext'", name="jupytext.cell")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    assert cli.main(["sync", "--check"]) == 1
    error = capsys.readouterr().err
    assert "needs jupytext, which is not installed" in error
    assert "plainformer[book]" in error


@pytest.mark.parametrize("name", ["plaincourse.notebooks.pairs", "plainformer.masks"])
def test_a_module_of_ours_that_is_missing_is_not_blamed_on_an_extra(monkeypatch, name):
    def broken(*_):
        raise ModuleNotFoundError("gone", name=name)

    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError):
        cli.parser("sync")


def test_help_lists_commands_and_imports_none_of_them():
    code = (
        "import sys; from plaincourse import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: print('IMPORTED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stdout.partition("IMPORTED")[2].split())
    heavy = "torch numpy nbgrader nbconvert nbformat jsonschema jupytext matplotlib sqlalchemy yaml"
    assert not imported & set(heavy.split())
    assert not {f"plaincourse.{file}" for file, *_ in cli._COMMANDS.values()} & imported
    assert len(imported) < 250


@pytest.mark.parametrize("argv", [["--help"], ["snyc"], []])
def test_help_and_wrong_words_take_little_processor_time(argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "plaincourse.cli", *argv], capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.5


def test_one_command_imports_no_other():
    code = (
        "import sys; from plaincourse import cli; cli.parser('configure'); "
        "print('plaincourse.notebooks.sync' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_it_runs_as_a_module_and_returns_the_commands_status(tmp_path):
    command = [sys.executable, "-m", "plaincourse.cli", "configure", "--check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "not inside the course" in done.stderr

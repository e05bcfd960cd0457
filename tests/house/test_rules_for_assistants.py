"""The rules for coding assistants fit on a screen; their paths exist and their commands run."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plaincourse import cli
from plaincourse.exercise.course import rules_for_assistants
from tests.house.tree import ROOT

OURS = ROOT / "AGENTS.md"
RULES = [pytest.param(OURS, id="contributors"), pytest.param(rules_for_assistants(), id="students")]
#: Paths that a reader makes, and patterns of names.
NOT_HERE = {"work/", "book/NN-slug.md", "solutions/NN-slug/NN-slug.md"}


def commands(path: Path) -> list[str]:
    """List the commands in blocks and in the text."""
    text = path.read_text("utf-8")
    blocks = "".join(re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL))
    lines = [line.partition("#")[0].strip() for line in blocks.splitlines()]
    spans = re.findall(r"`((?:make|plaincourse) [^`\n]+)`", text)
    return [each for each in [*lines, *spans] if each]


def words(command: str) -> list[str]:
    """Return a command as this environment has it."""
    first, *rest = shlex.split(command)
    python = {"python": [], "pytest": ["-m", "pytest"], "plaincourse": ["-m", "plaincourse.cli"]}
    name = first.removeprefix(".venv/bin/")
    return ["make", *rest] if name == "make" else [sys.executable, *python[name], *rest]


def runs(command: list[str], folder: Path = ROOT) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("path", RULES)
def test_they_fit_on_a_screen(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= 48
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("path", RULES)
def test_they_name_commands_and_paths_that_exist(path: Path) -> None:
    named = commands(path)
    assert len(named) >= 3
    for each in named:
        command = words(each)
        if command[0] == "make":
            runs([*command, "-n"])
        elif "plaincourse.cli" in command:
            name, *rest = command[3:]
            assert name in cli._COMMANDS
            assert not rest or cli.parser(name).parse_known_args([name, *rest])[1] == []
        else:
            assert [x for x in command if "/" in x and not Path(ROOT, x).exists()] == []
    paths = re.findall(r"`([\w./-]+(?:/|\.md))`", path.read_text("utf-8"))
    assert len(paths) >= 3
    assert {x for x in paths if not (ROOT / x).exists()} <= NOT_HERE


@pytest.mark.slow
@pytest.mark.parametrize("path", RULES)
def test_their_commands_run(path: Path, tmp_path: Path) -> None:
    released = ROOT / "exercises/02-scaled-dot-product-attention"
    folder = shutil.copytree(released, tmp_path / "released") if path != OURS else ROOT
    for each in commands(path):
        name, *rest = words(each.replace("FILE", f"{released.name}.ipynb"))
        if name != "make" and len(rest) > 3 and "--mcp" not in rest:
            runs([name, *rest], folder)


def test_a_command_that_is_not_there_would_be_found() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        runs([*words("make chekc"), "-n"])
    with pytest.raises(SystemExit):
        cli.parser("tutro").parse_args(words("plaincourse tutro x")[3:])


def test_the_students_rules_are_for_teaching() -> None:
    text = " ".join(rules_for_assistants().read_text("utf-8").split())
    for said in ("Do not write an answer", "in no sandbox", "solutions/", "one hint"):
        assert said in text
    assert "follow the `AGENTS.md` in that folder" in " ".join(OURS.read_text("utf-8").split())

"""The commands that the README, CI and the workflows name exist and have descriptions."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.house.tree import ROOT

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
RULE = re.compile(r"^([a-z][a-z-]*):.*$", flags=re.MULTILINE)
TARGETS = set(RULE.findall(MAKEFILE))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
SPEAKERS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md", ".ci/run", "index.md")),
    *WORKFLOWS,
    *sorted((ROOT / "decisions").glob("*.md")),
]


def test_every_target_is_phony_and_says_what_it_does() -> None:
    phony = set(re.findall(r"^\.PHONY: (\S+)$", MAKEFILE, flags=re.MULTILINE))
    said = set(re.findall(r"^([a-z-]+):.*?  ## \S", MAKEFILE, flags=re.MULTILINE))
    assert phony == said == TARGETS


def test_the_interface_of_the_design_is_there() -> None:
    promised = (
        "help book epub lab test test-slow coverage bench bench-grading serve checkpoint check "
        "format sync notebooks notebooks-gpu exercises site-test site-speed stills drawings lock "
        "training-kernel clean"
    )
    assert set(promised.split()) == TARGETS


@pytest.mark.parametrize("path", SPEAKERS, ids=lambda path: path.name)
def test_every_target_that_a_text_names_exists(path: Path) -> None:
    named = set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)\b", _commands(path.read_text("utf-8"))))
    assert named <= TARGETS


def _commands(text: str) -> str:
    """Keep only code: spans between backquotes, fenced blocks, and lines of CI."""
    spans = re.findall(r"`[^`\n]+`", text)
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    lines = re.findall(r"^(?:\s*- run: |step )(.*)$", text, flags=re.MULTILINE)
    return "\n".join([*spans, *blocks, *lines])


def test_a_target_that_is_not_there_would_be_found() -> None:
    assert "make nonsense" in _commands("Run `make nonsense` now")
    assert "make nonsense" in _commands("      - run: make nonsense\n")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_ask_for_the_least_and_pin_their_actions(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["group"].startswith(path.stem)
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/x@v1"))


def test_paths_that_the_readme_names_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)]+)\)", readme)
    assert len(links) > 5
    assert [link for link in links if not (ROOT / link).exists()] == []
    tree = re.search(r"## What is where\n\n```\n(.*?)```", readme, flags=re.DOTALL)
    assert tree is not None
    folder = Path()
    for line in tree[1].splitlines():
        name = line.split()[0]
        if not name.endswith("/"):
            name = name.rstrip(",")
        folder = folder if line.startswith("  ") else Path()
        assert (ROOT / folder / name).exists(), line
        folder = Path(name) if not line.startswith("  ") else folder


def test_the_python_of_the_readme_runs_as_it_stands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", readme, flags=re.DOTALL | re.MULTILINE)
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    shape, told, *rows = run.stdout.splitlines()
    assert shape == "torch.Size([2, 6, 64])"
    assert told.endswith(" .")
    assert rows[1].startswith("tokens a second")

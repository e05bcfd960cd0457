"""The commands in the guide for instructors work with this configuration."""

import re
from pathlib import Path

import pytest
from nbgrader.exchange.default.exchange import Exchange
from traitlets.config.loader import PyFileConfigLoader

from plaincourse import cli
from plaincourse.feedback import only_pages

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "book" / "instructors.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", GUIDE, flags=re.MULTILINE | re.DOTALL)
TYPED = [
    words.split()
    for block in BLOCKS
    for words in re.findall(r"(?:^|/)plaincourse ([^#\n]+)", block, flags=re.MULTILINE)
]


@pytest.mark.parametrize("words", TYPED, ids=" ".join)
def test_a_command_of_the_guide_is_understood(words: list[str]) -> None:
    _, unknown = cli.parser(words[0]).parse_known_args(words)
    assert unknown == []


@pytest.mark.parametrize("block", [block for block in BLOCKS if "git commit" in block])
def test_what_changes_files_of_the_repository_stands_above_the_commit(block: str) -> None:
    lines = block.splitlines()
    commit = next(number for number, line in enumerate(lines) if "git commit" in line)
    changes = "configure|git pull|git checkout|make sync"
    changing = [number for number, line in enumerate(lines) if re.search(changes, line)]
    assert len(changing) >= 2
    assert "make sync" in lines[changing[-1]]
    assert changing[-1] < commit


@pytest.mark.parametrize("what", ["Other hidden tests", "Points", "Due dates", "Late penalties"])
def test_what_changes_from_term_to_term_has_a_paragraph(what: str) -> None:
    section = GUIDE.partition("(sec-teach-term)=")[2].partition("\n(sec-")[0]
    assert re.search(rf"^\*\*{what}[^*]*\.\*\* ", section, flags=re.MULTILINE)


def test_formgrader_finds_an_exchange_and_feedback_its_pages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()
    monkeypatch.chdir(tmp_path)
    Exchange(config=config).ensure_root()
    assert config.GenerateFeedback.post_convert_hook is only_pages

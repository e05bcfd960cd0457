"""New hidden seeds for the next term: all change to distinct ones, and nothing else changes."""

import re
from pathlib import Path

import pytest

from plaincourse import cli
from plaincourse.reseed import reseeded

TEXT = """\
torch.manual_seed(5); draw(seed=11)
check("02.a", a)
### BEGIN HIDDEN TESTS
check("02.a", a, seed=20261)
### END HIDDEN TESTS
The text says seed=20261.
### BEGIN HIDDEN TESTS
check("02.b", b, seed=20262)
### END HIDDEN TESTS
"""


def hidden(text: str) -> list[str]:
    return re.findall(r", seed=(\d+)\)", text)


def test_only_the_seeds_of_hidden_tests_change() -> None:
    numbers = iter([7, 8])
    text, count = reseeded(TEXT, lambda _: next(numbers))
    assert (hidden(text), count) == (["7", "8"], 2)
    assert text.replace("seed=7)", "seed=20261)").replace("seed=8)", "seed=20262)") == TEXT


def test_every_assignment_gets_seeds_that_no_other_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [Path("solutions", name, f"{name}.md") for name in ("02-a", "03-b")]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text(TEXT)
    assert cli.main(["reseed"]) == 0
    found = [seed for path in paths for seed in hidden(path.read_text())]
    assert len({*found, "20261", "20262"}) == 6
    assert {int(seed).bit_length() for seed in found} == {65}
    assert "plaincourse sync" in capsys.readouterr().out
    before = [path.read_text() for path in paths]
    assert cli.main(["reseed", "03-b"]) == 0
    after = [path.read_text() for path in paths]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False]


def test_each_of_64_bits_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("solutions", "02-a", "02-a.md")
    path.parent.mkdir(parents=True)
    path.write_text(TEXT * 40)
    assert cli.main(["reseed"]) == 0
    seeds = [int(seed) for seed in hidden(path.read_text())]
    assert len(set(seeds)) == 80
    for bit in range(64):
        assert 0 < sum(seed >> bit & 1 for seed in seeds) < 80


def test_what_is_not_there_is_named_and_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("solutions", "02-a", "02-a.md")
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    assert cli.main(["reseed", "02-a", "09-z"]) == 1
    assert "solutions/09-z/09-z.md is not here" in capsys.readouterr().err
    assert path.read_text() == TEXT

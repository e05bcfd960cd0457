"""``plaincourse configure`` makes every file agree with the settings."""

import tomllib
from pathlib import Path

import pytest

from plaincourse import cli
from plaincourse.configure import check, configure
from plaincourse.settings import Settings, SettingsError, load

PYPROJECT = """\
[project]
name = "x"
owner = "not this one"

# Kept.
[tool.plaincourse]
owner = ""
name = "plainformer"  # a comment
branch = "main"

[tool.other]
owner = "nor this one"
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "pyproject.toml": PYPROJECT,
        "README.md": "x\n<!-- begin badges -->\n<!-- end badges -->\n"
        "<!-- begin benchmarks -->\n<!-- end benchmarks -->\n"
        "<!-- begin chapters -->\n<!-- end chapters -->\n",
        "CITATION.cff": "title: x\n# begin settings\n# end settings\n",
        "src/plaincourse/gates.json": "{}\n",
        "book/run-it-yourself.md": "# Run\n\n% begin run\n% end run\n",
        "book/01-a.ipynb": "{}",
        "book/chapters.yml": "- part: One\n  chapters: [{id: '01', slug: a, title: A}]\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path / "book")
    configure(tmp_path, {})
    return tmp_path


def test_settings_change_and_everything_else_in_pyproject_stays(course):
    assert cli.main(["configure", "--owner", "ann", "--site", "https://example.org/"]) == 0
    text = (course / "pyproject.toml").read_text()
    before, after = tomllib.loads(PYPROJECT), tomllib.loads(text)
    assert after["tool"].pop("plaincourse") == {
        "owner": "ann",
        "name": "plainformer",
        "branch": "main",
        "site": "https://example.org/",
    }
    before["tool"].pop("plaincourse")
    assert after == before
    assert "# Kept." in text


def test_derived_files_follow_and_the_next_step_is_named(course, capsys):
    cli.main(["configure", "--owner", "ann"])
    printed = capsys.readouterr().out
    assert "wrote pyproject.toml, README.md, CITATION.cff" in printed
    assert "make sync" in printed
    assert "site    https://ann.github.io/plainformer/" in printed
    assert "github.com/ann/plainformer" in (course / "CITATION.cff").read_text()
    assert "github.com/ann/plainformer" in (course / "README.md").read_text()
    assert "//ann.github.io/plainformer/" in (course / "src/plaincourse/gates.json").read_text()
    ways = (course / "book/run-it-yourself.md").read_text()
    assert (
        "git clone --branch main https://github.com/ann/plainformer.git\ncd plainformer\n" in ways
    )
    assert (
        'pip install "plainformer[student] @ git+https://github.com/ann/plainformer.git@main"'
        in ways
    )
    assert "/ann/plainformer/blob/main/book/01-a.ipynb" in ways
    assert "/ann/plainformer/blob/main/exercises/01-a/01-a.ipynb" in ways
    assert "FOLDER" not in ways
    assert check(course) == []


def test_running_it_again_changes_nothing(course, capsys):
    cli.main(["configure", "--owner", "ann"])
    assert configure(course, {}) == []
    capsys.readouterr()
    cli.main(["configure", "--owner", "ann"])
    assert "every file agrees already" in capsys.readouterr().out


def test_an_owner_can_be_taken_back(course):
    before = {path: path.read_text() for path in course.rglob("*.*") if path.is_file()}
    configure(course, {"owner": "ann"})
    configure(course, {"owner": ""})
    assert {path: path.read_text() for path in before} == before


@pytest.mark.parametrize("option", [["--owner", "a b"], ["--branch", "a..b"], ["--site", "x"]])
def test_a_value_that_cannot_be_is_refused_and_nothing_is_written(course, capsys, option):
    before = (course / "pyproject.toml").read_text()
    assert cli.main(["configure", "--name", "course", *option]) == 1
    assert f"error: {option[0][2:]}=" in capsys.readouterr().err
    assert (course / "pyproject.toml").read_text() == before
    assert load(course) == Settings()


def test_check_names_the_files_that_disagree_and_changes_nothing(course, capsys):
    assert cli.main(["configure", "--check"]) == 0
    text = (course / "pyproject.toml").read_text().replace('owner = ""', 'owner = "ann"', 1)
    (course / "pyproject.toml").write_text(text)
    assert cli.main(["configure", "--check"]) == 1
    printed = capsys.readouterr()
    stale = "README.md, CITATION.cff, src/plaincourse/gates.json, book/run-it-yourself.md"
    assert f"{stale}: not what the settings say" in printed.out + printed.err
    assert "Run: plaincourse configure" in printed.out + printed.err
    assert "/ann/" not in (course / "README.md").read_text()


def test_check_takes_no_new_settings(course, capsys):
    assert cli.main(["configure", "--check", "--owner", "ann"]) == 1
    assert "--check changes nothing" in capsys.readouterr().err


def test_a_readme_without_its_markers_is_refused(course, capsys):
    (course / "README.md").write_text("nothing here\n")
    assert cli.main(["configure", "--owner", "ann"]) == 1
    assert "README.md: expected one line `<!-- begin badges -->`" in capsys.readouterr().err
    with pytest.raises(SettingsError):
        check(course)

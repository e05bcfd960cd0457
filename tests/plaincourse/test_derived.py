"""Files derived from the settings: parts of README and CITATION.cff, _config.yml, gates.json."""

import json
from pathlib import Path

import pytest
import yaml

from plaincourse.derived import chapter_table, derive
from plaincourse.settings import Settings, SettingsError, block, load
from tests.house.tree import ROOT

ANN = Settings(owner="ann", name="course")
CHAPTERS = """
- part: One
  chapters:
    - {id: "02", slug: dots, title: Dots, source: [scores, softmax]}
    - {id: "03", slug: masks, title: Masks}
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for name, text in {
        "book/chapters.yml": CHAPTERS,
        "book/02-dots.ipynb": "{}",
        "exercises/02-dots/02-dots.ipynb": "{}",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def row(table: str, number: str) -> list[str]:
    lines = [line for line in table.splitlines() if line.startswith(f"| {number} |")]
    return [cell.strip() for cell in lines[0].strip("|").split("|")]


def test_a_chapter_that_exists_links_to_what_exists_of_it(course):
    found = row(chapter_table(course, ANN), "02")
    colab = "https://colab.research.google.com/github/ann/course/blob/main"
    assert found == [
        "02",
        "Dots",
        "[read](https://ann.github.io/course/book/02-dots.html)",
        f"[chapter]({colab}/book/02-dots.ipynb) "
        f"[exercise]({colab}/exercises/02-dots/02-dots.ipynb)",
        "[exercise](exercises/02-dots/02-dots.ipynb)",
        "planned",
        "[scores](src/plainformer/scores.py) [softmax](src/plainformer/softmax.py)",
    ]


def test_a_chapter_that_does_not_exist_is_planned_and_links_nowhere(course):
    assert row(chapter_table(course, ANN), "03") == ["03", "Masks", "planned", "", "", "", ""]
    assert row(chapter_table(course, Settings()), "03") == ["03", "Masks", "planned", "", "", ""]


def test_without_an_owner_the_table_says_how_to_set_one_and_points_nowhere(course):
    table = chapter_table(course, Settings())
    assert row(table, "02")[2:] == [
        "[read](book/02-dots.ipynb)",
        *row(chapter_table(course, ANN), "02")[4:],
    ]
    assert "| Colab |" not in table
    assert "plaincourse configure --owner NAME" in table
    assert "http" not in table


@pytest.mark.parametrize(
    "text", ["", "# begin x\n", "# end x\n# begin x\n", "# begin x\n# end x\n# begin x\n# end x\n"]
)
def test_a_file_without_one_pair_of_markers_is_refused(text):
    with pytest.raises(SettingsError, match="FILE: expected one line `# begin x`"):
        block(text, "x", "y", where="FILE", comment="# {}")


def test_a_block_is_replaced_and_the_rest_is_kept():
    text = "a\n# begin x\nold\n# end x\nb\n"
    once = block(text, "x", "new", where="FILE", comment="# {}")
    assert once == "a\n# begin x\nnew\n# end x\nb\n"
    assert block(once, "x", "", where="FILE", comment="# {}") == "a\n# begin x\n# end x\nb\n"


def test_only_the_lines_of_the_configuration_that_state_an_address_change(course):
    text = (
        'title: x\nhtml:\n  baseurl: ""\n  url: kept\nrepository:\n'
        '  url: ""\n  branch: main\n  path_to_book: ""\nother:\n  branch: kept\n'
    )
    (course / "_config.yml").write_text(text)
    have, want = derive(course, ANN)[course / "_config.yml"]
    assert have == text
    assert yaml.safe_load(want) == {
        "title": "x",
        "html": {"baseurl": "https://ann.github.io/course/", "url": "kept"},
        "repository": {
            "url": "https://github.com/ann/course",
            "branch": "main",
            "path_to_book": "",
        },
        "other": {"branch": "kept"},
    }
    assert derive(course, Settings())[course / "_config.yml"][1] == text


def test_what_is_installed_knows_the_pages_that_exist_and_their_site_where_it_is_known(course):
    gates = course / "src/plaincourse/gates.json"
    gates.parent.mkdir(parents=True)
    gates.write_text("{}\n")
    assert json.loads(derive(course, Settings())[gates][1]) == {"02": "book/02-dots.html"}
    wanted = {"02": "https://ann.github.io/course/book/02-dots.html"}
    assert json.loads(derive(course, ANN)[gates][1]) == wanted
    site = Settings(site="https://example.org/c")
    assert json.loads(derive(course, site)[gates][1]) == {
        "02": "https://example.org/c/book/02-dots.html"
    }


def test_this_repository_agrees_with_its_settings():
    stale = [p.name for p, (have, want) in derive(ROOT, load(ROOT)).items() if have != want]
    assert stale == [], "run: plaincourse configure"


def test_this_repository_would_carry_an_owner_everywhere():
    found = derive(ROOT, ANN).items()
    files = {str(path.relative_to(ROOT)): want for path, (_, want) in found}
    assert "github.com/ann/course" in files["README.md"]
    assert "| Colab |" in files["README.md"]
    assert "--owner NAME" not in files["README.md"]
    assert yaml.safe_load(files["CITATION.cff"])["url"] == "https://ann.github.io/course/"
    config = yaml.safe_load(files["_config.yml"])
    assert config["repository"]["url"] == "https://github.com/ann/course"
    assert config["html"]["baseurl"] == "https://ann.github.io/course/"


def test_chapters_are_numbered_in_order_and_titled_as_their_pages():
    parts = yaml.safe_load((ROOT / "book/chapters.yml").read_text("utf-8"))
    chapters = [chapter for part in parts for chapter in part["chapters"]]
    assert [c["id"] for c in chapters] == [f"{n:02}" for n in range(1, 18)]
    pages = {p.stem: p for p in (ROOT / "book").glob("[0-9][0-9]-*.md")}
    assert set(pages) <= {f"{c['id']}-{c['slug']}" for c in chapters}
    for chapter in chapters:
        page = pages.get(f"{chapter['id']}-{chapter['slug']}")
        if page is not None:
            lines = page.read_text("utf-8").splitlines()
            heading = next(line for line in lines if line.startswith("# ") and "Colab" not in line)
            assert chapter["title"] in heading

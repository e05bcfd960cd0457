"""Each page has a twin in Markdown, written from its tree."""

import pytest
from tests.site.conftest import Project

PAGE = r"""# Names & signs

Take *one* **bold** `code` with $x^2$, 2 * 3 and a<b. See
{eq}`eq-sum` and [the next](other-page.md).

$$
y = \sum_i x_i

$$ (eq-sum)

- first
- second

  with more

1. one
2. two

| a | b |
|---|---|
| `p \| q` | $n$ |

```{note}
Mind the gap.
```

```{figure} static/dot.png
:alt: A dot [black] on white.

A *dot*.
```

```python
print("```")
```
"""
DOT = (
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c63600000000200015e2bb5c80000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("twins"))
    project.change("conf.py", '"navigation"]', '"navigation", "markdown_twin"]')
    project.change("conf.py", "numfig", 'myst_enable_extensions = ["dollarmath"]\nnumfig')
    (project.folder / "static" / "dot.png").write_bytes(bytes.fromhex(DOT))
    (project.folder / "04-ein Blatt [neu].md").write_text(PAGE)
    (project.folder / "other-page.md").write_text("# Other\n\nText.\n")
    project.change("index.md", "api\n", "api\n04-ein Blatt [neu]\nother-page\n")
    assert project.build() == ""
    return project.folder / "out" / "html"


def test_a_page_is_markdown_with_formulas_lists_tables_and_fences(twins):
    text = (twins / "04-ein Blatt [neu].html.md").read_text("utf-8")
    title, *blocks = text.rstrip("\n").split("\n\n")
    assert title == "# 04 · Names & signs"
    assert blocks[0] == (
        r"Take *one* **bold** `code` with $x^2$, 2 \* 3 and a\<b. See (4.1) and "
        "[the next](other-page.html.md)."
    )
    assert blocks[1] == "$$\ny = \\sum_i x_i\n\\tag{4.1}\n$$"
    assert blocks[2:5] == ["- first", "- second", "  with more"]
    assert blocks[5] == "1. one\n2. two"
    assert blocks[6] == "| a | b |\n|---|---|\n| `p \\| q` | $n$ |"
    assert blocks[7:9] == ["> Mind the gap.", "![A dot (black) on white.](_images/dot.webp)"]
    assert blocks[9] == "**Figure 4.1.** A *dot*."
    assert blocks[10] == '````python\nprint("```")\n````'


def test_the_api_is_signatures_and_what_they_do(twins):
    text = (twins / "api.html.md").read_text("utf-8")
    assert "## `tiny.attend(query" in text
    assert "**Returns**\n\nA tensor of that shape: one row each." in text
    assert "Implements equation [(2.1)](02-first.html.md)" in text


def test_the_page_names_its_twin(twins):
    html = (twins / "02-first.html").read_text("utf-8")
    link = '<link rel="alternate" type="text/markdown" href="02-first.html.md">'
    assert link in html.partition("</head>")[0]
    assert "text/markdown" not in (twins / "genindex.html").read_text("utf-8")


def test_no_twin_has_markup(twins):
    for path in twins.rglob("*.html.md"):
        assert "</" not in path.read_text("utf-8"), path.name

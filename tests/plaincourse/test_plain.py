"""A chapter as readers open it: plain Markdown, answers folded; and the conversion for the site."""

from pathlib import Path

import pytest
from nbformat import v4

from plaincourse.notebooks.page import PageError, jump, read_text
from plaincourse.notebooks.plain import dressed, plain
from plaincourse.notebooks.references import References
from plaincourse.settings import Settings
from tests.plaincourse.pages import HEADER, cell

PAGE = Path("book/02-small.md")
BOX = """
```{admonition} Predict
:class: tip
How many, if
$$
a = 1
$$

- (a) 1
- (b) 2
- (c) 3
```
"""
VERDICT = "\nIt is (b): two.\n\n- (a) counts rows.\n- (c) counts all.\n\nMore of it.\n"
BIB = r"""
@misc{one, author={L{\"o}we, Ann}, title={A}, year={2019}, url={https://example.org/a}}
@misc{two, author={Ba, X. and de Vries, Y.}, title={B}, year={2020}, doi={10.1/b}}
@misc{three, author={Ba, X. and Bo, Y. and Bu, Z.}, title={C}, year={2021}}
@misc{ageless, author={Ba, X.}, title={D}}
@misc{five, author={Lin, Eva and others}, title={E}, year={2022}}
"""
OTHER = HEADER + "\n(sec-01-there)=\n## Elsewhere, *twice*\n"


@pytest.fixture
def book(tmp_path):
    """A book of two chapters and a page, with a picture, cards, a bibliography and code."""
    files = {
        "book/references.bib": BIB,
        "book/api/tools.md": "# Tools\n\n```{eval-rst}\n.. automodule:: pack.inner\n```\n",
        "book/01-other.md": OTHER,
        "book/notation.md": "# Notation",
        "book/drawing.svg": "<svg/>",
        "book/_static/widgets/lab.png": "",
        "book/cards/02.yml": (
            "- {id: 02-c01, front: 'What is {ref}`sec-01-there`?', back: 'A *word*.', "
            "concepts: [x], level: easy, source: [T]}\n"
        ),
        "src/pack/__init__.py": "",
        "src/pack/inner.py": "def attend(x): ...\nclass Head: ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def opened(book, text, settings=None, page=PAGE):
    """Return the plain notebook for a text, as if it were the book's page."""
    (book / page).write_text(HEADER + text)
    references = References(book, settings or Settings())
    return plain(read_text(book / page), book / page, references)


def words(book, text, settings=None):
    """Return the plain Markdown of a text, without the page's title."""
    cells = opened(book, "\nStart.\n\n" + text, settings).cells
    return "\n\n".join(c.source for c in cells if c.cell_type == "markdown").split("Start.\n\n")[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{cite:t}`one` says", "[Löwe (2019)](https://example.org/a) says"),
        ("so {cite:p}`two`", "so ([Ba and de Vries, 2020](https://doi.org/10.1/b))"),
        ("{cite:p}`one, three`", "([Löwe, 2019](https://example.org/a); Ba et al., 2021)"),
        ("{cite:p}`five`", "(Lin et al., 2022)"),
        ("{cite:t}`one,three`", "[Löwe (2019)](https://example.org/a), Ba et al. (2021)"),
        ("{py:func}`~pack.inner.attend`", "[`attend()`](../src/pack/inner.py)"),
        ("{py:class}`~pack.Head`", "[`Head`](../src/pack/inner.py)"),
        ("{ref}`sec-01-there`", "[Elsewhere, *twice*](01-other.ipynb#scrollTo=sec-01-there)"),
        ("{ref}`so\n<sec-01-there>`", "[so](01-other.ipynb#scrollTo=sec-01-there)"),
        ("[so `x`](#sec-01-there)", "[so `x`](01-other.ipynb#scrollTo=sec-01-there)"),
        ("[](sec-01-there)", "[Elsewhere, *twice*](01-other.ipynb#scrollTo=sec-01-there)"),
        ("[it](notation.md), [b](https://x.org/c)", "[it](notation.md), [b](https://x.org/c)"),
        ("{download}`it <../src/pack/inner.py>`", "[it](../src/pack/inner.py)"),
        ("`{ref}` and $a[i](j)$ and `` {cite:t}`x` ``",) * 2,
        ("```python\nx = '{cite:t}'\n```",) * 2,
        ("```{dropdown} Hint\n:open:\n- *one*\n```",
         "<details>\n<summary>Hint</summary>\n\n- *one*\n\n</details>"),
        ("(eq-a)=\nWords", "Words"),
        ("```{dropdown} Hint\nx\n`````",
         "<details>\n<summary>Hint</summary>\n\nx\n\n</details>"),
        ("```{admonition} Note\n- *one*\n```", "> **Note.**\n>\n> - *one*"),
        ("```{admonition} Note\n`x` is\n```", "> **Note.** `x` is"),
        (r"\$5, {cite:t}`one`, \$6", r"\$5, [Löwe (2019)](https://example.org/a), \$6"),
        ('[so](sec-01-there "Tip")', '[so](01-other.ipynb#scrollTo=sec-01-there "Tip")'),
        ("{download}`../src/pack/inner.py`", "[inner.py](../src/pack/inner.py)"),
        ("![A box.](drawing.svg) ![b](https://x.org/c.svg)",) * 2,
        ("- one\n\n  ```python\n  '{cite:t}`one`'\n  ```",) * 2,
    ],
)  # fmt: skip
def test_each_role_link_and_box_has_a_plain_form(book, text, expected):
    assert words(book, text) == expected


def test_a_known_site_is_where_links_and_pictures_lead(book):
    known = Settings(owner="octocat")
    site, hub = "https://octocat.github.io/plainformer/", "https://github.com/octocat/plainformer/"
    text = (
        "{py:func}`~pack.inner.attend` {ref}`sec-01-there` [N](notation.md)\n"
        "{download}`it <../src/pack/inner.py>`\n\n```{gate} 02\n```\n\n"
        "```{figure} drawing.svg\n:alt: A box.\nX\n```\n"
    )
    found = words(book, text, known)
    assert f"![box]({site}drawing.svg)" in words(book, "So: ![box](drawing.svg).", known)
    for address in (
        f"{site}book/api/tools.html#pack.inner.attend",
        f"{site}book/01-other.html#sec-01-there",
        f"{site}book/notation.html",
        f"{hub}blob/main/src/pack/inner.py",
        f"![A box.]({site}drawing.svg)",
        f"({site}book/02-small.html#gate-02)",
    ):
        assert address in found
    title = opened(book, "", known).cells[0].source.split("\n")
    assert title[0] == "# A small page"
    assert "colab" in title[2]
    assert f"{site}book/02-small.html" in title[2]
    assert "](" not in opened(book, "").cells[0].source


def test_an_equation_has_its_number_and_its_code(book):
    text = "```{equation} eq-one\n:code: pack.inner.attend\na\n```\n" * 2
    text = text.replace("eq-one", "eq-two", 1) + "\nBy {eq}`eq-one`."
    parts = [c.source for c in opened(book, "\nStart.\n\n" + text).cells]
    assert parts[2].endswith(
        "$$\na\n$$\n\nEquation (2.1), in code: [`attend()`](../src/pack/inner.py)"
    )
    assert parts[3] == '<a id="scrollTo=eq-one"></a>'
    assert "Equation (2.2)" in parts[4]
    assert parts[4].endswith(f"By [equation (2.2)]({jump('eq-one')}).")


def test_what_is_jumped_to_is_a_cell_of_that_name(book):
    text = "\nSee [there](sec-02-b).\n\n(sec-02-a)=\n## A\n\n(sec-02-b)=\n## B\n"
    cells = opened(book, text).cells
    assert [c.source for c in cells[2:]] == [
        "See [there](#scrollTo=sec-02-b).\n\n## A", '<a id="scrollTo=sec-02-b"></a>', "## B"
    ]  # fmt: skip
    assert cells[3].id == "sec-02-b"


def test_practice_cards_widgets_and_figures(book):
    text = (
        "````{exercise} Two\n:label: ex-02-a\n\n*Easy.* Do.\n\n"
        "```{dropdown} Hint\nSo.\n```\n````\n\n"
        "````{solution} ex-02-a\n:class: dropdown\n\nDone.\n````\n\n"
        "```{interactive} lab\n:alt: A plane.\n\nDrag it.\n```\n\n"
        "```{figure} drawing.svg\n:alt: A box.\n:width: 100%\n\nFrom $X$.\n```\n\n"
        "```{cards} 02\n```\n\n```{gate} 02\n```\n\n```{minutes} 02\n```\n"
    )
    found = words(book, text)
    for part in (
        "**Exercise 2.1. Two**\n\n*Easy.* Do.\n\n<details>\n<summary>Hint</summary>\n\nSo.",
        "<details>\n<summary>Solution</summary>\n\nDone.\n\n</details>",
        "![A plane.](_static/widgets/lab.png)\n\n*A still. ",
        "Drag it.",
        "![A box.](drawing.svg)\n\n**Figure 2.1.** From $X$.",
        "**1.** What is [Elsewhere, *twice*](01-other.ipynb#scrollTo=sec-01-there)?",
        "<summary>Answer</summary>\n\nA *word*.",
        "**The gate of chapter 02** opens with 22.4 of the 28 points",
        "Minutes that each part takes: ",
        "graded notebook 75.",
    ):
        assert part in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{abbr}`x`", "the role {abbr} has no form"),
        ("```{tip}\nx\n```", "the directive {tip} has no form"),
        ("{cite:t}`four`", "'four' is not in book/references.bib"),
        ("{ref}`sec-nowhere`", "no label (sec-nowhere)="),
        ("[x](nowhere.md)", "nowhere.md: no such page"),
        ("{py:func}`pack.inner.absent`", "no file in src/ defines absent"),
        ("{download}`x <../no.ipynb>`", "../no.ipynb: no such file"),
        ("```{figure} no.svg\n:alt: a\n:name: fig\nx\n```", "no picture book/no.svg"),
        ("```{dropdown} A\nx", "a fence that is indented or not closed has no form"),
        ("- x\n\n  ```{dropdown} A\n  x\n  ```", "a fence that is indented or not closed"),
        ("$5, {cite:t}`one`, $6", "a role in a formula has no form"),
        ("$$\nx\n$$ (eq-a)", "a label has no form"),
        ("x[^1]\n\n[^1]: y", "a footnote has no form"),
        ("% x", "a comment or break of MyST has no form"),
        ("{{ x }}", "a substitution has no form"),
        ("```{dropdown} $x$ or *x*\nx\n```", "of a closed box: expected words, no Markdown"),
        ("```{figure} drawing.svg\nx\n```", "{figure} drawing.svg lacks its line :alt:"),
        ("```{exercise} Two\nx\n```", "{exercise} Two lacks its line :label:"),
        ("```{cards} 77\n```", "77.yml: there are no cards"),
        ("```{gate} 77\n```", "chapter '77' has no graded tasks"),
        ("![x](no.svg)", "no picture book/no.svg"),
        ("{py:func}`attend`", "'attend': expected a full name"),
        ("{cite:t}`ageless`", "'ageless' has no year"),
        (
            "[x](sec-q)\n\n(sec-q)=\n## A\n\n(sec-q)=\n## B",
            "sec-q stands twice, in 02-small.md: rename",
        ),
        (
            "[x](sec-01-there)\n\n(sec-01-there)=\n## A",
            "sec-01-there stands twice, in 01-other.md and 02-small.md",
        ),
        ("[x](sec-q)\n\n````{dropdown} A\n(sec-q)=\n# Q\n````", "sec-q stands in a closed box"),
    ],
)
def test_what_has_no_plain_form_is_refused_by_name(book, text, said):
    with pytest.raises(PageError) as error:
        opened(book, "\n" + text)
    assert said in str(error.value)
    assert str(PAGE) in str(error.value)


def predicted(book, code="x = 1", options=""):
    text = BOX + cell(code) + cell("f()\nprint(2)\nassert x == 2\nassert f()", options) + VERDICT
    return opened(book, text).cells[2:]


def test_a_prediction_is_a_quote_and_its_answer_is_closed(book):
    question, before, shown, checked, verdict = predicted(book)
    assert question.source.splitlines()[0] == "> **Predict.** How many, if"
    assert "> $$a = 1$$\n>\n> - (a) 1\n> - (b) 2" in question.source
    assert before.metadata == {}
    assert shown.source == "f()\nprint(2)"
    assert shown.metadata == {"jupyter": {"outputs_hidden": True}, "collapsed": True}
    assert checked.source.split("\n")[1:] == ["assert x == 2", "assert f()"]
    assert checked.metadata == {"jupyter": {"source_hidden": True}, "cellView": "form"}
    fold, rest = verdict.source.split("</details>")
    assert "It is (b): two.\n\n- (a) counts rows.\n- (c) counts all." in fold
    assert rest.strip() == "More of it."


def test_nothing_that_stands_closed_before_the_verdict_tells_it(book):
    check = cell("assert f() == 2", "tags: [remove-cell]")
    cells = opened(book, BOX + cell("torch.set_printoptions(precision=2)") + check + VERDICT).cells
    assert cells[3].metadata == {}, "it prints nothing: there is nothing to close"
    title, code = cells[4].source.split("\n")
    assert (title[:8], code) == ("# @title", "assert f() == 2")
    assert opened(book, check).cells[-1].source == "assert f() == 2"


def test_code_that_serves_the_build_is_closed(book):
    tags = "tags: [remove-cell, nbval-ignore-output]\nmystnb: {code_prompt_show: Set-up}"
    found = opened(book, cell("1", tags) + cell("2", "tags: [hide-input]")).cells
    assert found[-2].metadata == {
        "tags": ["remove-cell", "nbval-ignore-output"],
        "jupyter": {"source_hidden": True, "outputs_hidden": True},
        "collapsed": True,
        "cellView": "form",
    }
    assert found[-1].metadata["jupyter"] == {"source_hidden": True}
    assert "jupyter" not in found[1].metadata, "the set-up is to be seen, and to be run"


def ran(notebook, outputs):
    """Put outputs into a notebook's code cells, in order."""
    code = [c for c in notebook.cells if c.cell_type == "code"]
    for count, (each, output) in enumerate(zip(code, outputs, strict=True), start=1):
        each.execution_count, each.outputs = count, output
    return notebook


def test_the_site_gets_the_text_back_with_the_outputs(book):
    picture = v4.new_output(
        "display_data", {"image/png": "x"}, metadata={"image/png": {"width": 3}}
    )
    printed = v4.new_output("stream", text="2\n")
    figure = cell("plot()", "tags: [hide-input]\nmystnb: {image: {alt: What is seen.}}")
    page = book / PAGE
    page.write_text(HEADER + BOX + cell("print(2)\nassert x") + VERDICT + figure)
    rich = ran(read_text(page), [[], [printed], [picture]])
    have = plain(rich, page, References(book, Settings()))
    code = [c for c in have.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == [1, 2, 3, 4]
    assert have.cells[-1].source == (
        "<details>\n<summary>The picture in words</summary>\n\nWhat is seen.\n\n</details>"
    )
    assert dressed(read_text(page), have) == rich
    code[1].source = "print(3)"
    with pytest.raises(PageError, match="cell 4: its notebook has other code"):
        dressed(read_text(page), have)
    code[1].source = "print(2)"
    have.cells.append(v4.new_code_cell("1"))
    with pytest.raises(PageError, match="has 1 code cells more"):
        dressed(read_text(page), have)


def test_counts_that_are_out_of_order_stay_so(book):
    page = book / PAGE
    page.write_text(HEADER + cell("1"))
    have = plain(ran(read_text(page), [[], []]), page, References(book, Settings()))
    have.cells[-1].execution_count = 7
    assert dressed(read_text(page), have).cells[-1].execution_count == 7

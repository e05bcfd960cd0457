"""Every notebook for readers is plain Markdown; tests/notebooks checks its appearance."""

import re

import nbformat
import pytest

from tests.book.committed import CHAPTERS, NAMES, ROOT

GRADED = [page.relative_to(ROOT) for page in CHAPTERS if (ROOT / "exercises" / page.stem).is_dir()]

CODE = re.compile(
    r"^(`{3,})(?!`*\{)[^\n]*\n.*?^\1 *$|(`+)(?!`)(?<!\}`).+?(?<!`)\2(?!`)", re.M | re.S
)
MATH = re.compile(r"(\$\$?)(?!\$).+?\1", re.S)
RAW = {
    "a directive": re.compile(r"^\s*(?:`{3,}|~{3,}|:{3,})\{|^\s*:{3,}", re.M),
    "a role": re.compile(r"\{[a-z][\w:.-]*\}`"),
    "a formula outside dollars": re.compile(r"[\w)]\^[\w({−-]|[a-zA-Z]_\{|\\[a-z]{3}"),
    "a label": re.compile(r"^\([\w:-]+\)=\s*$", re.M),
    "an option": re.compile(r"^:[a-z][\w-]*:(?:\s|$)", re.M),
    "a comment": re.compile(r"^%(?:\s|$)|^\+\+\+", re.M),
    "an anchor that JupyterLab drops": re.compile(r"<a\s+name="),
    "a picture in the notebook": re.compile(r"\]\((?:attachment|data):"),
    "a <details> whose text stays raw": re.compile(r"</summary>(?!\n\n)|(?<!\n)\n</details>"),
}


def raw(source: str) -> list[str]:
    """Return the parts of a Markdown cell that some notebook readers do not render."""
    prose = CODE.sub(
        lambda match: match[0] if "\n" in match[0] and "{" in match[0][:9] else "", source
    )
    prose = MATH.sub("", prose)
    found = [
        f"{what}: {match[0].strip()!r}"
        for what, each in RAW.items()
        for match in each.finditer(prose)
    ]
    if source.count("<details") != source.count("</details>"):
        found.append("a <details> that is not closed")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_plain_markdown(name):
    notebook = nbformat.read(ROOT / f"{name}.ipynb", as_version=4)
    cells = enumerate(notebook.cells)
    found = {i: raw(cell.source) for i, cell in cells if cell.cell_type == "markdown"}
    assert {i: faults for i, faults in found.items() if faults} == {}


@pytest.mark.parametrize("page", GRADED, ids=lambda page: page.stem)
def test_a_chapter_says_in_one_wording_where_its_graded_notebook_is(page):
    text = "\n".join(
        cell.source for cell in nbformat.read(ROOT / page.with_suffix(".ipynb"), 4).cells
    )
    said = re.findall(
        r"Work on them in JupyterLab, in \[the graded notebook\]\((.*)\);\n"
        r"its first cell gets the course\.",
        text,
    )
    assert said == [f"../exercises/{page.stem}/{page.stem}.ipynb"]
    assert (ROOT / page.parent / said[0]).is_file()


def test_every_exercise_is_asked_too():
    names = sorted(path.relative_to(ROOT) for path in ROOT.glob("exercises/*/*.ipynb"))
    assert names
    for name in names:
        cells = nbformat.read(ROOT / name, as_version=4).cells
        assert [
            fault for cell in cells if cell.cell_type == "markdown" for fault in raw(cell.source)
        ] == []


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("```{note}\nRead.\n```", "directive"),
        ("::::{tip}\nRead.\n::::", "directive"),
        ("See {ref}`that <there>`.", "role"),
        ("Code `x` and {cite:t}`vaswani`.", "role"),
        ("The mean of e^x is $e^x$.", "formula"),
        ("That is e^{1/2}.", "formula"),
        ("A turn takes base^(−2i) words.", "formula"),
        (r"The root \sqrt 2 of $2$.", "formula"),
        ("(sec-here)=\n## Here", "label"),
        (":class: tip\n", "option"),
        ("% said aside", "comment"),
        ('<a name="x"></a>', "anchor"),
        ("![A dot.](attachment:dot.png)", "picture"),
        ("<details>\n<summary>Answer</summary>\n**b**\n\n</details>", "raw"),
        ("<details>\n<summary>Answer</summary>\n\nb", "not closed"),
    ],
)
def test_what_is_raw_is_found(source, what):
    assert [fault for fault in raw(source) if what in fault]


def test_code_may_say_anything():
    assert raw("`{ref}` and ``:class:``\n\n```md\n(sec-x)=\n:class: tip\n```\n") == []

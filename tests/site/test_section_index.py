"""The search index of a page: places, first sentences, terms, words."""

import json
import sys
from pathlib import Path

import pytest
from docutils.core import publish_doctree

sys.path.append(str(Path(__file__).parents[2] / "book" / "_ext"))
import plain_text
import section_index

PAGE = r"""
Masks
=====

A **causal mask** hides the *future*, with ``tril``. The scores are over :math:`\sqrt{d}`:

::

    def hidden(key): return secretcode

It is then lower triangular.

.. _sec-03-inner:

Inner
-----

A **causal mask** again, and Longformer's **window**.
"""


@pytest.fixture(scope="module")
def found():
    quiet = {"doctitle_xform": False, "report_level": 5}
    return section_index.sections(publish_doctree(PAGE, settings_overrides=quiet), "book/03-masks")


@pytest.mark.parametrize(
    ("latex", "typed"),
    [
        (r"\frac{QK^\top}{\sqrt{d}}", "QKᵀ/√d"),
        (r"10^{-9}", "10⁻⁹"),
        (r"\mathbf k_0 = (1, -1)", "k_0 = (1, −1)"),
        (r"\operatorname{softmax}(S)", "softmax(S)"),
        (r"\tfrac12", "1/2"),
        (r"2{,}048 \cdot 3", "2,048 ⋅ 3"),
        (r"e^{m - n}", "e^(m − n)"),
        (r"a, \dots, z", "a, …, z"),
        (r"\begin{pmatrix} 1 & 0 \\[2pt] 0 & a \end{pmatrix}", "(1, 0; 0, a)"),
        (r"\begin{split} a &= b \\ &= c \end{split}", "a = b; = c"),
        (r"\nosuchthing{x}", "x"),
    ],
)
def test_a_formula_is_read_as_it_is_typed(latex, typed):
    assert plain_text.formula(latex) == typed


def test_a_section_has_its_place_and_its_prose_without_code(found):
    masks, inner = found
    assert (masks.heading, masks.parent, masks.kind) == ("Masks", -1, "chapter")
    assert (inner.heading, inner.parent, inner.labels[0]) == ("Inner", 0, "sec-03-inner")
    assert masks.text == (
        "A causal mask hides the future, with tril. The scores are over √d … "
        "It is then lower triangular."
    )
    assert "secretcode" not in masks.words
    assert "window" not in masks.words


def test_a_term_belongs_to_the_section_that_has_it_first(found):
    masks, inner = found
    assert masks.terms == ["causal mask", "tril", "hidden"]
    assert inner.terms == ["window"]


def test_first_sentences_end_with_a_sentence_or_say_that_they_go_on():
    assert section_index.first_sentences(["One. Two is longer. Three."], 18) == "One."
    assert section_index.first_sentences(["One two three four"], 12) == "One two …"
    assert section_index.first_sentences([]) == ""


def written(pages, also=()):
    text = section_index.written(pages, dict(also))
    assert text.startswith("var courseSections = {")
    assert text.endswith("};\n")
    return json.loads(text[len("var courseSections = ") : -2])


def test_the_file_holds_every_section_with_other_words_for_it(found):
    pages = {"index": ("index.html", "Start", []), "book/03-masks": ("03.html", "Masks", found)}
    data = written(pages, {"sec-03-inner": ["local attention"]})
    assert data["pages"] == [["index.html", "", "Start"], ["03.html", "03", "Masks"]]
    assert [row[:5] for row in data["sections"]] == [
        [1, "masks", "Masks", -1, "chapter"],
        [1, "sec-03-inner", "Inner", 0, "chapter"],
    ]
    assert data["sections"][1][7] == ["local attention"]


def test_words_beyond_the_first_sentences_are_kept_where_they_are_rare():
    long = section_index.Section("chapter", ["a"], "A", -1, words={"longformer", "common"})
    others = [
        section_index.Section("chapter", [f"{i}"], f"{i}", -1, words={"common"})
        for i in range(section_index.RARE)
    ]
    rows = written({"p": ("p.html", "P", [long, *others])})["sections"]
    assert rows[0][8] == "longformer"


def test_a_heading_of_every_chapter_is_of_the_frame():
    pages = {
        f"0{i}-x": (f"{i}.html", "X", [section_index.Section("chapter", ["p"], "Practice", -1)])
        for i in range(section_index.COMMON + 1)
    }
    assert {row[4] for row in written(pages)["sections"]} == {"frame"}
    pages.popitem()
    assert {row[4] for row in written(pages)["sections"]} == {"chapter"}


@pytest.mark.parametrize(
    ("label", "heading", "written"),
    [
        ("module-a.b", "a.b", 0),
        ("a.b.run", "run", 1),
        ("a.b.Rule.sees", "Rule.sees", 2),
        ("sec-03-inner", "Inner", "Inner"),
    ],
)
def test_a_heading_that_its_label_ends_with_is_written_once(label, heading, written):
    pages = {"p": ("p.html", "P", [section_index.Section("api", [label], heading, -1)])}
    data = json.loads(section_index.written(pages, {}).split(" = ")[1].rstrip(";\n"))
    assert data["sections"][0][2] == written

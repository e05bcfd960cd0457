"""Predictions are folded by the build, and their form does not reveal the answer."""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from docutils import nodes

from tests.book.committed import CHAPTERS, ROOT

BOX = re.compile(
    r"```\{admonition\} (?:Predict|Self-test)\n(.*?)```(.*?)^It is \((\w)\)", re.S | re.M
)
FOUND = {page.name[:2]: BOX.findall(page.read_text("utf-8")) for page in CHAPTERS}


@pytest.fixture
def predict(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import predict

    yield predict
    sys.modules.pop("predict")


def cell(code, output=True):
    source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
    shown = nodes.container("", nodes.paragraph("", "42"), nb_element="cell_code_output")
    return nodes.container("", source, *[shown] * output, nb_element="cell_code", classes=["cell"])


def box(*letters):
    items = [nodes.list_item("", nodes.paragraph("", f"({letter}) a number")) for letter in letters]
    question = nodes.paragraph("", "How many?")
    return nodes.admonition("", nodes.title("", "Predict"), question, nodes.bullet_list("", *items))


def page(*children):
    return nodes.section("", *children)


def paragraph(text):
    return nodes.paragraph("", text)


def folded(section):
    return next(
        node for node in section.children if "attributes" in getattr(node, "attributes", {})
    )


def test_code_stays_and_what_it_shows_is_closed_up_to_the_answer(predict):
    asked = box(*"abc")
    answer, after = paragraph("It is (b): 42."), paragraph("More.")
    section = page(asked, cell("x = 6", output=False), cell("print(7 * x)"), answer, after)
    predict._fold("02", asked)
    assert [type(node).__name__ for node in section.children] == [
        "admonition",
        "container",
        "container",
        "html_tag",
        "paragraph",
    ]
    details = section.children[3]
    assert details["attributes"]["data-right"] == "b"
    assert "6" in section.children[1].astext()
    assert "42" not in section.children[2].astext()
    assert details.children[-1] is answer
    assert "42" in details.children[1].astext()
    assert asked["ids"] == [f"predict-{details['attributes']['data-question']}"]


def test_asserts_at_the_end_of_a_cell_would_tell_and_are_closed_too(predict):
    asked = box(*"abc")
    code = "for x in (1, 2):\n    y = x\n    assert y\ntorch.testing.assert_close(x, y)"
    section = page(asked, cell(code), paragraph("It is (a): 42."))
    predict._fold("02", asked)
    assert section.children[1].astext().startswith("for x in (1, 2):\n    y = x\n    assert y")
    assert "assert_close" not in section.children[1].astext()
    assert "torch.testing.assert_close(x, y)" in section.children[2].astext()


def test_why_the_others_are_wrong_is_closed_too_and_named_for_the_script(predict):
    asked = box(*"abc")
    items = [nodes.list_item("", paragraph(f"({x}) counts the keys.")) for x in "ac"]
    reasons, after = (
        nodes.bullet_list("", *items),
        nodes.bullet_list("", nodes.list_item("", paragraph("x"))),
    )
    section = page(asked, cell("print(6)"), paragraph("It is (b)."), reasons, after)
    predict._fold("02", asked)
    details = folded(section)
    assert details.children[-1] is reasons
    assert reasons["classes"] == ["predict-reasons"]
    assert [item["classes"] for item in items] == [["against-a"], ["against-c"]]
    assert section.children[-1] is after


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ([box(*"ab"), cell("f()"), paragraph("It is (b).")], "three options or four"),
        ([box(*"abc"), cell("f()"), paragraph("(b).")], "three options or four"),
        ([box(*"abc"), paragraph("It is (b).")], "no cell stands between"),
        ([box(*"abc"), cell("f()"), paragraph("It is (d).")], "no option"),
    ],
)
def test_what_cannot_be_folded_is_said(predict, monkeypatch, rest, said):
    heard = []
    monkeypatch.setattr(predict.log, "warning", lambda text, *a, **k: heard.append(text))
    page(*rest)
    predict._fold("02", rest[0])
    assert len(heard) == 1
    assert said in heard[0]


@pytest.mark.parametrize("chapter", FOUND)
def test_no_letter_is_right_so_often_that_it_can_be_guessed(chapter):
    letters = Counter(right for _, _, right in FOUND[chapter])
    assert sum(letters.values()) >= 5, "a chapter asks its reader to predict"
    assert max(letters.values()) <= sum(letters.values()) / 2, letters
    assert min(letters[x] for x in "abc") >= (2 if sum(letters.values()) >= 9 else 1), letters


@pytest.mark.parametrize("chapter", FOUND)
def test_the_right_option_is_not_the_long_one(chapter):
    longest = 0
    for asked, _, right in FOUND[chapter]:
        options = re.findall(r"^- \((\w)\) (.*?)(?=^- \(|\Z)", asked, re.S | re.M)
        lengths = {letter: len(" ".join(text.split())) for letter, text in options}
        others = [n for letter, n in lengths.items() if letter != right]
        longest += lengths[right] > 1.5 * max(others)
    assert longest <= len(FOUND[chapter]) / 4, f"{longest} of {len(FOUND[chapter])}"


def test_the_pages_of_chapters_are_all_looked_at():
    assert set(FOUND) == {path.name[:2] for path in Path(ROOT / "book").glob("[0-9][0-9]-*.md")}

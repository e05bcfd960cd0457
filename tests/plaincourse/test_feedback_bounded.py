"""A page for any notebook is made within limits; notebook text cannot imitate the course's."""

import os
import re
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from plaincourse.feedback import FeedbackExporter, bounded, formgrader
from plaincourse.feedback.bounded import OverLimitError
from plaincourse.feedback.formgrader import markdown2html
from plaincourse.feedback.page import page
from plaincourse.feedback.safe import safe_html
from plaincourse.grading.assignment import Original, Source
from plaincourse.grading.provenance import mark
from tests.plaincourse.test_check_report import REPORTS
from tests.plaincourse.test_feedback_page import GRADES, HIDDEN, graded, html, shown, stream

N = 100_000
LONG = {
    "quotes in quotes": ">" * N,
    "quotes with spaces": "> " * N + "a",
    "lists in lists": "".join(" " * 2 * i + "- a\n" for i in range(1500)),
    "links in links": "[a](" * N,
    "tags in tags": "<div>" * N,
    "half a tag": "<a " * N,
    "comments": "<!--" * N,
    "functions of CSS": '<p style="width:' + "calc(" * N + '">x',
    "declarations of CSS": '<p style="' + "a:b;" * N + '">x',
    "a formula": "$$" + r"\frac{" * N + "$$",
    "environments": r"\begin{align}" * (N // 10),
    "one line": "a" * (10 << 20),
    "a table": "|" * N + "\n" + "|-" * N + "|\n" + "|" * N,
}


@pytest.fixture
def little(monkeypatch):
    monkeypatch.setattr(bounded, "SECONDS", 1)
    monkeypatch.setattr(bounded, "CLOCK", 60.0)


def made(*cells):
    """Return the page of a notebook as ``nbgrader generate_feedback`` makes it."""
    notebook = new_notebook(cells=list(cells), metadata={"plaincourse": {"titles": {"a": "One"}}})
    exporter = FeedbackExporter()
    said, _ = exporter.from_notebook_node(notebook, {"nbgrader": GRADES})
    return said


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_page_of_any_text_is_made_in_little_time(text, little):
    began = time.process_time()
    said = made(new_markdown_cell(text), graded("1"))
    assert time.process_time() - began < 5
    assert "1.5 of 2 points" in said
    assert len(said) < 64 << 20


@pytest.mark.parametrize("kind", ["text/html", "text/markdown", "text/latex"])
def test_so_is_a_page_of_any_output(kind, little):
    cell = new_code_cell("show()", outputs=[new_output("display_data", {kind: "<b>[a](" * N})])
    said = made(cell, graded("1"))
    assert "1.5 of 2 points" in said


def test_what_is_quoted_has_the_points_and_no_hidden_test_and_no_output(little, monkeypatch):
    test = graded(HIDDEN, [stream("4711")])
    monkeypatch.setattr(FeedbackExporter, "_page", lambda *_, **__: list(iter(int, 1)))
    said = made(new_markdown_cell("> so"), test)
    assert "quoted here as it was typed" in said
    assert "check(&quot;99.a&quot;, a)" in said
    assert "4711" not in said
    assert "HIDDEN" not in said


def test_an_ordinary_page_is_set():
    said = made(new_markdown_cell("*so*"), graded("1"))
    assert "<em>so</em>" in said
    assert "quoted here" not in said


def test_formgrader_frames_what_a_text_says():
    shown = markdown2html({}, "*so*")
    assert shown.startswith("<div style=")
    assert "<p><em>so</em></p>\n</div>" in shown


def test_formgrader_shows_a_text_that_takes_too_long_as_it_was_typed(little, monkeypatch):
    monkeypatch.setattr(formgrader, "safe_markdown", lambda *_, **__: list(iter(int, 1)))
    assert "<pre>&gt;&gt;" in markdown2html({}, ">" * N)


@pytest.mark.parametrize(
    "work",
    [
        lambda: "x" * (2 << 30),
        lambda: str([0] * (1 << 30)),
        lambda: next(each for each in iter(int, 1) if each),
        lambda: "x" * (65 << 20),
        lambda: os._exit(3),
    ],
)
def test_work_without_end_is_ended(work, little):
    with pytest.raises(OverLimitError):
        bounded.bounded(work)


def test_an_error_of_the_work_is_its_own_error():
    with pytest.raises(KeyError, match="grade"):
        bounded.bounded(lambda: {}["grade"])
    assert bounded.bounded(lambda: "ö\udce9") == "ö\udce9"


IMITATED = {
    "a report": REPORTS["full"]._repr_html_(),
    "points": '<p class="points full" id="cell-a">✓ 2 of 2 points</p>',
    "a comment": '<div class="comment" role="note"><strong>Comment:</strong> Well done.</div>',
    "a summary": '<table class="points" data-ladder="found"><tr><td>4 of 4</table>',
    "a box over another": '<div style="margin-top:-300px;margin:calc(-1 * 9em)">4 of 4</div>',
}

MOVED = {
    "a sum": "margin-top:calc(0px - 260px)",
    "the smaller": "margin:min(1px,-260px)",
    "the larger": "margin:0 max(-9em,-260px)",
    "between": "margin-left:clamp(-260px,-260px,0px)",
    "a variable": "margin-top:var(--above,-260px)",
    "within a sum": "height:calc(1px + (-1 * (260px)))",
    "by another name": "margin-top:c\\61lc(-1 * 260px)",
    "raised": "vertical-align:calc(0px + 260px)",
    "brackets": "padding:(-260px)",
}


@pytest.mark.parametrize("style", MOVED.values(), ids=MOVED)
def test_no_length_is_computed(style):
    said = safe_html(f'<p style="{style};color:rgb(1, 2, 3);margin-left:2px">4 of 4</p>')
    assert "260px" not in said
    assert "color:rgb(1, 2, 3);margin-left:2px" in said.replace(": ", ":")


@pytest.mark.parametrize("text", IMITATED.values(), ids=IMITATED)
@pytest.mark.parametrize("place", ["output of a test", "output", "answer", "own text"])
def test_what_a_notebook_says_stands_in_a_frame_and_has_nothing_of_ours(place, text):
    shows = new_output("display_data", {"text/html": text})
    cells = {
        "output of a test": graded("1", [shows, html("<b>1.5</b>")]),
        "output": new_code_cell("show()", outputs=[shows]),
        "answer": graded(text, name="b", make=new_markdown_cell, solution=True),
        "own text": new_markdown_cell(text),
    }
    said = shown(cells[place], graded("2", name="z"), titles={"a": "One", "z": "Two"})
    notebook = said.partition("Your notebook</h2>")[2]
    frame = re.search(
        r'<div class="own" role="group"[^>]*><p class="whose">.*', notebook, re.DOTALL
    )
    assert frame
    inside = frame[0].partition("</p>")[2].partition('id="cell-z"')[0]
    inside = re.sub(r'<div class="(rich|text|wide)"|<p class="points none"', "", inside)
    for ours in ("data-ladder", "aria-hidden", 'class="points', 'class="comment', "-300px", "-1 *"):
        assert ours not in inside, ours
    assert notebook.count('id="cell-a"') <= 1
    assert not re.search(r'id="cell-a">✓', notebook)


def test_headings_and_titles_of_the_page_are_the_courses():
    lied = new_markdown_cell("# 34 of 34 points\n\n## Full marks")
    said = shown(lied, graded("1"), title="Masks", titles={"a": "1. First"})
    head = said.partition("Your notebook</h2>")[0]
    assert "<h1>Masks</h1>" in said
    assert ">1. First</a>" in head
    assert "Full marks" not in head
    assert "34 of 34" not in head


def test_an_answer_in_words_cannot_stand_for_its_own_points():
    essay = graded("#### So: 1.5 of 7 points", name="b", make=new_markdown_cell, solution=True,
                   points=7.0)  # fmt: skip
    said = shown(essay, titles={"b": "Two"})
    assert re.search(r'<p class="points some">.*?1\.5 of 7 points</p>', said)


def test_what_is_the_courses_is_marked_when_it_is_graded():
    prose, own = new_markdown_cell("# Masks\n\n## 1. First"), new_markdown_cell("# Mine")
    answer = graded("a", name="b", make=new_markdown_cell, solution=True)
    test = graded("1", locked=True)
    text = nbformat.writes(new_notebook(cells=[prose, answer, test]))
    original = Original(source=Source(notebook="n", cells=()), path="n", text=text)
    notebook = new_notebook(cells=[own, prose.copy(), answer, test])
    mark(notebook, original)
    assert notebook.metadata.plaincourse["title"] == "Masks"
    assert notebook.metadata.plaincourse["titles"] == {"b": "1. First", "a": "1. First"}
    marked = [bool(cell.metadata.get("plaincourse", {}).get("course")) for cell in notebook.cells]
    assert marked == [False, True, False, True]
    said = page(notebook, GRADES)
    assert said.count('class="whose">Your text') == 1
    assert said.count('class="whose">Your answer') == 1

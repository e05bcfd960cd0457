"""A report is readable for people, screen readers and nbgrader."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import torch
from nbformat.v4 import new_code_cell, new_output
from nbgrader.utils import determine_grade

from plaincourse import check
from plaincourse.checking.in_words import show
from tests.plaincourse.tasks import CHOICE, TASK, doubled, shift, to_columns

VOID = {"br", "hr", "img"}
REPORTS = {
    "full": check(TASK, shift),
    "partial": check(TASK, to_columns),
    "none": check(TASK, doubled),
    "unknown": check(TASK, lambda x, by: x * 7),
    "question": check(CHOICE, "A"),
    "untouched": check(CHOICE, ...),
    "hostile": check(TASK, lambda x, by: "<script>alert(1)</script>"),
}
EACH = pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)


class Balance(HTMLParser):
    """Track the open elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@EACH
def test_html_is_well_formed_and_stands_alone(report: object) -> None:
    html = report._repr_html_()  # type: ignore[attr-defined]
    parser = Balance()
    parser.feed(html)
    assert not parser.open
    assert not {"script", "style", "link", "img", "a", "h1", "h2", "h3"} & set(parser.seen)
    assert not re.search(r"\b(id|onclick|href|src)=", html)


@EACH
def test_colours_work_on_light_and_on_dark(report: object) -> None:
    html = report._repr_html_()  # type: ignore[attr-defined]
    texts = set(re.findall(r"(?<![-\w])color:([^;\"']+)", html))
    grounds = set(re.findall(r"background:([^;\"']+)", html))
    assert texts == {"inherit"}
    translucent = {ground for ground in grounds if ground.startswith("rgba(128,128,128")}
    assert len(grounds - translucent) == 1, "only the bar, which the heading says in words"


def test_what_colour_says_words_say_too() -> None:
    html = REPORTS["partial"]._repr_html_()
    assert "Shift the rows: 1 of 3 points" in html
    assert html.count("✓ passed, 0.5 of 0.5") == 2
    assert html.count("✗ failed, 0 of 2") == 1


def test_a_list_in_which_something_fails_says_how_it_is_read() -> None:
    for name, said in (("partial", 1), ("unknown", 1), ("full", 0), ("untouched", 0)):
        for written in (REPORTS[name].text(), REPORTS[name]._repr_html_()):
            plain = " ".join(re.sub(r"<[^>]+>", " ", written).split())
            assert plain.count("Each requirement is a group of tests,") == said, name


def test_the_head_of_an_untouched_task_bears_no_cross() -> None:
    html = REPORTS["untouched"]._repr_html_()
    assert "○</span> Choose: 0 of 2 points" in html
    assert "✗" not in html


def test_hints_are_folded_each_inside_the_one_before() -> None:
    html = REPORTS["partial"]._repr_html_()
    assert html.index("Hint 1 of 3") < html.index("to columns one") < html.index("Hint 2 of 3")
    assert "</details></details></details>" in html
    assert "<details open" not in html[html.index("Hint 1 of 3") :]


def test_what_a_student_returns_cannot_become_html() -> None:
    html = replace(REPORTS["full"], diagnosis=("`<b>` & <script>x</script>",))._repr_html_()
    assert "<script>" not in html
    assert "<script>" not in REPORTS["hostile"]._repr_html_()
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(("name", "score"), [("full", 3), ("partial", 1), ("none", 0)])
def test_nbgrader_reads_the_score(name: str, score: float) -> None:
    data = {"text/plain": repr(REPORTS[name]), "text/html": REPORTS[name]._repr_html_()}
    cell = new_code_cell(
        "check()",
        outputs=[new_output("execute_result", data)],
        metadata={"nbgrader": {"grade": True, "solution": False, "points": 3, "grade_id": "x"}},
    )
    assert determine_grade(cell) == (score, 3)


def test_the_text_says_what_the_html_says() -> None:
    text = REPORTS["unknown"].text()
    for part in ("Shift the rows: 0 of 3 points", "expected =", "yours =", "✗ failed", "hint("):
        assert part in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (torch.tensor([[0.5, -0.25]]), "[[ 0.5000, -0.2500]]"),
        (torch.tensor([1.0, 20.0]), "[ 1, 20]"),
        (torch.tensor([1e-9, 1.0, 0.3]), "[1e-09,     1,   0.3]"),
        (torch.tensor([0.25, -torch.inf, torch.nan]), "[0.2500,   -inf,    nan]"),
        (torch.tensor([[True, False]]), "[[ True, False]]"),
        (torch.tensor(0.1), "0.1"),
        (torch.zeros(7, 7), "a float32 tensor of shape (7, 7)"),
        (torch.zeros(0, 3), "a float32 tensor of shape (0, 3)"),
        (torch.zeros(7, 7).numpy(), "a float32 array of shape (7, 7)"),
        ((torch.ones(1), 2), "([1], 2)"),
        (len, "the function len"),
        (None, "None"),
        ({"a": [0.5, 1], (1, 2): "b"}, "{'a': [0.5, 1], (1, 2): 'b'}"),
        ([], "[]"),
    ],
)
def test_values_are_shown_so_that_they_can_be_read(value: object, shown: str) -> None:
    assert show(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (["one", "three"], "['one', 'three']"),
        (["four", "three"], "['four',\n 'three']"),
        ((["one", "three"], 7), "(['one',\n  'three'], 7)"),
        (["one", "two", "three"], "['one', 'two',\n 'three']"),
        (["eleven letters"], "['eleven letters']"),
        (([1, 2, 3, 4, 5, 6], 7), "([1, 2, 3, 4, 5,\n  6], 7)"),
        ({"a": [1, 2], "b": [3, 4]}, "{'a': [1, 2],\n 'b': [3, 4]}"),
        ((torch.eye(2), 7), "([[1, 0],\n  [0, 1]], 7)"),
        ((7, torch.eye(2)), "(7,\n [[1, 0],\n  [0, 1]])"),
    ],
)
def test_a_long_list_goes_on_in_the_next_line(value: object, shown: str) -> None:
    assert show(value, width=16) == shown

"""The last cell of a graded notebook adds up the points of its checks, and the gate accepts it."""

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from plaincourse import check, total
from plaincourse.checking.check import LATER
from plaincourse.exercise import Essay, Exercise, Question, totals
from plaincourse.exercise.bank import load
from plaincourse.exercise.totals import add_up, code
from tests.plaincourse.tasks import CHOICE

POINTS_JS = Path(__file__).parents[2] / "book/_static/course/points.js"
NODE = shutil.which("node")
READ = """
const { pointsIn } = await import(process.argv[1]);
const texts = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(texts.map(pointsIn)));
"""


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "_last", {})


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.setitem(sys.modules, "IPython", None)  # an earlier test may have left a shell

    def call(*chapter: str | int) -> str:
        total(*chapter)  # type: ignore[arg-type]
        return capsys.readouterr().out

    return call


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    address = "https://example.org/course/book/02-dots.html"
    (tmp_path / "gates.json").write_text(json.dumps({"02": address}))
    monkeypatch.setattr(totals, "files", lambda package: tmp_path)
    return address


def read(texts: list[str]) -> list[dict[str, object] | None]:
    """Decode texts like the gate on the site."""
    command = [str(NODE), "--input-type=module", "--eval", READ, POINTS_JS.as_uri()]
    done = subprocess.run(command, input=json.dumps(texts), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object] | None] = json.loads(done.stdout)
    return found


def test_the_last_check_of_each_task_counts() -> None:
    rows, shape = load("02.softmax_rows"), load("02.output_shape")
    assert isinstance(rows, Exercise)
    assert isinstance(shape, Question)
    check(rows, rows.misconceptions[0].answer)
    check(rows, rows.reference, seed=5)
    check(rows, rows.alternatives[0].answer)
    check(shape, (1, 2, 3, 4, 5, 6))
    check(shape, shape.answer)
    assert add_up("02").code == code("02", rows.points + shape.points)
    assert f"Chapter 02: {rows.points + shape.points:g} of the 23 points" in add_up("02").said
    check(shape, (0,) * 6)
    assert add_up("02").code == code("02", rows.points)


def test_what_was_not_checked_or_not_answered_is_said_and_counts_nothing() -> None:
    check("02.output_shape", ...)
    told = add_up("02").said
    assert "Chapter 02: 0 of the 23 points" in told
    assert told.count("not checked") == 4
    assert re.search(r"^Six sizes +not answered yet, of 2$", told, re.M)
    assert "run all cells first" in told


def test_the_answer_in_words_is_for_its_reader() -> None:
    essay = load("02.why_root_d")
    assert isinstance(essay, Essay)
    assert f"by the rubric, at most {essay.points:g}." in add_up("02").said


def test_alone_it_takes_the_chapter_whose_checks_ran(said: Callable[..., str]) -> None:
    assert "No check has run in this session" in said()
    check("02.output_shape", ...)
    assert said() == said("02") == said("2") == said(2)
    assert "Chapter 02" in said()
    check("03.masked_row", ...)
    assert said() == (
        "Checks of chapters 02, 03 ran in this session. Say which to\n"
        'add up: total("02") or total("03").\n'
    )
    assert "Chapter 03" in said("03")


def test_nothing_is_said_while_a_notebook_is_graded(
    said: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LATER, "1")
    assert said("02") == said() == ""


def test_a_chapter_without_tasks_is_an_error() -> None:
    check(CHOICE, "B")
    for chapter in ("98", 98, None):  # the last: the task is not from the course
        with pytest.raises(LookupError, match="no graded tasks"):
            total(chapter)


def test_where_a_site_is_known_a_link_brings_the_code(published: str) -> None:
    made = add_up("02")
    assert made.link == f"{published}#points={made.code}"
    assert made.link in made.text()
    assert made.code in made.text().removesuffix(made.link)
    hrefs = []

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            hrefs.extend(value for name, value in attrs if name == "href")

    Links().feed(made.html())
    assert hrefs == [made.link]
    assert f">{made.code}</code>" in made.html()
    assert add_up("03").link == "", "a chapter without a page"


@pytest.mark.parametrize(
    ("number", "page"),
    [
        ("01", "01-attention-as-soft-retrieval"),
        ("02", "02-scaled-dot-product-attention"),
        ("12", "12-flash-attention"),
        ("17", "17-capstone"),
    ],
)
def test_where_no_site_is_known_the_code_comes_with_the_gates_place(number: str, page: str) -> None:
    made = add_up(number)
    assert made.link == ""
    for said in made.text(), made.html():
        assert "at the end of the chapter's page" in said.replace("&#x27;", "'")
        assert f"`make serve`, run in a clone of the course, shows it at {totals.LOCAL}" in said
        assert f"{totals.LOCAL}book/{page}.html#gate-{number}" in said
    assert f"takes this code: {made.code}\n" in made.text()


def test_a_chapter_without_a_page_has_a_code_and_no_address(published: str) -> None:
    text = add_up("03").text()
    assert text.endswith("It is at the end of the chapter's page on the course's site.")
    assert "127.0.0.1" not in text


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ({"02": "https://example.org/c/book/02-dots.html"}, "<https://example.org/c/>"),
        (
            {"01": "book/01-a.html"},
            f"`make serve`, run in a clone of the course, shows it at <{totals.LOCAL}>",
        ),
        ({}, f"`make serve`, run in a clone of the course, shows it at <{totals.LOCAL}>"),
    ],
)
def test_the_site_is_an_address_or_the_command_that_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: dict[str, str], said: str
) -> None:
    (tmp_path / "gates.json").write_text(json.dumps(pages))
    monkeypatch.setattr(totals, "files", lambda package: tmp_path)
    assert totals.site() == said


def test_a_narrow_notebook_breaks_lines_between_words() -> None:
    style = re.findall(r'<pre style="([^"]*)"', add_up("02").html())
    assert ["white-space:pre-wrap" in each for each in style] == [True]
    assert "word-break:normal" in style[0], "JupyterLab says break-all of every <pre>"


def test_a_notebook_gets_html_and_text(monkeypatch: pytest.MonkeyPatch, published: str) -> None:
    shown: list[tuple[object, bool]] = []
    display = SimpleNamespace(display=lambda data, *, raw: shown.append((data, raw)))
    ipython = SimpleNamespace(get_ipython=lambda: object(), display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    total("02")
    made = add_up("02")
    assert shown == [({"text/plain": made.text(), "text/html": made.html()}, True)]


@pytest.mark.skipif(NODE is None, reason="node is not installed; the gate is JS")
def test_the_gate_reads_what_is_written_and_finds_slips() -> None:
    some = [("02", 0.0), ("02", 26.5), ("09", 31.25), ("17", 120.0), ("01", 0.05)]
    codes = [code(*each) for each in some]
    assert read(codes) == [{"chapter": number, "points": points} for number, points in some]
    right = codes[1]
    places = [i for i, sign in enumerate(right) if sign.isdigit()]
    slips = [
        right[:i] + digit + right[i + 1 :] for i in places for digit in "0123456789"
        if digit != right[i]
    ]  # fmt: skip
    slips += [
        right[:i] + right[j] + right[i + 1 : j] + right[i] + right[j + 1 :]
        for i, j in itertools.pairwise(places)
        if right[i] != right[j]
    ]
    slips += [right[:-1], right[1:], f"{right}0", "26.5", ""]
    assert read(slips) == [None] * len(slips)


@pytest.mark.skipif(NODE is None, reason="node is not installed; the gate is JS")
def test_the_gate_reads_a_code_that_was_broken_or_set_for_print() -> None:
    made = code("02", 26.5)
    dashes = ["-\n", " - ", "\u2010", "\u2011", "\u2013", "\u2212"]
    told = {"chapter": "02", "points": 26.5}
    assert read([made.replace("-", dash) for dash in dashes]) == [told] * len(dashes)
    assert read([made.replace("-", ""), made.replace("-", " ")]) == [None] * 2


@pytest.mark.skipif(NODE is None, reason="node is not installed; the gate is JS")
def test_the_gate_reads_all_that_total_shows(published: str) -> None:
    made = add_up("02")
    told = {"chapter": "02", "points": 0}
    assert read([made.text(), made.link, f" {made.code}\n", f"({made.code})."]) == [told] * 4

"""The feedback page shows points, repairs and waiting cells, and no secrets of the course."""

import itertools
import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from plaincourse.feedback import TellPlainly, only_pages
from plaincourse.feedback.page import page
from tests.plaincourse.test_check_report import REPORTS

HIDDEN = (
    'check("99.a", a)\n### BEGIN HIDDEN TESTS\ncheck("99.a", a, seed=4711)\n### END HIDDEN TESTS'
)
GRADES = {"notebook": "n", "score": 1.5, "max_score": 9.0, "late_penalty": 0.5}


def graded(source="", outputs=(), *, name="a", make=new_code_cell, **meta):
    known = {"grade_id": name, "grade": True, "solution": False, "points": 2.0, "score": 1.5}
    cell = make(source, metadata={"nbgrader": known | meta})
    if outputs:
        cell.outputs = list(outputs)
    return cell


def shown(*cells, **metadata):
    notebook = new_notebook(cells=list(cells), metadata={"plaincourse": metadata})
    notebook, _ = TellPlainly().preprocess(notebook, {})
    return page(notebook, GRADES)


def stream(text):
    return new_output("stream", name="stdout", text=text)


def html(data):
    return new_output("execute_result", {"text/html": data, "text/plain": "1.5"})


TITLE = new_markdown_cell("# Masks & more\n\nHello.\n\n## 1. First *one*")


def test_the_head_has_the_points_of_each_exercise_under_its_heading():
    essay = graded("words", name="b", make=new_markdown_cell, solution=True, points=7.0, score=0.0)
    essay.metadata.nbgrader["waits"] = True
    said = shown(TITLE, graded("1"), new_markdown_cell("## 2. Second"), essay)
    assert "<h1>Masks &amp; more</h1>" in said
    assert "<strong>1.5 of 9 points</strong> so far" in said
    assert re.search(r'href="#cell-a">1\. First <em>one</em></a>.*?1\.5 of 2 points', said)
    assert re.search(r'href="#cell-b">2\. Second</a></th>.*?waits for a person, 7 points', said)
    assert "-0.5 points" in said
    assert said.count('id="cell-a"') == said.count('id="cell-b"') == 1
    assert "What waits for a person" in said


def test_the_head_says_what_was_mended_once():
    # As in a graded notebook: running it drops the course's metadata.
    notes = new_markdown_cell("**What was mended before grading**\n\n- It.", id="mended")
    said = shown(notes, TITLE, graded("1"), mended=["The cell `a` was there <b>twice</b>."])
    assert "<li>The cell <code>a</code> was there <b>twice</b>.</li>" in said
    assert said.count("was mended") == 1


def test_of_what_could_not_be_read_the_page_says_why_and_shows_no_notebook():
    said = shown(TITLE, graded("1"), mended=["It is empty."], unread="It is empty.")
    assert said.count("It is empty.") == 1
    assert "Your notebook" not in said


def test_headings_are_in_order():
    said = shown(
        TITLE, graded("1", [html(REPORTS["partial"]._repr_html_())]), new_markdown_cell("#### deep")
    )
    levels = [int(level) for level in re.findall(r"<h(\d)", said)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_page_asks_nobody_for_anything():
    said = shown(TITLE, graded("1", [html('<img src="https://evil.example/x"><script>1</script>')]))
    assert "<script" not in said
    assert "evil.example" not in said
    assert not re.search(r'(?:src|href)="(?!#|data:image/)', said)
    assert "url(" not in said
    assert "default-src 'none'" in said


@pytest.mark.parametrize(("name", "known"), [("partial", True), ("unknown", False)])
def test_the_first_hint_is_open_where_the_mistake_is_known_and_only_it(name, known):
    said = shown(graded("1", [html(REPORTS[name]._repr_html_())]))
    hints = re.findall(r"<details([^>]*)><summary[^>]*>Hint", said)
    assert [(" open" in each) for each in hints] == [known, False, False]


def test_a_students_own_report_opens_no_hint():
    said = shown(new_code_cell("1", outputs=[html(REPORTS["partial"]._repr_html_())]))
    assert not re.search(r"<details[^>]*open[^>]*><summary[^>]*>Hint", said)


def test_hidden_tests_and_seeds_are_shown_nowhere():
    printed = 'what I found: check("99.a", a, seed=4711) and seed=4711'
    traced = new_output("error", ename="E", evalue="seed=4711", traceback=["at seed=4711"])
    rich = new_output("display_data", {"text/html": "<b>seed=4711</b>", "text/plain": "seed=4711"})
    own = new_code_cell("print(In[-1])", outputs=[stream(printed), traced, rich])
    said = shown(own, graded(HIDDEN))
    assert "4711" not in said
    assert "HIDDEN" not in said
    assert "what I found: … and …" in said
    assert re.search(r"check.*99\.a", said), "the visible line stays"


def test_marks_of_hidden_tests_in_a_students_cell_do_not_end_the_batch():
    assert "BEGIN HIDDEN TESTS" in shown(new_code_cell("### BEGIN HIDDEN TESTS\n1"), graded("1"))


def test_long_outputs_are_folded_and_the_longest_are_cut():
    said = shown(new_code_cell("1", outputs=[stream("short\n"), stream("line\n" * 50_000)]))
    assert said.count("<details") == 1
    assert "Printed, 50,000 lines" in said
    assert "more characters are left out" in said
    assert len(said) < 150_000


@pytest.mark.parametrize("kind", ["image/png", "image/svg+xml"])
def test_pictures_stay_as_pictures_with_a_text(kind):
    content = "<svg onload='alert(1)'/>" if "svg" in kind else "iVBORw0KGgo="
    output = new_output("display_data", {kind: content, "text/plain": "x"})
    said = shown(new_code_cell("1", outputs=[output]))
    assert re.search(rf'<img alt="[^"]+" src="data:{re.escape(kind)};base64,[\w+/=]+">', said)
    assert "onload" not in said


@pytest.mark.parametrize("data", [{"application/javascript": "alert(1)"}, {"image/png": '"><b>'}])
def test_what_is_not_shown_is_told(data):
    said = shown(new_code_cell("1", outputs=[new_output("display_data", data)]))
    assert "An output of a kind that is not shown here" in said
    assert "alert" not in said


def test_an_error_keeps_the_students_frames_without_colours():
    lines = ["\x1b[31mValueError\x1b[39m", "File /srv/x/y.py in g", "Cell In[3], line 2", "bad <x>"]
    error = new_output("error", ename="ValueError", evalue="bad", traceback=lines)
    said = shown(new_code_cell("f()", outputs=[error]))
    assert "ValueError\nCell In[3], line 2\nbad &lt;x&gt;</pre>" in said


def test_comments_are_shown_and_clean():
    said = shown(graded("1", comment="Well *done*.<script>1</script>"))
    assert "Well <em>done</em>." in said


def test_points_are_told_once_where_the_report_tells_them():
    telling = shown(graded("1", [html("<h4>A: 1.5 of 2 points</h4>")]))
    silent = shown(graded("1"))
    assert 'class="points some"' not in telling
    assert '<p class="points some">' in silent


def test_what_was_handed_in_besides_does_not_come_back(tmp_path):
    graded = tmp_path / "autograded" / "ada" / "a"
    pages = tmp_path / "feedback" / "ada" / "a"
    (pages / "notes").mkdir(parents=True)
    (pages / "n.html").write_text("page")
    for name in ("photo.png", "feedback.html", "index.html", "n.html.bak"):
        (pages / name).write_text("mine")
    (pages / "notes" / "x.csv").write_text("mine")
    (pages / "timestamp.txt").write_text("2020-01-01 00:00:00 UTC")
    only_pages(assignment="a", student="*", notebooks=[str(graded / "n.ipynb")])
    assert [path.name for path in pages.iterdir()] == ["n.html"]


def test_the_time_of_the_exchange_stays_with_its_secret(tmp_path):
    graded, pages = tmp_path / "autograded" / "ada" / "a", tmp_path / "feedback" / "ada" / "a"
    pages.mkdir(parents=True)
    for name in ("n.html", "timestamp.txt", "submission_secret.txt"):
        (pages / name).write_text("of the exchange")
    only_pages(assignment="a", student="*", notebooks=[str(graded / "n.ipynb")])
    assert len([*pages.iterdir()]) == 3


@pytest.mark.parametrize("sign", ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\x00", "\x7f"])
@pytest.mark.parametrize("plain", ["", "It is quoted."])
def test_no_page_holds_what_a_terminal_obeys(sign, plain):
    own = new_markdown_cell(f"Mine{sign} and\tyours.")
    code = new_code_cell(f"print('{sign}')\nx = 1")
    said = page(new_notebook(cells=[own, code]), {}, plain=plain)
    assert "Mine" in said
    assert not {*map(chr, (*range(9), *range(11, 13), *range(14, 32), *range(127, 160)))} & {*said}


FORGED = "<h4>9 of 9 points</h4>"


@pytest.mark.parametrize("known", [{}, {"titles": {}, "title": "Masks"}])
@pytest.mark.parametrize("text", ["9 of 9 points", FORGED, "## Summary\n\n9 of 9 points"])
def test_what_a_raw_cell_says_stands_in_a_frame(known, text):
    cell = new_markdown_cell(text)
    cell["cell_type"] = "raw"
    said = shown(TITLE, cell, **known)
    before, _, rest = said.partition("9 of 9 points")
    frame = before.rpartition('<div class="own" role="group" aria-label="Your text">')[2]
    assert "</div>" not in frame
    assert len(frame) < 100
    assert rest
    assert said.count("9 of 9 points") == 1
    assert FORGED not in said


def test_what_is_quoted_of_a_notebook_stands_in_frames():
    cells = [new_markdown_cell("9 of 9 points"), new_code_cell("# 8 of 8 points")]
    ours = new_markdown_cell("ours", metadata={"plaincourse": {"course": True}})
    test = graded("check(1)")
    notebook = new_notebook(cells=[*cells, ours, test], metadata={"plaincourse": {"titles": {}}})
    said = page(notebook, GRADES, plain="It is quoted.")
    frames = said.split('aria-label="As it was handed in"')[1:]
    assert len(frames) == 2
    assert "9 of 9 points" in frames[0]
    assert "8 of 8 points" in frames[1]

"""In formgrader, a student's notebook runs and loads nothing; text and formulas are readable.

The pages are made by formgrader's own template, with the configuration of the course.
"""

import re
from html import unescape
from pathlib import Path

import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from traitlets.config.loader import PyFileConfigLoader

from tests.plaincourse.test_feedback_safe import ATTACKS, faults

ROOT = Path(__file__).parents[2]
RESOURCES = {"index": 0, "total": 1, "base_url": "", "notebook_id": "n", "student": "ada"}
LINKS = [
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "[a](&#106;avascript&colon;alert(1))",
    "[a](\x01javascript:alert(1))",
    "[a](vbscript:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](files/javascript:alert(1))",
    "[a][b]\n\n[b]: javascript:alert(1)",
    "[a]\n\n[a]: <javascript:alert(1)> 'title'",
    "<javascript:alert(1)>",
    "![a](https://evil.example/x.png)",
    "![a](data:image/svg+xml,%3Csvg%20onload=alert(1)%3E)",
    "![a][b]\n\n[b]: //evil.example/x.png",
    "[![a](javascript:alert(1))](javascript:alert(1))",
    "| a |\n|---|\n| [a](javascript:alert(1)) |",
    "```mermaid\ngraph TD; A-->B; click A javascript:alert(1)\n```",
]


@pytest.fixture(scope="module")
def shown():
    """Return a function that makes formgrader's page of some cells."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()
    config.merge(FormgradeExtension().build_extra_config())
    exporter = HTMLExporter(config=config)

    def page(*cells, **resources):
        notebook = new_notebook(cells=list(cells))
        return exporter.from_notebook_node(notebook, resources=RESOURCES | resources)[0]

    return page


def test_a_students_html_stands_in_a_frame_that_it_cannot_leave(shown):
    lied = '<div style="height:0">4 of 4 points</div>'
    cells = {
        "an output": new_code_cell("1", outputs=[new_output("display_data", {"text/html": lied})]),
        "Markdown put out": new_code_cell(
            "1", outputs=[new_output("display_data", {"text/markdown": lied})]
        ),
        "an answer": new_markdown_cell(lied),
    }
    for where, cell in cells.items():
        before = shown(cell).partition("4 of 4 points")[0]
        frame = before.rpartition("contain: paint; isolation: isolate")[2]
        assert frame != before, where
        assert "</div>" not in frame, where


def words(html):
    """Return the template's rendered text, without the boxes around it."""
    found = re.findall(r'rendered_html">(.*?)\n\s*</div>\n', html, re.DOTALL)
    assert found
    return "".join(found)


def rich(html):
    return new_output("display_data", {"text/html": html})


def answer(text):
    meta = {"grade_id": "a", "grade": True, "solution": True, "points": 2.0, "locked": False}
    return new_markdown_cell(text, metadata={"nbgrader": meta})


@pytest.mark.parametrize("attack", ATTACKS + LINKS)
def test_text_neither_runs_nor_loads(shown, attack):
    said = words(shown(new_markdown_cell(f"start\n\n{attack}"), answer(attack)))
    assert "start" in said
    assert faults(said) == []
    assert "<a" not in said


@pytest.mark.parametrize("kind", ["text/html", "text/markdown"])
@pytest.mark.parametrize("attack", ATTACKS + LINKS)
def test_outputs_neither_run_nor_load(shown, attack, kind):
    made = {kind: f"start {attack}", "application/javascript": "alert(1)", "image/svg+xml": attack}
    html = shown(new_code_cell("1", outputs=[new_output("display_data", made)]))
    assert "start" in html
    output = html.partition("output_subarea")[2].partition('<div class="help">')[0]
    assert faults(output.partition(">")[2]) == []


def test_nothing_beside_an_output_runs(shown):
    wide = {"image/png": {"width": "1 onload=alert(1)"}, "text/html": {"isolated": True}}
    picture = new_output("display_data", {"image/png": "iVBORw0KGgo="}, metadata=wide)
    html = shown(new_code_cell("1", outputs=[picture]))
    assert "iVBORw0KGgo=" in html
    assert "alert" not in html


@pytest.mark.parametrize("wrap", [answer, lambda html: new_code_cell("1", outputs=[rich(html)])])
def test_a_link_is_its_words_and_its_address(shown, wrap):
    # Formgrader's page of a student runs a script that is in its address.
    there = "http://localhost:8888/formgrader/manage_students/%3Cscript%3Ealert(1)%3C%2Fscript%3E"
    link = f'<a title="a > b" href="{there}">My source</a>, <a href="https://a.b">https://a.b</a>'
    said = shown(wrap(link))
    assert f"My source (<code>{there}</code>), https://a.b" in said


def test_names_are_text(shown):
    names = {"first_name": "Ma<b>ry", "last_name": """O'Hara & "x" <script>alert(1)</script>"""}
    html = shown(**names, student="a", notebook_path='x" onclick="alert(1)/é')
    assert 'O\'Hara &amp; "x" &lt;script&gt;alert(1)&lt;/script&gt;, Ma&lt;b&gt;ry' in html
    assert "data-link='x\" onclick=\"alert(1)/é'" in html
    assert "&lt;b&gt;Zoë" in shown(student="<b>Zoë")


def test_formulas_stay_for_mathjax(shown):
    text = "so $a &< b$ and\n\n$$\\text{<b>}\\href{x}{y}_1 * z_1$$\n\n\\begin{align} a &< b \\\\ c"
    text += " \\end{align}"
    html = shown(answer(text))
    assert "$a &amp;&lt; b$" in html
    assert "<b>" not in html
    for formula in ("$$\\text{<b>}\\href{x}{y}_1 * z_1$$", "\\begin{align} a &< b \\\\ c \\end"):
        assert formula in unescape(html)


def test_prose_and_pictures_stay(shown):
    text = "> quoted\n\n`a < b` and <b>bold</b>\n\n![p](attachment:p.png)"
    cell = answer(text)
    cell.attachments = {"p.png": {"image/png": "AAAA"}}
    html = shown(cell)
    assert '<img alt="p" src="data:image/png;base64,AAAA"/>' in html
    for part in ("<blockquote>", "<code>a &lt; b</code>", "<b>bold</b>"):
        assert part in html


def test_a_picture_that_was_not_handed_in_ends_nothing(shown):
    assert "words" in shown(answer("words ![p](attachment:p.png)"))

"""Long lines of code get their own element, and their text does not change."""

import re
import sys
from html import unescape

import pytest
from tests.site.conftest import ROOT

CELL = (
    '<div class="cell_input docutils container">\n<div class="highlight-ipython3 notranslate">'
    '<div class="highlight"><pre><span></span>{}</pre>'
)


@pytest.fixture(scope="module")
def code_lines():
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    import code_lines

    yield code_lines
    sys.path.pop(0)
    sys.modules.pop("code_lines")


def text(html):
    return unescape(re.sub(r"<[^>]+>", "", html))


LONG = '    <span class="n">' + "x" * 60 + "</span> &lt; 1\n"


def test_a_long_line_says_how_far_in_it_begins_and_a_short_one_is_left(code_lines):
    cell = CELL.format(LONG + '<span class="n">x</span>\n')
    made = code_lines.wrapped(cell)
    assert made.count('<span class="line" style="--in:6ch">') == 1
    assert text(made) == text(cell)


def test_a_long_line_may_break_after_a_bracket_or_a_dot_before_it_breaks_in_a_name(code_lines):
    call = '<span class="n">name</span><span class="p">(</span><span class="o">.</span>'
    made = code_lines.wrapped(CELL.format(call + LONG))
    assert '(</span><wbr><span class="o">.</span><wbr>' in made
    assert "wbr" not in code_lines.wrapped(CELL.format(call + "\n"))


def test_what_is_far_in_is_an_element_and_deep_code_is_not(code_lines):
    far = code_lines.wrapped(CELL.format("\n" + " " * 15 + LONG))
    assert f' style="--in:16ch">{" " * 14}<span class="far">     </span><span' in far
    assert "far" not in code_lines.wrapped(CELL.format("\n" + " " * 10 + LONG))
    assert text(far) == text(CELL.format("\n" + " " * 15 + LONG))


def test_a_long_name_breaks_at_its_joints_in_a_table_or_heading(code_lines):
    name = '<span class="pre">F.scaled_dot_product</span>'
    context = {"body": f'<h2>a.b 3.1<a href="#a.b">#</a></h2><p>{name}</p><table>{name}</table>'}
    code_lines.wrap(None, "page", "", context, None)
    broken = '<span class="pre">F.<wbr>scaled_<wbr>dot_<wbr>product</span>'
    heading = '<h2>a.<wbr>b 3.1<a href="#a.b">#</a></h2>'
    assert context["body"] == f"{heading}<p>{name}</p><table>{broken}</table>"


def test_what_has_no_colour_of_its_own_is_no_element(code_lines):
    call = '<span class="k">if</span><span class="w"> </span><span class="n">a</span>'
    context = {"body": f'<span class="n">a</span>{CELL.format(call + LONG)}'}
    code_lines.wrap(None, "page", "", context, None)
    kept = re.findall(r'<span class="(\w+)"', context["body"])
    assert kept == ["n", "line", "k"]  # the first is not code
    assert text(context["body"]) == "a" + text(CELL.format(call + LONG))


def test_each_kind_of_word_that_the_style_colours_is_kept(code_lines):
    coloured = {"k", "ow", "s2", "sd", "mi", "nb", "c1", "gp", "hll", "far"}
    assert not (coloured | {"go"}) & code_lines.PLAIN  # the copy button leaves out "go"
    assert {"n", "p", "o", "w"} <= code_lines.PLAIN


def test_what_a_cell_prints_is_left(code_lines):
    output = CELL.replace("cell_input", "cell_output").format(LONG)
    assert code_lines.wrapped(output) == output


def test_a_line_whose_elements_go_on_in_the_next_is_left(code_lines):
    cell = CELL.format('<span class="s">' + "a" * 60 + "\n" + "b" * 60 + "</span>\n")
    assert code_lines.wrapped(cell) == cell

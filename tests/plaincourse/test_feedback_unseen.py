"""From the first hidden test on, the page has no text that depends on hidden inputs."""

import copy
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook, new_output

from plaincourse import check
from plaincourse.checking.in_words import other_kind
from plaincourse.exercise import Rung
from plaincourse.feedback import TellPlainly
from plaincourse.feedback.page import page
from plaincourse.kernels.client import OUT_OF_MEMORY
from tests.plaincourse.tasks import CHOICE, NUMBER, TASK, draw, shift, to_columns
from tests.plaincourse.test_feedback_page import GRADES, HIDDEN, graded, html, stream
from tests.plaincourse.test_grading_steps import error

ANSWER = {"grade_id": "b-answer", "grade": False, "solution": True}
SAYS = [
    [],
    [stream("7531\n")],
    [new_output("stream", name="stderr", text="7531")],
    [error("ValueError", "7531", "ValueError: 7531")],
    [new_output("display_data", {"text/html": "<b>7531</b>", "text/plain": "7531"})],
    [new_output("execute_result", {"text/markdown": "7531", "text/plain": "7531"})],
]


def own(outputs, *, handed=None, name=None):
    cell = new_code_cell("f(1)", outputs=copy.deepcopy(outputs))
    if handed is not None:
        cell.metadata["handed_in"] = copy.deepcopy(handed)
    if name:
        cell.metadata["nbgrader"] = dict(ANSWER)
    return cell


def a_test(*outputs, handed=(), source='check("99.b", b)'):
    cell = graded(source, copy.deepcopy(outputs), name="b")
    cell.metadata["handed_in"] = copy.deepcopy(list(handed))
    return cell


def shown(*cells, below=True):
    first = [graded(HIDDEN)] if below else []
    notebook = new_notebook(cells=[*first, *cells])
    return page(TellPlainly().preprocess(notebook, {})[0], GRADES)


@pytest.mark.parametrize("handed", [None, [stream("mine\n")], SAYS[1], SAYS[3]])
def test_what_a_cell_of_the_students_own_showed_changes_nothing_on_the_page(handed):
    assert len({shown(own(outputs, handed=handed)) for outputs in SAYS}) == 1


@pytest.mark.parametrize("said", SAYS[1:])
def test_above_the_hidden_tests_it_is_shown(said):
    assert "7531" in shown(own(said, handed=[stream("mine")]), graded(HIDDEN), below=False)


def test_what_was_handed_in_is_shown_and_told_to_be_that():
    said = shown(own(SAYS[1], handed=[stream("mine at /srv/x/y and seed=4711\n")]))
    assert "As you handed it in." in said
    assert "mine at … and …" in said
    assert "7531" not in said


def test_without_anything_handed_in_the_page_says_how_to_see_it():
    said = shown(own(SAYS[1]))
    assert "because hidden tests had run before it. Run the notebook to see it." in said


def test_an_answer_that_shows_the_same_again_needs_no_word():
    twice = [stream("1\n"), stream("2\n")]
    said = shown(own([stream("1\n2\n")], handed=twice, name="b"))
    assert "handed it in" not in said
    assert "hidden tests had run" not in said
    assert "hidden tests had run" in shown(own(SAYS[1], name="b"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("SyntaxError", "<code>SyntaxError</code>"),
        ("CellTimeoutError", "<code>CellTimeoutError"),
        ("E7531", "stopped with an error."),
        ("print", "stopped with an error."),
    ],
)
def test_an_answer_that_stopped_says_so_without_a_name_of_the_students(name, told):
    said = shown(own([error(name, "7531", "x")], name="b"))
    assert told in said
    assert "7531" not in said


def raising(x, by):
    raise ValueError("7531 " + str(x.tolist()))


def printing(x, by):
    print(7531)
    return x * 7


NAMED = type("E7531", (Exception,), {})


def naming(x, by):
    raise NAMED


def shaped(x, by):
    return torch.zeros(1).expand(7531, 3)


ANSWERS = [raising, printing, naming, shaped, lambda x, by: x * 0 + 7531.25, "7531", print]
REPORTS = [check(TASK, each) for each in ANSWERS]
LAW = Rung(
    name="law",
    points=1,
    draw=lambda g: draw(g, (1, 1)),
    law=lambda inputs, output: f"the sum is {float(output.sum())}",
    compare=False,
)
REPORTS += [check(replace(TASK, rungs=(LAW,)), ANSWERS[4])]
REPORTS += [check(CHOICE, "7531"), check(NUMBER, 7531.0), check(NUMBER, "7531")]


@pytest.mark.parametrize("report", REPORTS)
def test_a_check_quotes_an_answer_only_where_the_submission_held_the_same(report):
    result = html(report._repr_html_())
    careful, same = (shown(a_test(result, handed=each)) for each in ([], [result]))
    for what in ("7531", "E7531"):
        assert what not in careful
    assert report.headline in careful
    if "7531" in report.text():
        assert "7531" in same
        assert "left out here" not in same


class Row(list):
    """A list subclass defined by the student."""


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda x, by: shift(x, by).numpy(), "a NumPy array; expected a tensor."),
        (lambda x, by: shift(x, by).tolist(), "a list; expected a tensor."),
        (lambda x, by: (shift(x, by), 7531), "a tuple; expected a tensor."),
        (lambda x, by: {"7531": shift(x, by)}, "a dictionary; expected a tensor."),
        (lambda x, by: print(7531), "None (is there a return?); expected a tensor."),
        (lambda x, by: "7531", "text; expected a tensor."),
        (lambda x, by: 7531.0, "a number; expected a tensor."),
        (lambda x, by: x.numpy()[0, 0], "a number; expected a tensor."),
        (lambda x, by: Row(x.tolist()), "a list; expected a tensor."),
        (lambda x, by: {7531}, "an object of another type; expected a tensor."),
        (lambda x, by: 7531j, "an object of another type; expected a tensor."),
        (lambda x, by: type("E7531", (), {})(), "an object of another type; expected a tensor."),
    ],
)
@pytest.mark.parametrize("ruled", [False, True])
def test_the_kind_of_what_an_answer_returns_is_told_and_nothing_in_it(answer, told, ruled):
    rung = replace(LAW, law=lambda inputs, output: "Return a tensor; yours is 7531")
    task = replace(TASK, rungs=(rung,)) if ruled else TASK
    said = shown(a_test(html(check(task, answer)._repr_html_())))
    assert f"Your function returns {told}" in said
    assert "7531" not in said


def test_of_an_output_of_the_right_kind_no_kind_is_told():
    said = shown(a_test(html(check(TASK, lambda x, by: x * 7)._repr_html_())))
    assert "Your output is another than expected." in said


@pytest.mark.parametrize(
    ("expected", "got", "told"),
    [
        (2.5, torch.tensor(3.5), ""),
        (2, 3.5, ""),
        (True, 1, "your function returns an integer; expected True or False"),
        (True, np.bool_(False), ""),
        (2.5, [2.5], "your function returns a list; expected a number"),
        ((1, 2), [3, 4], ""),
        ((1, 2), torch.ones(2), ""),
        ((1, 2), np.ones(2), ""),
        ((1, 2), torch.ones(2, 2), "your function returns a tensor; expected 2 outputs"),
        ((1, 2), {1, 2}, "your function returns an object of another type; expected 2 outputs"),
        (torch.ones(2), np.ones(2), "your function returns a NumPy array; expected a tensor"),
        (np.ones(2), torch.ones(2), "your function returns a tensor; expected a NumPy array"),
        (None, 1, "your function returns an integer; expected None"),
    ],
)
def test_kinds_differ_where_the_comparison_says_so(expected, got, told):
    assert other_kind(expected, got) == told


def test_what_a_check_says_in_words_of_the_course_stays():
    raised, wrong = REPORTS[0], check(TASK, to_columns)
    said = shown(a_test(html(raised._repr_html_())))
    assert "Failed: “one number”. Your function raises <code>ValueError</code>." in said
    # On a phone, a line of code is cut off, but a sentence wraps.
    assert "<p>left out here; run the check in your notebook to see it</p>" in said
    assert re.search(r"expected</p><pre[^>]*>\[\[", said), "the input and the right output stay"
    known = shown(a_test(html(wrong._repr_html_())))
    assert "This is what to columns gives." in known
    assert "to columns one" in known


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (error("ValueError", "7531"), "fails this test (<code>ValueError</code>)"),
        (error("HiddenTest", "7531"), "fails this test (an error)"),
        (error("NotRun", "7531"), "fails this test (<code>NotRun</code>)"),
        (error("NoScore", "the test gave 7531"), "fails this test (<code>NoScore</code>)"),
        (error("NameError", "name 'n7531' is not defined"), "fails this test"),
        (error("NameError", "name 'b' is not defined"), "<code>b</code> is not defined."),
        (error("TimeoutError", "7531"), "took too long"),
        (error("KernelDied", OUT_OF_MEMORY), "it ran out of memory, or the notebook killed it. No"),
        (error("KernelDied", "7531"), "While this task was tested, the process of your notebook"),
        (error("StudentGone", "7531"), "While this task was tested, the process of your notebook"),
        (stream("7531"), ""),
        (new_output("execute_result", {"text/plain": "[7531]"}), ""),
        (new_output("execute_result", {"text/plain": "1.5", "text/html": "7531"}), ""),
        (new_output("execute_result", {"text/plain": "1.25"}), "1.25"),
    ],
)
def test_a_test_without_a_check_tells_no_more_than_its_score(output, told):
    said = shown(a_test(output, source="assert b == 1"))
    assert "7531" not in said
    assert told in said
    if "7531" in str(output) and output.output_type != "error":
        assert "7531" in shown(a_test(output, handed=[output], source="assert b == 1"))


WAITS = {
    "n = input('Which? ')\ndef b(x):\n    return n": "asks with `input()`",
    "def b(x):\n    return x\nprint(b(int(input())))": "asks with `input()`",
    "for _ in range(2):\n    breakpoint()\nb = 1": "starts a debugger",
    "import pdb\npdb.set_trace()\nclass b: ...": "starts a debugger",
}
STOPS = {
    "def b(x):\n    return input()": "is in a function that was not called",
    "b = layer.input(1)": "is not Python's",
    "b = 1 / 0": "does not ask",
}


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("source", [*WAITS, *STOPS])
def test_a_name_is_missing_because_its_cell_waits_for_a_user(source, below):
    test = a_test(error("NameError", "name 'b' is not defined"), source="assert b == 1")
    said = re.sub(r"</?code>", "`", shown(new_code_cell(source), test, below=below))
    assert "`b` is not defined." in said
    assert ("Nobody answers when the notebook is graded" in said) == (source in WAITS)
    if source in WAITS:
        assert f"The cell that defines it {WAITS[source]}" in said


KEEPS_NONE = {
    "%%timeit -n 1\ndef b(x):\n    return x": "timeit",
    "\n%%timeit\nb = 1": "timeit",
    "%%bash\nclass b: ...": "bash",
    "%%writefile b.py\ndef b(x):\n    return x": "writefile",
    "%%script python\nb = 1": "script",
}
KEEPS = ["%timeit f(1)\nb = 1 / 0", "b = '%%timeit' / 0", "%%timeit\nc = 1"]
KEEPS += [f"%%{magic}\nb = 1 / 0" for magic in ("time", "capture", "prun", "debug")]


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("source", [*KEEPS_NONE, *KEEPS])
def test_a_name_is_missing_because_its_cell_leaves_none_behind(source, below):
    test = a_test(error("NameError", "name 'b' is not defined"), source="assert b == 1")
    said = re.sub(r"</?code>", "`", shown(new_code_cell(source), test, below=below))
    assert "`b` is not defined." in said
    assert ("leaves no names behind" in said) == (source in KEEPS_NONE)
    if source in KEEPS_NONE:
        assert f"begins with `%%{KEEPS_NONE[source]}`" in said
        assert "stands further down" not in said


NOWHERE = "No cell defines it, or assigns it, outside of a function"
UNDEFINED = {
    "answer = 1\nprint('b =', answer)": NOWHERE,
    "B = 1": NOWHERE,
    "# b": NOWHERE,
    "def main():\n    def b(x):\n        return x\nmain()": "defined only inside `main`",
    "class Answers:\n    b = 1": "defined only inside `Answers`",
    "b = [": "stopped with an error",
    "b = 1 / 0": "stopped with an error",
    "def b(x: int): ...": "`from torch import *` gives `int` another meaning",
}


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("source", UNDEFINED)
def test_a_name_is_missing_for_the_reason_that_the_texts_of_the_cells_show(source, below):
    test = a_test(error("NameError", "name 'b' is not defined"), source="assert b == 1")
    cells = [new_code_cell("from torch import *")]
    said = shown(*cells, new_code_cell(source), test, below=below)
    assert UNDEFINED[source] in re.sub(r"</?code>", "`", said)


@pytest.mark.parametrize(
    ("name", "frames", "told"),
    [
        ("StdinNotImplementedError", ["Cell In[1], line 1"], "asks with `input()`"),
        ("StdinNotImplementedError", ["File /usr/lib/python3/bdb.py:90"], "starts a debugger"),
        ("BdbQuit", ["Cell In[1], line 1"], "starts a debugger"),
    ],
)
def test_a_cell_that_waited_for_a_user_says_so(name, frames, told):
    said = new_output("error", ename=name, evalue="raw_input was called", traceback=frames)
    page_text = re.sub(r"</?code>", "`", shown(own([said]), below=False))
    assert f"The cell {told}, and nobody answers" in page_text
    assert "raw_input was called" not in page_text


NEWER = {
    "an alias of a type": ("type 3 = list", "SyntaxError: invalid syntax, in line 1"),
    "a mark within marks": ("def f(d):\n    return f'{d['a':]'", "SyntaxError: f-string"),
    "below a magic": ("%matplotlib inline\nx = t'{{'t", "in line 2"),
}
#: Syntax errors in every version of Python.
SLIPS = {
    "a space of a telephone": ("x = 1\ny\u00a0= 2", "non-printable character U+00A0, in line 2"),
    "curly quotes": ("x = \u201ca\u201d", "invalid character"),
    "a tab among spaces": ("if 1:\n        x = 1\n\ty = 2", "TabError: inconsistent use of tabs"),
    "a sentence": (
        "Here is my answer:\nx = 1",
        "SyntaxError: invalid syntax, in line 1: <code>Here is",
    ),
    "a wrong indent": ("def f():\nreturn 1", "IndentationError: expected an indented block"),
    "a return outside": ("x = 1\nreturn x", "SyntaxError: 'return' outside function"),
    "a bracket left open": ("x = (1,\ny = 2", "'(' was never closed, in line 1"),
}
READ = ["%%timeit\nno code", "x = !ls", "await f()", "x = 1", "%time f(1)", "f?"]


@pytest.mark.parametrize("name", [None, "b"])
@pytest.mark.parametrize("what", [*NEWER, *SLIPS, *READ])
def test_a_syntax_error_is_told_and_a_newer_python_only_where_one_reads_the_cell(what, name):
    source, cause = {**NEWER, **SLIPS}.get(what, (what, ""))
    cell = own([error("SyntaxError", "invalid syntax", "SyntaxError: 7531")], name=name)
    cell.source = source
    above, below = shown(cell, below=False), shown(cell)
    assert cause in below
    assert ("Python cannot read this cell" in below) == (what not in READ)
    assert "7531" not in below
    version = f"The grader runs Python {sys.version_info[0]}.{sys.version_info[1]}. If"
    assert [version in said for said in (above, below)] == [what in NEWER] * 2


def test_what_a_cell_showed_does_not_change_whether_python_can_read_it():
    shows = [own(outputs) for outputs in SAYS]
    for each in shows:
        each.source = NEWER["an alias of a type"][0]
    assert len({shown(each) for each in shows}) == 1

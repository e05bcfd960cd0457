"""A code answer that keeps the stub's line is graded as intended, or a person grades it."""

import json
from pathlib import Path

import nbformat
import pytest

from plaincourse.grading.assignment import from_notebooks
from plaincourse.grading.jobs import status
from plaincourse.grading.mend import mend
from plaincourse.proving.honest_desk import own, place
from tests.plaincourse.test_grading_elsewhere import (
    CODE,
    MINE,
    VALUE,
    insert,
    mended,
    notebook,
    others,
    put,
    stub,
    what_checks_see,
)

ROOT = Path(__file__).parents[2]
SECOND = "02-scaled-dot-product-attention"
HEAD = "def blend(*arguments):\n"
LINE = "    raise NotImplementedError()  # YOUR CODE\n"
BODY = "    mine = 'mine'\n    return mine\n"
ANSWER = "answer_behind_the_weights"

GRADED = {
    "below the line": stub(CODE) + "\n" + BODY,
    "above the line, with an end": HEAD + BODY + LINE,
    "around the line": HEAD + "    mine = 'mine'\n" + LINE + "    return mine",
    "in a branch above": HEAD + "    if arguments:\n        return 'mine'\n" + LINE,
    "below pass": HEAD + "    pass\n" + LINE + BODY,
    "below return None": HEAD + "    return None\n" + BODY,
    "below return": HEAD + '    """It blends."""\n    return\n' + BODY,
    "below both": HEAD + LINE + "    return None\n" + BODY,
    "on one line": HEAD + "    raise NotImplementedError(); mine = 'mine'\n    return mine",
    "without brackets": HEAD + "    raise NotImplementedError\n" + BODY,
    "a definition above the stub": f"{MINE}\n\n{stub(CODE)}",
    "a definition below the stub": f"{stub(CODE)}\n\n{MINE}",
    "a lambda above the stub": f"blend = lambda *a: 'mine'\n{stub(CODE)}",
    "within the stub": stub(CODE) + "\n\n    " + MINE.replace("\n", "\n    "),
    "within the stub, at its end": HEAD + "    " + MINE.replace("\n", "\n    ") + "\n" + LINE,
    "not indented": HEAD + LINE + "mine = 'mine'\nreturn mine",
    "indented by two": HEAD + LINE + "  mine = 'mine'\n  return mine",
    "indented by eight": HEAD + LINE + "        mine = 'mine'\n        return mine",
    "a helper, and below the line": "def helped():\n    return 'mine'\n\n"
    + stub(CODE)
    + "\n    return helped()",
    "in another alphabet": HEAD + LINE + "    été = 'mine'; return été\n",
    "below a magic": "%time\n" + HEAD + LINE + BODY,
}


@pytest.mark.parametrize("how", GRADED)
def test_code_beside_the_line_of_a_stub_is_graded_and_the_page_says_so(how):
    made = mended(put(notebook(done=others(CODE)), f"{CODE}-answer", GRADED[how]))
    assert what_checks_see(made)[CODE] == "mine"
    python = how in ("a definition below the stub", "above the line, with an end")  # reached anyway
    assert any(f"`{CODE}`" in note and "was graded" in note for note in made.notes) != python
    nbformat.validate(made.notebook)


ELSEWHERE = {
    "a helper left with the stub": ("def helped():\n    return 1\n\n" + stub(CODE), MINE, 1),
    "the same, above it": ("def helped():\n    return 1\n\n" + stub(CODE), MINE, 0),
    "a value left with the stub": ("size = 3\n" + stub(CODE), MINE, 1),
    "a stub copied with the answer": (stub(CODE), stub(CODE) + "\n" + BODY, 1),
    "a stub behind the answer": (stub(CODE), f"{MINE}\n\n{stub(CODE)}", 1),
    "needs what was left": (
        "def helped():\n    return 'mine'\n\n" + stub(CODE),
        "def blend(*a):\n    return helped()",
        1,
    ),
}


@pytest.mark.parametrize("how", ELSEWHERE)
def test_a_definition_in_another_cell_counts_though_the_stub_has_code_beside_it(how):
    left, answer, below = ELSEWHERE[how]
    made = put(notebook(done=others(CODE)), f"{CODE}-answer", left)
    made = mended(insert(made, f"{CODE}-answer", own(answer), below=below))
    assert what_checks_see(made)[CODE] == "mine"
    assert any(f"`{CODE}` stood in cell" in note for note in made.notes)


def value(text):
    return put(notebook(done=others(VALUE)), f"{VALUE}-answer", text)


VALUES = {
    "below": f"{ANSWER} = ...  # YOUR ANSWER\n'mine'",
    "above": f"'mine'\n{ANSWER} = ...  # YOUR ANSWER",
    "assigned above": f"{ANSWER} = 'mine'\n{ANSWER} = ...  # YOUR ANSWER",
    "assigned below": f"{ANSWER} = ...  # YOUR ANSWER\n{ANSWER} = 'mine'",
    "None below": f"{ANSWER} = 'mine'\n{ANSWER} = None",
    "on the same line": f"{ANSWER} = ... 'mine'  # YOUR ANSWER",
    "behind another sign": f"{ANSWER} = ... = 'mine'",
    "in brackets": f"import math\n{ANSWER} = ...  # YOUR ANSWER\n('mine')",
}  # fmt: skip


@pytest.mark.parametrize("how", VALUES)
def test_a_value_beside_the_dots_is_graded(how):
    made = mended(value(VALUES[how]))
    assert what_checks_see(made)[VALUE] == "mine"
    assert bool(made.notes) == (how != "assigned below")


def test_a_tuple_over_several_lines_is_a_value():
    made = mended(value(f"{ANSWER} = ...\n(\n    1 / 2,\n    -0.5,\n)"))
    assert what_checks_see(made)[VALUE] == (0.5, -0.5)


FLAGGED = {
    "a helper, and the stub": (CODE, "def helped(x):\n    return x @ x\n\n" + stub(CODE)),
    "lines below a stub": (CODE, stub(CODE) + "\n\nkey = np.ones(3)\nprint(key @ key)"),
    "under another name": (CODE, "def mix(*a):\n    return a\n\n" + stub(CODE)),
    "cannot be read": (CODE, stub(CODE) + "\n    return softmax(key @ query"),
    "nothing given back": (CODE, HEAD + "    mine = sum(arguments)\n" + LINE),
    "None given back": (CODE, HEAD + "    mine = sum(arguments)\n    return None"),
    "pass at the end": (CODE, HEAD + "    mine = sum(arguments)\n    pass"),
    "a value of another name": (VALUE, f"w = (1, 2)\n{ANSWER} = ...  # YOUR ANSWER"),
    "two values": (VALUE, f"{ANSWER} = ...\n-0.9\n-0.5"),
    "printed": (VALUE, f"{ANSWER} = ...\nprint(-0.9, -0.5)"),
    "in a comment": (VALUE, f"{ANSWER} = ...  # YOUR ANSWER (-0.9, -0.5)"),
    "computed": (VALUE, f"a = 0.5\nb = a ** 2\n{ANSWER} = ..."),
}


@pytest.mark.parametrize("how", FLAGGED)
def test_work_beside_a_stub_that_cannot_be_graded_is_flagged_with_what_stands_in_the_way(how):
    name, text = FLAGGED[how]
    made = mended(put(notebook(done=others(name)), f"{name}-answer", text))
    (flag,) = (f for f in made.flags if f["kind"] == "elsewhere")
    assert flag["cell"] == name
    assert "by hand" in flag["why"]
    assert status(made.flags) == "flagged"
    assert any("person looks at" in note for note in made.notes)


QUIET = {
    "nothing": stub(CODE),
    "imports": "import math\n" + stub(CODE),
    "an answer": MINE,
    "one that refuses": HEAD
    + "    if not arguments:\n        raise NotImplementedError()\n"
    + BODY,
    "one that refuses the rest": HEAD
    + "    if arguments:\n        return 'mine'\n    raise NotImplementedError('never')",
    "one that has tried": HEAD + "    return 'mine'\n    return None\n",
    "one that keeps a draft": HEAD + BODY + "    raise NotImplementedError()",
}  # fmt: skip


@pytest.mark.parametrize("how", QUIET)
def test_where_nothing_stands_in_the_way_nothing_is_said(how):
    made = mended(put(notebook(done=others(CODE)), f"{CODE}-answer", QUIET[how]))
    assert not [note for note in made.notes if f"`{CODE}`" in note]
    text = next(
        cell.source
        for cell in made.notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == f"{CODE}-answer"
    )
    assert text == QUIET[how]


def read(step):
    return nbformat.read(ROOT / step / SECOND / f"{SECOND}.ipynb", as_version=4)


CLASS_SOURCE = from_notebooks(SECOND, solution=read("solutions"), release=read("exercises"))
CLASS_STUB = CLASS_SOURCE.by_name["SelfAttention-answer"].source
INIT, FORWARD = "self.d = d", "return self.d"


def handed_in(text):
    made = json.loads(json.dumps(read("exercises")))
    made["cells"][place(made, "SelfAttention-answer")]["source"] = text
    return mend(json.dumps(made).encode(), CLASS_SOURCE)


def of_class(made):
    """Run the class with an empty base class, and call it."""
    cells = {
        cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in made.notebook.cells
    }
    names = {"nn": type("nn", (), {"Module": object}), "Float": {}, "Tensor": object}
    source = cells["SelfAttention-answer"].source
    exec("from __future__ import annotations\n" + source, names)
    return names["SelfAttention"](1, "mine", 3).forward(None)


def filled(*, line="raise NotImplementedError()  # YOUR CODE", above=False):
    """Return the class with both methods written, and the line above or below each."""
    parts = CLASS_STUB.split("        raise NotImplementedError()  # YOUR CODE")
    own_lines = [f"        {INIT}", f"        {FORWARD}"]
    both = [(f"{x}\n        {line}" if above else f"        {line}\n{x}") for x in own_lines]
    return parts[0] + both[0] + parts[1] + both[1] + parts[2]


CLASSES = {
    "below": filled(),
    "above": filled(above=True),
    "below return None": filled(line="return None"),
    "twice": CLASS_STUB
    + f"\n\n    def __init__(self, *a):\n        {INIT.replace('= d', '= a[1]')}"
    + f"\n\n    def forward(self, x):\n        {FORWARD}",
    "a class above the stub": filled() + "\n\n" + CLASS_STUB,
    "methods above those handed out": CLASS_STUB.replace(
        "    def __init__",
        f"    def __init__(self, m, d, e):\n        {INIT}\n\n"
        f"    def forward(self, x):\n        {FORWARD}\n\n    def __init__",
        1,
    ),
    "a method within a method": filled().replace(
        f"        {FORWARD}", f"        def forward(self, x):\n            {FORWARD}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", CLASSES)
def test_methods_beside_the_lines_of_a_stub_are_graded(how):
    made = handed_in(CLASSES[how])
    assert of_class(made) == "mine"
    said = [note for note in made.notes if "`SelfAttention`" in note]
    assert bool(said) == (how != "twice")
    assert status([f for f in made.flags if f["cell"] == "SelfAttention"]) == "graded"


@pytest.mark.parametrize("method", ["__init__", "forward"])
def test_a_class_with_one_method_that_is_still_a_stub_is_flagged_by_its_name(method):
    first, second = (INIT, "raise NotImplementedError()") if method == "forward" else ("", FORWARD)
    parts = CLASS_STUB.split("raise NotImplementedError()  # YOUR CODE")
    text = parts[0] + (first or "raise NotImplementedError()") + parts[1] + second + parts[2]
    made = handed_in(text)
    (flag,) = (f for f in made.flags if "cannot be graded as it stands" in f["why"])
    assert f"`SelfAttention.{method}`" in flag["why"]
    assert flag["kind"] == "mended", "it gives no points, so nobody need give any by hand"


def test_a_line_at_the_top_of_a_cell_does_not_stop_the_definition_below_it():
    from plaincourse.grading.stubs import free

    default = "# YOUR CODE HERE\nraise NotImplementedError()"
    for text in (f"{default}\n{MINE}", f"{MINE}\n{default}", f"import math\n{default}\n\n{MINE}"):
        freed, said = free(text, default, {"blend", "assert"})
        names = {}
        exec(freed, names)
        assert names["blend"](1, 1, 1, 1) == "mine"
        assert "`raise NotImplementedError()` still stood in `blend`" in said[0]
    assert free(default, default, {"blend"}) == (default, [])


def test_what_was_written_keeps_its_lines():
    text = stub(CODE) + "\n" + BODY
    made = mended(put(notebook(), f"{CODE}-answer", text))
    kept = next(c for c in made.notebook.cells if "mine = 'mine'" in c.source).source
    assert len(kept.split("\n")) == len(text.split("\n"))
    assert "pass  # raise NotImplementedError()" in kept

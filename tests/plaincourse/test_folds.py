"""A fold has a cell's output, its verdict, and the reasons against other options; nothing else."""

import ast

import pytest
from nbformat import v4

from plaincourse.notebooks.folds import closed_boxes, shown_code_parses, split

BOX = "```{admonition} Predict\n:class: tip\nHow many?\n\n- (a) 1\n- (b) 2\n- (c) 3\n```"
VERDICT = "It is (b): two.\n\n- (a) counts rows.\n- (c) counts all.\n\nMore, and a lead-in:"
PRINTED = v4.new_output("stream", text="2\n")
PICTURE = v4.new_output("display_data", {"image/png": "x", "text/plain": "<Figure>"})


def code(source="print(2)", *outputs, tags=()):
    return v4.new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)})


def found(*cells):
    return [what for _, what in closed_boxes(v4.new_notebook(cells=list(cells)))]


def asked(*between, box=BOX, verdict=VERDICT):
    return found(v4.new_markdown_cell(box), *between, v4.new_markdown_cell(verdict))


def test_a_definition_a_guard_and_one_cell_that_prints_may_stand_between():
    guard = code("assert x", PRINTED, tags=["remove-cell"])
    assert asked(code("x = 1"), code("print(2)", PRINTED), guard) == []


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (VERDICT.replace("two.", "two:"), "a fold ends in ':'"),
        (VERDICT.replace("counts all.", "counts all,"), "a fold ends in ','"),
        (VERDICT.replace("(b)", "(d)"), "the answer is (d), the options are a, b, c"),
        (VERDICT.replace("- (a) counts rows.\n", ""), "why each of a, c is wrong"),
        (VERDICT.replace("(a) counts", "(b) counts"), "why each of a, c is wrong"),
        ("It is (b): two.", "it tells of none"),
        (VERDICT.replace("two.", "two.\n## Next"), "holds a heading"),
        (VERDICT.replace("two.", "two.\n$$ (eq-x)"), "holds a label"),
        (VERDICT.replace("two.", "two. ![x](y.png)"), "holds a picture"),
        ("So it is (b).", "a verdict begins"),
    ],
)
def test_what_does_not_belong_into_a_fold_is_named(verdict, said):
    assert any(said in what for what in asked(code("print(2)", PRINTED), verdict=verdict))


def test_what_stands_between_a_prediction_and_its_verdict_is_one_printed_thing():
    prints = code("print(2)", PRINTED)
    assert "0 cells print" in asked(code("x = 1"))[0]
    assert "2 cells print" in asked(prints, code("print(3)", PRINTED))[0]
    assert "a figure is never folded" in asked(code("plot()", PICTURE))[0]
    assert "text stands between" in asked(prints, box=BOX + "\n\nThen:")[0]
    assert "no code follows the prediction 'How many?" in asked(prints, box=BOX + "\n\n" + BOX)[0]
    assert "no verdict" in found(v4.new_markdown_cell(BOX), prints)[0]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x = 1\nassert x", "x = 1"),
        ("x = 1\nfor h in range(2):\n    assert h < 2\nassert x", "x = 1"),
        ("for h in (1, 2):\n    y = h\n    assert y", "for h in (1, 2):\n    y = h\n    assert y"),
        ("print(x)\nwith f():\n    t.testing.assert_close(x, y)", "print(x)"),
        ("f(\n    1,\n)\nassert all(\n    x\n    for x in y\n)", "f(\n    1,\n)"),
        ("assert x\nassert y", "assert x\nassert y"),
        ("%load_ext x\nassert y", "%load_ext x\nassert y"),
        ("if x:\n    assert y\nelse:\n    z()", "if x:\n    assert y\nelse:\n    z()"),
    ],
)
def test_assertions_leave_a_cell_by_whole_statements(source, shown):
    first, told = split(source)
    assert first == shown
    assert f"{first}\n{told}".rstrip("\n") == source
    if "%" not in source:
        ast.parse(told)


def test_shown_code_that_does_not_parse_is_refused():
    notebook = v4.new_notebook(
        cells=[code("for x in y:"), code("%matplotlib inline"), code("x = 1")]
    )
    assert [number for number, _ in shown_code_parses(notebook)] == [1]

"""The outputs in a submission are stored: only the needed ones, well formed, within limits."""

import json

import pytest
from nbformat import validate, writes
from nbformat.v4 import new_code_cell, new_notebook, new_output

from plaincourse.grading.mend import mend
from plaincourse.grading.notebook import MOST_OUTPUT, OUTPUTS_KEY, outputs_of, put_aside
from tests.plaincourse.test_grading_mend import SOURCE, TEST
from tests.plaincourse.test_grading_steps import cell, stream

HIDDEN = "### BEGIN HIDDEN TESTS\n1\n### END HIDDEN TESTS"


def test_outputs_are_kept_from_the_first_hidden_test_on():
    cells = [
        new_code_cell("1", outputs=[stream("stdout", "above")]),
        new_code_cell(HIDDEN, outputs=[stream("stdout", "a student's own marks")]),
        cell(HIDDEN, "a", grade=True, outputs=[stream("stdout", "test")]),
        new_code_cell("2", outputs=[stream("stdout", "below")]),
        new_code_cell("3"),
    ]
    put_aside(cells)
    assert [each.outputs for each in cells] == [[]] * 5
    assert ["".join(o.text for o in each.metadata.get(OUTPUTS_KEY, [])) for each in cells] == [
        *("", "", "test", "below", "")
    ]


def test_of_too_much_the_rest_is_left_out_and_small_outputs_below_stay():
    test = cell(HIDDEN, "a", grade=True)
    many = [stream("stdout", "x" * (MOST_OUTPUT // 2))] * 3
    cells = [test, new_code_cell("1", outputs=many), new_code_cell("2", outputs=many[:1])]
    cells += [new_code_cell("3", outputs=[stream("stdout", "small")])]
    put_aside(cells)
    kept = [[each.text for each in one.metadata.get(OUTPUTS_KEY, [])] for one in cells]
    assert [len(each) for each in kept] == [0, 2, 1, 1]
    assert "too large" in kept[1][1]
    assert "too large" in kept[2][0]
    assert kept[3] == ["small"]


@pytest.mark.parametrize(
    "data",
    [
        *(None, 7, "text", {}, [None, 7, [], {"output_type": []}, {"output_type": "pyout"}]),
        [{"output_type": "stream"}, {"output_type": "stream", "name": 3, "text": [1]}],
        [{"output_type": "error"}, {"output_type": "error", "ename": 1, "traceback": [3, "x"]}],
        [{"output_type": "display_data", "data": {"text/plain": ["a", 1], "x": {"y": 1}}}],
        [{"output_type": "execute_result", "data": [], "metadata": 3}],
        [{"output_type": "stream", "name": "stdout", "text": "\ud800"}],
    ],
)
def test_what_is_no_output_does_no_harm(data):
    made = outputs_of(data)
    validate(new_notebook(cells=[new_code_cell("1", outputs=made)]))
    json.dumps(made, ensure_ascii=False).encode()


def test_lines_become_one_text_and_what_is_right_stays():
    given = [
        {"output_type": "stream", "name": "stderr", "text": ["a\n", "b"]},
        {"output_type": "execute_result", "data": {"text/html": ["<b>", "</b>"], "image/png": "A"}},
        {"output_type": "error", "ename": "E", "evalue": "x", "traceback": ["l"]},
    ]
    first, second, third = outputs_of(given)
    assert (first.name, first.text) == ("stderr", "a\nb")
    assert second.data == {"text/html": "<b></b>", "image/png": "A"}
    assert (third.ename, third.evalue, third.traceback) == ("E", "x", ["l"])


def test_a_submission_cannot_say_in_metadata_what_it_showed():
    forged = {OUTPUTS_KEY: [new_output("stream", name="stdout", text="forged")]}
    notebook = new_notebook(cells=[new_code_cell(TEST.visible), new_code_cell("1")])
    for each in notebook.cells:
        each.metadata.update(forged)
        each.outputs = [stream("stdout", "shown")]
    mended = mend(writes(notebook).encode(), SOURCE).notebook
    kept = [each.metadata[OUTPUTS_KEY] for each in mended.cells if OUTPUTS_KEY in each.metadata]
    assert [[o.text for o in each] for each in kept] == [["shown"], ["shown"]]
    assert not any(each.get("outputs") for each in mended.cells)

"""The additions to nbgrader's steps work as described, for each cell."""

import copy
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader import preprocessors as stock
from nbgrader.nbgraderformat import ValidationError
from nbgrader.utils import compute_checksum
from traitlets.config.loader import PyFileConfigLoader

from plaincourse.checking.mistake import scrub, scrub_known
from plaincourse.feedback import TellPlainly
from plaincourse.grading.assignment import from_notebooks
from plaincourse.grading.grade import CheckOnce, Clock, Running, chosen
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.mend import mended
from plaincourse.grading.nbgrader_parts import CountOutputs, RefuseStockAutograde
from plaincourse.grading.notebook import from_data

ROOT = Path(__file__).parents[2]


def cell(source, name, *, make=new_code_cell, grade=False, solution=False, outputs=()):
    meta = {"grade_id": name, "grade": grade, "solution": solution, "locked": not solution}
    meta |= {"schema_version": 3, "task": False, "cell_type": "code"}
    if grade:
        meta["points"] = 2
    made = make(source, metadata={"nbgrader": meta})
    if outputs:
        made.outputs = list(outputs)
    made.metadata.nbgrader["checksum"] = compute_checksum(made)
    return made


def locked(outputs):
    return cell('check("99.a", a)', "a", grade=True, outputs=outputs)


def result(text):
    return new_output("execute_result", {"text/plain": text})


def stream(name, text):
    return new_output("stream", name=name, text=text)


def error(name, message, *frames):
    return new_output("error", ename=name, evalue=message, traceback=list(frames))


SOURCE = new_notebook(
    cells=[
        cell("a = 1", "a-answer", solution=True),
        cell("check(a)", "a", grade=True),
        cell("b = 1", "b-answer", solution=True),
        cell("check(b)", "b", grade=True),
        cell("words", "essay", make=new_markdown_cell, grade=True, solution=True),
    ]
)
TOLD = {name: f"`{name}` was missing" for name in ("a", "b", "essay")}
TOLD |= {name: f"`{name}`, for your answer, was missing" for name in ("a-answer", "b-answer")}


def names(notebook):
    return [c.metadata.get("nbgrader", {}).get("grade_id", "-") for c in notebook.cells]


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        (["a"], ["-", "a-answer", "a", "b-answer", "b", "essay"]),
        (["a", "b"], ["-", "a-answer", "a", "b-answer", "b", "essay"]),
        (["a-answer", "a"], ["-", "a", "b-answer", "b", "essay"]),
        (["b-answer", "b"], ["-", "a-answer", "a", "b", "essay"]),
        (["b-answer", "b", "essay"], ["-", "a-answer", "a", "b", "essay"]),
        (["essay"], ["-", "a-answer", "a", "b-answer", "b", "essay"]),
        (["a-answer"], ["-", "a", "b-answer", "b", "essay"]),
        ([], ["a-answer", "a", "b-answer", "b", "essay"]),
    ],
    ids=lambda value: "-".join(value),
)
def test_missing_cells_come_back_below_their_answer_and_as_they_were(gone, expected):
    kept = [c for c in SOURCE.cells if c.metadata.nbgrader["grade_id"] not in gone]
    left = new_notebook(cells=copy.deepcopy(kept))
    known = from_notebooks("n", solution=SOURCE, release=SOURCE)
    restored = mended(from_data(left), known).notebook
    assert names(restored) == expected
    for each in restored.cells:
        if "nbgrader" in each.metadata:
            assert compute_checksum(each) == each.metadata.nbgrader["checksum"]
        else:
            assert all(TOLD[name] in each.source for name in gone)
    assert len({each.id for each in restored.cells}) == len(restored.cells)


def test_of_nbgraders_steps_those_that_need_the_gradebook_are_left_out():
    steps = [stock.Execute, "nbgrader.preprocessors.SaveAutoGrades", stock.LimitOutput]
    assert chosen([*steps, CountOutputs]) == [Running, Clock, stock.LimitOutput, CountOutputs]
    assert chosen(steps, run=False) == [stock.LimitOutput]
    own = type("Own", (stock.SaveAutoGrades,), {})
    with pytest.raises(CourseError, match="the step Own needs the gradebook"):
        chosen([own])


def test_metadata_that_a_class_shares_is_checked_once_and_other_metadata_still(monkeypatch):
    def same():
        return new_notebook(cells=[cell("a = 1", "answer", solution=True), locked([])])

    (step,) = chosen([stock.CheckCellMetadata])
    assert step is CheckOnce
    monkeypatch.setattr(step, "_valid", set())
    asked = []
    own = stock.CheckCellMetadata.preprocess
    monkeypatch.setattr(
        stock.CheckCellMetadata, "preprocess", lambda *of: asked.append(of) or own(*of)
    )
    for _ in range(3):
        step().preprocess(same(), {})
    assert len(asked) == 1
    for wrong in ({"points": -1}, {"grade_id": "answer"}, {"points": None}, {"grade_id": ""}):
        broken = same()
        broken.cells[1].metadata.nbgrader.update(wrong)
        for _ in range(2):
            with pytest.raises(ValidationError):
                step().preprocess(broken, {})
    turned = same()
    turned.cells[0].cell_type = "markdown"
    with pytest.raises(ValidationError):
        step().preprocess(turned, {})


def test_nbgraders_own_autograding_ends_before_it_begins_and_names_ours():
    config = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()
    assert config.Autograde.exporter_class is RefuseStockAutograde
    of = SimpleNamespace(coursedir=SimpleNamespace(assignment_id="02-a"))
    with pytest.raises(SystemExit, match=r"it is: plaincourse autograde 02-a$"):
        RefuseStockAutograde(parent=of, config=config)


def told(made):
    return TellPlainly().preprocess_cell(made, {}, 0)[0].outputs[0]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            error("NameError", "name 'a' is not defined", "File /x/y.py"),
            "`a` is not defined. No cel",
        ),
        (error("CellTimeoutError", ""), "took too long"),
        (error("NoScore", "the check gave no score"), "NoScore: the check gave no score"),
        (error("NameError", "name 'zz' is not defined"), "could not run (NameError: name 'zz'"),
        (error("OSError", "no file /home/me/x.py"), "could not run (OSError: no file …)"),
    ],
)
def test_a_test_that_could_not_run_says_why_in_a_sentence(output, expected):
    lines = told(locked([output])).traceback
    assert len(lines) == 1
    assert expected in lines[0]


def test_of_a_students_error_their_own_frames_stay():
    frames = [
        "\x1b[31mValueError\x1b[39m  Traceback (most recent call last)",
        "\x1b[36mCell\x1b[39m In[3], line 2\n----> 2 f(x)",
        "\x1b[36mFile \x1b[39m/usr/lib/python3/site-packages/torch/x.py:12, in g",
        "ValueError: bad at /tmp/ipykernel_77/123.py, object at 0x7f12ab34cd56",
    ]
    output = told(new_code_cell("f(x)", outputs=[error("ValueError", "bad", *frames)]))
    assert output.traceback == [
        "ValueError  Traceback (most recent call last)",
        "Cell In[3], line 2\n----> 2 f(x)",
        "ValueError: bad at …, object at 0x…",
    ]


def test_printed_paths_go_and_html_stays():
    assert told(new_code_cell("", outputs=[stream("stdout", "in /srv/x/y\n")])).text == "in …\n"
    html = new_output("execute_result", {"text/html": "<b>1/2</b><i/>", "text/plain": "a"})
    assert told(new_code_cell("", outputs=[html])).data["text/html"] == "<b>1/2</b><i/>"


@pytest.mark.parametrize(
    ("said", "scrubbed"),
    [
        ("see /home/me/x.py:3", "see …:3"),
        ("see ~/x/y.py", "see …"),
        (r"see C:\Users\me\x.py", "see …"),
        ("q/k and 3/4/5 and and/or", "q/k and 3/4/5 and and/or"),
        ("https://example.org/a/b", "https://example.org/a/b"),
        ("at 0x7f0011223344>", "at 0x…>"),
    ],
)
def test_paths_and_addresses_are_scrubbed_and_nothing_else(said, scrubbed):
    assert scrub(said) == scrubbed


def test_known_folders_are_scrubbed_from_html():
    assert scrub_known("<a>/srv/course/x</a>", "/srv/course") == "<a>…/x</a>"

"""An answer in another answer's cell, or in a file that a cell runs, is graded at its place."""

import json

import pytest

from plaincourse.grading.mend import mend, mend_folder
from plaincourse.proving.honest_desk import own, place
from tests.plaincourse.test_grading_elsewhere import (
    CODE,
    MINE,
    NAME,
    OTHER,
    SOURCE,
    TASKS,
    VALUE,
    WORDS,
    insert,
    mended,
    notebook,
    others,
    put,
    what_checks_see,
)


def exchanged(*names):
    """Return a finished notebook in which each answer is in the cell of the next."""
    made = notebook(done=list(TASKS), essay=WORDS)
    texts = [made["cells"][place(made, f"{name}-answer")]["source"] for name in names]
    for name, text in zip(names, [*texts[1:], texts[0]], strict=True):
        put(made, f"{name}-answer", text)
    return made


EXCHANGED = [(CODE, OTHER), (CODE, "best_few"), (CODE, OTHER, "best_few"), (OTHER, VALUE)]


@pytest.mark.parametrize("names", EXCHANGED)
def test_answers_in_each_others_cells_are_graded_and_not_called_undefined(names):
    made = mended(exchanged(*names))
    seen = what_checks_see(made)
    assert seen == dict.fromkeys(TASKS, "done")
    assert not any("does not define" in note for note in made.notes)
    assert {flag["kind"] for flag in made.flags} <= {"mended"}
    assert any(f"Your answer to `{names[0]}` stood in cell" in note for note in made.notes)


def test_an_answer_below_its_check_counts_where_its_own_cell_has_but_a_helper():
    made = put(
        notebook(done=others(CODE), essay=WORDS), "blend-answer", "def mix(a):\n    return a"
    )
    made = mended(insert(made, CODE, own(MINE), below=1))
    assert what_checks_see(made)[CODE] == "mine"
    assert any("def mix" in cell.source for cell in made.notebook.cells)
    assert {flag["kind"] for flag in made.flags} <= {"mended"}


RUN_FILES = {
    "%run": "%run tools/mine.py",
    "%run, of all": "%run -i 'tools/mine.py'",
    "exec": "exec(open('tools/mine.py').read())",
    "all names": "from tools.mine import *",
}


def with_file(folder, made, text=MINE):
    (folder / "tools").mkdir()
    (folder / "tools" / "mine.py").write_text(text)
    return mend(json.dumps(made).encode(), SOURCE, folder=folder)


@pytest.mark.parametrize("runs", RUN_FILES)
@pytest.mark.parametrize("where", ["its own cell", "above", "below", "below its check"])
def test_an_answer_in_a_file_that_a_cell_runs_is_not_called_missing(runs, where, tmp_path):
    made = notebook(done=others(CODE))
    line = RUN_FILES[runs]
    if where == "its own cell":
        put(made, "blend-answer", f"# see tools/mine.py\n{line}")
    else:
        if where != "above":
            put(made, "blend-answer", "# It is written in tools/mine.py, which is run here")
        at = CODE if where == "below its check" else "blend-answer"
        insert(made, at, own(line), below=int(where.startswith("below")))
    made = with_file(tmp_path, made)
    assert any("taken from the file `tools/mine.py`" in note for note in made.notes)
    assert not any("person" in note for note in made.notes), "the essay is blank"
    assert {flag["kind"] for flag in made.flags} == {"mended"}
    texts = [cell.source for cell in made.notebook.cells if cell.cell_type == "code"]
    (ran,) = (index for index, text in enumerate(texts) if line in text)
    (check,) = (index for index, text in enumerate(texts) if 'check("01.blend"' in text)
    assert ran < check
    assert not any("NotImplementedError" in text for text in texts[ran:check])


def test_a_file_that_defines_something_else_is_no_answer(tmp_path):
    made = insert(notebook(done=others(CODE)), "blend-answer", own("%run tools/mine.py"), below=1)
    made = with_file(tmp_path, made, "def mix(): pass")
    assert not any("taken from" in note for note in made.notes)
    assert "blend-answer" in made.blank


FENCED = f"```python\n{MINE}\n```"
BY_HAND = {
    "under a word": f"My answer:\n\n{FENCED}",
    "under a number": f"Question 1:\n{FENCED}\n",
    "after prose": f"Mine:\n\n{FENCED}\n\nIt blends.",
}


@pytest.mark.parametrize("how", BY_HAND)
@pytest.mark.parametrize("below", [0, 1, 2])
def test_code_in_a_text_is_named_for_the_answer_that_it_defines(how, below):
    made = insert(notebook(), CODE, own(BY_HAND[how], "markdown"), below=below)
    flags = [flag for flag in mended(made).flags if flag["kind"] != "mended"]
    assert {flag["cell"] for flag in flags} == {CODE}


def test_an_essay_with_code_in_it_is_still_read():
    made = insert(notebook(), CODE, own(f"{FENCED}\n\n{WORDS}", "markdown"), below=1)
    assert "help_desk" in {flag["cell"] for flag in mended(made).flags}


def with_checkpoint(folder, made, copy):
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / f"{NAME}.ipynb").write_text(json.dumps(made))
    aside = folder / ".ipynb_checkpoints" / f"{NAME}-checkpoint.ipynb"
    aside.write_text(json.dumps(copy))
    return mend_folder(folder, {NAME: SOURCE})[NAME]


@pytest.mark.parametrize("done", [[], [OTHER]])
def test_answers_that_only_jupyters_own_copy_has_are_told(done, tmp_path):
    made = with_checkpoint(tmp_path, notebook(done=done), notebook(done=[*done, CODE]))
    (flag,) = (flag for flag in made.flags if "Jupyter's own copy" in flag["why"])
    assert flag["kind"] == "elsewhere"
    assert f"no answer to `{CODE}-answer`, but" in flag["why"]
    assert any("tell your instructor" in note for note in made.notes)
    assert "tell your instructor" in made.notebook.cells[0].source
    assert f"{CODE}-answer" in made.blank, "the copy is not graded"


@pytest.mark.parametrize(
    "copy", [notebook(), notebook(done=[CODE]), {"cells": []}, notebook(done=[OTHER])["cells"]]
)
def test_a_copy_without_a_missing_answer_is_not_told(copy, tmp_path):
    made = with_checkpoint(tmp_path, notebook(done=[CODE]), copy)
    assert not any("own copy" in flag["why"] for flag in made.flags)

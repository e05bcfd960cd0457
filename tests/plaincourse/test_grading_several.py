"""Several notebooks in one folder: helpers and partial work, with correct reports on each."""

import json

import pytest

from plaincourse.exercise import Exercise
from plaincourse.grading.choose import NAMED
from plaincourse.grading.jobs import status
from plaincourse.proving.honest_desk import own
from tests.plaincourse.test_grading_folders import (
    BLANK,
    CHAPTER,
    CODED,
    FIRST,
    NAME,
    RIGHT,
    STUDENTS,
    is_right,
    taken,
    with_answers,
)

CODES = [each.cell for each in STUDENTS.graded if isinstance(each.task, Exercise)]
SECOND = CODES[1]
ANSWER = STUDENTS.own(CODED)
RUNS = {
    "%run": "%run helpers.ipynb",
    "%run in a folder": "%run -i './lib/helpers.ipynb'",
    "by a call": "get_ipython().run_line_magic('run', 'helpers.ipynb')",
    "by hand": "import nbformat as f\nfor c in f.read('helpers.ipynb', 4).cells:\n exec(c.source)",
    "imported": "import import_ipynb\nfrom helpers import *",
}


def notebook(*cells):
    return json.dumps({"cells": list(cells), "nbformat": 4, "nbformat_minor": 5}).encode()


def running(raw, line, *, first=True):
    """Return a notebook with a further cell of code."""
    made = json.loads(raw)
    made["cells"].insert(2 if first else len(made["cells"]), own(line))
    return json.dumps(made).encode()


def place_of(how):
    return "lib/helpers.ipynb" if "folder" in how else "helpers.ipynb"


@pytest.mark.parametrize("how", RUNS)
@pytest.mark.parametrize("name", [f"{NAME}.ipynb", f"{NAME} (1).ipynb", "my work.ipynb"])
def test_a_notebook_that_the_graded_one_runs_is_no_second_submission(how, name, tmp_path):
    helper = notebook(own(f"def {FIRST}(*a):\n    return 'another'"))
    made = taken(tmp_path, **{name: running(RIGHT, RUNS[how]), place_of(how): helper})
    assert is_right(made)
    said = [note for note in made.notes if "helpers" in note]
    if how != "imported":
        assert said == []
        assert status(made.flags) == "graded"
        return
    (note,) = said
    assert "from the notebook `helpers.ipynb`, and notebooks cannot be imported" in note


@pytest.mark.parametrize("how", [how for how in RUNS if how != "imported"])
@pytest.mark.parametrize("instead", [True, False])
def test_an_answer_in_a_notebook_that_is_run_is_the_graded_ones(how, instead, tmp_path):
    line, helper = RUNS[how], notebook(own("import math", "markdown"), own(ANSWER))
    raw = with_answers(**{FIRST: line}) if instead else running(BLANK, line)
    made = taken(tmp_path, **{f"{NAME}.ipynb": raw, place_of(how): helper})
    assert not made.unread
    assert made.holds
    assert f"{FIRST}-answer" in made.answers
    (note,) = (note for note in made.notes if "helpers" in note)
    assert f"taken from the file `{place_of(how)}`" in note
    assert {flag["kind"] for flag in made.flags} == {"mended"}


def test_a_notebook_that_a_helper_runs_is_a_helper(tmp_path):
    helper = notebook(own("%run more.ipynb"), own(f"def {FIRST}(*a):\n    return 1"))
    more = notebook(own(f"def {FIRST}(*a):\n    return 2"))
    main = running(RIGHT, "%run helpers.ipynb")
    made = taken(tmp_path, **{f"{NAME}.ipynb": main, "helpers.ipynb": helper, "more.ipynb": more})
    assert is_right(made)
    assert made.notes == []


NOT_RUN = {"a comment": "x = 1  # see helpers.ipynb", "another": "%run my_helpers.ipynb"}


@pytest.mark.parametrize("how", NOT_RUN)
def test_a_notebook_that_is_not_run_may_be_a_second_submission(how, tmp_path):
    other = with_answers(**{FIRST: f"def {FIRST}(*a):\n    return 'another'"})
    made = taken(
        tmp_path, **{f"{NAME}.ipynb": running(RIGHT, NOT_RUN[how]), "helpers.ipynb": other}
    )
    assert any("`helpers.ipynb`" in note and "was graded" in note for note in made.notes)


HALVES = {
    "by name": ("tasks 1-3 Anna.ipynb", "tasks 4-6 Ben.ipynb"),
    "copies": (f"{NAME} (1).ipynb", f"{NAME} (2).ipynb"),
    "folders": (f"Anna/{NAME}.ipynb", f"Ben/{NAME}.ipynb"),
    "beside a blank one": ("Anna.ipynb", "Ben.ipynb"),
}


@pytest.mark.parametrize("how", HALVES)
def test_of_two_halves_it_is_said_what_each_holds_and_what_can_be_done(how, tmp_path):
    texts = {FIRST: ANSWER, SECOND: f"def {SECOND}(*a):\n    return 1"}
    halves = [with_answers(**{name: text}) for name, text in texts.items()]
    files = dict(zip(HALVES[how], halves, strict=True))
    blank = {f"{NAME}.ipynb": BLANK} if "blank" in how else {}
    made = taken(tmp_path, **files, **blank)
    one, other = HALVES[how]
    lacks = "holds no answer" if blank else "is missing"
    assert made.unread == (
        f"No notebook was graded: `{NAME}.ipynb` {lacks}, and 2 notebooks have different answers "
        f"in them: `{one}` (`{FIRST}`) and `{other}` (`{SECOND}`). Put the answers that are meant "
        f"into one notebook called `{NAME}.ipynb`, and have it graded. It earns 0 points as it was "
        "handed in."
    )
    assert {flag["kind"] for flag in made.flags} == {"unread"}


def test_of_many_answers_a_few_are_named(tmp_path):
    texts = dict.fromkeys(CODES, "x = {}")
    files = {
        f"{n}.ipynb": with_answers(**{name: f"{name} = {n}" for name, text in texts.items()})
        for n in (1, 2)
    }
    made = taken(tmp_path, **files)
    more = len(texts) - NAMED
    assert (f"and {more} more)" in made.unread) == (more > 0)


NONE = {
    "two of something else": (CHAPTER, notebook(own("# Biology", "markdown"))),
    "broken and empty": (RIGHT[:3000], b""),
    "an archive and a page": (b"PK\x03\x04", b"<html>"),
}


@pytest.mark.parametrize("how", NONE)
def test_of_two_of_which_none_is_the_exercise_the_reasons_are_given(how, tmp_path):
    made = taken(tmp_path, **{"a.ipynb": NONE[how][0], "b.ipynb": NONE[how][1]})
    assert "Keep one" not in made.unread
    assert f"`{NAME}.ipynb` is missing, and none of the 2 notebooks" in made.unread
    assert "`a.ipynb`: " in made.unread
    assert "; `b.ipynb`: " in made.unread
    assert made.unread.count("It earns 0") == 1


UNREAD = {
    "the chapter": CHAPTER,
    "broken off": RIGHT[:3000],
    "empty": b"",
    "a page": b"<html><p>Sign in",
}


@pytest.mark.parametrize("how", UNREAD)
@pytest.mark.parametrize("name", ["02-another.ipynb", f"{NAME} (1).ipynb", f"x/{NAME}.ipynb"])
def test_what_was_not_graded_is_not_called_graded_or_repaired(how, name, tmp_path):
    made = taken(tmp_path, **{name: UNREAD[how]})
    assert made.unread
    assert not any("graded as" in note for note in made.notes)
    assert any(f"`{NAME}.ipynb` was not handed in. The file `{name}`" in n for n in made.notes)
    assert {flag["kind"] for flag in made.flags} == {"unread"}
    assert made.flags[0]["why"] == made.unread


DAMAGED = {"broken off": RIGHT[:3000], "empty": b"", "a page": b"<html><p>Sign in"}


@pytest.mark.parametrize("how", DAMAGED)
def test_a_damaged_notebook_for_which_an_older_one_is_graded_is_told(how, tmp_path):
    old = with_answers(**{FIRST: ANSWER})
    made = taken(tmp_path, **{f"{NAME}.ipynb": DAMAGED[how], "old.ipynb": old})
    assert f"{FIRST}-answer" in made.answers
    (note,) = made.notes
    assert note.startswith(f"`old.ipynb` was graded in place of `{NAME}.ipynb`, which could not")
    assert status(made.flags) == "flagged"


@pytest.mark.parametrize("raw", [BLANK, with_answers(**{FIRST: ANSWER}), CHAPTER])
def test_of_two_names_the_one_that_was_graded_is_said(raw, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": raw, "final.ipynb": RIGHT})
    assert is_right(made)
    (note,) = made.notes
    assert note.startswith(f"`final.ipynb` was graded in place of `{NAME}.ipynb`, ")


KEPT = [f"{NAME}.ipynb.{ending}" for ending in ("orig", "bak", "old", "BACKUP", "save.txt")]


@pytest.mark.parametrize("name", KEPT)
def test_the_work_in_a_file_that_a_tool_kept_beside_a_blank_notebook_is_graded(name, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": BLANK, name: RIGHT})
    assert is_right(made)
    (note,) = made.notes
    assert note.startswith(f"`{name}` was graded in place of `{NAME}.ipynb`")


@pytest.mark.parametrize("name", KEPT)
def test_an_earlier_state_that_a_tool_kept_changes_nothing(name, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": RIGHT, name: with_answers(**{FIRST: ANSWER})})
    assert is_right(made)
    assert (made.notes, made.flags) == ([], [])


ESSAY = (
    "I think that the weights say less than they seem to, because of what flows around them. " * 3
)
PROSE = {
    "a cell of text": [own(ESSAY, "markdown")],
    "several": [own("# Essay", "markdown"), own(ESSAY, "markdown"), own(ESSAY * 2, "markdown")],
    "beside code": [own("import math"), own(ESSAY, "markdown"), own("x = 1")],
}


def without_essay():
    made, blank = json.loads(RIGHT), json.loads(BLANK)
    for cell, stub in zip(made["cells"], blank["cells"], strict=True):
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "cheating":
            cell["source"] = stub["source"]
    return json.dumps(made).encode()


@pytest.mark.parametrize("how", PROSE)
@pytest.mark.parametrize("run", [True, False])
def test_a_notebook_with_text_beside_a_missing_answer_is_shown_to_a_person(how, run, tmp_path):
    main = running(without_essay(), "%run essay.ipynb") if run else without_essay()
    made = taken(tmp_path, **{f"{NAME}.ipynb": main, "essay.ipynb": notebook(*PROSE[how])})
    (flag,) = made.flags
    assert flag["kind"] == "elsewhere"
    assert flag["why"].startswith("The answer to `cheating` was left as it was, and `essay.ipynb`")


NO_TEXT = {
    "code": notebook(own("x = 1")),
    "a heading": notebook(own("# My tools", "markdown"), own("x = 1")),
    "the chapter": CHAPTER,
    "the release": BLANK,
    "broken off": RIGHT[:2000],
}


@pytest.mark.parametrize("how", NO_TEXT)
def test_a_notebook_without_text_of_its_own_is_not(how, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": without_essay(), "other.ipynb": NO_TEXT[how]})
    assert (made.notes, made.flags) == ([], [])


@pytest.mark.parametrize("how", PROSE)
def test_beside_a_whole_notebook_none_is_shown(how, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": RIGHT, "essay.ipynb": notebook(*PROSE[how])})
    assert (made.notes, made.flags) == ([], [])

"""A notebook whose file has a key twice is read without silently dropping any of it."""

import json

import pytest

from plaincourse.grading.keys_twice import hook
from plaincourse.grading.mend import mend
from plaincourse.grading.notebook import parse
from tests.plaincourse.test_grading_folders import (
    BLANK,
    CODED,
    FIRST,
    RIGHT,
    SOURCE,
    STUDENTS,
    with_answers,
)

ANSWER = STUDENTS.own(CODED)
WRONG = f"def {FIRST}(*a):\n    return 'wrong'"
DONE, OTHER = with_answers(**{FIRST: ANSWER}), with_answers(**{FIRST: WRONG})


def cells(raw):
    return json.dumps(json.loads(raw)["cells"])


def with_lists(*lists):
    """Return a notebook's file with several lists of cells."""
    keys = ", ".join(f'"cells": {each}' for each in lists)
    return f'{{{keys}, "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'.encode()


def with_twice(key, *values, of=DONE):
    """Return a notebook whose first answer has a key several times."""
    made = json.loads(of)
    (place,) = (
        number
        for number, cell in enumerate(made["cells"])
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == f"{FIRST}-answer"
    )
    made["cells"][place] = "HERE"
    cell = json.loads(of)["cells"][place]
    rest = json.dumps({name: value for name, value in cell.items() if name != key})[1:-1]
    keys = ", ".join(f'"{key}": {json.dumps(value)}' for value in values)
    return json.dumps(made).replace('"HERE"', f"{{{keys}, {rest}}}").encode(), cell


def answer_of(made):
    return made.answers[f"{FIRST}-answer"]


EMPTY = {
    "empty first": ["[]", cells(DONE)],
    "empty last": [cells(DONE), "[]"],
    "three": [cells(DONE), "[]", "[]"],
    "no list": ["null", cells(DONE), '"x"'],
    "the same": [cells(DONE), cells(DONE)],
}


@pytest.mark.parametrize("how", EMPTY)
def test_lists_of_cells_that_hold_nothing_more_change_nothing(how):
    made = mend(with_lists(*EMPTY[how]), SOURCE)
    assert made.answers == mend(DONE, SOURCE).answers
    assert [note[:29] for note in made.notes] == ["The file has 2 lists of cells"] * (
        how == "the same"
    )


BOTH = {
    "done first": [cells(DONE), cells(BLANK)],
    "done last": [cells(BLANK), cells(DONE)],
    "done between": [cells(BLANK), cells(DONE), cells(BLANK)],
    "halves": [cells(DONE), cells(with_answers(masked_row="answer_masked_row = 1"))],
}


@pytest.mark.parametrize("how", BOTH)
def test_of_several_lists_of_cells_every_answer_is_read_and_told(how):
    made = mend(with_lists(*BOTH[how]), SOURCE)
    assert f"{FIRST}-answer" in made.answers
    assert any(f"has {len(BOTH[how])} lists of cells" in note for note in made.notes)
    assert {flag["kind"] for flag in made.flags} <= {"mended"}


def test_of_two_lists_with_different_answers_a_person_looks():
    made = mend(with_lists(cells(DONE), cells(OTHER)), SOURCE)
    assert any("with different answers" in note for note in made.notes)
    assert "elsewhere" in {flag["kind"] for flag in made.flags}


SOURCES = {
    "an answer and the stub": lambda stub: [ANSWER, stub],
    "the stub and an answer": lambda stub: [stub, ANSWER],
    "an answer and nothing": lambda stub: [ANSWER, ""],
    "lines and no text": lambda stub: [ANSWER.splitlines(keepends=True), None, []],
}


@pytest.mark.parametrize("how", SOURCES)
def test_of_a_cell_with_two_texts_the_answer_is_read(how):
    stub = with_twice("source", "")[1]["source"]
    (blank,) = (
        cell["source"]
        for cell in json.loads(BLANK)["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == f"{FIRST}-answer"
    )
    assert stub != blank
    raw, _ = with_twice("source", *SOURCES[how]("".join(blank)))
    made = mend(raw, SOURCE)
    assert answer_of(made) == answer_of(mend(DONE, SOURCE))
    assert any("a cell has more than one text" in note for note in made.notes) == ("stub" in how)


def test_of_a_cell_with_two_answers_it_is_told_which_counts():
    made = mend(with_twice("source", WRONG, ANSWER)[0], SOURCE)
    said = f"The cell `{FIRST}-answer` was there twice. The last one that you wrote in was graded."
    assert said in made.notes
    assert answer_of(made) == answer_of(mend(DONE, SOURCE))


METADATA = {
    "empty first": lambda right: [{}, right],
    "empty last": lambda right: [right, {}],
    "another": lambda right: [right, {"tags": ["x"]}, {"collapsed": True}],
    "the same": lambda right: [right, right],
}


@pytest.mark.parametrize("how", METADATA)
def test_of_a_cell_with_metadata_twice_the_name_is_kept_and_it_is_told(how):
    right = with_twice("metadata", {})[1]["metadata"]
    made = mend(with_twice("metadata", *METADATA[how](right))[0], SOURCE)
    assert answer_of(made) == answer_of(mend(DONE, SOURCE))
    told = [note for note in made.notes if "`metadata` stands twice" in note]
    assert len(told) == len(made.notes) == (how != "the same")


@pytest.mark.parametrize("key", ["metadata", "cells", "source"])
def test_keys_twice_at_any_depth_take_little_time(key):
    deep, kind = "1", '[{"a": 1}]' if key == "cells" else '{"a": 1}'
    for _ in range(300):
        deep = f'{{"{key}": {deep}, "{key}": {kind}}}'
    notes: list[str] = []
    json.loads(f"[{deep}]", object_pairs_hook=hook(notes))
    assert len(notes) <= 1
    assert parse(deep.encode()).why or key == "cells"
    assert parse(RIGHT).notes == ()


def test_a_deep_cell_in_one_of_two_lists_is_no_harm():
    deep = "[" * 900 + "]" * 900
    parse(with_lists(cells(DONE), f'[{{"cell_type": "raw", "source": "x", "a": {deep}}}]'))

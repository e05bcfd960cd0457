"""A student reads of the files that may hold an answer, and an answer in words waits for them."""

import json

import pytest
from nbgrader import utils

from plaincourse.grading.mend import KEY, mend_folder
from tests.plaincourse.test_grading_elsewhere import (
    CODE,
    ESSAY,
    NAME,
    SOURCE,
    WORDS,
    essay_of,
    notebook,
    others,
)

FILES = ["essay question 6.docx", "photo.HEIC", "answers.pdf", "my notes.txt", "scan.odt"]


def taken(folder, made, *files):
    contents = {f"{NAME}.ipynb": json.dumps(made), **dict.fromkeys(files, "x")}
    for name, content in contents.items():
        (folder / name).write_text(content)
    return mend_folder(folder, {NAME: SOURCE})[NAME]


def is_as_handed_out(cell):
    return cell.metadata.nbgrader["checksum"] == utils.compute_checksum(cell)


@pytest.mark.parametrize("name", FILES)
def test_an_essay_that_may_be_in_a_file_waits_for_a_person_and_its_page_names_the_file(
    name, tmp_path
):
    made = taken(tmp_path, notebook(done=others()), name)
    note = made.notebook.metadata[KEY]["mended"][-1]
    assert note == made.notes[-1]
    assert note.startswith(f"Your answer to `{ESSAY}` was left as it was, and `{name}` came with")
    assert "A person looks" in note
    assert note in made.notebook.cells[0].source
    assert not is_as_handed_out(essay_of(made))
    assert f"`{name}`" in essay_of(made).source


def test_an_answer_in_code_that_may_be_in_a_file_is_told_and_its_cell_is_left(tmp_path):
    made = taken(tmp_path, notebook(done=others(CODE), essay=WORDS), "blend.pdf")
    assert made.notebook.metadata[KEY]["mended"][-1].startswith(f"Your answer to `{CODE}` was left")
    assert WORDS in essay_of(made).source


@pytest.mark.parametrize("files", [[], ["data.csv"], ["requirements.txt"]])
def test_without_a_file_that_may_hold_it_a_missing_essay_has_no_response(files, tmp_path):
    made = taken(tmp_path, notebook(done=others()), *files)
    assert made.notes == []
    assert is_as_handed_out(essay_of(made))


def test_of_a_notebook_that_is_not_read_no_essay_waits(tmp_path):
    made = taken(tmp_path, {"cells": "none"}, "essay.docx")
    assert made.unread
    assert is_as_handed_out(essay_of(made))

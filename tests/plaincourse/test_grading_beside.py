"""A student is informed of files that may contain an answer, and their essays wait for a person."""

import json

import pytest
from nbgrader import utils

from plaincourse.grading import files
from plaincourse.grading.beside import bring_up
from plaincourse.grading.mend import KEY, mend_folder
from plaincourse.grading.packages import failures, meant
from tests.plaincourse import autograde_course as tiny
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
from tests.plaincourse.test_grading_packages import error, ran

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


@pytest.mark.parametrize("below", ["", "hw", "HW 4 Mia/week 4"])
def test_a_notebook_knows_the_folder_in_which_it_was_found(below, tmp_path):
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    (tmp_path / below / f"{NAME}.ipynb").write_text(json.dumps(notebook(done=others())))
    assert mend_folder(tmp_path, {NAME: SOURCE})[NAME].below == below


@pytest.mark.parametrize("crowded", [False, True])
def test_files_beside_a_notebook_in_a_folder_are_beside_it_where_it_runs(
    crowded, tmp_path, monkeypatch
):
    there = {"a.py": "out", "hw/a.py": "in", "hw/data/x.csv": "x", "hw/given.txt": "mine"}
    for name, text in {**there, "given.txt": "ours", "hw4/no.py": "no"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = files.list_files(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(files, "TOTAL", 4 if crowded else files.TOTAL)
        bring_up(found, tmp_path, "hw", without={"given.txt"})
    read = {name: path.read_text() for name, path in files.list_files(tmp_path).files.items()}
    assert read["a.py"] == "in"
    assert read["data/x.csv"] == "x"
    assert read["given.txt"] == "ours"
    assert "no.py" not in read
    assert ("hw/data/x.csv" in read) is not crowded, "what takes much room is not there twice"


FILES_MEANT = [
    "lib/my_tools.py",
    "My_Tools.py",
    "my_tools (1).py",
    "my_tools-1.py",
    "Copy of my_tools.py",
]


@pytest.mark.parametrize("name", FILES_MEANT)
def test_a_module_in_another_place_or_of_like_name_is_named_and_not_asked_for(name):
    cells = ran(error("ModuleNotFoundError", "No module named 'my_tools'"))
    ((_, student, why),) = failures(cells, [], ["data.csv", name])
    assert f"`{name}` was handed in" in student
    assert f"`{name}` was handed in" in why
    assert "Ask the student" not in why


@pytest.mark.parametrize("name", ["mytools.py", "tools.csv", "tools", "tools/x.txt"])
def test_a_file_of_another_name_is_not_taken_for_a_module(name):
    assert meant("tools", [name]) == ""


def test_a_zipped_folder_with_a_helper_and_data_is_graded_whole(tmp_path):
    folder = tiny.make(tmp_path / "course")
    code = "from my_helpers import two\ndef square(x):\n    return x ** two()"
    place = tiny.hand_in(folder, "mia", square=code, why="Because.")
    (place / "HW 1 Mia").mkdir()
    for path in place.glob("*.ipynb"):
        path.rename(place / "HW 1 Mia" / path.name)
    helper = "def two():\n    return int(open('numbers.csv').read())"
    (place / "HW 1 Mia" / "my_helpers.py").write_text(helper)
    (place / "HW 1 Mia" / "numbers.csv").write_text("2")
    (place / "HW 1 Mia" / "data.txt").write_text("the student's")
    said = tiny.autograde(folder, "--jobs=1")
    assert "1 graded, 0 flagged" in said

"""Messages about unusual submissions are true and include advice."""

import json

import pytest

from plaincourse.grading.files import find_notebooks
from plaincourse.grading.ids import unfit
from plaincourse.grading.mend import mend_folder
from plaincourse.proving.honest_desk import own, place
from tests.plaincourse.test_grading_elsewhere import (
    CODE,
    DONE,
    ESSAY,
    NAME,
    OTHER,
    RELEASE,
    SOURCE,
    TASKS,
    WORDS,
    insert,
    mended,
    notebook,
    others,
    put,
    stub,
    what_checks_see,
)

FILE = f"{NAME}.ipynb"
IMPORTS = {
    "one": "from my_answers import blend",
    "several": "import torch\nfrom my_answers import additive_scores, blend",
    "under another name": "from my_answers import my_blend as blend",
    "from a package": "from mine.answers import (\n    blend,\n)",
    "beside it": "from .my_answers import blend",
}


def without(made, name):
    made["cells"].pop(place(made, f"{name}-answer"))
    return made


@pytest.mark.parametrize("how", IMPORTS)
@pytest.mark.parametrize("kept", [False, True])
def test_an_answer_that_is_imported_is_said_to_be(how, kept):
    made = notebook(done=others(CODE), essay=WORDS)
    made = insert(made, f"{CODE}-answer", own(IMPORTS[how]))
    found = mended(made if kept else without(made, CODE))
    module = "mine.answers" if how == "from a package" else "my_answers"
    assert any(f"`{CODE}` was imported from `" in note and module in note for note in found.notes)
    assert not any("no other cell holds the answer" in note for note in found.notes)
    assert f"{CODE}-answer" not in found.blank
    sources = [cell.source for cell in found.notebook.cells]
    assert stub(CODE) not in sources


@pytest.mark.parametrize("how", IMPORTS)
@pytest.mark.parametrize("left", ["", "above", "below"])
def test_an_import_in_the_cell_for_an_answer_is_an_answer(how, left):
    parts = {"above": (stub(CODE), IMPORTS[how]), "below": (IMPORTS[how], stub(CODE))}
    text = "\n\n".join(parts.get(left, (IMPORTS[how],)))
    made = mended(put(notebook(done=others(CODE)), f"{CODE}-answer", text))
    assert f"{CODE}-answer" not in made.blank
    assert [note for note in made.notes if "left as it was" in note or "cannot be" in note] == []
    assert any("It was left out" in note for note in made.notes) == (left == "below")


def test_an_answer_that_is_imported_by_nobody_is_still_missing():
    made = insert(notebook(done=others(CODE)), OTHER, own("from my_answers import mix"))
    assert any("no other cell holds" in note for note in mended(without(made, CODE)).notes)
    assert f"{CODE}-answer" in mended(notebook()).blank


LONG = "the scores are divided by the temperature before the softmax, so that a low one is sharper"
COMMENTED = {
    "in the function": f"    # {LONG}, and {LONG}\n    return 1",
    "behind a line": f"    return 1  # {LONG}, and {LONG}",
    "a docstring": f'    """Blend: {LONG}, and {LONG}."""\n    return 1',
    "above each line": f"    # {LONG}\n    x = 1\n    # {LONG}\n    return x",
}


@pytest.mark.parametrize("how", COMMENTED)
def test_what_explains_the_lines_of_an_answer_is_no_answer_in_words(how):
    text = f"{stub(CODE).rpartition('    raise')[0]}{COMMENTED[how]}"
    made = mended(put(notebook(done=others(CODE)), f"{CODE}-answer", text))
    assert made.notes == []
    assert f"{ESSAY}" in made.blank


PLACEHOLDERS = {
    "iCloud": ({f".{FILE}.icloud": b"bplist00"}, "iCloud's placeholder", "Finder"),
    "a download": ({f"{FILE}.crdownload": b"{"}, "had not ended", "Download the notebook again"),
    "Firefox": ({f"{FILE}.part": b"{"}, "had not ended", "Download the notebook again"),
    "Windows": ({f"{NAME} - Shortcut.lnk": b"L"}, "a shortcut", "Hand in the file itself"),
    "a Mac": ({f"{NAME}.webloc": b"<plist>"}, "a shortcut", "Hand in the file itself"),
    "checkpoints": (
        {f".ipynb_checkpoints/{NAME}-checkpoint.ipynb": b"{}"},
        "Jupyter's folder `.ipynb_checkpoints`",
        "an older copy",
    ),
    "history": ({".git/HEAD": b"ref"}, "history of a repository", "Hand in the notebook itself"),
    "LFS": (
        {FILE: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"},
        "a pointer of Git LFS",
        "git lfs pull",
    ),
    "LFS, marked": (
        {FILE: b"\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\r\noid sha256:00\r\n"},
        "a pointer of Git LFS",
        "git lfs pull",
    ),
    "a property list": ({FILE: b"bplist00\xd4\x01"}, "a property list of a Mac", "from iCloud"),
}


def taken(folder, contents):
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return mend_folder(folder, {NAME: SOURCE})[NAME]


@pytest.mark.parametrize("how", PLACEHOLDERS)
def test_what_stands_for_a_notebook_is_named_with_what_to_do(how, tmp_path):
    contents, what, do = PLACEHOLDERS[how]
    made = taken(tmp_path, contents)
    assert what in made.unread
    assert do in made.unread


@pytest.mark.parametrize("beside", [[], ["shot.png"], ["answers.docx", "x.txt"]])
def test_the_files_of_the_course_are_not_listed_as_the_students(beside, tmp_path):
    ours = dict.fromkeys(("collected.json", "timestamp.txt", "record.json"), b"{}")
    made = taken(tmp_path, {**ours, **dict.fromkeys(beside, b"x")})
    named = ", ".join(f"`{name}`" for name in beside)
    assert made.unread.startswith(
        f"No notebook was graded: `{FILE}` was not handed in; there was "
        f"{f'only {named}' if beside else 'no file at all'}. "
    )
    assert "could not be read" not in made.unread


def test_several_that_may_be_meant_could_all_be_read(tmp_path):
    texts = [put(json.loads(json.dumps(RELEASE)), ESSAY, text) for text in "ab"]
    names = ("draft one.ipynb", "draft two.ipynb")
    contents = {name: json.dumps(text).encode() for name, text in zip(names, texts, strict=True)}
    made = taken(tmp_path, contents)
    assert made.unread.startswith("No notebook was graded: ")
    assert find_notebooks(tmp_path, [NAME])[NAME].path is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Sammy Davis Jr.", "ends with a full stop"),
        ("M. L. King, Jr. ", "ends with a space"),
        (".ada", "begins with a full stop"),
        ("-ada", "begins with a hyphen"),
        ("~ada", "begins with a tilde"),
    ],
)
def test_why_a_name_is_not_taken_is_said_in_words(name, why):
    assert why in unfit(name)
    assert ".." not in f"{unfit(name)}."
    assert not unfit("Jr. Sammy Davis")


TEXT = json.dumps(notebook(done=list(TASKS), essay=WORDS))
WRITTEN = {
    "null bytes behind it": TEXT + "\x00" * 4096,
    "null bytes and a line": TEXT + "\n\x00\x00\n",
    "the end of a file of DOS": TEXT + "\r\n\x1a",
    "a whole number without an end": TEXT.replace('"nbformat": 4', f'"nbformat": {"9" * 9999}'),
    "a count without an end": TEXT.replace(
        '"execution_count": null', f'"execution_count": {"9" * 9999}', 1
    ),
    "a negative one": TEXT[:-1] + f', "x": -{"9" * 9999}}}',
    "an empty list of cells behind": TEXT[:-1] + ', "cells": []}',
    "an empty list of cells in front": '{"cells": [], ' + TEXT[1:],
    "no list of cells behind": TEXT[:-1] + ', "cells": null}',
    "no number": TEXT.replace('"nbformat": 4', '"nbformat": NaN'),
    "more than all numbers": TEXT.replace('"nbformat": 4', '"nbformat": 1e400'),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_what_programs_and_disks_do_to_a_file_costs_no_answer(how, tmp_path):
    made = taken(tmp_path, {FILE: WRITTEN[how].encode()})
    assert made.unread == ""
    assert made.blank == ()
    assert made.notes == []


def one_cell_for_all(*names):
    """Return a notebook with some answers in one cell instead of the cells for answers."""
    made = notebook(essay=WORDS)
    for name in TASKS:
        without(made, name)
    made["cells"].insert(3, own("\n\n".join(DONE.format(name) for name in names)))
    return made


@pytest.mark.parametrize("names", [(CODE, OTHER), ("best_few", CODE), (CODE, OTHER, "best_few")])
def test_one_cell_with_several_answers_has_lost_no_data(names):
    made = mended(one_cell_for_all(*names))
    assert not any("had lost" in note for note in made.notes)
    seen = what_checks_see(made)
    assert {name: seen.get(name) for name in names} == dict.fromkeys(names, "done")


def test_an_answer_that_lost_its_data_alone_is_still_recognised():
    made = without(notebook(essay=WORDS), CODE)
    made["cells"].insert(3, own(DONE.format("blend")))
    assert any("`blend-answer` had lost its nbgrader data" in note for note in mended(made).notes)

"""Honest work in an unusual file is read, or refused with the file's true kind."""

import base64
import io
import json
import zipfile

import pytest

from plaincourse.grading.jobs import status
from plaincourse.grading.mend import mend
from plaincourse.proving.honest_desk import own
from tests.plaincourse.test_grading_folders import (
    CODED,
    EXTRA,
    FIRST,
    NAME,
    RIGHT,
    SOURCE,
    STUDENTS,
    is_right,
    taken,
    with_answers,
)

ANSWER = STUDENTS.own(CODED)
TEXT, DATA = RIGHT.decode(), json.loads(RIGHT)
PACKED = base64.encodebytes(RIGHT).decode()
WRAPPED = {
    "Jupyter's server": {"name": "x.ipynb", "type": "notebook", "format": "json", "content": DATA},
    "GitHub": {"name": "x.ipynb", "encoding": "base64", "content": PACKED},
    "Jupyter's server, packed": {"type": "file", "format": "base64", "content": PACKED},
    "Kaggle": {"metadata": {"id": 1}, "blob": {"kernelType": "notebook", "source": TEXT}},
    "written twice": TEXT,
    "a list": [DATA],
}


@pytest.mark.parametrize("how", WRAPPED)
def test_a_notebook_inside_other_data_is_read(how, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": json.dumps(WRAPPED[how]).encode()})
    assert is_right(made)
    assert made.notes == ["The file holds the notebook inside other data. It was read from there."]
    assert status(made.flags) == "graded"


PASTED = {
    "fence": "```json\n{}\n```\n",
    "e-mail": "Here is my notebook:\n\n{}\n\nBest,\nAda\n",
    "signature": "{}\n\nSent from my iPad",
}


@pytest.mark.parametrize("how", PASTED)
@pytest.mark.parametrize("ending", [".ipynb", ".json", ".md", ".txt", ""])
def test_a_notebook_pasted_into_text_is_read(how, ending, tmp_path):
    made = taken(tmp_path, **{f"{NAME}{ending}": PASTED[how].replace("{}", TEXT).encode()})
    assert is_right(made)
    assert "The file holds the notebook inside other text. It was read from there." in made.notes
    assert status(made.flags) == "graded"


@pytest.mark.parametrize("name", [f"{NAME}.json", f"{NAME} (1).JSON", "hw/final.txt", "Untitled"])
def test_a_notebook_that_was_saved_as_other_text_is_read(name, tmp_path):
    made = taken(tmp_path, **{name: RIGHT, "numbers.json": b'{"a": 1}', "notes.txt": b"x"})
    assert is_right(made)
    assert f"The notebook was called `{name}`." in made.notes[0]


@pytest.mark.parametrize("text", ["x = {}", "{'cells': []}", 'a {"b": 1} c', "{} {}", "", "}{"])
def test_text_with_braces_is_no_notebook(text):
    made = mend(f"{text}\n".encode(), SOURCE)
    assert made.unread
    assert "without cells" not in made.unread


@pytest.mark.parametrize("name", ["hw4/inner.zip", "a/b/work.tar.gz", "work.RAR"])
def test_an_archive_that_was_not_opened_is_named_with_its_folder(name, tmp_path):
    made = taken(tmp_path, **{name: b"PK"})
    assert f"there was only `{name}`; archives are not opened here" in made.unread


NO_NOTEBOOK = {
    "two of them": [DATA, DATA],
    "too deep": [[[[[DATA]]]]],
    "not base64": {"encoding": "base64", "content": "ä"},
    "half of one": {"content": TEXT[:500]},
    "nothing": {"content": {}},
}


@pytest.mark.parametrize("how", NO_NOTEBOOK)
def test_what_is_not_one_notebook_inside_other_data_is_refused(how):
    made = mend(json.dumps(NO_NOTEBOOK[how]).encode(), SOURCE)
    assert "JSON without cells" in made.unread


CODES = "utf-16-le utf-16-be utf-32-le utf-32-be utf-16 utf-32 utf-8-sig".split()


@pytest.mark.parametrize("code", CODES)
def test_a_notebook_in_any_code_of_unicode_is_read(code):
    made = mend(TEXT.encode(code), SOURCE)
    assert is_right(made)
    assert made.notes == []


def archive(*names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name in names:
            made.writestr(name, "x")
    return packed.getvalue()


KINDS = {
    "a document of Word": archive("[Content_Types].xml", "word/document.xml"),
    "a table of Excel": archive("xl/workbook.xml"),
    "slides of PowerPoint": archive("ppt/a.xml"),
    "a document of LibreOffice": archive("mimetype", "content.xml"),
    "a document of Pages": archive("Index/Document.iwa"),
    "a zip archive without a notebook in it": archive("data.csv"),
    "a zip archive. Unpack it": archive(f"work/{NAME}.ipynb"),
    "a zip archive that is damaged": archive("a")[:40],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_begins_as_an_archive_is_named_for_what_it_is(kind):
    assert f"the file is {kind}" in mend(KINDS[kind], SOURCE).unread


def modules(*names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name in names:
            made.writestr(name, f"{ANSWER}\nother = 1")
    return packed.getvalue()


MODULES = {
    "a zip archive": ("mine.zip", modules("mine.py"), "mine"),
    "a package": ("lib/mine.zip", modules("mine/__init__.py", "mine/a.py"), "mine.a"),
    "a wheel": ("mine-1.0-py3-none-any.whl", modules("mine/__init__.py"), "mine"),
    "an egg": ("x.egg", modules("mine.py", "more.py"), "mine"),
}


@pytest.mark.parametrize("how", MODULES)
def test_an_import_from_an_archive_is_left_in_its_place(how, tmp_path):
    name, content, module = MODULES[how]
    line = f"import sys\nsys.path.insert(0, '{name}')\nfrom {module} import {FIRST}"
    made = taken(tmp_path, **{f"{NAME}.ipynb": with_answers(**{FIRST: line}), name: content})
    assert not any("is not installed" in note or "holds no file" in note for note in made.notes)
    assert any(f"from {module} import" in cell.source for cell in made.notebook.cells)
    assert not any("# left out" in cell.source for cell in made.notebook.cells)


@pytest.mark.parametrize(
    ("name", "content"), [("other.zip", modules("mine.py")), ("mine.zip", b"no archive")]
)
def test_an_archive_that_is_not_named_or_not_one_holds_no_module(name, content, tmp_path):
    line = f"import sys\nsys.path.insert(0, 'mine.zip')\nfrom mine import {FIRST}"
    made = taken(tmp_path, **{f"{NAME}.ipynb": with_answers(**{FIRST: line}), name: content})
    assert any("holds no file `mine.py`" in note for note in made.notes)


CONFLICTS = {
    "nbdime": f"<<<<<<< local\n{ANSWER}\n=======\n{ANSWER}\n>>>>>>> remote",
    "within": ANSWER.replace("\n", "\n<<<<<<< HEAD\n", 1) + "\n=======\n    pass\n>>>>>>> main",
    "indented": ANSWER + "\n    <<<<<<< HEAD\n    pass\n    =======\n    >>>>>>> main",
    "half of the marks": f"{ANSWER}\n>>>>>>> main",
}


@pytest.mark.parametrize("how", CONFLICTS)
def test_an_answer_with_the_marks_of_a_merge_conflict_is_shown_to_a_person(how):
    made = mend(with_answers(**{FIRST: CONFLICTS[how]}), SOURCE)
    (flag,) = made.flags
    assert (flag["cell"], flag["kind"]) == (FIRST, "elsewhere")
    assert "the marks of a merge conflict" in flag["why"]
    assert any("cannot be graded as it stands" in note for note in made.notes)


@pytest.mark.parametrize("text", [f'{ANSWER}\nx = """\n<<<<<<< a\n"""', f"{ANSWER}\n# >>>>>>> x"])
def test_marks_in_a_text_or_a_comment_are_no_conflict(text):
    assert mend(with_answers(**{FIRST: text}), SOURCE).flags == []


STUB_LEFT = {
    "a conflict": "<<<<<<< a\n{0}\n>>>>>>> b",
    "a stub in the way": "{0}\n    raise NotImplementedError()\n    return 1",
}


@pytest.mark.parametrize("how", STUB_LEFT)
@pytest.mark.parametrize("name", EXTRA[:2])
def test_nobody_is_to_give_points_by_hand_for_a_task_without_points(how, name):
    text = STUB_LEFT[how].format(f"def {name}(*a):\n    raise NotImplementedError()")
    made = mend(with_answers(**{name: text}), SOURCE)
    assert status(made.flags) == "graded", made.flags


@pytest.mark.parametrize("name", EXTRA[:2])
@pytest.mark.parametrize("blank", [True, False])
def test_of_two_answers_to_a_task_without_points_one_is_graded_and_named(name, blank):
    made = json.loads(with_answers() if blank else RIGHT)
    first, second = (own(f"def {name}(*a):\n    return {n}") for n in (1, 2))
    cells = made["cells"]
    (place,) = (
        number
        for number, cell in enumerate(cells)
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == f"{name}-answer"
    )
    if blank:
        cells[place:place] = [first]
        cells.append(second)
    else:
        cells.append({**cells[place], "id": "again", "source": second["source"]})
    told = mend(json.dumps(made).encode(), SOURCE)
    assert not any("by hand" in flag["why"] for flag in told.flags), told.flags

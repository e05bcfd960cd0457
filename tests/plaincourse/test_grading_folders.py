"""Other files in a student's folder, or in place of the notebook, do not cost an answer."""

import json
from pathlib import Path

import nbformat
import pytest

from plaincourse.exercise import Exercise
from plaincourse.grading import files
from plaincourse.grading.assignment import from_notebooks
from plaincourse.grading.choose import beside
from plaincourse.grading.files import list_files, read_notebook
from plaincourse.grading.jobs import status
from plaincourse.grading.mend import mend_folder
from plaincourse.grading.notebook import parse
from plaincourse.proving.submissions import Class

ROOT = Path(__file__).parents[2]
NAME = "03-masks"


def read(step, name=NAME):
    return nbformat.read(ROOT / step / name / f"{name}.ipynb", as_version=4)


SOURCE = from_notebooks(NAME, solution=read("solutions"), release=read("exercises"))
STUDENTS = Class(read("solutions"), read("exercises"))
RIGHT = nbformat.writes(STUDENTS.hand_in("x", {}, {}).notebook).encode()
BLANK = (ROOT / "exercises" / NAME / f"{NAME}.ipynb").read_bytes()
CHAPTER = (ROOT / "book" / f"{NAME}.ipynb").read_bytes()
CODED = next(each for each in STUDENTS.graded if isinstance(each.task, Exercise))
FIRST = CODED.cell


def with_answers(**answers):
    """Return the release with the given answers, by the names of their checks."""
    made = json.loads(BLANK)
    for cell in made["cells"]:
        name, _, kind = cell["metadata"].get("nbgrader", {}).get("grade_id", "").partition("-")
        if kind == "answer":
            cell["source"] = answers.get(name, cell["source"])
    return json.dumps(made).encode()


def taken(folder, **contents):
    write(folder, contents)
    return mend_folder(folder, {NAME: SOURCE})[NAME]


def write(folder, contents):
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def is_right(made):
    return not made.unread and not made.blank


@pytest.mark.parametrize("step", ["exercises", "solutions"])
@pytest.mark.parametrize("other", ["02-scaled-dot-product-attention", "17-capstone"])
def test_another_exercise_is_named(step, other, tmp_path):
    content = (ROOT / step / other / f"{other}.ipynb").read_bytes()
    made = taken(tmp_path, **{f"{NAME}.ipynb": content})
    title = from_notebooks(
        other, solution=read("solutions", other), release=read("exercises", other)
    )
    assert f"This is another notebook, “{title.title}”, and not the exercise" in made.unread


def stripped(raw):
    """Return a notebook without its cells' ids and metadata."""
    made = json.loads(raw)
    for cell in made["cells"]:
        cell.pop("id")
        cell["metadata"] = {}
    return json.dumps(made | {"nbformat_minor": 2}).encode()


def untitled(raw):
    made = json.loads(raw)
    made["cells"] = made["cells"][1:]
    return json.dumps(made).encode()


def with_note(raw):
    made = json.loads(raw)
    made["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "My notes."})
    return json.dumps(made).encode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (bytes, "This is the notebook of the chapter, “Masks”"),
        (stripped, "This is the notebook of the chapter, “Masks”"),
        (with_note, "This is the notebook of the chapter, “Masks”"),
        (untitled, "This is another notebook"),
    ],
)
@pytest.mark.parametrize("name", [f"{NAME}.ipynb", f"{NAME} (1).ipynb", f"book/{NAME}.ipynb"])
def test_the_chapter_is_told_from_the_exercise(change, said, name, tmp_path):
    made = taken(tmp_path, **{name: change(CHAPTER)})
    assert made.unread.startswith(said)
    assert made.unread in made.notes


def test_a_notebook_of_something_else_is_flagged_and_none_of_it_lost(tmp_path):
    page = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": "# Biology\n\nCells."}]}
    made = taken(tmp_path, **{f"{NAME}.ipynb": json.dumps(page).encode()})
    assert made.unread or status(made.flags) == "flagged"


@pytest.mark.parametrize(
    "contents",
    [
        {f"work/book/{NAME}.ipynb": CHAPTER, f"work/exercises/{NAME}/{NAME}.ipynb": RIGHT},
        {f"{NAME}.ipynb": CHAPTER, f"exercises/{NAME}.ipynb": RIGHT},
        {f"a/{NAME}.ipynb": BLANK, f"b/{NAME}.ipynb": RIGHT},
        {f"{NAME}.ipynb": BLANK, f"{NAME} (1).ipynb": RIGHT},
        {f"{NAME}.ipynb": BLANK, "finished.ipynb": RIGHT},
        {f"{NAME}.ipynb": CHAPTER, "week3.ipynb": RIGHT, "x.ipynb": b"{"},
        {f"{NAME}.ipynb/{NAME}.ipynb": RIGHT},
        {f"{NAME}.ipynb/notes.txt": b"x", f"{NAME}-final.ipynb": RIGHT},
        {f"old/{NAME}.ipynb": BLANK, f"new/{NAME}.ipynb": RIGHT, f"{NAME}.ipynb": RIGHT},
    ],
    ids=lambda contents: ", ".join(contents),
)
def test_the_notebook_that_holds_the_answers_is_taken(contents, tmp_path):
    made = taken(tmp_path, **contents)
    assert is_right(made), made.notes
    assert status(made.flags) == "graded"


def test_a_part_of_the_answers_is_left_for_all_of_them(tmp_path):
    part = with_answers(**{FIRST: STUDENTS.own(CODED)})
    assert is_right(taken(tmp_path, **{f"{NAME}.ipynb": part, f"backup/{NAME}.ipynb": RIGHT}))


def test_of_two_with_different_answers_the_one_in_place_is_graded_and_both_are_named(tmp_path):
    one, other = (with_answers(**{FIRST: f"def {FIRST}(*a):\n    return {n}"}) for n in (1, 2))
    made = taken(tmp_path, **{f"{NAME}.ipynb": one, f"b/{NAME}.ipynb": other})
    assert status(made.flags) == "flagged"
    assert any(f"`b/{NAME}.ipynb`" in note and "was graded" in note for note in made.notes)
    assert "return 1" in nbformat.writes(made.notebook)


BESIDE = {
    "a download of later": f"{NAME} (2).ipynb",
    "a copy": f"{NAME}-Copy1.ipynb",
    "of another name": "my work.ipynb",
    "in a folder": f"final/{NAME}.ipynb",
}


@pytest.mark.parametrize("where", BESIDE)
def test_a_whole_notebook_is_graded_and_one_with_a_corrected_answer_is_told(where, tmp_path):
    wrong = json.loads(RIGHT)
    (answer,) = (cell for cell in wrong["cells"] if _id(cell) == f"{FIRST}-answer")
    answer["source"] = f"def {FIRST}(*a):\n    return 'wrong'"
    contents = {f"{NAME}.ipynb": json.dumps(wrong).encode(), BESIDE[where]: RIGHT}
    made = taken(tmp_path, **contents, **{"backup.ipynb": contents[f"{NAME}.ipynb"]})
    assert status(made.flags) == "flagged"
    (note,) = made.notes
    assert note == (
        "A further notebook of this assignment was handed in, with other answers: "
        f"`{BESIDE[where]}`. `{NAME}.ipynb` was graded. A person looks at which one was meant."
    )
    assert "'wrong'" in nbformat.writes(made.notebook)


def test_of_a_whole_notebook_and_two_attempts_both_are_named(tmp_path):
    old = {f"{each}/{NAME}.ipynb": with_answers(causal_mask=f"{each} = 1") for each in "ab"}
    made = taken(tmp_path, **{f"{NAME}.ipynb": RIGHT}, **old)
    assert is_right(made)
    assert status(made.flags) == "flagged"
    assert f"other answers: `a/{NAME}.ipynb`, `b/{NAME}.ipynb`. `{NAME}.ipynb`" in made.notes[0]


def test_of_a_whole_notebook_and_an_earlier_state_of_it_nothing_is_told(tmp_path):
    part = with_answers(**{FIRST: STUDENTS.own(CODED)})
    contents = {f"{NAME}.ipynb": RIGHT, "old.ipynb": part, "same.ipynb": RIGHT, "new.ipynb": BLANK}
    made = taken(tmp_path, **contents, **{"chapter.ipynb": CHAPTER, "bad.ipynb": b"{"})
    assert (made.notes, made.flags) == ([], [])


def _id(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id")


def test_of_two_with_different_answers_out_of_place_both_are_named_with_their_folders(tmp_path):
    one, other = (with_answers(**{FIRST: f"def {FIRST}(*a):\n    return {n}"}) for n in (1, 2))
    made = taken(tmp_path, **{f"a/{NAME}.ipynb": one, f"b/{NAME}.ipynb": other})
    both = f"`a/{NAME}.ipynb` (`{FIRST}`) and `b/{NAME}.ipynb` (`{FIRST}`)"
    assert f"2 notebooks have different answers in them: {both}" in made.unread


@pytest.mark.parametrize("name", ["answers.txt", "essay.docx", "solution.py", "page 1.jpg"])
def test_what_may_hold_a_missing_answer_is_flagged(name, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": BLANK, name: b"mine"})
    assert status(made.flags) == "flagged"
    assert any(f"`{name}`" in flag["why"] for flag in made.flags)


EXTRA = [each.name for each in SOURCE.cells if each.points == 0]


def without_extra():
    """Return a right notebook in which the tasks without points are unchanged."""
    made, blank = json.loads(RIGHT), json.loads(BLANK)
    stubs = {_id(cell): cell for cell in blank["cells"]}
    cells = [
        _id(cell) if _id(cell) in {f"{n}-answer" for n in EXTRA} else "" for cell in made["cells"]
    ]
    made["cells"] = [stubs.get(name, cell) for name, cell in zip(cells, made["cells"], strict=True)]
    return made


@pytest.mark.parametrize("name", ["essay.txt", "page 1.jpg", "notes.md", "draft.py"])
def test_no_file_is_said_to_hold_the_answer_to_a_task_without_points(name, tmp_path):
    made = taken(tmp_path, **{f"{NAME}.ipynb": json.dumps(without_extra()).encode(), name: b"x"})
    assert {f"{each}-answer" for each in EXTRA} == set(made.blank)
    assert (made.notes, made.flags) == ([], [])


@pytest.mark.parametrize("name", ["essay.txt", "page 1.jpg"])
def test_beside_a_task_without_points_only_those_with_points_are_named(name, tmp_path):
    work = without_extra()
    (answer,) = (cell for cell in work["cells"] if _id(cell) == "cheating")
    (stub,) = (cell for cell in json.loads(BLANK)["cells"] if _id(cell) == "cheating")
    answer["source"] = stub["source"]
    made = taken(tmp_path, **{f"{NAME}.ipynb": json.dumps(work).encode(), name: b"x"})
    (flag,) = made.flags
    assert flag["why"].startswith(f"The answer to `cheating` was left as it was, and `{name}` came")


def test_no_copy_of_jupyters_is_said_to_hold_the_answer_to_a_task_without_points(tmp_path):
    copy = f".ipynb_checkpoints/{NAME}-checkpoint.ipynb"
    made = taken(tmp_path, **{f"{NAME}.ipynb": json.dumps(without_extra()).encode(), copy: RIGHT})
    assert (made.notes, made.flags) == ([], [])


def test_a_module_that_is_imported_holds_no_missing_answer(tmp_path):
    code = f"from helper import f\ndef {FIRST}(*a):\n    return f(a)"
    names = ["helper.py", "requirements.txt", "timestamp.txt", "submission_secret.txt", "data.csv"]
    mine = {f"{NAME}.ipynb": with_answers(**{FIRST: code})}
    assert status(taken(tmp_path, **mine, **dict.fromkeys(names, b"x")).flags) == "graded"


NOT_READ = {
    "a word of the code": ("attention.py", "attention = 1\n# attention.py has the rest"),
    "a module of the course's": ("attention.py", "from plainformer.attention import softmax"),
    "another module's name": ("lib/masks.py", "import masks_of_mine"),
    "in a comment": ("essay.pdf", "# My essay is in essay.pdf"),
}
READ = {
    "imported": ("code/masks.py", "import sys\nsys.path.append('code')\nfrom masks import f"),
    "of a package": ("code/masks.py", "from code import masks"),
    "by its name": ("masks.py", "import importlib\nimportlib.import_module('masks')"),
    "run": ("masks.py", "%run masks.py"),
    "saved": ("plot.jpeg", "plt.savefig('out/plot.jpeg')"),
}


@pytest.mark.parametrize("how", [*NOT_READ, *READ])
def test_a_file_that_the_code_does_not_use_may_hold_an_answer(how, tmp_path):
    name, code = NOT_READ.get(how) or READ[how]
    notebook = with_answers(**{FIRST: f"{code}\ndef {FIRST}(*a):\n    return 1"})
    made = taken(tmp_path, **{f"{NAME}.ipynb": notebook, name: b"mine"})
    assert any(f"`{name}` came with" in flag["why"] for flag in made.flags) == (how in NOT_READ)


def test_a_file_that_the_text_names_as_the_answer_is_named_with_the_tasks(tmp_path):
    notebook = json.loads(BLANK)
    text = "My answers are in essay.pdf."
    notebook["cells"].append({"cell_type": "markdown", "id": "a", "metadata": {}, "source": text})
    files = {"essay.pdf": b"x", "essay.docx": b"x"}
    made = taken(tmp_path, **{f"{NAME}.ipynb": json.dumps(notebook).encode()}, **files)
    (why,) = (flag["why"] for flag in made.flags if "came with" in flag["why"])
    assert "`essay.docx` and `essay.pdf` came with the notebook" in why
    assert f"`{FIRST}`" in why
    assert "-answer`" not in why


@pytest.mark.parametrize(
    ("many", "tasks", "said"),
    [
        (0, ["a"], ""),
        (1, ["a"], "The answer to `a` was left as it was, and `0.py` came with the notebook. See "
         "whether the answer stands there."),
        (2, ["a", "b"], "The answers to `a` and `b` were left as they were, and `0.py` and `1.py` "
         "came with the notebook. See whether the answers stand there."),
        (6, ["a"], "The answer to `a` was left as it was, and `0.py`, `1.py`, `2.py`, `3.py` and 2 "
         "more came with the notebook. See whether the answer stands there."),
    ],
)  # fmt: skip
def test_files_and_tasks_are_one_or_many(many, tasks, said):
    assert beside([f"{number}.py" for number in range(many)], tasks) == said


TOOLS = {
    ".venv": ".venv/lib/python3.11/site-packages/m{}.py",
    "venv": "venv/m{}.py",
    "any name": "env311/m{}.py",
    "conda": "ml/m{}.py",
    "git": ".git/objects/{}",
    "modules of node": "node_modules/a/{}.js",
    "bytecode": "src/__pycache__/m{}.pyc",
    "checkpoints": ".ipynb_checkpoints/a-{}.ipynb",
    "a cache": ".cache/huggingface/{}.bin",
    "a Mac": "__MACOSX/._{}",
}


@pytest.mark.parametrize("what", TOOLS)
def test_what_tools_leave_behind_takes_no_room(what, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST", 20)
    made = {TOOLS[what].format(n): b"x" for n in range(30)} | {"z.py": b"x", "zz/a.py": b"x"}
    made |= {"env311/pyvenv.cfg": b"", "ml/conda-meta/history": b""}
    write(tmp_path, made)
    found = list_files(tmp_path)
    assert found.refused == {}
    assert set(found.files) == {"z.py", "zz/a.py"}


def test_an_instructors_folder_is_listed_whole(tmp_path):
    write(tmp_path, {".hidden/a": b"x", "venv/b": b"x"})
    assert set(list_files(tmp_path, whole=True).files) == {".hidden/a", "venv/b"}


@pytest.mark.parametrize("many", [True, False])
def test_of_too_much_notebooks_modules_and_small_files_are_kept(many, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST" if many else "TOTAL", 4 if many else 40)
    write(tmp_path, {f"data/{n}.bin": b"x" * 9 for n in range(9)})
    write(tmp_path, {"z.ipynb": b"x" * 500, "z.py": b"x" * 10, "z.txt": b"x"})
    found = list_files(tmp_path)
    assert {"z.ipynb", "z.py", "z.txt"} <= set(found.files)
    (why,) = found.refused.values()
    assert "did not fit, such as data/" in why
    assert f"{12 - len(found.files)} files of 0 MiB" in why


def test_folders_without_end_and_closed_ones_cost_only_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "DEEPEST", 5)
    write(tmp_path, {"a/b/c/d/e/f/g.txt": b"x", "z.txt": b"x"})
    found = list_files(tmp_path)
    assert set(found.files) == {"z.txt"}
    assert list(found.refused) == ["a/b/c/d/e/f"]
    monkeypatch.setattr(files, "MOST_ENTRIES", 3)
    assert "more than 100000 entries" in list_files(tmp_path).refused[files.OTHERS]


def long_notebook(output, *, source="answer = 1", key="outputs"):
    return b'{"cells": [{"cell_type": "code", "source": "%s", "%s": [%s]}], "nbformat": 4}' % (
        source.encode(), key.encode(), output,
    )  # fmt: skip


LINE = b'{"output_type": "stream", "text": %s}'
PLENTY = b"y" * 5000
OUTPUTS = {
    "one text": LINE % (b'"%s"' % PLENTY),
    "lines": LINE % (b"[%s]" % b",".join([b'"a]\\"\\\\"'] * 900)),
    "brackets": LINE % (b'"%s"' % (b"[{]}" * 1200)),
    "quotes": LINE % (b'"%s"' % (b'\\"outputs\\": [' * 500)),
    "many": b",".join([LINE % b'"x"'] * 150),
    "nested": b'{"data": {"application/json": %s}}' % (b"[" * 3000 + b"]" * 3000),
}


@pytest.mark.parametrize("what", OUTPUTS)
def test_outputs_never_make_a_notebook_too_large(what, tmp_path):
    path = tmp_path / "n.ipynb"
    path.write_bytes(long_notebook(OUTPUTS[what]))
    reading = parse(read_notebook(path, limit=1000), limit=1000)
    assert reading.why == ""
    assert [cell.source for cell in reading.notebook.cells] == ["answer = 1"]


def test_of_a_long_notebook_the_true_size_is_told(tmp_path):
    path = tmp_path / "n.ipynb"
    path.write_bytes(long_notebook(b"", source="y" * 3 * 2**20))
    with pytest.raises(ValueError, match=r"the file has 3 MB, of which more than 1 MB are no out"):
        read_notebook(path, limit=2**20)
    path.write_bytes(long_notebook(LINE % (b'"%s"' % PLENTY))[:4000])
    with pytest.raises(ValueError, match="breaks off in the middle"):
        read_notebook(path, limit=1000)
    path.write_bytes(long_notebook(b"1" * 2**21, key="pictures"))
    with pytest.raises(ValueError, match="the file has 2 MB, of which more than 1 MB"):
        read_notebook(path, limit=2**20)


@pytest.mark.parametrize(
    ("size", "said"),
    [(2**20 + 1, "more than 1 MB"), (5 * 2**20, "5 MB"), (2**20 + 2**18, "more than 1 MB")],
)
def test_a_size_is_never_told_as_that_of_the_limit(size, said):
    assert f"the file has {said}; at most 1 MB" in parse(b"{" * size, limit=2**20).why

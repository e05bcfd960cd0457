"""Work outside of its own cell is graded, waits for a person, or is flagged."""

import contextlib
import copy
import json
import re
from pathlib import Path

import nbformat
import pytest
from nbgrader.utils import determine_grade

from plaincourse.grading.assignment import from_notebooks
from plaincourse.grading.jobs import status
from plaincourse.grading.mend import mend
from plaincourse.proving.honest_desk import own, place

ROOT = Path(__file__).parents[2]
NAME = "01-attention-as-soft-retrieval"


def read(step):
    return nbformat.read(ROOT / step / NAME / f"{NAME}.ipynb", as_version=4)


SOURCE = from_notebooks(NAME, solution=read("solutions"), release=read("exercises"))
RELEASE = json.loads(json.dumps(read("exercises")))
ESSAY, CODE, OTHER, VALUE = "help_desk", "blend", "additive_scores", "behind_the_weights"
TASKS = {cell.name: f"{cell.name}-answer" for cell in SOURCE.cells if cell.locked}
WORDS = "The desk blends its old answers: a question is the query, and the filed ones are the keys."
MINE = "def blend(query, key, value, temperature):\n    return 'mine'"
OWN_VALUE = "answer_behind_the_weights = 'mine'"
DONE = "def {}(*arguments):\n    return 'done'"


def notebook(*, done=(), essay=""):
    """Return the release with some answers, and text in the essay."""
    made = copy.deepcopy(RELEASE)
    for name in done:
        value = SOURCE.by_name[TASKS[name]].source.startswith("#")
        text = f"answer_{name} = 'done'" if value else DONE.format(name)
        made["cells"][place(made, TASKS[name])]["source"] = text
    if essay:
        made["cells"][place(made, ESSAY)]["source"] = essay
    return made


def others(*names):
    """Return all code tasks except these."""
    return [name for name in TASKS if name not in names]


def insert(made, where, cell, *, below=0):
    made["cells"].insert(place(made, where) + below, cell)
    return made


def append(made, index, text):
    made["cells"][index]["source"] += f"\n\n{text}"
    return made


def put(made, name, text):
    made["cells"][place(made, name)]["source"] = text
    return made


def mended(made):
    return mend(json.dumps(made).encode(), SOURCE)


def what_checks_see(made):
    """Run the repaired notebook with checks that only record their argument; return these."""
    seen, names = {}, {"check": lambda id, answer: seen.setdefault(id[3:], answer)}
    for cell in made.notebook.cells:
        if cell.cell_type == "code" and "find_spec" not in cell.source:
            source = re.sub(r"^%.*$", "", cell.source, flags=re.MULTILINE)
            source = re.sub(r"seed=\d+|from plaincourse.*", "", source).replace(", )", ")")
            with contextlib.suppress(Exception):
                exec(source, names)
    said = {}
    for name, answer in seen.items():
        with contextlib.suppress(Exception):
            said[name] = answer(1, 1, 1, 1) if callable(answer) else answer
    return said


def essay_of(made):
    return next(
        cell
        for cell in made.notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == ESSAY
    )


QUESTION = place(RELEASE, ESSAY) - 1
PICTURE = {"a.png": {"image/png": "eA=="}}
LONG = "\n".join(f"# {WORDS}" for _ in range(3))
ESSAYS = {
    "below": lambda nb: insert(nb, ESSAY, own(WORDS, "markdown"), below=1),
    "above": lambda nb: insert(nb, ESSAY, own(WORDS, "markdown")),
    "above the question": lambda nb: insert(nb, ESSAY, own(WORDS, "markdown"), below=-1),
    "in the question": lambda nb: append(nb, QUESTION, WORDS),
    "in the title": lambda nb: append(nb, 0, WORDS),
    "in the last text": lambda nb: append(nb, -2, WORDS),
    "raw": lambda nb: insert(nb, ESSAY, own(WORDS, "raw"), below=1),
    "comments": lambda nb: insert(nb, ESSAY, own(f"# {WORDS}"), below=1),
    "a string": lambda nb: insert(nb, ESSAY, own(f'"""{WORDS}"""'), below=1),
    "printed": lambda nb: insert(nb, ESSAY, own(f"print({WORDS!r})"), below=1),
    "assigned": lambda nb: insert(nb, ESSAY, own(f"essay = {WORDS!r}"), below=1),
    "no code": lambda nb: insert(nb, ESSAY, own(WORDS), below=1),
    "headed": lambda nb: insert(nb, ESSAY, own(f"## Mine\n\n{WORDS}", "markdown"), below=1),
    "at the top": lambda nb: nb["cells"].insert(0, own(WORDS, "markdown")) or nb,
    "at the end": lambda nb: nb["cells"].append(own(WORDS, "markdown")) or nb,
    "in two cells": lambda nb: insert(
        insert(nb, ESSAY, own(WORDS, "markdown")), ESSAY, own("And more.", "markdown"), below=1
    ),
    "at another question": lambda nb: insert(nb, OTHER, own(WORDS, "markdown")),
    "comments in an answer": lambda nb: put(nb, "blend-answer", f"{MINE}\n{LONG}"),
    "Chinese": lambda nb: insert(nb, ESSAY, own("服务台混合旧答案", "markdown"), below=1),
    "a picture": lambda nb: insert(
        nb,
        ESSAY,
        own("![](attachment:a.png)", "markdown") | {"attachments": PICTURE},
        below=1,
    ),
    "placeholder emptied": lambda nb: insert(
        put(nb, ESSAY, ""), ESSAY, own(WORDS, "raw"), below=1
    ),
    "its cell deleted, in the question": lambda nb: append(
        nb["cells"].pop(place(nb, ESSAY)) and nb, QUESTION, WORDS
    ),
}  # fmt: skip


@pytest.mark.parametrize("where", ESSAYS)
@pytest.mark.parametrize("done", [False, True])
def test_an_answer_in_words_that_stands_elsewhere_waits_for_a_person(where, done):
    made = mended(ESSAYS[where](notebook(done=list(TASKS) if done else ())))
    cell = essay_of(made)
    assert determine_grade(cell)[0] is None
    shown = {"Chinese": "服务台", "a picture": "attachment:a.png"}.get(where, "old answers")
    assert shown in cell.source
    assert any(f"`{ESSAY}`" in note and "A person reads" in note for note in made.notes)
    (flag,) = (flag for flag in made.flags if flag["cell"] == ESSAY)
    assert "It was put where you read the answer" in flag["why"]


def test_a_pasted_picture_goes_where_the_answer_is_read():
    made = mended(ESSAYS["a picture"](notebook()))
    assert essay_of(made)["attachments"] == PICTURE
    nbformat.validate(made.notebook)


def all_in_one(cell, *, end):
    made = notebook()
    texts = [f"answer_{x} = 'mine'" if "answer_" in SOURCE.by_name[f"{x}-answer"].source
             else f"def {x}(*arguments):\n    return 'mine'" for x in TASKS]  # fmt: skip
    made["cells"].insert(len(made["cells"]) if end else 0, cell("\n\n".join(texts)))
    return made


def stub(name):
    return SOURCE.by_name[f"{name}-answer"].source


def split(text, at):
    made = notebook()
    head, tail = text[:at].rstrip("\n"), text[at:].lstrip("\n")
    put(made, "blend-answer", head)
    return insert(made, CODE, own(tail))


def merged_with_question():
    """The answer, and the next question with its answer, in one cell."""
    made = notebook()
    at = place(made, CODE)
    question, answer = made["cells"][at + 1]["source"], DONE.format(OTHER).replace("done", "mine")
    put(made, "blend-answer", f"{MINE}\n{question}\n{answer}")
    made["cells"] = made["cells"][: at + 1] + made["cells"][at + 3 :]
    return made


def reordered():
    made = notebook()
    cells = put(made, "blend-answer", MINE)["cells"]
    cells.append(cells.pop(place(made, "blend-answer")))
    return made


GRADED = {
    "above its cell": lambda: insert(notebook(), "blend-answer", own(MINE)),
    "below its check": lambda: insert(notebook(), CODE, own(MINE), below=1),
    "at the end": lambda: notebook() | {"cells": [*RELEASE["cells"], own(MINE)]},
    "at the top": lambda: notebook() | {"cells": [own(MINE), *copy.deepcopy(RELEASE["cells"])]},
    "in another answer": lambda: put(notebook(), "best_few-answer", f"{MINE}\n{stub('best_few')}"),
    "in the next answer, alone": lambda: put(notebook(), "additive_scores-answer", MINE),
    "raw": lambda: insert(notebook(), CODE, own(MINE, "raw"), below=1),
    "in a text": lambda: insert(notebook(), CODE, own(MINE, "markdown"), below=1),
    "in a fence": lambda: insert(notebook(), CODE, own(f"```python\n{MINE}\n```", "markdown")),
    "in the question": lambda: append(notebook(), place(RELEASE, "blend-answer") - 1, MINE),
    "a lambda": lambda: insert(notebook(), CODE, own("blend = lambda *a: 'mine'"), below=1),
    "under an if": lambda: insert(
        notebook(), CODE, own("if True:\n    " + MINE.replace("\n", "\n    ")), below=1
    ),
    "with a magic": lambda: insert(notebook(), CODE, own(f"%time\n{MINE}"), below=1),
    "stub with pass": lambda: insert(
        put(notebook(), "blend-answer", stub(CODE).replace("raise NotImplementedError()", "pass")),
        "blend-answer",
        own(MINE),
    ),
    "stub cleared": lambda: insert(put(notebook(), "blend-answer", ""), CODE, own(MINE), below=1),
    "two versions": lambda: insert(
        insert(notebook(), "blend-answer", own(MINE.replace("mine", "draft"))),
        CODE, own(MINE), below=1,
    ),
    "all at the end": lambda: all_in_one(own, end=True),
    "all at the top": lambda: all_in_one(own, end=False),
    "all in a raw cell": lambda: all_in_one(lambda text: own(text, "raw"), end=True),
    "all at the end, cells deleted": lambda: {
        **(made := all_in_one(own, end=True)),
        "cells": [c for c in made["cells"]
                  if not c["metadata"].get("nbgrader", {}).get("grade_id", "").endswith("-answer")],
    },
    "split in the function": lambda: split(
        "def blend(*arguments):\n    mine = 'mine'\n    return mine", 41
    ),
    "merged with a question": merged_with_question,
    "below everything": reordered,
}  # fmt: skip


@pytest.mark.parametrize("where", GRADED)
def test_code_that_stands_elsewhere_is_what_the_check_gets(where):
    made = mended(GRADED[where]())
    assert what_checks_see(made).get(CODE) == "mine"
    nbformat.validate(made.notebook)
    if where.startswith("all"):
        assert what_checks_see(made) == dict.fromkeys(TASKS, "mine")
    if where == "merged with a question":
        assert what_checks_see(made)[OTHER] == "mine"
    assert made.notes


VALUES = {
    "below its check": lambda: insert(notebook(), VALUE, own(OWN_VALUE), below=1),
    "above its cell": lambda: insert(notebook(), f"{VALUE}-answer", own(OWN_VALUE)),
    "at the top": lambda: notebook() | {"cells": [own(OWN_VALUE), *RELEASE["cells"]]},
    "in the next answer": lambda: put(notebook(), "how_many_keys-answer", f"{OWN_VALUE}\nx = 1"),
    "raw": lambda: insert(notebook(), VALUE, own(OWN_VALUE, "raw"), below=1),
    "None left": lambda: insert(
        put(notebook(), f"{VALUE}-answer", "answer_behind_the_weights = None"),
        VALUE, own(OWN_VALUE), below=1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("where", VALUES)
def test_a_value_that_stands_elsewhere_is_what_the_check_gets(where):
    made = mended(VALUES[where]())
    assert what_checks_see(made)[VALUE] == "mine"
    assert made.notes


FLAGGED = {
    "fenced, among words": (CODE, lambda nb: insert(
        nb, CODE, own(f"Mine:\n\n```python\n{MINE}\n```\nIt blends.", "markdown"), below=1)),
    "under another name": (CODE, lambda nb: insert(
        nb, CODE, own("def mix(query, key):\n    return key @ query"), below=1)),
    "commented out": (CODE, lambda nb: put(
        nb, "blend-answer", stub(CODE) + "\n# scores = key @ query\n# return softmax(scores)")),
    "in comments": (CODE, lambda nb: insert(nb, CODE, own("# return value.mean(0)"), below=1)),
    "in words": (CODE, lambda nb: insert(
        nb, CODE, own("I take the softmax of the scores, then the sum.", "markdown"))),
    "renamed in its cell": (CODE, lambda nb: put(
        nb, "blend-answer", "def mix(query, key):\n    return key @ query")),
    "words in its cell": (CODE, lambda nb: put(nb, "blend-answer", "I would take the softmax.")),
    "far below, in words": (CODE, lambda nb: nb["cells"].append(
        own("1: `blend` is softmax(key @ query) @ value", "markdown")) or nb),
    "a tuple": (VALUE, lambda nb: insert(nb, VALUE, own("(-0.916, -0.511)"), below=1)),
    "printed": (VALUE, lambda nb: insert(nb, VALUE, own("print(-0.916, -0.511)"), below=1)),
    "said": (VALUE, lambda nb: insert(nb, VALUE, own("It is (-0.916, -0.511).", "markdown"))),
    "raw": (VALUE, lambda nb: insert(nb, VALUE, own("-0.916, -0.511", "raw"))),
    "commented": (VALUE, lambda nb: insert(nb, VALUE, own("# (-0.916, -0.511)"), below=1)),
    "in the question": (VALUE, lambda nb: append(
        nb, place(nb, f"{VALUE}-answer") - 1, "Answer: -0.916, -0.511")),
    "at the top": (VALUE, lambda nb: nb["cells"].insert(
        0, own("Question 6: (-0.916, -0.511)", "markdown")) or nb),
    "at the end": (VALUE, lambda nb: nb["cells"].append(
        own("weights = (-0.916, -0.511)")) or nb),
    "another name in its cell": (VALUE, lambda nb: put(
        nb, f"{VALUE}-answer", "the_query = (-0.916, -0.511)")),
}  # fmt: skip


@pytest.mark.parametrize("where", FLAGGED)
@pytest.mark.parametrize("rest", [False, True])
def test_what_may_be_an_answer_is_flagged_with_its_place(where, rest):
    name, change = FLAGGED[where]
    made = mended(change(notebook(done=others(name) if rest else (), essay=WORDS)))
    (flag,) = (f for f in made.flags if f["kind"] == "elsewhere" and f["cell"] == name)
    assert status(made.flags) == "flagged"
    assert "by hand" in flag["why"]
    assert any("A person looks at" in note and f"`{name}" in note for note in made.notes)
    if rest:
        assert {f["cell"] for f in made.flags} <= {name, ""}


def test_an_answer_that_stands_there_again_below_its_check_is_flagged():
    made = insert(put(notebook(), "blend-answer", MINE), CODE, own(MINE + " * 2"), below=1)
    (flag,) = mended(made).flags
    assert (flag["cell"], flag["kind"]) == (CODE, "elsewhere")
    assert "`blend` is defined again in cell 7" in flag["why"]


LINE = re.compile(r"raise NotImplementedError.*")


def put_off(nb, line):
    return put(nb, TASKS[CODE], LINE.sub(line, stub(CODE)))


TRIES = "scores = np.array([1.0, 2.0])\nprint(blend(scores, scores, scores, 1.0))"
QUIET = {
    "nothing": lambda nb: nb,
    "a pass for the stub's line": lambda nb: put_off(nb, "pass  # TODO"),
    "dots for the stub's line": lambda nb: put_off(nb, "..."),
    "a return for the stub's line": lambda nb: put_off(nb, "return None  # later"),
    "a name at the top": lambda nb: nb["cells"].insert(0, own("Ada Lovelace, 1234567", "markdown"))
    or nb,
    "hints": lambda nb: insert(nb, CODE, own('hint("01.blend")\nhint("01.blend")'), below=1),
    "magics": lambda nb: insert(nb, CODE, own("%pip install numpy\n!ls\nblend?"), below=1),
    "imports": lambda nb: insert(nb, CODE, own("import numpy as np\nimport torch"), below=1),
    "a look at the stub": lambda nb: insert(nb, CODE, own("blend"), below=1),
    "an empty cell": lambda nb: insert(nb, CODE, own(""), below=1),
    "a heading": lambda nb: insert(nb, CODE, own("## My tries", "markdown")),
    "a question again": lambda nb: nb["cells"].append(copy.deepcopy(nb["cells"][3])) or nb,
    "a question's part again": lambda nb: nb["cells"].append(
        own("\n".join(nb["cells"][3]["source"].split("\n")[:4]), "markdown")) or nb,
}  # fmt: skip


@pytest.mark.parametrize("what", QUIET)
def test_what_is_no_answer_raises_no_flag_and_keeps_nobody_waiting(what):
    made = mended(QUIET[what](notebook()))
    assert status(made.flags) == "graded"
    assert made.notes == [] or what == "a name at the top"
    code = mended(QUIET[what](notebook(essay=WORDS)))
    assert code.notes == []


def test_a_try_of_an_answer_that_was_given_is_no_other_answer():
    made = put(notebook(essay=WORDS), "blend-answer", MINE)
    assert mended(insert(made, CODE, own(TRIES), below=1)).notes == []


def test_a_helper_of_an_answer_is_no_other_answer():
    made = put(notebook(essay=WORDS), "blend-answer", "def blend(*a):\n    return helped(a)")
    assert mended(insert(made, "blend-answer", own("def helped(a):\n    return a"))).notes == []


@pytest.mark.parametrize("where", ["below its check", "at the top", "all at the end"])
def test_the_line_that_says_where_an_answer_stands_is_nobodys_writing(where):
    made = mended({**VALUES, **GRADED}[where]())
    places = [each for each in made.notebook.cells if each.cell_type == "markdown"]
    assert not any("The answer stands in another cell" in each.source for each in places)
    assert not any("A person reads" in str(note) for note in made.notes)


def test_cells_of_an_older_release_are_not_taken_for_a_students():
    from plaincourse.notebooks.page import identity

    old = {"cell_type": "markdown", "metadata": {}, "source": "An older question, which was kept."}
    made = notebook()
    made["cells"].insert(4, {**old, "id": identity(old)})
    assert mended(made).notes == []
    made["cells"][4]["source"] += " Mine."
    assert mended(made).notes

"""An answer that lost its points because of another cell is named with it; others are not."""

import sys

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from plaincourse.exercise.report import UNREADABLE
from plaincourse.grading.lost import lost
from tests.plaincourse.test_grading_elsewhere import CODE, MINE, mended, notebook, put

ANSWER = "def blend(x):\n    return helper(x)"
MISSING = ("NameError", "name 'helper' is not defined")
UNDEFINED = ("NameError", "name 'blend' is not defined")
PACKAGE = ("ModuleNotFoundError", "No module named 'pandas'")
HINT = ("BeartypeDecorHintNonpepException", "type hint torch.int32 invalid")
HELPER = "import pandas\ndef helper(x):\n    return x"


def cell(source: str, error: tuple[str, str] | None = None, **role: object) -> NotebookNode:
    made = new_code_cell(source)
    if role:
        made.metadata["nbgrader"] = {"grade": False, "solution": False, **role}
    if error:
        made.outputs.append(new_output("error", ename=error[0], evalue=error[1], traceback=[]))
    return made


def answer(source: str = ANSWER, error: tuple[str, str] | None = None) -> NotebookNode:
    return cell(source, error, grade_id="blend-answer", solution=True)


def check(error: tuple[str, str] | None = None, said: str = "") -> NotebookNode:
    made = cell('check("01.blend", blend)', error, grade_id="blend", grade=True)
    if said:
        made.outputs.append(new_output("execute_result", data={"text/html": said}))
    return made


def told(*cells: NotebookNode, points: float = 0.0, version: str = "3.11.7") -> str:
    made = new_notebook(
        cells=list(cells), metadata={"language_info": {"name": "python", "version": version}}
    )
    flags = lost(made, {"blend": (points, 4.0)})
    assert all(each["cell"] == "blend" and each["kind"] == "lost" for each in flags)
    return " ".join(each["why"] for each in flags)


RAISED = "Your function raises <code>NameError: name &#x27;helper&#x27; is not defined</code>."
LOST = {
    "a helper's cell stopped": ([cell(HELPER, PACKAGE), answer(), check(said=RAISED)], "pandas"),
    "a helper's cell stopped at a folder": (
        [
            cell("import os\nos.chdir('/drive')\nhelper = len", ("FileNotFoundError", "/drive")),
            answer(),
            check(said=RAISED),
        ],
        "FileNotFoundError",
    ),
    "a helper of a helper": (
        [
            cell("import pandas\nbase = 1", PACKAGE),
            cell("helper = base + 1", ("NameError", "name 'base' is not defined")),
            answer(),
            check(said=RAISED),
        ],
        "import pandas",
    ),
    "an annotation of what was not imported": (
        [
            cell("from google.colab import drive\nfrom typing import Any", PACKAGE),
            answer("def blend(x: Any): return x", ("NameError", "name 'Any' is not defined")),
            check(UNDEFINED),
        ],
        "google.colab",
    ),
    "a module that was not handed in": (
        [answer("from helpers import blend", PACKAGE), check(UNDEFINED)],
        "from helpers import blend",
    ),
    "a helper that a cell deletes": (
        [
            cell("def helper(x):\n    return x"),
            cell("del helper  # tidy"),
            answer(),
            check(said=RAISED),
        ],
        "the cell that begins with `del helper  # tidy` deletes `helper`",
    ),
    "a helper and more that a cell deletes below the answer": (
        [
            cell("helper = len"),
            answer(),
            cell("x = 1\ndel x, helper"),
            check(said=RAISED),
        ],
        "deletes `helper`, so that it was missing",
    ),
    "a question to nobody": (
        [
            answer(f"name = input()\n{ANSWER}", ("StdinNotImplementedError", "raw_input")),
            check(UNDEFINED),
        ],
        "StdinNotImplementedError",
    ),
    "a file that was not handed in": (
        [
            answer(f"T = torch.load('t.pt')\n{ANSWER}", ("FileNotFoundError", "[Errno 2] 't.pt'")),
            check(UNDEFINED),
        ],
        "torch.load('t.pt')",
    ),
    "a notebook that was not handed in": (
        [answer("%run t.ipynb", ("Exception", "File `'t.ipynb'` not found.")), check(UNDEFINED)],
        "`%run t.ipynb` stopped with",
    ),
    "a script that was not handed in": (
        [
            cell("%run -i t.py\nhelper = 1", ("Exception", "File `'t.py'` not found.")),
            answer(),
            check(said=RAISED),
        ],
        "`%run -i t.py` stopped with",
    ),
    "a notebook that breaks off": (
        [
            answer("%run t", ("NotJSONError", "Notebook does not appear to be JSON: '{'")),
            check(UNDEFINED),
        ],
        "`%run t` stopped with",
    ),
    "a file from the network": (
        [
            answer(f"urlretrieve('https://x')\n{ANSWER}", ("URLError", "<urlopen error>")),
            check(UNDEFINED),
        ],
        "urlretrieve",
    ),
    "a file that the answer reads when it is called": (
        [
            answer("def blend(x):\n    return np.load('t.npy')"),
            check(said="raises FileNotFoundError: [Errno 2] No such file: &#x27;t.npy&#x27;</b>"),
        ],
        "(`FileNotFoundError: [Errno 2] No such file: 't.npy'`)",
    ),
    "a server that the answer asks when it is called": (
        [
            answer("def blend(x):\n    return urlopen('https://x')"),
            check(said="raises URLError: &lt;urlopen error [Errno -2]&gt;"),
        ],
        "what grading does not have",
    ),
    "a helper further down": ([answer(), check(said=RAISED), cell("helper = len")], "further down"),
    "names that were wiped": (
        [cell("helper = len"), cell("%reset -f"), answer(), check(said=RAISED)],
        "%reset",
    ),
    "a cell that keeps no names": (
        [answer(f"%%timeit\n{ANSWER}"), check(UNDEFINED)],
        "`%%timeit` leaves no names",
    ),
    "a name that was used again": (
        [answer(), cell("blend = blend(1)"), check(said="blend is 3, of type int")],
        "another value",
    ),
    "a type statement": (
        [answer(f"type Row = list\n{ANSWER}", ("SyntaxError", "invalid syntax")), check(UNDEFINED)],
        "newer ones may read it",
    ),
    "marks within marks": (
        [
            answer(f'{ANSWER}\nf"{{d["a"]}}"', ("SyntaxError", "f-string: unmatched '['")),
            check(UNDEFINED),
        ],
        "newer ones may read it",
    ),
    "a star import that overwrites `int`": (
        [
            cell("from math import *\nfrom torch import *"),
            answer("def blend(x: int) -> list:\n    return [x]", HINT),
            check(UNDEFINED),
        ],
        "`from math import *` gives `int` another meaning",
    ),
    "a star import that overwrites `sum`": (
        [
            cell("from numpy import *"),
            answer("def blend(x):\n    return sum(each for each in x)"),
            check(said="Your output is a generator"),
        ],
        "`from numpy import *` gives `sum` another meaning",
    ),
    "a number that is called `max`, which a helper reads": (
        [
            cell("max = 10"),
            cell("def helper(x):\n    return max(x)"),
            answer(),
            check(said="Your function raises <code>TypeError"),
        ],
        "`max = 10` gives `max` another meaning",
    ),
    "a number that is called `sum`, which an answer with a magic reads": (
        [cell("sum = 0"), answer("%time\ndef blend(x):\n    return sum(x)"), check(said="x")],
        "`sum = 0` gives `sum`",
    ),
    "a definition that is not reached": (
        [answer("if False:\n    blend = 5"), check(UNDEFINED)], "did not reach the line"
    ),
    "a package that was overwritten": (
        [
            cell("import torch"),
            cell("x = 1\ntorch = x"),
            answer("def blend(x):\n    return torch.ones(x)"),
            check(said="Your function raises <code>AttributeError"),
        ],
        "`x = 1` gives `torch` another meaning",
    ),
    "a limit that a cell set": (
        [
            cell("import sys\nsys.setrecursionlimit(50)"),
            answer("import math\n\ndef blend(x):\n    return x", ("RecursionError", "depth")),
            check(UNDEFINED),
        ],
        "`import math` stopped with `RecursionError: depth`",
    ),
    "another name, and the right one in a text": (
        [answer("mixed = 5\nprint('blend =', mixed)"), check(UNDEFINED)],
        "defines `mixed`, and not `blend`",
    ),
    "the right name in a comment alone": (
        [answer("print(5)  # blend"), check(UNDEFINED)],
        "gives nothing the name `blend`",
    ),
    "a definition inside another": (
        [answer("def main():\n    def blend(x):\n        return x\nmain()"), check(UNDEFINED)],
        "defines `blend` only inside `main`",
    ),
    "a value inside a class": (
        [answer("class Answers:\n    blend = 5"), check(UNDEFINED)],
        "defines `blend` only inside `Answers`",
    ),
}  # fmt: skip
OWN = {
    "a name of Python's own that was given back": [
        cell("sum = 0\ndel sum"),
        answer("def blend(x):\n    return sum(x)"),
        check(said="Your output is 3"),
    ],
    "a name of Python's own that the answer does not read": [
        cell("max = 10"), answer("def blend(max):\n    return max"), check(said="Your output is 3")
    ],
    "a name that the answer itself overwrites": [
        answer("sum = 0\ndef blend(x):\n    return sum(x)"), check(said="raises TypeError")
    ],
    "a name that is overwritten below": [
        answer("def blend(x):\n    return sum(x)"), check(said="Your output is 3"), cell("sum = 0")
    ],
    "a package that is imported twice": [
        cell("import torch"), cell("import torch"),
        answer("def blend(x):\n    return torch.ones(x)"), check(said="Your output is 3"),
    ],
    "an answer that was emptied": [answer("# blend: no idea"), check(UNDEFINED)],
    "a wrong answer": [answer(), check(said="Your output is 3")],
    "a syntax error elsewhere": [answer("exec('(')", ("SyntaxError", "here")), check(said="3")],
    "a name that is nowhere": [answer(), check(said=RAISED)],
    "a helper that is there": [cell("helper = len"), answer(), check(said="Your output is 3")],
    "a cell that stopped and is not needed": [
        cell("import pandas\nother = 1", PACKAGE), answer(), check(said=RAISED)
    ],
    "an answer left as it was": [answer("def blend(x):\n    raise NotImplementedError()"), check()],
    "an error of the answer's own": [answer(f"{ANSWER}\n1 / 0", ("OSError", "")), check()],
}  # fmt: skip

for text in ("def blend(:", "Here is my answer:\ndef blend(x):\n    return x"):
    cause = "is not code that Python reads (`SyntaxError: invalid (line 1)`). Read the answer."
    error = ("SyntaxError", "invalid (3512742673.py, line 1)")
    LOST[text] = [answer(text, error), check(UNDEFINED)], cause
LOST["units"] = [answer("blend = '5760 MiB'"), check(said=UNREADABLE)], "in a form that the check"


@pytest.mark.parametrize("how", LOST)
def test_what_cost_an_answer_its_points_is_named(how: str) -> None:
    cells, cause = LOST[how]
    said = told(*cells)
    assert said.startswith("`blend` lost points")
    assert cause in said


@pytest.mark.parametrize("how", OWN)
def test_what_an_answer_lost_by_itself_is_not_told(how: str) -> None:
    assert told(*OWN[how]) == ""


def test_an_answer_with_all_its_points_is_not_told() -> None:
    cells, _ = LOST["a helper's cell stopped"]
    assert told(*cells, points=4.0) == ""


def test_a_newer_python_is_known_by_what_the_notebook_says() -> None:
    cells = [answer("def blend(:", ("SyntaxError", "invalid")), check(UNDEFINED)]
    assert "newer ones" in told(*cells, version="3.99.1")


NEWER = {
    "two exceptions": "try:\n        pass\n    except ValueError, KeyError:\n        pass",
    "a dotted exception": "try:\n        pass\n    except torch.Error, KeyError:\n        pass",
    "a t-string": "return t'{x}'",
    "a raw t-string": 'return rt"{x}"',
}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python reads them")
@pytest.mark.parametrize("what", NEWER)
def test_the_syntax_of_a_newer_python_is_known_by_its_text(what: str) -> None:
    text = f"def blend(x):\n    {NEWER[what]}"
    assert "newer ones" in told(answer(text, ("SyntaxError", "invalid")), check(UNDEFINED))


@pytest.mark.parametrize("text", ["print('a' 't'", "x = start'", "except ValueError:", "a, b = (c"])
def test_a_slip_is_no_newer_syntax(text: str) -> None:
    broken = answer(f"def blend(x):\n    {text}", ("SyntaxError", "invalid"))
    assert "newer ones" not in told(broken, check(UNDEFINED))


def test_one_cause_is_told_once() -> None:
    second = cell("def other(x): return helper(x)", grade_id="other-answer", solution=True)
    test = cell('check("01.other", other)', MISSING, grade_id="other", grade=True)
    made = new_notebook(cells=[cell(HELPER, PACKAGE), answer(), check(said=RAISED), second, test])
    (flag,) = lost(made, {"blend": (0.0, 4.0), "other": (1.0, 4.0)})
    assert flag["why"].startswith("`blend` and `other` lost points")


IMPORTS = next(
    index
    for index, each in enumerate(notebook()["cells"])
    if each["source"].startswith("import math")
)
CHANGED = {
    "a drive": lambda text: f"from google.colab import drive\n{text}",
    "a package at the end of the first line": lambda text: text.replace("math", "math, pandas", 1),
    "a folder": lambda text: f"import os\nos.chdir('/drive')\n{text}",
    "emptied": lambda text: "",
}


@pytest.mark.parametrize("how", CHANGED)
def test_imports_that_were_handed_out_run_whatever_became_of_their_cell(how: str) -> None:
    made = put(notebook(), "blend-answer", MINE)
    given = made["cells"][IMPORTS]["source"]
    made["cells"][IMPORTS]["source"] = CHANGED[how](given)
    done = mended(made)
    texts = [each.source for each in done.notebook.cells]
    assert given in texts
    assert texts.index(given) < texts.index(MINE)
    assert any("imports" in note for note in done.notes)
    assert [flag for flag in done.flags if flag["cell"] == CODE] == []


def test_imports_that_are_there_are_left_alone() -> None:
    done = mended(put(notebook(), "blend-answer", MINE))
    given = notebook()["cells"][IMPORTS]["source"]
    assert [each.source for each in done.notebook.cells].count(given) == 1
    assert done.notes == []


def test_a_cell_that_deletes_a_name_did_not_make_it() -> None:
    tidy = cell("del helper, blend", MISSING)
    assert told(tidy, answer(), check(said=RAISED)) == ""


@pytest.mark.parametrize("magic", ["time", "capture out", "prun -q", "debug"])
def test_a_cell_whose_magic_keeps_its_names_is_not_said_to_leave_none(magic: str) -> None:
    above = cell(f"%%{magic}\n{HELPER}", PACKAGE)
    assert "leaves no names" not in (why := told(above, answer(), check(said=RAISED)))
    assert "stopped with `ModuleNotFoundError" in why


OWN_CELL = {
    "a question": "a question to nobody",
    "a module": "a module that was not handed in",
    "a file": "a file that was not handed in",
    "a cell magic": "a cell that keeps no names",
    "a newer Python": "a type statement",
}
ELSEWHERE = ["a helper's cell stopped", "a helper further down", "names that were wiped"]


@pytest.mark.parametrize("how", [*OWN_CELL.values(), *ELSEWHERE])
def test_only_another_cell_than_the_answers_own_is_called_elsewhere(how: str) -> None:
    why = told(*LOST[how][0])
    assert ("the cause may lie elsewhere: " in why) == (how in ELSEWHERE)
    assert ("and the answer's own cell shows why: " in why) == (how not in ELSEWHERE)


@pytest.mark.parametrize("asks", ["text = input('A, B: ')", "n = int(input())", "breakpoint()"])
def test_an_answer_that_asks_is_said_to_ask_nobody(asks: str) -> None:
    stopped = ("StdinNotImplementedError", "raw_input was called")
    why = told(answer(f"{asks}\n{ANSWER}", stopped), check(UNDEFINED))
    assert "because nobody answers when a notebook is graded. Read the answer." in why

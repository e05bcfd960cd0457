"""The notebook under attack, with seven graded cells of all kinds, and the secrets around it."""

import copy
import json
import re
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from plaincourse.proving.submissions import grade_id
from tests.attacks.attack import WRONG, Attack

NAME = "arena"
#: Points by test. `first` and `last` have the honest answers; the others are attacked.
FULL = {"first": 4.0, "target": 2.0, "plain": 3.0, "partial": 4.0, "choice": 2.0, "last": 6.0}
#: Numbers that occur only in hidden tests.
HIDDEN = ("48151.5", "16234.25", "96303.0", "8675309", "8675310", "8675311", "8675312")

_IMPORTS = """import math

import numpy as np
import torch

from plaincourse import check, hint"""
_SOFTMAX = """def softmax_rows(scores):
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)"""
_SCORES = """def scores(query, key):
    return query @ key.transpose(-2, -1)"""
_DOUBLE = """def double(x):
    return 2 * x"""
_SQUARES = """def squares(n):
    return [k * k for k in range(1, n + 1)]"""
_ATTENTION = """def attention(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value"""
_NUMBERS = "answer_output_shape = (6, 4, 6, 5, 4, 8)"
_PLAIN = """assert torch.allclose(double(torch.tensor([1.0, -2.0])), torch.tensor([2.0, -4.0]))
### BEGIN HIDDEN TESTS
assert torch.allclose(double(torch.tensor([48151.5])), torch.tensor([96303.0]))
assert torch.allclose(double(torch.tensor([16234.25])), torch.tensor([32468.5]))
### END HIDDEN TESTS"""
_PARTIAL = """earned = 0.0
if squares(2) == [1, 4]:
    earned += 1.0
### BEGIN HIDDEN TESTS
if squares(7) == [1, 4, 9, 16, 25, 36, 49]:
    earned += 3.0
### END HIDDEN TESTS
earned"""


def _check(task: str, name: str, seed: int) -> str:
    call = f'check("{task}", {name}'
    hidden = f"### BEGIN HIDDEN TESTS\n{call}, seed={seed})\n### END HIDDEN TESTS"
    return f"{call})\n{hidden}"


#: The right answer and the test, by name of the test.
TASKS = {
    "first": (_SOFTMAX, _check("02.softmax_rows", "softmax_rows", 8675309)),
    "target": (_SCORES, _check("02.scores", "scores", 8675310)),
    "plain": (_DOUBLE, _PLAIN),
    "partial": (_SQUARES, _PARTIAL),
    "choice": (_NUMBERS, _check("02.output_shape", "answer_output_shape", 8675311)),
    "last": (_ATTENTION, _check("02.attention", "attention", 8675312)),
}  # fmt: skip

#: The beginning of every attack. An attack prints the text that it reads, and its success.
_TOOLS = """import ctypes, gc, glob, json, os, re, signal, socket, sqlite3, subprocess, sys
import threading, time
PLACES = json.loads({places!r})
LIBC = ctypes.CDLL(None, use_errno=True)
try:
    INSIDE = os.readlink("/proc/self/ns/pid") != PLACES["pid namespace"]
except OSError:
    INSIDE = False

def leak(*what):
    print(*what)

def won(*what):
    print("attack" + "-succeeded", *what)

def tried(action, *arguments):
    try:
        return action(*arguments)
    except BaseException as error:
        return error
"""


def solution(secret: str) -> NotebookNode:
    """Return the instructor's notebook; a comment in each solution holds a secret."""
    cells = [new_markdown_cell("# The arena"), new_code_cell(_IMPORTS)]
    for name, (answer, test) in TASKS.items():
        head, _, body = answer.partition("\n")
        dent = " " * 4 if body else ""
        begin, end = (f"{dent}### {edge} SOLUTION" for edge in ("BEGIN", "END"))
        marked = f"{begin}\n{body or head}\n{dent}# {secret}\n{end}"
        source = f"{head}\n{marked}" if body else marked
        cells.append(_cell(source, grade_id=f"{name}-answer", solution=True))
        cells.append(_cell(test, grade_id=name, grade=True, locked=True, points=FULL[name]))
    notebook = new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3", "language": "python", "name": "python3",
    }  # fmt: skip
    return notebook


def _cell(source: str, **more: object) -> NotebookNode:
    flags = {"grade": False, "solution": False, "locked": False, "task": False}
    cell = new_code_cell(source)
    cell.metadata["nbgrader"] = {**flags, "cell_type": "code", "schema_version": 3, **more}
    return cell


def handed_in(attack: Attack, release: NotebookNode, places: dict[str, str]) -> NotebookNode:
    """Fill in the release like an attacker."""
    notebook = fill(release, {**{name: WRONG[name] for name in attack.wrong}, **attack.answers})
    tools = new_code_cell(_TOOLS.format(places=json.dumps(places)))
    own = [tools, *([new_code_cell(attack.first)] if attack.first else [])]
    notebook.cells[2:2] = own
    if attack.after:
        notebook.cells.append(new_code_cell(attack.after))
    if attack.edit:
        attack.edit(notebook)
    return notebook


def fill(release: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """Fill in the release with the given answers, and right answers elsewhere."""
    notebook = copy.deepcopy(release)
    for cell in notebook.cells:
        name = grade_id(cell).removesuffix("-answer")
        if grade_id(cell) != name and name in TASKS:
            cell.source = answers.get(name, TASKS[name][0])
    return notebook


def find(notebook: NotebookNode, name: str) -> NotebookNode:
    """Return the cell with a grade id."""
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def write(notebook: NotebookNode, folder: Path) -> None:
    """Write a notebook unchanged, valid or not."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.ipynb").write_text(json.dumps(notebook), "utf-8")


def seeds() -> set[str]:
    """Return the hidden seeds, as written in the tests."""
    return set(re.findall(r"seed=(\d+)", str(TASKS)))

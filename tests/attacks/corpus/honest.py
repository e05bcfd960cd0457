"""Honest students with unusual notebooks: each must get all points."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from tests.attacks.arena import TASKS, find


@dataclass(frozen=True, kw_only=True)
class Honest:
    """A right submission.

    Attributes:
        name: also the student's id.
        why: its property that has misled graders.
        answers: right answers, written differently, by test.
        edit: further unusual changes to the notebook.
        files: other files in the notebook's folder, by name.
    """

    name: str
    why: str
    answers: dict[str, str] = field(default_factory=dict)
    edit: Callable[[NotebookNode], None] = lambda notebook: None
    files: dict[str, str] = field(default_factory=dict)


def _cell(source: str, *, at: int = 2) -> Callable[[NotebookNode], None]:
    return lambda notebook: notebook.cells.insert(at, new_code_cell(source))


def _old_format(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 2
    for cell in notebook.cells:
        cell.pop("id", None)


def _colab(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 0
    notebook.metadata["colab"] = {"provenance": [], "toc_visible": True}
    notebook.metadata["accelerator"] = "GPU"
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.metadata["language_info"] = {"name": "python"}
    for number, cell in enumerate(notebook.cells):
        cell.pop("id", None)
        cell.metadata["id"] = f"Ab{number}"
        cell.metadata["colab"] = {"base_uri": "https://localhost:8080/"}
        cell.metadata["outputId"] = "0f"


def _vscode(notebook: NotebookNode) -> None:
    notebook.metadata["kernelspec"] = {"display_name": ".venv", "language": "python", "name": "py"}
    for cell in notebook.cells:
        cell.metadata["vscode"] = {"languageId": "python"}
        cell.source = cell.source.replace("\n", "\r\n") if "answer" in str(cell) else cell.source


def _copied(notebook: NotebookNode) -> None:
    """Copy an answer and a test within the notebook, with their metadata, as editors do."""
    for name in ("plain-answer", "plain"):
        at = notebook.cells.index(find(notebook, name))
        twin = copy.deepcopy(notebook.cells[at])
        twin.pop("id", None)
        notebook.cells.insert(at + 1, twin)


def _without_tests(notebook: NotebookNode) -> None:
    gone = [find(notebook, name) for name in ("target", "partial")]
    notebook.cells = [cell for cell in notebook.cells if cell not in gone]


def _rearranged(notebook: NotebookNode) -> None:
    note = new_markdown_cell("My notes, with <b>markup</b> and $x < y$.")
    notebook.cells[3:3] = [note, new_code_cell("undefined_name"), new_code_cell("1 / 0")]


_LOUD = """import logging, sys, warnings
def double(x):
    warnings.warn("careful")
    logging.warning("careful")
    print("doubling", x, file=sys.stderr)
    return x + x"""
_FIGURE = """import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.show()"""
_STATE = """import os, tempfile, threading
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    file.write("notes")
with open("notes.txt", "w") as file:
    file.write("notes")
done = []
thread = threading.Thread(target=lambda: done.append(1))
thread.start()
thread.join()
assert done and open("notes.txt").read() == "notes" and os.path.expanduser("~")"""

HONEST = (
    Honest(name="plain-work", why="nothing"),
    Honest(name="loud-work", why="warnings, logs and stderr", answers={"plain": _LOUD}),
    Honest(name="old-format", why="nbformat 4.2, cells without ids", edit=_old_format),
    Honest(name="from-colab", why="Colab's metadata and format", edit=_colab),
    Honest(name="from-vscode", why="VS Code's metadata, kernel and line ends", edit=_vscode),
    Honest(name="copied-cells", why="an answer and its test stand there twice", edit=_copied),
    Honest(name="lost-tests", why="two tests were deleted by mistake", edit=_without_tests),
    Honest(name="failing-notes", why="own cells that fail and markup", edit=_rearranged),
    Honest(name="with-a-figure", why="a figure, fonts and a cache", edit=_cell(_FIGURE)),
    Honest(name="with-files", why="files, threads and a home", edit=_cell(_STATE)),
    Honest(
        name="with-a-helper",
        why="a module and data of its own beside the notebook",
        answers={"partial": "from helper import squares"},
        files={
            "helper.py": "def squares(n):\n    return [k * k for k in range(1, n + 1)]\n",
            "data/notes.csv": "a,b\n1,2\n",
        },
    ),
    Honest(
        name="other-shapes",
        why="lambdas, callable objects, partial functions and closures",
        answers={
            "target": "scores = lambda query, key: torch.einsum('...qd,...kd->...qk', query, key)",
            "plain": "class Double:\n    def __call__(self, x):\n        return x * 2\n"
            "double = Double()",
            "partial": "import functools\ndef powers(exponent, n):\n"
            "    return [k**exponent for k in range(1, n + 1)]\n"
            "squares = functools.partial(powers, 2)",
            "choice": "answer_output_shape = torch.tensor([6, 4, 6, 5, 4, 8.0])",
        },
    ),
    Honest(
        name="magics",
        why="magics, shell lines, and a cell's last value",
        answers={"plain": "%matplotlib inline\n" + TASKS["plain"][0] + "\ndouble(torch.ones(1))"},
        edit=_cell("%time sum(range(10))\n!echo hello\n%load_ext autoreload"),
    ),
    Honest(
        name="own-defaults",
        why="another default dtype, seed and number of threads",
        edit=_cell("torch.set_default_dtype(torch.float64)\ntorch.manual_seed(1)\n"
                   "torch.set_num_threads(1)\ntorch.set_grad_enabled(False)"),
        answers={"plain": "def double(x):\n    return 2 * x.clone()"},
    ),
    Honest(
        name="much-printed",
        why="a few thousand lines of output",
        edit=_cell("for step in range(3000):\n    print('step', step, 'loss', 1 / (step + 1))"),
    ),
    Honest(name="last-of-all", why="nothing, behind all attacks"),
)  # fmt: skip

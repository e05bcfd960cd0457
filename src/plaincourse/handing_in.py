"""Submit a finished notebook: on Colab download it, elsewhere print the location of its file."""

import ast
import importlib
import json
import os
import re
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from plaincourse.checking.check import LATER
from plaincourse.exercise.course import packages, subject

_OURS = {"plaincourse", "google", "IPython", "mpl_toolkits", *subject()}
_IMPORT = re.compile(r"^(?:import|from) +([A-Za-z_]\w*)", re.MULTILINE)
_NAME = re.compile(r"\d\d-[a-z0-9-]+")


def hand_in(name: str) -> None:
    """Download this notebook for submission, or print where its file is and how to submit it.

    On Colab the notebook is downloaded in its current state in the browser, under the file name
    that the collection of submissions expects. Elsewhere the student submits the file that Jupyter
    saved; the function reads that file to check whether it contains the answers that ran last.

    Args:
        name: the assignment, ``"02-scaled-dot-product-attention"``.

    Raises:
        ValueError: ``name`` cannot be the name of an assignment.
    """
    if os.environ.get(LATER):
        return
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"hand_in({name!r}): expected the name of this notebook, such as "
            '"02-scaled-dot-product-attention"'
        )
    file = f"{name}.ipynb"
    print(_download(file) if "google.colab" in sys.modules else _where(file))


def _download(file: str) -> str:
    """Fetch the notebook from the browser and download it; return the message for the user.

    The request by which a notebook gets its own content from Colab is undocumented and may change.
    If anything fails, the message points to the menu, which still works.
    """
    try:
        message = importlib.import_module("google.colab._message")
        reply = message.blocking_request("get_ipynb", request="", timeout_sec=60)
        if reply is None:
            raise TimeoutError("no answer within 60 seconds")
        text = json.dumps(_notebook(reply), indent=1)
        Path(file).write_text(text, encoding="utf-8")
        importlib.import_module("google.colab.files").download(file)
    except Exception as error:
        return (
            f"Colab did not give this notebook ({type(error).__name__}: {error}).\n"
            "Choose File → Download → Download .ipynb instead, and name the file\n"
            f"{file}"
        )
    return (
        f"Your browser downloads {file}\n"
        "Hand in that file. If none arrives, allow downloads from this page and run this cell "
        "again,\nor take the file from the folder at the left (Files)."
    )


def _notebook(reply: Any) -> dict[str, Any]:
    """Return the notebook in Colab's answer.

    Raises:
        ValueError: the answer contains no notebook.
    """
    notebook = reply.get("ipynb") if isinstance(reply, dict) else None
    if not isinstance(notebook, dict) or not notebook.get("cells"):
        raise ValueError("its answer holds no cells")
    return notebook


def _where(file: str) -> str:
    """Return a message: the notebook's file, known omissions, and the next step."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    path = _path(file, shell)
    if path is None:
        return (
            f"There is no {file} in {Path.cwd()}, where this notebook runs.\n"
            "Save the notebook under that name, and run this cell again."
        )
    try:
        saved = [
            "".join(cell["source"]).strip()
            for cell in json.loads(path.read_bytes())["cells"]
            if cell["cell_type"] == "code"
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return (
            f"{path}\ncannot be read as a notebook ({type(error).__name__}: {error}).\n"
            "Save the notebook, and run this cell again."
        )
    if others := _others(saved, path.parent):
        names = ", ".join(f"`{each}`" for each in others)
        print(
            f"It imports {names}. Grading has Python's own modules and the packages\n"
            f"{', '.join(packages())};\n"
            "whatever uses another package fails there, unless your teacher says otherwise."
        )
    time = datetime.fromtimestamp(path.stat().st_mtime)
    lines = [f"{path}", f"was saved at {time:%H:%M} on {time.day} {time:%B}."]
    if stale := _stale(saved, shell.history_manager.input_hist_raw[1:-1] if shell else []):
        names = ", ".join(f"`{name}`" for name in stale)
        lines += [
            f"Do not hand it in yet. What you ran last is not what it holds of {names}.",
            "Save (Ctrl+S, on a Mac ⌘S), and run this cell again. If it says the same, the code",
            f"that you ran last is in no cell any more: run the cell of {names} once more, and",
            "then this one.",
        ]
    elif path.name != file and not any(f'check("{file[:2]}.' in source for source in saved):
        lines += [f"It holds no check of {file[:-6]}: run this cell in that notebook."]
    elif path.name != file:
        lines += [f"Rename it to {file}", "and hand it in."]
    else:
        lines += [
            "The code that you ran stands in it. What you changed and did not run, such as an",
            "answer in words, cannot be seen from here: save once more, and hand in this file.",
        ]
    return "\n".join(lines)


def _path(file: str, shell: Any) -> Path | None:
    """Find the notebook's file: the one Jupyter or VS Code names, or one in the current folder."""
    told = [os.environ.get("JPY_SESSION_NAME")]  # set by Jupyter's server for its kernels
    told += [shell.user_ns.get("__vsc_ipynb_file__")] if shell else []
    candidates = [Path(each) for each in (*told, Path.cwd() / file) if each]
    return next((path for path in candidates if path.suffix == ".ipynb" and path.is_file()), None)


def _stale(saved: Iterable[str], ran: Iterable[str]) -> list[str]:
    """List the saved names whose latest binding was run from code that is not in a saved cell.

    Args:
        saved: the code cells of the file.
        ran: the code that ran in this session, oldest first.
    """
    saved, last = list(saved), dict[str, str]()
    for source in ran:
        last |= dict.fromkeys(_bound(source), source.strip())
    known = [name for source in saved for name in _bound(source)]
    return [name for name in dict.fromkeys(known) if last.get(name, saved[0]) not in saved]


def _others(saved: Iterable[str], folder: Path) -> list[str]:
    """List the packages that a notebook imports and that may be missing where it is graded."""
    there = {*sys.stdlib_module_names, *packages(), *_OURS}
    found = [name for source in saved for name in _IMPORT.findall(source) if name not in there]
    own = {each.name.removesuffix(".py") for each in folder.iterdir()}
    return [name for name in dict.fromkeys(found) if name not in own]


def _bound(source: str) -> list[str]:
    """List the functions, classes and variables that a cell defines; empty if it has magics."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return []
    found = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [target.id for target in targets if isinstance(target, ast.Name)]
    return found

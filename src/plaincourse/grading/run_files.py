"""Find answers in the files that a notebook runs, including other notebooks.

``%run tools/fold.py`` binds names, as do ``exec`` of a file's text and a star import. The names are
not in the cell's code, so the file is read. It is never executed here.
"""

import re
from pathlib import Path

from plaincourse.grading.files import list_files, read_file, read_notebook
from plaincourse.grading.long_notebooks import RefusedError
from plaincourse.grading.notebook import parse
from plaincourse.grading.own_work import defines
from plaincourse.grading.packages import LEFT_OUT
from plaincourse.grading.recognise import Item, Submitted
from plaincourse.grading.text import bare
from plaincourse.grading.times import decoded

#: Code that runs a file, and so may bind names that are only in the file.
RUNS = re.compile(
    r"^[ \t]*%run\b|\brun_line_magic\(|\bexec\(|\brunpy\b|\bimport[ \t]+\*", flags=re.MULTILINE
)
_NOTE = re.compile(r"(?:^|(?<=\s))#.*$", flags=re.MULTILINE)
_NOTEBOOK = ".ipynb"
#: A longer file is not read.
_LONGEST = 200_000


def run_file(work: Submitted, names: set[str], folder: Path | None) -> tuple[Item, str] | None:
    """Return the last cell that runs a file with an answer in it, and the file's name.

    Args:
        work: the notebook.
        names: of the answer.
        folder: the submission's files.
    """
    runs = [
        item
        for item in work.items
        if item.cell.cell_type == "code"
        and not (item.source and item.source.locked)
        and bare(item.cell.source) not in work.source.given_texts
        and RUNS.search(item.cell.source)
    ]
    if not runs or folder is None or not folder.is_dir():
        return None
    listed = list_files(folder).files.items()
    files = {name: path for name, path in listed if name.endswith((".py", _NOTEBOOK))}
    for item in reversed(runs):
        for name, path in files.items():
            if _is_said(item.cell.source, path) and defines(_text(path), names):
                return item, name
    return None


def names_notebook(code: str, path: Path) -> bool:
    """Return whether code, without its comments, names the file of a notebook or imports it."""
    stem = re.escape(path.stem)
    file = rf"(?<!\w){stem}{re.escape(_NOTEBOOK)}\b"
    module = rf"^[ \t]*(?:import|from)[ \t]+(?:\w+\.)*{stem}\b"
    return bool(re.search(file, code) or re.search(module, code, flags=re.MULTILINE))


def without_notes(code: str) -> str:
    """Return code without comments, neither whole lines nor ends of lines."""
    return _NOTE.sub("", code.replace(LEFT_OUT, "\n"))


def _is_said(code: str, path: Path) -> bool:
    if path.suffix == _NOTEBOOK:
        return names_notebook(without_notes(code), path)
    return bool(re.search(rf"\b{re.escape(path.stem)}\b", code))


def _text(path: Path) -> str:
    if path.suffix == _NOTEBOOK:
        return _code(path)
    try:
        return decoded(read_file(path)) if path.lstat().st_size <= _LONGEST else ""
    except OSError:
        return ""


def _code(path: Path) -> str:
    """Return the code of a notebook, in the order in which it runs."""
    try:
        read = parse(read_notebook(path)).notebook
    except RefusedError:
        return ""
    cells = () if read is None else read.cells
    return "\n".join(str(cell.source) for cell in cells if cell.cell_type == "code")

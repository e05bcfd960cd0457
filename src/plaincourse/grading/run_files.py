"""Find answers in the files that a notebook runs.

``%run tools/fold.py`` binds names, as do ``exec`` of a file's text and a star import. The names are
not in the cell's code, so the file is read. It is never executed here.
"""

import re
from pathlib import Path

from plaincourse.grading.files import list_files, read_file
from plaincourse.grading.own_work import defines
from plaincourse.grading.recognise import Item, Submitted
from plaincourse.grading.text import bare
from plaincourse.grading.times import decoded

#: Code that runs a file, and so may bind names that are only in the file.
RUNS = re.compile(r"^[ \t]*%run\b|\bexec\(|\brunpy\b|\bimport[ \t]+\*", flags=re.MULTILINE)
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
    files = {name: path for name, path in list_files(folder).files.items() if name.endswith(".py")}
    for item in reversed(runs):
        for name, path in files.items():
            said = re.search(rf"\b{re.escape(path.stem)}\b", item.cell.source)
            if said and defines(_text(path), names):
                return item, name
    return None


def _text(path: Path) -> str:
    try:
        return decoded(read_file(path)) if path.lstat().st_size <= _LONGEST else ""
    except OSError:
        return ""

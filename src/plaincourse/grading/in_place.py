"""Describe the files found in place of a notebook, and the student's remedy."""

import os
import re
import stat
from itertools import islice
from pathlib import Path

from plaincourse.grading.text import few

#: The reason why nothing is read if a submission's folder is a file.
NO_FOLDER = (
    "in place of the submission's folder is a file. Make a folder of that name, and put the file "
    "into it as the notebook"
)
#: Files that the course and nbgrader write next to a submission.
_OURS = frozenset(("timestamp.txt", "submission_secret.txt", "collected.json", "record.json"))
#: The endings of archives that no part of the course opens, and of all archives; grading opens
#: none.
UNOPENED = (".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
ARCHIVES = (".zip", *UNOPENED)
_PACKED = "; archives are not opened here. Unpack yours, and hand in the notebook that is in it"
#: The maximal number of folders that are searched in each entry.
_FOLDERS = 200
#: The number of files that are named.
_MOST = 8
#: Endings of notebooks that were displayed or copied as text and then saved.
_SAVED_AS = ("", ".json", ".txt", ".md")
_HEAD = 4096
_BEGINNING = re.compile(rb"[^{]*\{.*\"(cell_type|nbformat)\"\s*:", re.DOTALL)
_PLACEHOLDERS = (
    (
        r"\..+\.icloud",
        "iCloud's placeholder {name}: the file itself is in iCloud. Open its folder in Finder, "
        "download the file, and hand in that",
    ),
    (
        r".+\.(crdownload|part|partial|download|opdownload)",
        "{name}, a download that had not ended. Download the notebook again, and hand in the whole "
        "file",
    ),
    (
        r".+\.(lnk|url|webloc|desktop|gdoc|gshortcut|alias)",
        "{name}, a shortcut to a file on your computer or in the web. Hand in the file itself",
    ),
    (
        r"\.ipynb_checkpoints",
        "Jupyter's folder {name}, with what it saved by itself. Hand in the notebook that lies "
        "beside that folder; if it is lost, the file in it is an older copy: take \u201c-checkpoint"
        "\u201d out of its name, and hand it in",
    ),
    (r"\.(git|svn|hg)", "{name}, the history of a repository. Hand in the notebook itself"),
)


def in_its_place(folder: Path) -> str:
    """Describe the content of a folder without the notebook, as the end of a sentence.

    Args:
        folder: the submission's.
    """
    if is_no_folder(folder):
        return "a file in place of the folder"
    try:
        entries = sorted(path for path in folder.iterdir() if path.name.lower() not in _OURS)
    except OSError:
        entries = []
    if not entries:
        return "no file at all"
    for path in entries:
        for pattern, said in _PLACEHOLDERS:
            if re.fullmatch(pattern, path.name, flags=re.IGNORECASE | re.DOTALL):
                return f"only {said.format(name=_shown(path))}"
    names = [name for path in entries for name in _below(path)]
    packed = _PACKED if any(name.lower().endswith(ARCHIVES) for name in names) else ""
    return f"only {few([_quoted(each) for each in names], _MOST)}{packed}"


def begins_as_notebook(path: Path, about: os.stat_result) -> bool:
    """Return whether a plain file begins like a notebook that was saved or pasted as text."""
    if path.suffix.lower() not in _SAVED_AS or not stat.S_ISREG(about.st_mode):
        return False
    try:
        with path.open("rb") as file:
            return _BEGINNING.match(file.read(_HEAD)) is not None
    except OSError:
        return False


def _below(path: Path) -> list[str]:
    """Return the names of the files in a folder; for a file, its own name."""
    walk = islice(os.walk(path), _FOLDERS) if path.is_dir() and not path.is_symlink() else ()
    files = [Path(above, name) for above, _, names in walk for name in sorted(names)]
    return [each.relative_to(path.parent).as_posix() for each in files] or [path.name]


def _shown(path: Path) -> str:
    return _quoted(path.name)


def _quoted(name: str) -> str:
    text = name.encode(errors="replace").decode().replace("`", "'")
    return f"`{text if len(text) <= 80 else text[:79] + chr(0x2026)}`"


def is_no_folder(path: Path) -> bool:
    """Return whether a file is where a folder should be. A link is neither."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not (stat.S_ISDIR(mode) or stat.S_ISLNK(mode))

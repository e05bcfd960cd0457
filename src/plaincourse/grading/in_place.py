"""Return what lies where a notebook should, and what the student does about it."""

import re
import stat
from pathlib import Path

from plaincourse.grading.text import few

#: Why nothing is read if a submission's folder is a file.
NO_FOLDER = (
    "in place of the submission's folder is a file. Make a folder of that name, and put the file "
    "into it as the notebook"
)
#: What the course and nbgrader write beside a submission.
_OURS = frozenset(("timestamp.txt", "collected.json", "record.json"))
#: So many files are named.
_MOST = 8
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
    """Return what lies in a folder without the notebook, as the end of a sentence.

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
    return f"only {few([_shown(each) for each in entries], _MOST)}"


def _shown(path: Path) -> str:
    text = path.name.encode(errors="replace").decode().replace("`", "'")
    return f"`{text if len(text) <= 80 else text[:79] + chr(0x2026)}`"


def is_no_folder(path: Path) -> bool:
    """Return whether a file is where a folder should be. A link is neither."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not (stat.S_ISDIR(mode) or stat.S_ISLNK(mode))

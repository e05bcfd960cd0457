"""Report notebooks that an instructor copied to places that are not searched for submissions.

The place of a submission is ``submitted/STUDENT/ASSIGNMENT/``. A notebook next to that folder, in
one with other capitals, or deeper in a folder with another name is not graded, so the summary names
it.
"""

import filecmp
import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from plaincourse.grading.files import is_left_behind, is_notebook, list_files, plain_name
from plaincourse.grading.in_place import ARCHIVES
from plaincourse.grading.text import few

#: The number of files that are named.
MOST = 20
_ARCHIVE = re.compile(rf"({'|'.join(map(re.escape, ARCHIVES))})+$", re.IGNORECASE)


def misplaced(
    root: Path, assignment: str, *, notebooks: Collection[str], others: Collection[str]
) -> list[str]:
    """Return the notebooks and archives below a folder that may be meant for an assignment.

    Args:
        root: the folder with a folder for each student.
        assignment: its name.
        notebooks: the names of its notebooks.
        others: the names of the other assignments, whose folders are not searched.

    Returns:
        Their paths relative to the root, with ``/``.
    """
    wanted = {plain_name(name) for name in (assignment, *notebooks)}
    found = []
    for student in _entries(root):
        if not student.is_dir(follow_symlinks=False):
            known = any(_called(student.name, other) for other in others)
            if _is_work(student.name) and not known:
                found.append(student.name)
            continue
        entries = list(_entries(Path(student.path)))
        missing = assignment not in {each.name for each in entries}
        for entry in entries:
            if entry.name == assignment or entry.name in others:
                continue
            meant = plain_name(entry.name) in wanted
            for name in _files(entry):
                known = any(_called(name, other) for other in others)
                fits = meant or _fits(name, wanted) or (missing and not known)
                if _is_work(name) and fits and not _kept(Path(student.path), assignment, name):
                    found.append(f"{student.name}/{name}")
    return sorted(found)


def not_looked_at(paths: Sequence[str], assignment: str) -> list[str]:
    """Return a list with a sentence on the files that `misplaced` found; else empty."""
    if not paths:
        return []
    what = "1 file was" if len(paths) == 1 else f"{len(paths)} files were"
    where = f"{paths[0].split('/')[0]}/STUDENT/{assignment}/"
    return [
        f"{what} not looked at: {few(paths, MOST)}. Submissions lie in {where}; move there what is "
        "meant, and grade again."
    ]


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a folder, without the leftovers of tools."""
    try:
        entries = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError:
        return
    for entry in entries:
        if not is_left_behind(entry, is_dir=entry.is_dir(follow_symlinks=False)):
            yield entry


def _files(entry: os.DirEntry[str]) -> list[str]:
    """List the files at or below an entry, by their paths relative to the folder above it."""
    if not entry.is_dir(follow_symlinks=False):
        return [entry.name]
    try:
        return [f"{entry.name}/{name}" for name in list_files(Path(entry.path)).files]
    except OSError:
        return []


def _kept(folder: Path, assignment: str, name: str) -> bool:
    """Return whether the same file, byte for byte, is also in the right place."""
    there = folder / assignment / name.rpartition("/")[2]
    try:
        return filecmp.cmp(folder / name, there, shallow=False) and not there.is_symlink()
    except OSError:
        return False


def _fits(name: str, wanted: Collection[str]) -> bool:
    """Return whether the name of a file, or of a folder on its path, matches some notebook."""
    return _is_work(name) and any(_called(name, each) for each in wanted)


def _is_work(name: str) -> bool:
    return is_notebook(name) or name.lower().endswith(ARCHIVES)


def _called(name: str, wanted: str) -> bool:
    parts = [plain_name(_ARCHIVE.sub("", part)) for part in name.split("/")]
    return plain_name(wanted) in parts or plain_name(wanted) in parts[-1]

"""Every release of an assignment that was handed out, so that old submissions are graded by it.

A course corrects a test, adds a cell or renames one after students have fetched the notebook. Each
``nbgrader generate_assignment`` leaves a copy of the instructor's notebooks and of the release in
``handed_out/ASSIGNMENT/DIGEST/``. Grading compares a submission with all of them, and uses the one
from which it was made.
"""

import contextlib
import datetime
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, reads
from nbgrader.coursedir import CourseDirectory

from plaincourse.grading.assignment import (
    Original,
    Snapshot,
    Source,
    files_beside,
    from_notebooks,
)
from plaincourse.grading.files import (
    find_notebooks,
    list_files,
    read_file,
    read_notebook,
    write_file,
)
from plaincourse.grading.group import group_of
from plaincourse.grading.notebook import parse
from plaincourse.grading.text import bare, is_known

FOLDER = "handed_out"
_MADE, _SOLUTIONS, _RELEASE = "made.txt", "solutions", "exercises"


def store(place: CourseDirectory) -> None:
    """Keep the release that was just generated, and the instructor's notebooks that it came from.

    Args:
        place: nbgrader's course directory, with its ``assignment_id``.
    """
    content = {}
    steps = {_SOLUTIONS: place.source_directory, _RELEASE: place.release_directory}
    for kind, step in steps.items():
        folder = _folder(place, step)
        for name, path in list_files(folder, ignore=place.ignore, whole=True).files.items():
            content[f"{kind}/{name}"] = read_file(path)
    whole = hashlib.sha256()
    for name, text in sorted(content.items()):
        whole.update(f"\0{name}\0{len(text)}\0".encode() + text)
    final = _home(place) / whole.hexdigest()[:16]
    if not final.is_dir():
        new = final.with_name(f".{final.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        for name, text in content.items():
            write_file(new, name, text)
        new.rename(final)
    made = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
    (final / _MADE).write_text(made, encoding="utf-8")
    group_of(place).share_below(final)


def with_earlier(snapshot: Snapshot, place: CourseDirectory, keep: list[str]) -> Snapshot:
    """Return an assignment with the versions of it that were handed out before, latest first.

    Args:
        snapshot: the present version.
        place: nbgrader's course directory, with its ``assignment_id``.
        keep: names of files that students may submit in place of the instructor's.
    """
    found: list[Snapshot] = []
    seen = [_essence(snapshot)]
    for made, folder in sorted(_kept(_home(place)), reverse=True):
        earlier = _read(folder, snapshot, made, [*place.ignore], keep)
        if earlier.notebooks.keys() == snapshot.notebooks.keys() and _essence(earlier) not in seen:
            seen.append(_essence(earlier))
            found.append(earlier)
    return replace(snapshot, earlier=tuple(found))


def latest_cells(place: CourseDirectory) -> dict[str, set[str]] | None:
    """Return the names of the cells of each notebook of the latest release; None if none is kept.

    Args:
        place: nbgrader's course directory, with its ``assignment_id``.
    """
    kept = sorted(_kept(_home(place)))
    if not kept:
        return None
    folder = kept[-1][1] / _RELEASE
    return {path.stem: set(_named(_cells(path))) for path in folder.glob("*.ipynb")}


def version_of(folder: Path, snapshot: Snapshot) -> Snapshot:
    """Return the version of an assignment from which a submission was made; the latest if unclear.

    Args:
        folder: the submission.
        snapshot: the present version, with the earlier ones.
    """
    if not snapshot.earlier:
        return snapshot
    handed = {}
    for name, found in find_notebooks(folder, list(snapshot.notebooks)).items():
        with contextlib.suppress(Exception):  # an unreadable one is no evidence of its version
            reading = parse(read_notebook(found.path)) if found.path else None
            if reading and reading.notebook:
                handed[name] = reading.notebook.cells
    versions = (snapshot, *snapshot.earlier)
    return max(versions, key=lambda each: _fit(each, handed))  # the first of equals


def _fit(version: Snapshot, handed: Mapping[str, list[NotebookNode]]) -> tuple[int, int]:
    """Return how well notebooks fit a version: in the cells that nbgrader knows, in the others."""
    known = others = 0
    for name, cells in handed.items():
        source = version.notebooks[name].source
        here, texts = _named(cells), {bare("".join(cell["source"])) for cell in cells}
        for cell in source.cells:
            got = here.get(cell.name)
            if got is None:
                known += 1 if cell.locked and bare(cell.visible) in texts else -1
                continue
            meta = got["metadata"]["nbgrader"]
            known += 1 + 2 * (meta.get("checksum") == cell.released_checksum)
            known += cell.locked and bare("".join(got["source"])) in cell.known
        known -= len(here.keys() - source.by_name.keys())
        order = [cell.name for cell in source.cells if cell.name in here]
        others += order == [each for each in here if each in source.by_name]
        others += len(source.given_texts & texts)
    return known, others


def _named(cells: Iterable[Any]) -> dict[str, Any]:
    """Return the cells that nbgrader knows by their grade ids."""
    found: dict[str, Any] = {}
    for cell in cells:
        meta = cell["metadata"].get("nbgrader", {})
        name = meta.get("grade_id") if isinstance(meta, dict) else None
        if isinstance(name, str) and is_known(cell):
            found.setdefault(name, cell)
    return found


def _read(
    folder: Path, present: Snapshot, made: str, ignore: list[str], keep: list[str]
) -> Snapshot:
    notebooks = {}
    for path in sorted((folder / _SOLUTIONS).glob("*.ipynb")):
        release = folder / _RELEASE / path.name
        if release.is_file():
            text = path.read_text(encoding="utf-8")
            solution, given = reads(text, as_version=4), reads(release.read_text("utf-8"), 4)
            source = from_notebooks(path.stem, solution=solution, release=given)
            notebooks[path.stem] = Original(source=source, path=path.resolve(), text=text)
    files = files_beside(folder / _SOLUTIONS, ignore, keep)
    return replace(present, notebooks=notebooks, files=files, made=made, earlier=())


def _essence(version: Snapshot) -> Any:
    """Return the parts of a version that matter for a student or for grading, for comparison."""

    def of(source: Source) -> Any:
        cells = [
            (each.name, each.cell_type, bare(each.source), each.points, each.grade, each.solution)
            for each in source.cells
        ]
        return cells, sorted(source.given_texts)

    return {name: of(each.source) for name, each in version.notebooks.items()}


def _kept(home: Path) -> Iterator[tuple[str, Path]]:
    for folder in home.iterdir() if home.is_dir() else ():
        with contextlib.suppress(OSError):  # it is being written
            if not folder.name.startswith("."):
                yield (folder / _MADE).read_text(encoding="utf-8"), folder


def _cells(path: Path) -> list[Any]:
    cells: list[Any] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def _home(place: CourseDirectory) -> Path:
    return Path(place.root, FOLDER, place.assignment_id)


def _folder(place: CourseDirectory, step: str) -> Path:
    return Path(os.path.normpath(place.format_path(step, ".", place.assignment_id)))

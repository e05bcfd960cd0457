"""Read the records that autograding leaves beside each graded submission."""

import glob
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plaincourse.classroom.model import Flag, Key, Mark, Student, Work

_STATUS = ("graded", "flagged", "failed")


class RecordError(ValueError):
    """A record that cannot be used; the message says why."""


def read_all(course: Path, assignment: str) -> tuple[dict[str, Work], list[str]]:
    """Read the records of an assignment.

    Args:
        course: the course folder, which holds ``autograded/``.
        assignment: the assignment's name.

    Returns:
        the submissions by student, and a sentence for each record that could not be read.
    """
    works: dict[str, Work] = {}
    notes = []
    for path in _paths(course, assignment):
        where = path.relative_to(course).as_posix()
        try:
            works[path.parent.parent.name] = read(path)
        except (RecordError, OSError) as error:
            notes.append(f"{where} could not be read ({error}). Grade this submission again.")
    return works, notes


def read(path: Path) -> Work:
    """Read one record, whose folders say whose it is: ``<student>/<assignment>/record.json``.

    Raises:
        RecordError: it is not JSON, or not a record.
        OSError: the file cannot be read.
    """
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordError(f"not valid JSON: {error}") from None
    if not isinstance(row, dict) or row.get("status") not in _STATUS:
        raise RecordError(f"expected an object whose status is one of {', '.join(_STATUS)}")
    return Work(
        student=Student(id=path.parent.parent.name),
        status=row["status"],
        why=_text(row.get("why")),
        marks=dict(_marks(row.get("notebooks"))),
        flags=tuple(
            Flag(cell=_text(f.get("cell")), kind=_text(f.get("kind")), why=_text(f.get("why")))
            for f in _rows(row.get("flags"))
        ),
        mended=tuple(_text(said) for said in _list(row.get("mended"))),
        seconds=_number(row.get("seconds")),
        memory=_number(row.get("memory_mb")) or None,
        together=row.get("split") is False and row["status"] != "failed",
        sandbox=_text(row.get("sandbox")),
    )


def _paths(course: Path, assignment: str) -> list[Path]:
    return sorted((course / "autograded").glob(f"*/{glob.escape(assignment)}/record.json"))


def _marks(notebooks: Any) -> Iterator[tuple[Key, Mark]]:
    if not isinstance(notebooks, dict):
        return
    for notebook, content in notebooks.items():
        cells = content.get("cells") if isinstance(content, dict) else None
        for name, cell in cells.items() if isinstance(cells, dict) else ():
            if isinstance(cell, dict):
                yield (notebook, name), _mark(cell)


def _mark(cell: dict[str, Any]) -> Mark:
    matched = cell.get("matched")
    return Mark(
        score=_number(cell.get("score")),
        points=_number(cell.get("max")) or 0.0,
        seconds=_number(cell.get("seconds")) or None,  # 0 stands where nothing was run
        matched=matched if isinstance(matched, str) and matched else None,
        rungs=tuple(_rungs(cell.get("rungs"))),
        facts=dict(_facts(cell.get("facts"))),
    )


def _facts(found: Any) -> Iterator[tuple[str, float]]:
    for name, value in found.items() if isinstance(found, dict) else ():
        if (number := _number(value)) is not None:
            yield name, number


def _rungs(rows: Any) -> Iterator[tuple[str, float, float]]:
    for row in _list(rows):
        if isinstance(row, list) and len(row) == 3:
            name, earned, points = _text(row[0]), _number(row[1]), _number(row[2])
            if earned is not None and points is not None:
                yield name, earned, points


def _number(value: Any) -> float | None:
    """Return a finite number as such, and anything else as ``None``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in _list(value) if isinstance(row, dict)]

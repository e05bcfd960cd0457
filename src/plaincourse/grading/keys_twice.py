"""Read JSON with duplicate keys in an object, as left by a merge of two versions of a file.

Python, like Jupyter, keeps the last value and silently drops the others. Here, lists of cells are
joined, and a cell with several texts keeps each of them. For any other key that matters, the last
value counts, as in an editor, and a note reports it.
"""

import json
from collections.abc import Callable
from typing import Any

from plaincourse.grading.text import bare

#: Keys for several lists of cells, and for several texts of a cell. No key of JSON equals them.
LISTS, TEXTS = 0, 1
_TEXT = ("source", "input")
#: Keys of a notebook that matter besides its cells and their texts.
_MATTERS = frozenset("metadata nbgrader cell_type grade_id attachments worksheets".split())
_JOINED = (
    "The file has {many} lists of cells. They were read one after the other, as one notebook; "
    "cells that are the same in them were read once."
)
_LAST = (
    "In the file, `{key}` stands twice in one place, with different values. The last one was "
    "read, as Jupyter does."
)
_SPLIT = (
    "In the file, {many} more than one text. Each text was read as a cell of its own, and the "
    "cells are numbered so."
)


def hook(notes: list[str]) -> Callable[[list[tuple[str, Any]]], dict[Any, Any]]:
    """Return a function with which `json.loads` makes an object.

    Args:
        notes: sentences are added to it, each once.
    """

    def made(pairs: list[tuple[str, Any]]) -> dict[Any, Any]:
        found: dict[Any, Any] = dict(pairs)
        if len(found) < len(pairs):
            values: dict[str, list[Any]] = {}
            for key, value in pairs:
                values.setdefault(key, []).append(value)
            for key, several in values.items():
                if len(several) > 1:
                    _settle(found, key, several, notes)
        return found

    return made


def all_cells(data: dict[Any, Any], notes: list[str]) -> Any:
    """Return the cells of all lists of a notebook, one for each text of a cell.

    Args:
        data: a result of `json.loads` with `hook`.
        notes: sentences are added to it.

    Returns:
        The value of the key ``cells`` as it is, if it is not a list.
    """
    cells = data.get("cells")
    if lists := data.get(LISTS):
        cells = list({_as_text(cell): cell for each in lists for cell in each}.values())
        notes.append(_JOINED.format(many=len(lists)))
    return several_texts(cells, notes) if isinstance(cells, list) else cells


def several_texts(cells: list[Any], notes: list[str]) -> list[Any]:
    """Return cells with one text each: a cell with several becomes one cell for each text."""
    split = sum(isinstance(cell, dict) and TEXTS in cell for cell in cells)
    if not split:
        return cells
    notes.append(_SPLIT.format(many="a cell has" if split == 1 else f"{split} cells have"))
    found: list[Any] = []
    for cell in cells:
        texts = cell.pop(TEXTS) if isinstance(cell, dict) and TEXTS in cell else None
        found += [cell] if texts is None else [{**cell, "source": text} for text in texts]
    return found


def _settle(found: dict[Any, Any], key: str, values: list[Any], notes: list[str]) -> None:
    """Choose the value of a key that an object has several times.

    The time is proportional to the number of values, however deep they are nested.
    """
    if key == "cells":
        lists = [each for each in values if isinstance(each, list) and each]
        found[key] = lists[-1] if lists else values[-1]
        if len(lists) > 1:
            found[LISTS] = lists
    elif key in _TEXT:
        texts = list({bare(each): each for each in map(_text, values) if each.strip()}.values())
        found[key] = texts[-1] if texts else ""
        if len(texts) > 1:
            found[TEXTS] = texts
    elif key in _MATTERS and any(each != values[-1] for each in values):
        if all(isinstance(each, dict) for each in values):
            found[key] = {name: value for each in values for name, value in each.items()}
        if (note := _LAST.format(key=key)) not in notes:
            notes.append(note)


def _text(text: Any) -> str:
    lines = text if isinstance(text, list) else [text]
    return "".join(line for line in lines if isinstance(line, str))


def _as_text(cell: Any) -> str:
    try:
        return json.dumps(cell)
    except RecursionError:
        return f"nested too deeply: {id(cell)}"

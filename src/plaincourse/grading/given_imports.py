"""Run the given imports, even if the student changed or deleted their cell."""

import ast

from nbformat.v4 import new_code_cell

from plaincourse.grading.own_work import parsed
from plaincourse.grading.recognise import Item, Submitted
from plaincourse.grading.text import bare

_PUT_BACK = (
    "The cell of imports that was handed out had been changed or was missing. It was run as it was "
    "handed out, above yours."
)


def put_imports_back(work: Submitted) -> None:
    """Insert each missing cell of given imports, above the student's version of it.

    Changes in the student's own copy, such as an import that exists only on their machine, then
    cost none of the given names.
    """
    there = {bare(item.cell.source) for item in work.items}
    missing = [
        each for each in work.source.given if _imports_only(each) and bare(each) not in there
    ]
    given = work.source.given_texts
    place = next(
        (
            place
            for place, item in enumerate(work.items)
            if item.cell.cell_type == "code" and bare(item.cell.source) not in given
        ),
        len(work.items),
    )
    for number, text in enumerate(missing):
        cell = new_code_cell(text)
        cell["id"] = f"imports-{number}"
        work.items.insert(place + number, Item(cell=cell, source=None, meta={}))
    if missing:
        work.tell(_PUT_BACK)


def _imports_only(text: str) -> bool:
    tree = parsed(text)
    return bool(tree and tree.body) and all(
        isinstance(each, ast.Import | ast.ImportFrom) for each in (tree.body if tree else ())
    )

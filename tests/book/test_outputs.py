"""The outputs of the book's cells are narrow enough for a column of a page."""

import json

import pytest

from tests.book.committed import CHAPTERS

WIDEST = 78
# Cells with these first lines print the text of another file unchanged.
OTHERS_TEXT = {"12": "for here in range(stops[part], stops[part + 1], k_tile):"}


def printed(path):
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if not any(kind.startswith("image/") for kind in data):
                yield "".join(output.get("text", data.get("text/plain", [])))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda page: page.name[:2])
def test_no_line_that_a_cell_prints_is_too_long(chapter):
    kept = OTHERS_TEXT.get(chapter.name[:2])
    long = [
        line
        for text in printed(chapter.with_suffix(".ipynb"))
        if not (kept and text.startswith(kept))
        for line in text.splitlines()
        if len(line) > WIDEST
    ]
    assert long == [], f"over {WIDEST} characters: print it in two lines, or with textwrap.fill"

"""Each widget of the book has its still picture, for notebooks and for pages without scripts."""

import re

import pytest
from PIL import Image

from tests.book.committed import CHAPTERS, ROOT

FOLDER = ROOT / "book" / "_static" / "widgets"
WIDGETS = sorted(
    name
    for page in [*CHAPTERS, ROOT / "book/playground.md"]
    for name in re.findall(
        r"^`{3,}\{interactive\} (\S+)$", page.with_suffix(".md").read_text(), re.M
    )
)
LARGEST = 80_000  # bytes
NARROWEST = 1000  # pixels, for a column of 700 on a fine screen
COLOURS = 12  # a picture with fewer is blank


def test_there_are_widgets():
    assert len(WIDGETS) >= 9


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_has_its_still(name):
    path = FOLDER / f"{name}.png"
    assert path.is_file(), f"{path.relative_to(ROOT)} is missing: `make stills` takes it"
    assert path.stat().st_size <= LARGEST, (
        "too large for a notebook: fewer colours in tools/stills.mjs"
    )
    with Image.open(path) as picture:
        assert picture.width >= NARROWEST
        shades = picture.convert("RGB").getcolors(picture.width * picture.height)
        commonest = max(count for count, _ in shades) / (picture.width * picture.height)
    assert len(shades) >= COLOURS, "the picture is blank"
    assert commonest < 0.95, "the picture is almost blank"


def test_no_still_is_left_of_a_widget_that_is_gone():
    assert sorted(path.stem for path in FOLDER.glob("*.png")) == WIDGETS

"""Figures for light and dark pages: the colours of the dark twin, and the page's HTML."""

import re
import sys

import numpy as np
import pytest
from PIL import Image
from tests.site.conftest import ROOT

from plainformer.plotting import style


@pytest.fixture(scope="module")
def figures():
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    import figures

    yield figures
    sys.path.pop(0)
    sys.modules.pop("figures")


def luminance(rgb):
    share = np.asarray(rgb) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(scope="module")
def turned(figures):
    """Return the colour that a plot's colour has in the dark twin."""
    paper = figures.hexed(style.CARD)
    return lambda colour: figures.recoloured(np.array([colour], dtype=np.uint8), paper)[0]


def weight(w):
    return np.rint(np.array(style.WEIGHTS(float(w))[:3]) * 255)


def test_paper_becomes_the_plate_and_ink_the_light_ink(figures, turned):
    assert bytes(turned(figures.hexed(style.CARD))).hex() == figures.DARK_PLATE[1:]
    assert bytes(turned(figures.hexed(style.INK))).hex() == figures.DARK_INK[1:]
    assert figures.INK == style.INK
    assert contrast(turned(figures.hexed(style.INK)), figures.hexed(figures.DARK_PLATE)) >= 7


def test_the_plate_is_that_of_the_page_and_of_the_drawings(figures):
    from tools.drawings import symbols

    assert symbols.PLATE == (style.CARD, figures.DARK_PLATE)
    css = (ROOT / "book" / "_static" / "course.css").read_text()
    assert re.findall(r"--course-plate: (#\w+)", css) == [*symbols.PLATE]


@pytest.mark.parametrize("name", ["BLUE", "RUST", "GREEN", "PLUM", "FAINT"])
def test_a_line_is_seen_on_the_plate_and_keeps_its_hue(figures, turned, name):
    before = figures.hexed(getattr(style, name))
    after = turned(before)
    assert contrast(after, figures.hexed(figures.DARK_PLATE)) >= 4.4
    assert before.argmax() == after.argmax()


@pytest.mark.parametrize("w", np.linspace(0, 1, 101))
def test_a_number_in_a_cell_of_weights_is_read(turned, w):
    ink = [0, 0, 0] if style.ink_on(w) == "black" else [255, 255, 255]
    assert contrast(turned(weight(w)), turned(ink)) >= 4.5


def test_weights_run_from_dark_to_light(turned):
    steps = [luminance(turned(weight(w))) for w in np.linspace(0, 1, 21)]
    assert all(np.diff(steps) > 0)


def test_no_page_says_that_a_cell_is_dark_since_on_a_dark_page_it_is_bright():
    said = re.compile(r"\b(?:dark|pale)(?:er|est)?\s(?:cell|line|square|column|row)|how dark\b")
    pages = sorted((ROOT / "book").glob("*.md"))
    assert len(pages) > 17
    found = [f"{page.name}: {m[0]}" for page in pages for m in said.finditer(page.read_text())]
    assert found == []


def test_a_dark_picture_stays_as_it_is(figures):
    picture = np.full((40, 40, 3), 20, dtype=np.uint8)
    picture[15:20] = 250
    assert (figures.dark(picture) == picture).all()


@pytest.fixture(scope="module")
def page(project_of_module):
    return project_of_module.page("02-first")


@pytest.fixture(scope="module")
def project_of_module(tmp_path_factory):
    from tests.site.conftest import Project

    project = Project(tmp_path_factory.mktemp("figures"))
    project.change("conf.py", '"numbering"', '"numbering", "figures"')
    plot = np.empty((60, 120, 3), dtype=np.uint8)
    plot[:] = list(bytes.fromhex(style.CARD[1:]))
    plot[20:30, 20:90] = list(bytes.fromhex(style.INK[1:]))
    Image.fromarray(plot).save(project.folder / "plot.png")
    image = "```{image} plot.png\n:alt: A bar & its <name>.\n:width: 60px\n```\n\nSee {eq}`eq-two`."
    project.change("02-first.md", "See {eq}`eq-two`.", image)
    assert project.build() == ""
    return project


def test_a_page_holds_both_with_words_size_and_lazily(page):
    light, dark = re.findall(r"<img[^>]*>", page)
    assert 'class="only-light" src="_images/plot.webp"' in light
    assert 'class="only-dark" src="_images/plot-dark.webp"' in dark
    for each in (light, dark):
        assert 'alt="A bar &amp; its &lt;name&gt;."' in each
        assert 'width="60" height="30" style="--phone: 48px" loading="lazy"' in each


def test_nothing_is_lost_and_the_twin_has_the_same_shapes(figures, project_of_module):
    made = project_of_module.folder / "out" / "html" / "_images"
    assert sorted(path.name for path in made.iterdir()) == ["plot-dark.webp", "plot.webp"]
    source = figures.opened(project_of_module.folder / "plot.png")
    assert (figures.opened(made / "plot.webp") == source).all()
    twin = figures.opened(made / "plot-dark.webp")
    ink = (source == figures.hexed(style.INK)).all(axis=-1)
    assert (twin[ink] == figures.hexed(figures.DARK_INK)).all()
    assert (twin[~ink] == figures.hexed(figures.DARK_PLATE)).all()

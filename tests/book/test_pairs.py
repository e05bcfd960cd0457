"""Text, notebooks and exercises agree, and two chapters and their graded notebooks are there."""

import pytest

from plaincourse import settings
from plaincourse.notebooks import page as notebooks
from plaincourse.notebooks import pairs, release
from tests.book.committed import CHAPTERS, NAMES, PAGES, ROOT


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_notebook_is_what_its_text_says(page):
    assert pairs.sync_page(page, settings.load(ROOT), check=True) is False


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_notebook_is_written_as_sync_writes(page):
    path = page.with_suffix(".ipynb")
    assert path.read_text() == notebooks.dumps(notebooks.load(path))


def test_the_exercises_are_what_the_solutions_generate():
    assert release.sync_release(ROOT, check=True) == []


def test_every_chapter_has_a_graded_notebook_of_its_name():
    chapters = {page.stem for page in CHAPTERS if page.name[:2].isdigit()}
    assert {name[:2] for name in chapters} >= {"02", "03"}
    graded = {page.stem for page in PAGES if pairs.is_solution(page)}
    assert graded == chapters
    assert graded == {path.stem for path in (ROOT / "exercises").glob("*/*.ipynb")}
    assert all(page.parent.name == page.stem for page in PAGES if pairs.is_solution(page))

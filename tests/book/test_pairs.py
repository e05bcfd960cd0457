"""Text, notebooks and exercises agree, and two chapters and their graded notebooks exist."""

import re

import pytest

from plaincourse import settings
from plaincourse.exercise import bank
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


NUMBERS = ["no", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@pytest.mark.parametrize("page", CHAPTERS[:16], ids=lambda page: page.name[:2])
def test_a_chapter_says_how_many_tasks_its_graded_notebook_has(page):
    tasks = bank.chapter(page.name[:2])
    said = page.read_text().partition("## The graded notebook")[2].partition("```{gate}")[0]
    said = " ".join(said.split())
    first = re.search(r"(\w+) tasks", said)
    assert first
    assert first[1].lower() == NUMBERS[sum(not each.extra for each in tasks)]
    further = re.search(
        r"(\w+) further (tasks?|ones?) without points|(\w+) further tasks carry", said
    )
    count = (further[1] or further[3]).lower() if further else "no"
    assert count == NUMBERS[sum(each.extra for each in tasks)]

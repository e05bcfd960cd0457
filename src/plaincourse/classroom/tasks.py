"""Look up a graded cell's task, and the sections of the book that teach it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from plaincourse import settings
from plaincourse.cards import concepts
from plaincourse.classroom.model import Key
from plaincourse.exercise import Essay, Misconception, Task, bank

_TITLE = re.compile(r"^\((sec-[\w-]+)\)=\n#+ (.+)$", re.M)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the book.

    Attributes:
        text: the concept that it teaches.
        place: chapter and title, for readers who look it up by hand.
        url: its address on the course's site; empty while the site has no address.
    """

    text: str
    place: str
    url: str = ""


@cache
def task(key: Key) -> Task | None:
    """Return the bank's task for a graded cell, found by its notebook's chapter and its name."""
    chapter = re.match(r"\d\d", key[0])
    try:
        return bank.load(f"{chapter.group()}.{key[1]}") if chapter else None
    except LookupError:
        return None


def title(key: Key) -> str:
    """Return the title of a graded cell's task, or the grade id if it has no task."""
    known = task(key)
    return known.title if known else key[1]


def place(key: Key) -> int:
    """Return the position of a graded cell in its chapter; cells without a task come last."""
    if (known := task(key)) is None:
        return 10**6
    ids = [each.id for each in bank.chapter(known.id.partition(".")[0])]
    return ids.index(known.id)


def misconception(key: Key, name: str) -> Misconception | None:
    """Return a misconception of a graded cell's task, if the bank has it."""
    known = task(key)
    if known is None or isinstance(known, Essay):
        return None
    return next((each for each in known.misconceptions if each.name == name), None)


class Book:
    """The sections of the book, by the tasks that practise them.

    Args:
        home: root of the course's repository, or ``None`` without one.
    """

    def __init__(self, home: Path | None) -> None:
        self._concepts: dict[str, concepts.Concept] = {}
        self._pages: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._site = ""
        if home and (home / "book" / "concepts.yml").is_file():
            self._concepts = concepts.load(home / "book" / "concepts.yml")
            parts = yaml.safe_load((home / "book" / "chapters.yml").read_text(encoding="utf-8"))
            self._pages = {
                chapter["id"]: f"{chapter['id']}-{chapter['slug']}"
                for part in parts
                for chapter in part["chapters"]
            }
            self._site = settings.load(home).site_url
            for page in self._pages.values():
                if (text := home / "book" / f"{page}.md").is_file():
                    self._titles.update(_TITLE.findall(text.read_text(encoding="utf-8")))

    def sections(self, key: Key) -> list[Section]:
        """List the sections that teach the concepts of a graded cell."""
        known = task(key)
        return list(self._sections(known.concepts)) if known else []

    def _sections(self, ids: Iterable[str]) -> Iterable[Section]:
        for concept in (self._concepts[id] for id in ids if id in self._concepts):
            page = self._pages.get(concept.chapter, "")
            if concept.section and page:
                title = re.sub(r"\$([^$]+)\$", r"`\1`", self._titles.get(concept.section, ""))
                yield Section(
                    text=concept.name,
                    place=f"chapter {concept.chapter}" + (f", “{title}”" if title else ""),
                    url=self._site and f"{self._site}book/{page}.html#{concept.section}",
                )

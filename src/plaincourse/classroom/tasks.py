"""What the course says of a graded cell: its task, and where the book teaches it."""

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
        place: chapter and title, for those who look it up by hand.
        url: its address on the course's site; empty while the site has none.
    """

    text: str
    place: str
    url: str = ""


@cache
def task(key: Key) -> Task | None:
    """Return the bank's task for a graded cell: that of its notebook's chapter and its name."""
    chapter = re.match(r"\d\d", key[0])
    try:
        return bank.load(f"{chapter.group()}.{key[1]}") if chapter else None
    except LookupError:
        return None


def title(key: Key) -> str:
    """Return what a graded cell is called: its task's title, or else its grade id."""
    known = task(key)
    return known.title if known else key[1]


def place(key: Key) -> int:
    """Return where a graded cell stands in its chapter; cells that the bank lacks come last."""
    if (known := task(key)) is None:
        return 10**6
    ids = [each.id for each in bank.chapter(known.id.partition(".")[0])]
    return ids.index(known.id)


def misconception(key: Key, name: str) -> Misconception | None:
    """Return a misconception of a graded cell's task, where the bank holds it."""
    known = task(key)
    if known is None or isinstance(known, Essay):
        return None
    return next((each for each in known.misconceptions if each.name == name), None)


class Book:
    """Where the book teaches what.

    Args:
        home: root of the course's repository; ``None`` where there is none.
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
        """List the sections that teach what a graded cell practises."""
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

"""The question cards of the course, ``book/cards/NN.yml``, as data: read and checked."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from plaincourse.cards.concepts import LOADER

LEVELS = ("easy", "medium", "hard")
SOURCES = ("T", "A", "N", "S", "Q", "+")
_NEEDED = ("id", "front", "back", "concepts", "level", "source")
_KNOWN = {*_NEEDED, "proof"}
_YES_OR_NO = re.compile(r"(is|are|was|does|do|did|can|could|may|must|should|will|has|have)\b", re.I)


class CardError(ValueError):
    """Cards that cannot be used; the message names the file and the card."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """One question with one answer.

    Attributes:
        id: chapter and number, ``"02-c01"``; never changed, because readers' progress depends on
            it.
        front: the question, one paragraph of Markdown with ``$math$``.
        back: the answer, Markdown with ``$math$``.
        concepts: ids from ``book/concepts.yml`` that it practises.
        level: easy, medium or hard.
        source: the source documents that require it; ``+`` if the course adds it.
        proof: Python that is true if the answer is right; empty if the card has nothing to run.
    """

    id: str
    front: str
    back: str
    concepts: tuple[str, ...]
    level: str
    source: tuple[str, ...]
    proof: str = ""

    @property
    def chapter(self) -> str:
        """The chapter's number, two digits."""
        return self.id[:2]


def load(path: Path | str) -> list[Card]:
    """Read the cards of one chapter, in the order of the file.

    Raises:
        CardError: the file is missing or not a list, a field is missing, unknown or of the wrong
            kind, an id is used twice, or a front can be answered with yes or no.
    """
    path = Path(path)
    if not path.is_file():
        raise CardError(f"{path.name}: there are no cards for this chapter; expected {path}.")
    try:
        rows = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    except yaml.YAMLError as error:
        raise CardError(f"{path.name}: not readable as YAML: {error}") from None
    if not isinstance(rows, list) or not rows:
        raise CardError(f"{path.name}: expected a list of cards, got {type(rows).__name__}.")
    cards = [_card(row, f"{path.name}, card {n}", path.stem) for n, row in enumerate(rows, 1)]
    ids = [card.id for card in cards]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise CardError(f"{path.name}: {', '.join(twice)} is used twice. Ids are unique.")
    return cards


def load_all(folder: Path | str = Path("book/cards")) -> dict[str, list[Card]]:
    """Read the cards of all chapters that have some, by chapter."""
    return {path.stem: load(path) for path in sorted(Path(folder).glob("[0-9][0-9].yml"))}


def uncovered(cards: Iterable[Card], concepts: Iterable[str]) -> list[str]:
    """List the concepts that no card practises."""
    practised = {name for card in cards for name in card.concepts}
    return [name for name in concepts if name not in practised]


def _card(row: Any, where: str, chapter: str) -> Card:
    if not isinstance(row, dict):
        raise CardError(f"{where}: expected fields such as id and front, got {row!r}.")
    name = row.get("id", where)
    where = f"{chapter}.yml, {name}"
    if missing := [field for field in _NEEDED if field not in row]:
        raise CardError(f"{where}: {', '.join(missing)} missing.")
    if unknown := sorted(set(row) - _KNOWN):
        raise CardError(f"{where}: unknown field {', '.join(unknown)}; known: {sorted(_KNOWN)}.")
    if not isinstance(name, str) or not re.fullmatch(rf"{chapter}-c\d\d", name):
        raise CardError(f"{where}: the id must look like {chapter}-c01, got {name!r}.")
    texts = {field: _text(row.get(field, ""), where, field) for field in ("front", "back", "proof")}
    lists = {field: _texts(row[field], where, field) for field in ("concepts", "source")}
    if row["level"] not in LEVELS:
        raise CardError(f"{where}: level is {row['level']!r}, expected one of {LEVELS}.")
    if wrong := sorted(set(lists["source"]) - set(SOURCES)):
        raise CardError(f"{where}: unknown source {wrong}, known are {SOURCES}.")
    if not texts["front"] or not texts["back"] or "\n\n" in texts["front"]:
        raise CardError(f"{where}: the front is one paragraph, and front and back are not empty.")
    if _YES_OR_NO.match(texts["front"]):
        raise CardError(f"{where}: the front can be answered with yes or no; ask for a fact.")
    return Card(**(row | texts | lists))


def _text(value: Any, where: str, field: str) -> str:
    if not isinstance(value, str):
        raise CardError(f"{where}: {field} is {value!r}, expected text; put it in quotes.")
    return value.strip()


def _texts(value: Any, where: str, field: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(x, str) for x in value):
        raise CardError(f"{where}: {field} is {value!r}, expected a list such as [Q].")
    return tuple(value)

"""Count the content of a chapter and estimate the minutes that a reader needs for it.

The *core path* is a chapter without its sections called *Deeper* and without the sections after the
takeaways: practice, cards, graded notebook and references.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

AFTER = ("Key takeaways", "Practice", "Cards", "The graded notebook", "References")
"""The sections outside the core path, besides those called *Deeper*."""
EXERCISE = {"Easy": 4, "Medium": 6, "Hard": 10}
"""The minutes for an exercise of the practice, by its level."""
CARDS_PER_MINUTE = 1.5
"""The number of question cards answered per minute."""
_WORD = re.compile(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ'’-]*|\d[\d.,]*")
_FENCE = re.compile(r"([`~:]{3,})\{([\w-]+)\}(.*)$")
_HEADING = re.compile(r"(#{1,4}) (.*)$")
_LEVEL = re.compile(rf"^\*({'|'.join(EXERCISE)})\.\*", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A piece of a page: a line of text, a heading, a formula or a directive.

    Attributes:
        section: Heading of level 2 that it is under, or that it is.
        subsection: The same for level 3; empty before the first one of a section.
        kind: ``text``, ``heading``, ``math``, or the name of the directive.
        argument: Text of a heading, or the text after the name of a directive.
        lines: Lines of text, of a formula, or in a directive.
    """

    section: str
    subsection: str
    kind: str
    argument: str
    lines: Sequence[str]

    @property
    def deeper(self) -> bool:
        """Whether it belongs to a section called *Deeper*."""
        return self.section.startswith("Deeper") or self.subsection.startswith("Deeper")

    @property
    def core(self) -> bool:
        """Whether it belongs to the core path."""
        return self.section not in AFTER and not self.deeper


@dataclass(frozen=True)
class Count:
    """Counts of the content of some blocks.

    Attributes:
        words: Words of the prose: text, headings, predictions, captions, tables.
        cells: Visible code cells, without set-up and hidden ones.
        lines: Non-empty lines of code in these cells.
        drawings: Figures from ``_static/drawings``.
        figures: Drawings, other figures, and cells whose code is folded.
        formulas: Displayed formulas.
        predictions: Questions to the reader: predictions and self-tests.
        pictures: Interactive pictures.
    """

    words: int = 0
    cells: int = 0
    lines: int = 0
    drawings: int = 0
    figures: int = 0
    formulas: int = 0
    predictions: int = 0
    pictures: int = 0

    @property
    def minutes(self) -> int:
        """Minutes to read, run and answer all of it."""
        reading = self.words / 130 + self.lines / 12 + 0.75 * (self.figures + self.formulas)
        return round(1.1 * (reading + self.predictions + 8 * self.pictures))


def core(page: str) -> Count:
    """Count the core path of a chapter.

    Args:
        page: Text of the chapter, in MyST Markdown.
    """
    return _count(page, lambda block: block.core)


def deeper(page: str) -> Count:
    """Count the sections of a chapter that are called *Deeper*.

    Args:
        page: Text of the chapter, in MyST Markdown.
    """
    return _count(page, lambda block: block.deeper)


def practice(page: str) -> int:
    """Return the minutes for the exercises of a chapter's practice.

    Args:
        page: Text of the chapter, in MyST Markdown.
    """
    return sum(EXERCISE[level] for level in _LEVEL.findall(page))


def said(page: str, *, cards: int, graded: int) -> str:
    """Return a sentence on the minutes of a chapter, in Markdown.

    Args:
        page: Text of the chapter, in MyST Markdown.
        cards: Number of its question cards.
        graded: Minutes of its graded notebook.
    """
    minutes = {
        "core path": core(page).minutes,
        "*Deeper* sections": deeper(page).minutes,
        "practice": practice(page),
        "question cards": round(cards / CARDS_PER_MINUTE),
        "graded notebook": graded,
    }
    parts = ", ".join(f"{name} {number}" for name, number in minutes.items() if number)
    return f"Minutes that each part takes: {parts}."


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page in their order, without its header and its labels.

    Args:
        page: Text in MyST Markdown.
    """
    lines = page.split("\n")
    at = lines[1:].index("---") + 2 if lines[0] == "---" else 0
    section, subsection = "", ""
    while at < len(lines):
        line, start = lines[at], at
        at += 1
        if fence := _FENCE.match(line):
            end = _first(lines, at, lambda each: each.rstrip() == fence[1])
            yield Block(section, subsection, fence[2], fence[3].strip(), lines[at:end])
            at = end + 1
        elif line.startswith("$$"):
            if len(line.strip()) == 2 or not line.rstrip().endswith("$$"):
                at = _first(lines, at, lambda each: each.startswith("$$")) + 1
            yield Block(section, subsection, "math", "", lines[start:at])
        elif heading := _HEADING.match(line):
            if len(heading[1]) == 2:
                section, subsection = heading[2], ""
            elif len(heading[1]) == 3:
                subsection = heading[2]
            yield Block(section, subsection, "heading", heading[2], ())
        elif not re.match(r"\([\w-]+\)=$", line):
            yield Block(section, subsection, "text", "", (line,))


def _first(lines: list[str], start: int, wanted: Callable[[str], bool]) -> int:
    """Return the index of the first line that is wanted, or the number of lines."""
    return next((i for i in range(start, len(lines)) if wanted(lines[i])), len(lines))


def _count(page: str, wanted: Callable[[Block], bool]) -> Count:
    """Add up the counts of the blocks that are wanted."""
    totals: dict[str, int] = {}
    for block in filter(wanted, blocks(page)):
        for name, number in _parts(block).items():
            totals[name] = totals.get(name, 0) + number
    return Count(**totals)


def _parts(block: Block) -> dict[str, int]:
    """Return the contribution of one block to a count."""
    options, body = _split(block.lines)
    words = _words(" ".join(body))
    if block.kind == "heading":
        return {"words": _words(block.argument)}
    if block.kind in ("math", "equation"):
        return {"formulas": 1}
    if block.kind == "code-cell":
        if any(tag in options for tag in ("remove-cell", "hide-cell", "setup")):
            return {}
        if "hide-input" in options:
            return {"figures": 1}
        return {"cells": 1, "lines": sum(bool(line.strip()) for line in body)}
    if block.kind == "figure":
        return {"figures": 1, "drawings": int("drawings/" in block.argument), "words": words}
    if block.kind == "interactive":
        return {"pictures": 1, "words": words}
    return {"predictions": int(block.kind == "admonition"), "words": words}


def _split(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Split the lines of a directive into its options and its body."""
    if lines and lines[0].strip() == "---":
        end = list(lines[1:]).index("---") + 1
        return " ".join(lines[1:end]), lines[end + 1 :]
    end = next((i for i, line in enumerate(lines) if not line.startswith(":")), len(lines))
    return " ".join(lines[:end]), lines[end:]


def _words(text: str) -> int:
    """Count words; a formula, a piece of code and a reference are one word each."""
    text = re.sub(r"\{(?:cite|numref|ref|eq|py:\w+|download):?\w*\}`[^`]*`", " reference ", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"\$[^$]*\$", " formula ", text)
    return len(_WORD.findall(re.sub(r"`[^`]*`", " code ", text)))

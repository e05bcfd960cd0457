"""Question cards as an Anki deck; a later import keeps the progress that Anki has stored."""

import time
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import genanki
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from plaincourse.cards.cards import Card
from plaincourse.exercise.course import subject

# Drawn once and fixed, because Anki identifies a deck and a note type by these numbers.
_MODEL, _DECKS = 1_607_311_402, 1_760_025_000
# Anki also identifies cards by this name, so a fork under another name keeps the same cards.
_COURSE = next(iter(subject()), "course")
_STYLE = """
.card { font: 20px system-ui, sans-serif; text-align: center; }
.back { text-align: left; max-width: 34em; margin: auto; }
code { font-size: 0.9em; }
"""


def write(decks: Mapping[str, Sequence[Card]], path: Path, *, when: float) -> None:
    """Write cards to an ``.apkg`` file, one deck for each chapter.

    The same cards and the same ``when`` give the same bytes.

    Args:
        decks: cards by chapter.
        path: the file, which is replaced if it exists.
        when: the time of the notes, in seconds since 1970. Anki updates a card that it already has
            only if this time is later than its own.

    Raises:
        OSError: the file cannot be written.
    """
    made = BytesIO()
    package = genanki.Package([_deck(chapter, cards) for chapter, cards in decks.items()])
    package.write_to_file(made, timestamp=when)
    stamp = time.gmtime(when)[:6]
    with ZipFile(made) as parts, ZipFile(path, "w") as dated:
        for name in parts.namelist():  # genanki dates one part by its temporary file, one by now
            dated.writestr(ZipInfo(name, stamp), parts.read(name), ZIP_DEFLATED)


def html(markdown: str) -> str:
    r"""Turn Markdown with ``$math$`` into HTML with Anki's ``\(math\)``.

    >>> html("$a<b$ and `x`")
    '<p>\\(a&lt;b\\) and <code>x</code></p>'
    """
    rendered: str = _MARKDOWN.render(markdown)
    return rendered.strip()


def _math(self: object, tokens: Sequence[Token], index: int, *_: object) -> str:
    inline = tokens[index].type == "math_inline"
    opened, closed = (r"\(", r"\)") if inline else (r"\[", r"\]")
    return f"{opened}{escape(tokens[index].content.strip(), quote=False)}{closed}"


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark").use(dollarmath_plugin, double_inline=True)
    for kind in ("math_inline", "math_inline_double", "math_block"):
        reader.add_render_rule(kind, _math)
    return reader


_MARKDOWN = _reader()


def _deck(chapter: str, cards: Sequence[Card]) -> genanki.Deck:
    deck = genanki.Deck(_DECKS + int(chapter), f"{_COURSE}::{chapter}")
    for card in cards:
        note = genanki.Note(
            model=_model(),
            fields=[card.id, html(card.front), f'<div class="back">{html(card.back)}</div>'],
            tags=[f"chapter::{chapter}", f"level::{card.level}"]
            + [f"concept::{name}" for name in card.concepts],
            guid=genanki.guid_for(_COURSE, card.id),
        )
        deck.add_note(note)
    return deck


def _model() -> genanki.Model:
    return genanki.Model(
        _MODEL,
        f"{_COURSE} card",
        fields=[{"name": "Id"}, {"name": "Front"}, {"name": "Back"}],
        templates=[
            {
                "name": "Card",
                "qfmt": "{{Front}}",
                "afmt": '{{FrontSide}}<hr id="answer">{{Back}}',
            }
        ],
        css=_STYLE,
    )

"""Split a text into words, as GPT-2 does before byte-pair encoding."""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Text = str
else:
    Text = object  # other types are refused by a message of our own

# GPT-2's pattern, for the outline of a text, in which A is a letter, 0 a number and ! a sign.
PATTERN = re.compile(r"'(?:[stmd]|re|ve|ll)| ?[A-Za-z]+| ?0+| ?[!']+|\s+(?!\S)|\s+", re.ASCII)


def split_words(text: Text) -> list[str]:
    r"""Split a text as GPT-2 does, so that no token extends beyond the end of a word.

    A word is an English ending such as 's or 'll, or a run of letters, of numbers, or of signs,
    with the space before it. Other white space is a word, up to the last space before a word.

    Args:
        text: any string; the words joined are the text.

    Raises:
        ValueError: ``text`` is not a string.

    Cost: linear in the length of the text.

    Ref: ``src/encoder.py`` in openai/gpt-2. The categories of characters are those of Python's
    ``unicodedata``, so a character newer than that is a sign.

    >>> split_words("We'll see 12 hens,  won't we?")
    ['We', "'ll", ' see', ' 12', ' hens', ',', ' ', ' won', "'t", ' we', '?']
    """
    if not isinstance(text, str):
        raise ValueError(f"{type(text).__name__} is not text: expected a string")
    outline = "".join(map(_outline, text))
    return [text[slice(*word.span())] for word in PATTERN.finditer(outline)]


@cache
def _outline(character: str) -> str:
    """Return a character of the same kind, for the pattern."""
    kind = unicodedata.category(character)[0]
    if character in " '" or (kind == "L" and character.isascii()):
        return character
    if kind == "Z" or character in "\t\n\v\f\r\x85":
        return "\n"
    return {"L": "A", "N": "0"}.get(kind, "!")

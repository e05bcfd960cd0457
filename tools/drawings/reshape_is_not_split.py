"""Twelve numbers split into three heads, with reshape and transpose, and with reshape only."""

import numpy as np
from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS, HEADS, EACH = 2, 3, 2
NUMBERS = np.arange(WORDS * HEADS * EACH).reshape(WORDS, HEADS * EACH)
SPLIT = NUMBERS.reshape(WORDS, HEADS, EACH).swapaxes(0, 1)  # head, word, width
RESHAPED = NUMBERS.reshape(HEADS, WORDS, EACH)


def _rows(head: np.ndarray) -> str:
    return " and ".join(" ".join(map(str, row)) for row in head.tolist())


ALT = f"""\
Two panels, each with two words of six numbers, {_rows(NUMBERS)}, and three heads with two rows of \
two numbers. Reshape and transpose: head 0 has the rows {_rows(SPLIT[0])}, the first two numbers \
of both words. Reshape only: head 0 has the rows {_rows(RESHAPED[0])}, all from word 0, and head 1 \
has {_rows(RESHAPED[1])}, the end of word 0 and the beginning of word 1."""
CAPTION = """\
Both calls give three heads of shape 2 × 2. With the transpose head 0 has a slice of both words \
(blue); without it, head 0 has two pieces of word 0 (orange)."""

CELL, HIGH = 22, 26


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A reshape is not a split", 284, NARROW)
    for panel, (name, note, heads, kind) in enumerate((
        ("Reshape, then transpose", "right", SPLIT, "blue"),
        ("Reshape only", "wrong", RESHAPED, "orange"),
    )):  # fmt: skip
        top = 10 + panel * 136
        drawing.band(8, top, 384, 128, name, note)
        in_head_0 = set(heads[0].flatten().tolist())
        for word in range(WORDS):
            y = top + 42 + word * HIGH
            drawing.text(62, y + 18, f"word {word}", at="end", tone="muted", size=SMALL)
            for j, number in enumerate(NUMBERS[word].tolist()):
                look = kind if number in in_head_0 else "grey"
                drawing.token(68 + j * CELL, y, CELL, str(number), look)
        drawing.arrow((206, top + 68), (228, top + 68))
        for head in range(HEADS):
            x = 238 + head * 51
            for word in range(WORDS):
                for j, number in enumerate(heads[head, word].tolist()):
                    drawing.token(x + j * CELL, top + 42 + word * HIGH, CELL, str(number),
                                  kind if head == 0 else "grey")  # fmt: skip
            drawing.text(x + CELL, top + 114, f"head {head}", bold=head == 0, size=SMALL)
    return drawing

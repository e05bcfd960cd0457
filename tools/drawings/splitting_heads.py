"""One product is cut into heads, each attends by itself, and their outputs are joined again."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS, WIDTH, HEADS = 5, 12, 3
EACH = WIDTH // HEADS

ALT = f"""\
Read downwards: X, {WORDS} words of width {WIDTH}, is multiplied by W_Q. The product Q is cut \
into {HEADS} slices of {EACH} columns, one for each head; K and V, from the same X, are cut \
alike. Each head has its own Q, K and V, {WORDS} by {EACH}, makes {WORDS} by {WORDS} weights A \
from Q and K, and with V an output O of {WORDS} by {EACH}. The {HEADS} outputs are put side by \
side, {WIDTH} wide again, and one matrix W_O mixes them into Y. At the right stand the axes at \
each step: b q m, b q (h d), b h q d, b h q k, b h q e, b q (h e), b q m."""
CAPTION = f"""\
Split, attend, merge. One projection is cut into {HEADS} heads, each attends by itself, and side \
by side and times $W_O$ they are as wide as before. At the right, the axes at each step: \
splitting cuts the last axis in two and moves h to the front, merging undoes both. Parentheses \
mark two axes that are one, as (h d), d columns for each of h heads."""

ROW, COLUMN, AXES = 8, 8, 332  # of a matrix, in pixels; where the axes stand
MIDDLE, CENTRES = 164, (58, 164, 270)


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("Splitting and merging heads", 640, NARROW)
    high, wide = WORDS * ROW, WIDTH * COLUMN
    left = MIDDLE - wide / 2
    drawing.matrix(left, 34, wide, high, "grey", rows=WORDS, name="*X*")
    _axes(drawing, 58, "b q m")
    drawing.arrow((MIDDLE, 78), (MIDDLE, 108))
    drawing.text(MIDDLE + 10, 98, "*W*_Q", at="start", size=15)
    drawing.text(left - 10, 142, "*Q*", at="end", size=15)
    _slices(drawing, left, 116, "blue")
    _axes(drawing, 140, "b q (h d)")
    for x in CENTRES:
        drawing.band(x - 50, 204, 100, 244)
    for head, x in enumerate(CENTRES):
        slice_middle = left + (head + 0.5) * EACH * COLUMN
        drawing.arrow((slice_middle, 160), (x - 32, 214))
        for place, (name, kind) in enumerate((("Q", "blue"), ("K", "orange"), ("V", "green"))):
            drawing.matrix(x - 44 + place * 32, 240, 24, high, kind, rows=WORDS, name=f"*{name}*")
        drawing.arrow((x - 24, 284), (x - 24, 300))
        drawing.matrix(x - 44, 306, 40, high, "violet", rows=WORDS)
        drawing.text(x + 8, 331, "*A*", size=15)
        drawing.arrow((x - 24, 350), (x - 24, 370))
        drawing.arrow((x + 32, 284), (x + 32, 396), (x - 5, 396))
        drawing.matrix(x - 36, 376, 24, high, "grey", rows=WORDS)
        drawing.text(x + 22, 417, f"head {head}", size=SMALL, bold=True)
        drawing.arrow((x - 24, 420), (slice_middle, 484))
    for y, axes in ((265, "b h q d"), (331, "b h q k"), (401, "b h q e")):
        _axes(drawing, y, axes)
    _slices(drawing, left, 492, "grey")
    drawing.text(left - 8, 516, "side by side", at="end", size=SMALL)
    _axes(drawing, 516, "b q (h e)")
    drawing.arrow((MIDDLE, 536), (MIDDLE, 566))
    drawing.text(MIDDLE + 10, 556, "*W*_O", at="start", size=15)
    drawing.matrix(left, 574, wide, high, "grey", rows=WORDS)
    drawing.text(left - 10, 600, "*Y*", at="end", size=15)
    _axes(drawing, 598, "b q m")
    return drawing


def _axes(drawing: Drawing, y: float, axes: str) -> None:
    drawing.text(AXES, y, axes, at="start", tone="muted", size=SMALL)


def _slices(drawing: Drawing, x: float, y: float, kind: str) -> None:
    """Draw the slices of the heads, with a gap to tell them apart."""
    wide = EACH * COLUMN
    for head in range(HEADS):
        drawing.matrix(x + head * wide + 1, y, wide - 2, WORDS * ROW, kind, rows=WORDS)

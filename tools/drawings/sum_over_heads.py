"""Concatenated heads times W_O equal the sum of each head times its rows of W_O."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

POSITIONS, D, HEADS = 5, 4, 2
M = D * HEADS
UNIT = 10  # pixels of a number
KINDS = ("violet", "green")  # head 0, head 1

ALT = f"""\
Above, the outputs O_0 and O_1 side by side, {POSITIONS} by {M}, times W_O, {M} by {M}, which is \
cut into an upper block of {D} rows for head 0 and a lower one for head 1, give Y, {POSITIONS} by \
{M}. Below, the same as a sum: O_0, {POSITIONS} by {D}, times the upper block, {D} by {M}, plus \
O_1 times the lower block. Under the second term: zero if head 1 is ablated."""
CAPTION = """\
The output as a sum over two heads. Each block of $W_O$ belongs to one head and is \
as wide as the output."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The output projection as a sum over heads", 280, NARROW)
    high, wide = POSITIONS * UNIT, M * UNIT
    y = 62
    for head in range(HEADS):
        _block(drawing, 30 + head * D * UNIT, y, D, POSITIONS, head, f"*O*_{head}")
        _block(drawing, 146, y - 15 + head * D * UNIT, M, D, head)
        drawing.text(234, y + 10 + head * 40, f"head {head}", at="start", tone="muted", size=SMALL)
    drawing.text(128, y + 31, "×", size=18)
    drawing.text(186, y - 24, "*W*_O", size=15)
    drawing.text(292, y + 31, "=", size=18)
    drawing.matrix(306, y, wide, high, "grey", rows=POSITIONS, name="*Y*")
    y = 184
    drawing.text(18, y + 31, "=", size=18)
    for head in range(HEADS):
        x = 36 + head * 188
        _block(drawing, x, y, D, POSITIONS, head, f"*O*_{head}")
        drawing.text(x + 54, y + 31, "×", size=18)
        _block(drawing, x + 68, y + 5, M, D, head)
        drawing.text(x + 68 + wide / 2, y - 8, f"*W*_O^{{({head})}}", size=15)
    drawing.text(204, y + 31, "+", size=18)
    drawing.text(36 + 188 + 74, y + 74, "zero if head 1 is ablated", tone="muted", size=SMALL)
    return drawing


def _block(
    drawing: Drawing, x: float, y: float, wide: int, high: int, head: int, name: str = ""
) -> None:
    drawing.matrix(x, y, wide * UNIT, high * UNIT, KINDS[head], rows=high, name=name)

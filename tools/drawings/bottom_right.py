"""A causal mask of the last two queries of five, and the other alignment."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

K, Q = 5, 2
SQUARE = [[j <= i for j in range(K)] for i in range(K)]
BOTTOM_RIGHT = [[j <= i + K - Q for j in range(K)] for i in range(Q)]
TOP_LEFT = [[j <= i for j in range(K)] for i in range(Q)]

ALT = """\
On the left a causal mask of five queries and five keys: a grey triangle whose last two rows, \
queries 3 and 4, are violet. An arrow leads from these two rows to a mask with two queries and \
five keys, bottom-right: query 0 may attend to keys 0 to 3, query 1 to all five. Below it, in \
orange, the top-left mask of is_causal=True: query 0 may attend to key 0 only, query 1 to keys 0 \
and 1."""
CAPTION = """\
Two queries, five keys. The right mask is the bottom of the square one; top-left takes the \
queries to be positions 0 and 1."""

CELL, LEFT, RIGHT, TOP = 26, 34, 240, 56


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Bottom-right alignment: two queries, five keys", 240, NARROW)
    drawing.text(LEFT + K * CELL / 2, 24, "five queries", size=SMALL)
    drawing.text(RIGHT + K * CELL / 2, 24, "bottom-right", size=SMALL, bold=True)
    drawing.text(RIGHT + K * CELL / 2, 142, "top-left", size=SMALL, bold=True)
    for x, y, kinds, seen in (
        (LEFT, TOP, ("grey",) * (K - Q) + ("violet",) * Q, SQUARE),
        (RIGHT, TOP, ("violet",) * Q, BOTTOM_RIGHT),
        (RIGHT, TOP + 118, ("orange",) * Q, TOP_LEFT),
    ):
        for j in range(K):
            drawing.text(x + (j + 0.5) * CELL, y - 8, str(j), tone="muted", size=SMALL)
        for i, row in enumerate(seen):
            drawing.text(x - 12, y + i * CELL + 18, str(i), tone="muted", size=SMALL)
            drawing.mask(x, y + i * CELL, [row], kinds[i], CELL)
    for y, words in ((212, "rows: queries"), (230, "columns: keys")):
        drawing.text(LEFT + K * CELL / 2, y, words, tone="muted", size=SMALL)
    middle = TOP + (K - Q / 2) * CELL
    drawing.arrow((LEFT + K * CELL + 6, middle), (RIGHT - 30, TOP + CELL))
    return drawing

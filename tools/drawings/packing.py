"""Three documents in one batch: padded, or packed with positions, weights and a mask."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

DOCUMENTS = (8, 6, 12)
WIDTH = 14
KINDS = ("blue", "orange", "green")
PADDED = tuple((i,) for i in range(len(DOCUMENTS)))
PACKED = ((0, 1), (2,))


def tokens(row: tuple[int, ...]) -> list[tuple[int, int] | None]:
    """Return the document and the position of each token of a row, None for padding."""
    real = [(i, position) for i in row for position in range(DOCUMENTS[i])]
    return [*real, *[None] * (WIDTH - len(real))]


def weight(token: tuple[int, int] | None) -> int:
    """Return 1 if a token is a target: not padding, and not the first of its document."""
    return int(token is not None and token[1] > 0)


def seen(row: tuple[int, ...]) -> list[list[bool]]:
    """Return the mask of a row: earlier tokens of the same document."""
    cells = tokens(row)
    return [
        [a is not None and b is not None and a[0] == b[0] and b[1] <= a[1] for b in cells]
        for a in cells
    ]


_FIRST = tokens(PACKED[0])
ALT = f"""\
Three documents of {DOCUMENTS[0]}, {DOCUMENTS[1]} and {DOCUMENTS[2]} tokens, in rows of {WIDTH}. \
Above, padded: three rows, one document each, filled up on the right with \
{sum(WIDTH - n for n in DOCUMENTS)} cells of padding; below each token is its weight, 1, or 0 for \
the first token of the row and for padding. In the middle, packed: two rows, the first with two \
documents; their positions run from 0 to {DOCUMENTS[0] - 1} and again from 0 to \
{DOCUMENTS[1] - 1}, and the weight is 0 at the first token of the second document. Below, the \
mask of this row: two triangles on the diagonal, one per document, and nothing else."""
CAPTION = f"""\
Three documents in rows of {WIDTH} tokens. Only tokens with a 1 count as targets. In the \
mask, queries are rows."""

LEFT, CELL = 84, 21.5


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Padding and packing", 592, NARROW)
    drawing.band(12, 12, NARROW - 24, 186, "Padded", "3 rows")
    for i, row in enumerate(PADDED):
        _row(drawing, 44 + i * 50, row, positions=False)
    drawing.band(12, 208, NARROW - 24, 172, "Packed", "2 rows")
    for i, row in enumerate(PACKED):
        _row(drawing, 240 + i * 70, row, positions=True)
    drawing.band(12, 390, NARROW - 24, 190, "Mask", "of the first packed row")
    cells = tokens(PACKED[0])
    for i, line in enumerate(seen(PACKED[0])):
        for j, here in enumerate(line):
            token = cells[i]
            look = f"{KINDS[token[0]]}-full" if here and token else "open"
            drawing.rect(LEFT + j * 11 + 54, 420 + i * 11, 10, 10, look, thick=0.6)
    return drawing


def _row(drawing: Drawing, top: float, row: tuple[int, ...], *, positions: bool) -> None:
    drawing.text(18, top + 17, "token", at="start", tone="muted", size=SMALL)
    drawing.text(18, top + 40, "weight", at="start", tone="muted", size=SMALL)
    if positions:
        drawing.text(18, top + 57, "position", at="start", tone="muted", size=SMALL)
    for j, token in enumerate(tokens(row)):
        x = LEFT + j * CELL
        drawing.rect(x, top, CELL - 2, 24, KINDS[token[0]] if token else "open", thick=1)
        middle = x + CELL / 2 - 1
        bold = positions and j > 0 and token is not None and not weight(token)
        drawing.text(middle, top + 40, str(weight(token)), size=SMALL, bold=bold)
        if positions and token:
            drawing.text(middle, top + 57, str(token[1]), size=SMALL, bold=bold)

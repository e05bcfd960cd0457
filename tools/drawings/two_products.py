"""The two matrix products of attention: a row times a column, summed over the shared axis."""

from tools.drawings.symbols import KIND, NARROW, SMALL, Drawing

Q, K, D, E = 3, 5, 8, 10  # queries, keys, width of a key, width of a value
ROW, COLUMN = 1, 3  # the entry that is followed through both products

ALT = f"""\
Two products drawn as grids. Above, Q, {Q} by {D}, times K transposed, {D} by {K}, gives the \
scores S, {Q} by {K}: one row of Q and one column of K transposed are filled, and so is the entry \
of S where they meet; the side of length d is summed. Below, A, {Q} by {K}, times V, {K} by {E}, \
gives the output O, {Q} by {E}: one row of A, one column of V and one entry of O are filled; the \
side of length k is summed."""
CAPTION = """\
The two matrix products of attention. Each entry is a filled row times a filled column, so $S$ is \
q × k, and $O$ is q × e."""

UNIT = 10  # pixels of a cell


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The two products of attention", 262, NARROW)
    top = 40
    _grid(drawing, 40, top + 25, "Q", "*Q*", (Q, D), ("q", "d, summed"), rows=(ROW,))
    drawing.text(138, top + 46, "×", size=18)
    _grid(drawing, 172, top, "K", "*K*^T", (D, K), ("d", "k"), columns=(COLUMN,))
    drawing.text(244, top + 46, "=", size=18)
    _grid(drawing, 280, top + 25, "S", "*S*", (Q, K), ("q", "k"), entry=(ROW, COLUMN))
    top = 182
    _grid(drawing, 40, top + 10, "A", "*A*", (Q, K), ("q", "k, summed"), rows=(ROW,))
    drawing.text(106, top + 31, "×", size=18)
    _grid(drawing, 136, top, "V", "*V*", (K, E), ("k", "e"), columns=(COLUMN,))
    drawing.text(252, top + 31, "=", size=18)
    _grid(drawing, 280, top + 10, "O", "*O*", (Q, E), ("q", "e"), entry=(ROW, COLUMN))
    return drawing


def _grid(
    drawing: Drawing, x: float, y: float, kind: str, name: str, size: tuple[int, int],
    sides: tuple[str, str], *, rows: tuple[int, ...] = (), columns: tuple[int, ...] = (),
    entry: tuple[int, int] | None = None,
) -> None:  # fmt: skip
    """Draw a matrix cell by cell, with its name above and its axes' letters left and below."""
    high, wide = size
    for i in range(high):
        for j in range(wide):
            full = i in rows or j in columns or (i, j) == entry
            look = f"{KIND[kind]}-full" if full else KIND[kind]
            drawing.rect(x + j * UNIT, y + i * UNIT, UNIT, UNIT, look, thick=0.8)
            if full:  # keep the grid visible
                drawing.line(f"M{x + j * UNIT} {y + i * UNIT}h{UNIT}v{UNIT}", KIND[kind], thick=0.8)
    drawing.text(x + wide * UNIT / 2, y - 8, name, size=16)
    drawing.text(x - 7, y + high * UNIT / 2 + 5, sides[0], at="end", tone="muted", size=SMALL)
    drawing.text(x + wide * UNIT / 2, y + high * UNIT + 16, sides[1], tone="muted", size=SMALL)

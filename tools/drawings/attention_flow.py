"""From X to Q, K and V, to scores and weights, to O, with one query's row highlighted."""

from tools.drawings.symbols import KIND, NARROW, SMALL, Drawing

ALT = """\
Data flow of self-attention, read downwards. X, q by m, is multiplied by three matrices and \
becomes Q, q by d, K, k by d, and V, k by e. Q and K transposed are multiplied and divided by the \
root of d, which gives the scores S, q by k. Softmax of each row gives the weights A, q by k. A \
times V gives the output O, q by e. V goes straight to the last product and takes no part in the \
scores. Beside X: here k = q. The second row is filled in X, Q, S, A and O, \
and in neither K nor V."""
CAPTION = """\
From $X$ to $O$, here with k = q. $Q$ and $K$ decide the weights, and $V$ is averaged with them. \
The filled row belongs to one query, and meets the other positions only through $K$ and $V$."""

WIDE, HIGH, ROWS, ON = 56, 60, 4, 1  # size of each matrix except X, in pixels and rows


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("From X to O", 548, NARROW)
    middle, columns = 200, {"Q": 66, "K": 200, "V": 334}
    _matrix(drawing, middle, 34, "X", "q × m", wide=84, on=ON)
    drawing.text(middle + 58, 69, "here k = q", at="start", tone="muted", size=SMALL)
    for name, x in columns.items():
        way = [(middle, 98), (middle, 114), (x, 114), (x, 152)]
        drawing.arrow(*(way if x != middle else [way[0], way[-1]]))
        drawing.text(x + 9, 141, f"*W*_{name}", at="start", size=15)
        width = "e" if name == "V" else "d"
        _matrix(drawing, x, 180, name, f"{'q' if name == 'Q' else 'k'} × {width}",
                on=ON if name == "Q" else None)  # fmt: skip
    for name in ("Q", "K"):
        x = columns[name]
        drawing.line(f"M{x} 244V272H133", look="way")
    drawing.arrow((133, 272), (133, 296))
    drawing.text(133, 263, "*QK*^T / √*d*", size=15)
    _matrix(drawing, 133, 324, "S", "q × k", on=ON)
    drawing.arrow((167, 354), (230, 354))
    drawing.text(199, 344, "softmax", size=SMALL)
    drawing.text(199, 373, "each row", size=SMALL)
    _matrix(drawing, 265, 324, "A", "q × k", on=ON)
    drawing.line("M265 388V416H300", look="way")
    drawing.line("M334 244V416H300", look="way")
    drawing.text(300, 407, "*AV*", size=15)
    drawing.arrow((300, 416), (300, 440))
    _matrix(drawing, 300, 468, "O", "q × e", on=ON)
    drawing.lines(24, 462, ["The filled row belongs to", "one query. It meets others",
                            "only through *K* and *V*."],
                  step=20, at="start", tone="muted", size=SMALL)  # fmt: skip
    return drawing


def _matrix(
    drawing: Drawing, x: float, y: float, name: str, shape: str, *, wide: int = WIDE,
    on: int | None = None,
) -> None:  # fmt: skip
    """Draw a matrix centred at x, with its name and shape above."""
    drawing.matrix(x - wide / 2, y, wide, HIGH, KIND.get(name, "grey"), rows=ROWS, on=on,
                   name=f"*{name}*  {shape}")  # fmt: skip

"""Without a mask, the note to predict is among the keys, one place to the right."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

NOTES = (5, 0, 3, 6, 1)
LOSSES = (0.00, 0.96)  # without and with the causal mask, trained as in the chapter

ALT = f"""\
A grid with five queries as rows and five keys as columns; both are the notes 5, 0, 3, 6 and 1. \
On the right of each row is the note to predict: 0, 3, 6, 1, and none for the last. The cells \
just above the diagonal are orange and hold these notes: 0, 3, 6 and 1. All ten cells above the \
diagonal are crossed; the fifteen others are violet. Below: without a mask the answer is copied, \
loss {LOSSES[0]:.2f}; with the causal mask the crossed cells are closed, and the model learns the \
rule +3, loss {LOSSES[1]:.2f}."""
CAPTION = f"""\
The note that each query has to predict is the next key (orange). A causal mask closes the \
crossed cells and leaves the violet ones open. The model then has to learn the rule, and its \
loss is {LOSSES[1]:.2f}."""

LEFT, TOP, CELL, HIGH = 88, 76, 44, 34


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The answer is one key to the right", 322, NARROW)
    n = len(NOTES)
    drawing.text(LEFT + n * CELL / 2, 26, "keys", tone="orange", size=SMALL)
    drawing.text(46, 58, "queries", tone="blue", size=SMALL)
    drawing.text(354, 58, "to predict", tone="muted", size=SMALL)
    for i, note in enumerate(NOTES):
        y = TOP + i * HIGH
        drawing.token(LEFT + i * CELL + 4, 38, CELL - 8, str(note), "orange")
        drawing.token(28, y + 4, CELL - 8, str(note), "blue")
        drawing.text(354, y + 22, str(NOTES[i + 1]) if i + 1 < n else "–", bold=True)
        for j in range(n):
            x = LEFT + j * CELL
            look = "violet" if j <= i else "orange" if j == i + 1 else "open"
            drawing.rect(x, y, CELL, HIGH, look, thick=1)
            if j > i:
                cross(drawing, x, y, gap=j == i + 1)
            if j == i + 1:
                drawing.text(x + CELL / 2, y + 22, str(NOTES[j]), bold=True)
    y = TOP + n * HIGH + 34
    drawing.text(14, y, "no mask", at="start", size=SMALL, bold=True)
    drawing.text(112, y, f"copies the orange note, loss {LOSSES[0]:.2f}", at="start", size=SMALL)
    drawing.text(14, y + 26, "causal mask", at="start", size=SMALL, bold=True)
    drawing.text(112, y + 26, f"learns the rule +3, loss {LOSSES[1]:.2f}", at="start", size=SMALL)
    return drawing


def cross(drawing: Drawing, x: float, y: float, *, gap: bool) -> None:
    """Cross out a cell; a gap leaves room for a number in its middle."""
    left, right, top, bottom = x + 5, x + CELL - 5, y + 4, y + HIGH - 4
    if not gap:
        drawing.line(f"M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}", thick=1)
        return
    for across, start in ((8, left), (-8, right)):
        drawing.line(f"M{start} {top}l{across} 7", thick=1)
        drawing.line(f"M{start} {bottom}l{across} -7", thick=1)

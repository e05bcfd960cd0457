"""Softmax in three passes over a row in memory, and online softmax in one pass."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

SCORES = (1, 2, 4, 0, 3, 3)
PASSES = (("pass 1", "largest score *m*"), ("pass 2", "total *ℓ*"), ("pass 3", "output"))

ALT = """\
Two panels. Above, softmax: a row of six scores, 1, 2, 4, 0, 3 and 3, is kept whole, and three \
arrows run along all of it: pass 1 finds the largest score m, pass 2 the total l, pass 3 the \
output. Below, online softmax: one arrow runs along the row. The first two scores are gone, the \
next two are being read, the last two have not come yet. What is kept are m, l and o."""
CAPTION = """\
Softmax reads its row three times, so the whole row has to be kept, or computed \
again. Online softmax reads each block once and drops it; it keeps $m$, $\\ell$ and $\\mathbf o$."""

LEFT, CELL = 84, 46


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three passes, or one", 366, NARROW)
    end = LEFT + len(SCORES) * CELL
    drawing.band(12, 12, NARROW - 24, 178, "Softmax", "the row is kept")
    _row(drawing, 46, range(6))
    for i, (name, found) in enumerate(PASSES):
        y = 102 + i * 36
        drawing.text(24, y + 5, name, at="start", size=SMALL)
        drawing.arrow((LEFT, y), (end - 4, y))
        drawing.text(end, y - 8, found, at="end", tone="muted", size=SMALL)
    drawing.band(12, 202, NARROW - 24, 152, "Online softmax", "a block at a time")
    _row(drawing, 236, range(2, 4))
    for x, word in ((LEFT + CELL, "dropped"), (LEFT + 5 * CELL, "to come")):
        drawing.text(x, 280, word, tone="muted", size=SMALL)
    drawing.text(24, 301, "pass 1", at="start", size=SMALL)
    drawing.arrow((LEFT, 296), (LEFT + 4 * CELL, 296))
    drawing.box(LEFT, 312, 6 * CELL, 30, "grey", "kept: *m*, *ℓ* and *o*")
    return drawing


def _row(drawing: Drawing, y: float, held: range) -> None:
    drawing.text(24, y + 18, "scores", at="start", tone="muted", size=SMALL)
    for i, score in enumerate(SCORES):
        drawing.token(LEFT + i * CELL, y, CELL, str(score) if i in held else "",
                      "violet" if i in held else "open")  # fmt: skip

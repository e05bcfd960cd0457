"""The weights of one sentence, with the softmax along each row and along each column."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing
from tools.drawings.two_contexts import MEANING, SENTENCES

WORDS = SENTENCES[0].split()


def exponentials() -> list[list[float]]:
    """Return the exponentials of the scaled scores: rows are queries, columns are keys."""
    return [
        [math.exp(sum(map(math.prod, zip(MEANING[q], MEANING[k], strict=True))) / math.sqrt(2))
         for k in WORDS]
        for q in WORDS
    ]  # fmt: skip


def over_keys() -> list[list[float]]:
    """Return the weights of a softmax along each row."""
    return [[each / sum(row) for each in row] for row in exponentials()]


def over_queries() -> list[list[float]]:
    """Return the weights of a softmax along each column."""
    rows = exponentials()
    sums = [sum(column) for column in zip(*rows, strict=True)]
    return [[each / total for each, total in zip(row, sums, strict=True)] for row in rows]


ROW_SUMS = [sum(row) for row in over_queries()]
_SUMS = ", ".join(f"{total:.2f} ({word})" for total, word in zip(ROW_SUMS, WORDS, strict=True))

ALT = f"""\
The attention weights of the sentence the river bank was eroding as two grids, 5 queries by 5 \
keys. Above, softmax over the keys: each row has a frame, and 1 stands at its right; bank gives \
{over_keys()[2][1]:.2f} to river. Below, softmax over the queries: each column has a frame, and 1 \
stands below it; the sums of the rows, at the right, are {_SUMS}."""
CAPTION = """\
The same scores, with the softmax over the keys and over the queries. A frame holds numbers that \
sum to 1. In the lower grid the rows sum to other numbers, so the outputs are not averages of the \
values."""

LEFT, CELL, HIGH = 74, 48, 26


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Softmax over the keys and over the queries", 444, NARROW)
    _panel(drawing, 0, "Softmax over the keys: right", over_keys(), rows=True)
    _panel(drawing, 204, "Softmax over the queries: wrong", over_queries(), rows=False)
    return drawing


def _panel(
    drawing: Drawing, top: float, title: str, table: list[list[float]], *, rows: bool
) -> None:
    """Draw a grid of weights with frames around the rows or columns that sum to 1."""
    drawing.text(16, top + 26, title, at="start", bold=True)
    y0 = top + 60
    for j, word in enumerate(WORDS):
        drawing.text(LEFT + (j + 0.5) * CELL, y0 - 8, word, tone="orange", size=SMALL)
    for i, (word, row) in enumerate(zip(WORDS, table, strict=True)):
        y = y0 + i * HIGH
        drawing.text(LEFT - 10, y + 18, word, at="end", tone="blue", size=SMALL)
        for j, share in enumerate(row):
            look = "violet" if share >= 0.3 else "open"
            drawing.rect(LEFT + j * CELL, y, CELL, HIGH, look, thick=0.5)
            drawing.text(LEFT + (j + 0.5) * CELL, y + 18, f"{share:.2f}", size=SMALL)
        total = sum(row)
        drawing.text(LEFT + 5 * CELL + 30, y + 18, f"= {total:.2f}" if not rows else "= 1",
                     tone="violet", size=SMALL, bold=rows)  # fmt: skip
        if rows:
            drawing.line(_frame(LEFT, y, 5 * CELL, HIGH), "violet", thick=2.4)
    if not rows:
        for j in range(len(WORDS)):
            x = LEFT + j * CELL
            drawing.line(_frame(x, y0, CELL, 5 * HIGH), "violet", thick=2.4)
            drawing.text(x + CELL / 2, y0 + 5 * HIGH + 20, "= 1", tone="violet", size=SMALL,
                         bold=True)  # fmt: skip


def _frame(x: float, y: float, w: float, h: float) -> str:
    return f"M{x + 2} {y + 2}h{w - 4}v{h - 4}h{4 - w}z"

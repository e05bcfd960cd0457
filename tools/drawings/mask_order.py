"""One row masked after and before softmax, for two scores of the masked key."""

import math

from tools.drawings.symbols import SMALL, Drawing

SCORES = (0.0, 3.0)  # the allowed keys' scores
MASKED = (4.0, 5.0)  # the masked key's score before and after a change


def softmax(scores: tuple[float, ...]) -> tuple[float, ...]:
    """Return the weights of a row."""
    exponentials = [math.exp(score) for score in scores]
    return tuple(each / sum(exponentials) for each in exponentials)


AFTER = [softmax((*SCORES, masked)) for masked in MASKED]
BEFORE = softmax(SCORES)


def _row(weights: tuple[float, ...]) -> str:
    return " and ".join(f"{weight:.3f}" for weight in weights[:2])


ALT = f"""\
Two panels. Version 1: the scores 0, 3 and 4 become weights by softmax, and the third is set to \
0. {_row(AFTER[0])} remain, with the sum {sum(AFTER[0][:2]):.2f}. In a second line the masked \
score is 5: {_row(AFTER[1])} remain, with the sum {sum(AFTER[1][:2]):.2f}. Version 2: the third \
score is replaced by minus infinity, and softmax gives {_row(BEFORE)}, with the sum 1, in both \
lines."""
CAPTION = """\
The row 0, 3, 4 with its last key masked. If the masked score rises to 5 (orange), the other \
weights change in version 1 only."""

LEFTS, WIDES = (20, 162, 346), (34, 48, 48)
HEADS = (("scores", "softmax", "zeroed"), ("scores", "masked", "softmax"))


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Masked after softmax and before", 276)
    notes = ("softmax first, then zeros", "−∞ first, then softmax")
    for panel, (note, heads) in enumerate(zip(notes, HEADS, strict=True)):
        top = 12 + panel * 132
        drawing.band(12, top, 536, 120, f"Version {panel + 1}", note)
        for x, wide, head in zip(LEFTS, WIDES, heads, strict=True):
            drawing.text(x + 1.5 * wide, top + 46, head, tone="muted", size=SMALL)
        drawing.text(520, top + 46, "sum", tone="muted", size=SMALL)
        for line, masked in enumerate(MASKED):
            _line(drawing, top + 54 + line * 32, panel, line, masked)
    return drawing


def _line(drawing: Drawing, y: float, panel: int, line: int, masked: float) -> None:
    scores = [f"{score:.0f}" for score in (*SCORES, masked)]
    if panel == 0:
        middle = [f"{weight:.3f}" for weight in AFTER[line]]
        last, total = [*middle[:2], "0"], sum(AFTER[line][:2])
    else:
        middle, last, total = [*scores[:2], "−∞"], [*(f"{w:.3f}" for w in BEFORE), "0"], 1.0
    for column, words in enumerate((scores, middle, last)):
        for i, word in enumerate(words):
            moved = line == 1 and (
                (column == 0 and i == 2) or (panel == 0 and column > 0 and word != "0")
            )
            drawing.token(LEFTS[column] + i * WIDES[column], y, WIDES[column], word,
                          "orange" if moved else "violet")  # fmt: skip
    for column in (0, 1):
        end = LEFTS[column] + 3 * WIDES[column]
        drawing.arrow((end + 6, y + 13), (LEFTS[column + 1] - 8, y + 13))
    drawing.text(520, y + 18, f"{total:.2f}" if total < 1 else "1", bold=True, size=SMALL)

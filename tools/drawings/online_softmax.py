"""One row of scores in three blocks: the running maximum, total and weighted sum, with numbers."""

import math

from tools.drawings.symbols import SMALL, Drawing

BLOCKS = (((1, 10), (2, 20)), ((4, 30), (0, 40)), ((3, 50), (3, 60)))  # (score, value)


def states() -> list[tuple[float, float, float, float]]:
    """Return the factor, the maximum, the total and the weighted sum after each block."""
    m, total, weighted, found = -math.inf, 0.0, 0.0, []
    for block in BLOCKS:
        largest = max(m, *(score for score, _ in block))
        fade = math.exp(m - largest)
        total = total * fade + sum(math.exp(score - largest) for score, _ in block)
        weighted = weighted * fade + sum(math.exp(score - largest) * v for score, v in block)
        m = largest
        found.append((fade, m, total, weighted))
    return found


(_, M0, L0, W0), (F1, M1, L1, W1), (F2, M2, L2, W2) = states()
OUTPUT = W2 / L2

ALT = f"""\
Six scores of one query, in three blocks of two: 1 and 2, then 4 and 0, then 3 and 3; their \
values are 10 to 60. Under each block stand the running maximum m, the total l and the weighted \
sum o after it: {M0:.0f}, {L0:.3f}, {W0:.2f}; then {M1:.0f}, {L1:.3f}, {W1:.2f}; then {M2:.0f}, \
{L2:.3f}, {W2:.2f}. An arrow from each block to the next carries the factor by which the old \
total and sum shrink: {F1:.3f} where the maximum rises from 2 to 4, and {F2:.0f} where it stays. \
At the end, o divided by l is the output {OUTPUT:.2f}, and m plus log l is the log-sum-exp \
{M2 + math.log(L2):.3f}."""
CAPTION = f"""\
Online softmax over one row, two scores at a time. When the largest score rises from {M0:.0f} to \
{M1:.0f}, the old sums are multiplied by $e^{{{M0:.0f}-{M1:.0f}}} = {F1:.3f}$; when it stays, by \
1. Three numbers are kept, however long the row is, and {W2:.2f} / {L2:.3f} = {OUTPUT:.2f} is the \
output of softmax over the whole row."""

LEFT, STEP, BOX = 106, 152, 120


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Online softmax: one row in three blocks", 436)
    rows = {"scores": 62, "values": 92, "*m*": 176, "*ℓ*": 216, "*o*": 256}
    for name, y in rows.items():
        drawing.text(16, y, name, at="start", tone="ink" if "*" in name else "muted",
                     size=16 if "*" in name else 14)  # fmt: skip
    for name, y in {"largest": 176, "total": 216, "weighted": 256}.items():
        drawing.text(36, y, name, at="start", tone="muted", size=SMALL - 1)
    for i, (block, (_, m, total, weighted)) in enumerate(zip(BLOCKS, states(), strict=True)):
        x = LEFT + i * STEP
        drawing.text(x + BOX / 2, 30, f"block {i}", bold=True)
        for c, (score, value) in enumerate(block):
            drawing.token(x + c * BOX / 2, 44, BOX / 2, str(score), "violet")
            drawing.token(x + c * BOX / 2, 74, BOX / 2, str(value), "green")
        drawing.arrow((x + BOX / 2, 104), (x + BOX / 2, 136))
        drawing.band(x, 142, BOX, 132)
        for y, what in ((176, f"{m:.0f}"), (216, f"{total:.3f}"), (256, f"{weighted:.2f}")):
            drawing.text(x + BOX / 2, y, what, size=16)
        if i:
            fade = states()[i][0]
            drawing.arrow((x - STEP + BOX + 2, 211), (x - 5, 211), kind="orange")
            drawing.arrow((x - STEP + BOX + 2, 251), (x - 5, 251), kind="orange")
            drawing.text(x - (STEP - BOX) / 2, 296, f"*α* = {fade:.3f}" if fade < 1 else "*α* = 1",
                         tone="orange", bold=True)  # fmt: skip
    drawing.lines(16, 336, [
        "*m*_{new} = max(*m*, largest score of the block)",
        "*α* = exp(*m* − *m*_{new}), on the orange arrows",
        "*ℓ*_{new} = *α* *ℓ* + Σ exp(*s* − *m*_{new})",
        "*o*_{new} = *α* *o* + Σ exp(*s* − *m*_{new}) *v*",
    ], step=25, at="start")  # fmt: skip
    x = LEFT + 2 * STEP + BOX / 2 - 76
    drawing.box(x, 356, 152, 60, "grey", f"*o* / *ℓ* = {OUTPUT:.2f}",
                f"*m* + log *ℓ* = {M2 + math.log(L2):.3f}")  # fmt: skip
    middle = LEFT + 2 * STEP + BOX / 2
    drawing.arrow((middle, 278), (middle, 350))
    drawing.text(middle - 8, 322, "after the last", at="end", tone="muted", size=SMALL)
    return drawing

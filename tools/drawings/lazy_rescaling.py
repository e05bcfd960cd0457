"""The reference of a row, block by block: the running maximum, and a reference with slack."""

import itertools

from tools.drawings.symbols import NARROW, SMALL, Drawing

LARGEST = (2.0, 4.0, 3.0, 5.0, 7.5, 6.0, 8.5, 8.0)  # the largest score of each block
SLACK = 4.0


def references(slack: float) -> list[float]:
    """Return the reference after each block; it rises if it is too low by more than the slack."""
    found = [LARGEST[0]]
    for score in LARGEST[1:]:
        found.append(score if score - found[-1] > slack else found[-1])
    return found


def moves(slack: float) -> int:
    """Return how often the reference rises after the first block."""
    steps = references(slack)
    return sum(after > before for before, after in itertools.pairwise(steps))


ALT = f"""\
Eight bars, the largest scores of eight blocks: {", ".join(f"{x:g}" for x in LARGEST)}. An orange \
line, the running maximum, lies on the highest bar so far and rises {moves(0)} times. The \
green line, the reference with a slack of {SLACK:g}, starts at {LARGEST[0]:g}, stays there until \
a bar is more than {SLACK:g} above it, and rises {moves(SLACK)} time, to \
{references(SLACK)[-1]:g}."""
CAPTION = f"""\
Lazy rescaling over eight blocks. The running maximum (orange) rises {moves(0)} times after the \
first block. The reference with a slack of {SLACK:g} (green) moves only when a score is more than \
{SLACK:g} above it, which happens once."""

LEFT, BOTTOM, STEP, UNIT = 44, 246, 42, 24


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Lazy rescaling: the maximum and a reference that lags behind", 312, NARROW)
    drawing.text(
        16, 22, "largest score of each of the blocks 0 to 7", at="start", tone="muted", size=SMALL
    )
    for score in (0, 2, 4, 6, 8):
        y = BOTTOM - score * UNIT
        drawing.line(f"M{LEFT - 4} {y}H{LEFT + len(LARGEST) * STEP}", thick=0.4)
        drawing.text(LEFT - 10, y + 5, str(score), at="end", tone="muted", size=SMALL)
    for i, score in enumerate(LARGEST):
        drawing.rect(LEFT + i * STEP + 6, BOTTOM - score * UNIT, STEP - 12, score * UNIT, "violet",
                     thick=1)  # fmt: skip
        drawing.text(LEFT + (i + 0.5) * STEP, BOTTOM + 18, str(i), tone="muted", size=SMALL)
    for slack, kind in ((0.0, "orange"), (SLACK, "green")):
        way = f"M{LEFT} "
        for i, reference in enumerate(references(slack)):
            y = BOTTOM - reference * UNIT
            way += f"{y}H{LEFT + (i + 1) * STEP}" if i == 0 else f"V{y}H{LEFT + (i + 1) * STEP}"
        drawing.line(way, kind, thick=3)
    drawing.text(16, 296, f"running maximum: rises {moves(0)} times", at="start", tone="orange",
                 size=SMALL)  # fmt: skip
    drawing.text(NARROW - 16, 296, f"with slack {SLACK:g}: once", at="end", tone="green",
                 size=SMALL)  # fmt: skip
    return drawing

"""A row of sinusoidal positions as eight points on waves, next to a binary counter."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing, number

WIDE, BASE, POSITIONS, AT, BITS = 8, 10_000.0, 64, 5, 3
FREQUENCIES = [BASE ** (-2 * r / WIDE) for r in range(WIDE // 2)]


def row(position: int) -> list[float]:
    """Return the sinusoidal row of a position, with alternating sines and cosines."""
    return [f(position * w) for w in FREQUENCIES for f in (math.sin, math.cos)]


def bits(position: int) -> list[int]:
    """Return the binary digits of a position, lowest first."""
    return [position >> bit & 1 for bit in range(BITS)]


_ROW = ", ".join(f"{value:.2f}".replace("-", "−") for value in row(AT))
ALT = f"""\
Four plots under each other, one per plane of a row of width {WIDE}, over the positions 0 to \
{POSITIONS - 1}: a sine (solid) and a cosine (dashed). Plane 0 makes ten waves, plane 1 one wave, \
plane 2 begins one, and the curves of plane 3 are almost straight. A vertical line at position \
{AT} meets the eight curves in eight points: {_ROW}. Below is a binary counter, with the columns 0 \
to {2**BITS - 1} and three rows of cells, filled for 1: the lowest bit changes in every column, \
the next in every second, the highest in every fourth."""
CAPTION = f"""\
The four planes of a row of width {WIDE}, with the frequencies 1, 1/10, 1/100 and 1/1000 \
(solid: sine, dashed: cosine). The eight points on the vertical line are the row \
$\\mathbf p_{AT}$. Below: a binary counter."""

LEFT, RIGHT, TOP, STEP, HIGH = 70, 284, 44, 74, 25
CELL = 26


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Sinusoidal rows", 468, NARROW)
    across = (RIGHT - LEFT) / (POSITIONS - 1)
    drawing.text(LEFT + AT * across, 20, f"position {AT}", size=SMALL, bold=True)
    drawing.text(RIGHT + 58, 20, f"row *p*_{AT}", size=SMALL, bold=True)
    for r, frequency in enumerate(FREQUENCIES):
        y = TOP + HIGH + r * STEP - 8
        drawing.rect(LEFT, y - HIGH, RIGHT - LEFT, 2 * HIGH, "band", thick=0)
        drawing.text(12, y + 5, f"plane {r}", at="start", size=SMALL)
        for wave, dash in ((math.sin, ""), (math.cos, ' stroke-dasharray="4 3"')):
            points = [
                f"{number(LEFT + t / 4 * across)} {number(y - HIGH * wave(t / 4 * frequency))}"
                for t in range(4 * POSITIONS - 3)
            ]
            drawing.parts.append(
                f'<path d="M{"L".join(points)}" class="violet-line" stroke-width="1.4"{dash}/>'
            )
        for n, value in enumerate(row(AT)[2 * r : 2 * r + 2]):
            drawing.circle(LEFT + AT * across, y - HIGH * value, 3.6, "violet-full", thick=0)
            words = f"{('sin', 'cos')[n]} {value:.2f}".replace("-", "−")
            drawing.text(RIGHT + 20, y - 5 + 20 * n, words, at="start", size=SMALL)
    end = TOP + 3 * STEP + 2 * HIGH - 8
    drawing.line(f"M{number(LEFT + AT * across)} 26V{end}", thick=1)
    for t in (0, 16, 32, 48, 63):
        drawing.text(LEFT + t * across, end + 17, str(t), tone="muted", size=SMALL)
    drawing.text((LEFT + RIGHT) / 2, end + 36, "position", tone="muted", size=SMALL)
    _counter(drawing, end + 62)
    return drawing


def _counter(drawing: Drawing, y: float) -> None:
    drawing.text(12, y, "A binary counter", at="start", bold=True, size=SMALL)
    for t in range(2**BITS):
        for bit, value in enumerate(bits(t)):
            look = "grey-full" if value else "open"
            drawing.rect(LEFT + t * CELL, y + 12 + bit * 20, CELL - 2, 18, look, thick=1)
        drawing.text(LEFT + (t + 0.5) * CELL - 1, y + 88, str(t), tone="muted", size=SMALL)
    for bit in range(BITS):
        drawing.text(12, y + 26 + bit * 20, f"bit {bit}", at="start", size=SMALL)
    drawing.text(RIGHT + 4, y + 26, "changes fastest", at="start", tone="muted", size=SMALL)

"""The weight of the better of two keys as a function of the gap in scores, and its slope."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing

GAPS = (0.0, 2.0, 5.0)  # gaps with a tangent


def weight(gap: float) -> float:
    """Return the larger of two weights whose scores differ by the gap."""
    return 1 / (1 + math.exp(-gap))


def slope(gap: float) -> float:
    """Return the derivative of this weight with respect to its score."""
    return weight(gap) * (1 - weight(gap))


def _few(value: float) -> str:
    return f"{value:.2f}" if value >= 0.01 else f"{value:.4f}"


_POINTS = "; ".join(
    f"at a gap of {gap:g} the weights are {1 - weight(gap):.2f} and {weight(gap):.2f}, and the "
    f"slope is {_few(slope(gap))}"
    for gap in GAPS
)
ALT = f"""\
The larger of two weights against the gap between their scores, from 0 to 8. The curve begins at \
0.5, rises and becomes flat just below 1. Tangents touch it at three points: {_POINTS}. Below the \
curve stand the three pairs of weights as bars."""
CAPTION = f"""\
Two keys whose scores differ by a gap. The larger weight rises towards 1, and the slope of its \
tangent falls from {_few(slope(GAPS[0]))} to {_few(slope(GAPS[-1]))}."""

LEFT, BOTTOM, WIDE, HIGH, MOST = 48, 196, 44.0, 280.0, 7.6


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Saturation: the slope of the larger weight", 324, NARROW)
    drawing.text(14, 24, "larger weight", at="start", tone="muted", size=SMALL)
    for level in (0.5, 0.75, 1.0):
        _, y = _place(0, level)
        drawing.line(f"M{LEFT} {y:.1f}h{MOST * WIDE:.1f}", thick=0.4)
        drawing.text(LEFT - 8, y + 5, f"{level:g}", at="end", tone="muted", size=SMALL)
    points = [_place(step / 10, weight(step / 10)) for step in range(int(MOST * 10) + 1)]
    drawing.line("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), "violet", thick=3)
    for gap, (dx, dy) in zip(GAPS, ((18, -8), (16, 26), (0, 28)), strict=True):
        reach = 1.1
        start, end = max(-0.0, gap - reach), gap + reach
        (a, b), (c, d) = (_place(g, weight(gap) + (g - gap) * slope(gap)) for g in (start, end))
        drawing.line(f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}", "orange", thick=2)
        x, y = _place(gap, weight(gap))
        drawing.circle(x, y, 4.5, "orange-full")
        drawing.text(x + dx, y + dy, f"slope {_few(slope(gap))}", at="start" if dx else "middle",
                     tone="orange", size=SMALL)  # fmt: skip
        _bars(drawing, x, gap)
    drawing.text(LEFT + MOST * WIDE, BOTTOM + 20, "gap", at="end", tone="muted", size=SMALL)
    return drawing


def _place(gap: float, share: float) -> tuple[float, float]:
    return LEFT + gap * WIDE, BOTTOM - (share - 0.5) * HIGH


def _bars(drawing: Drawing, x: float, gap: float) -> None:
    """Draw the two weights as bars below the axis, and the gap."""
    drawing.line(f"M{x:.1f} {BOTTOM}v5", thick=1)
    drawing.text(x, BOTTOM + 20, f"{gap:g}", tone="muted", size=SMALL)
    for i, share in enumerate((1 - weight(gap), weight(gap))):
        high = 56 * share
        drawing.rect(x - 20 + i * 22, BOTTOM + 88 - high, 18, high, "violet", thick=1)
        drawing.text(x - 11 + i * 22 + (-8 if i == 0 else 8), BOTTOM + 106, f"{share:.2f}",
                     size=SMALL)  # fmt: skip

"""YaRN's ramp: the share of its frequency that a plane keeps, by its turns in training."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

ALPHA, BETA, FACTOR = 1, 4, 8
PLANES = {8: 8.0, 32: 2.0, 64: 1.0, 128: 0.5}  # wavelength: turns in 64 positions


def kept(turns: float) -> float:
    """Return the share of its frequency that a plane keeps."""
    return min(1, max(0, (turns - ALPHA) / (BETA - ALPHA)))


def divisor(turns: float) -> float:
    """Return the divisor of the plane's frequency."""
    return 1 / (kept(turns) + (1 - kept(turns)) / FACTOR)


ALT = f"""\
A ramp over the number of turns, from 0 to 9. Left of {ALPHA} turn the share kept is 0, between \
{ALPHA} and {BETA} it rises in a straight line to 1, and from there on it is 1. Four dots are the \
planes of the example: half a turn and one turn are divided by {FACTOR}, two turns by \
{divisor(2):.1f}, eight turns by 1. The three ranges are labelled interpolate, blend and leave."""
CAPTION = f"""\
The ramp for $\\alpha = {ALPHA}$, $\\beta = {BETA}$ and the factor {FACTOR}. The dots are the \
planes of the example, each with its divisor."""

LEFT, FLOOR, WIDE, HIGH, MOST = 48, 196, 324, 130, 9.0


def _at(turns: float) -> tuple[float, float]:
    return LEFT + turns / MOST * WIDE, FLOOR - kept(turns) * HIGH


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The ramp of YaRN", 282, NARROW)
    drawing.text(16, 26, "share of the frequency that is kept", at="start", bold=True)
    for start, end, kind in ((0, ALPHA, "orange"), (ALPHA, BETA, "violet"), (BETA, MOST, "green")):
        x, end_x = _at(start)[0], _at(end)[0]
        drawing.rect(x, FLOOR - HIGH, end_x - x, HIGH, kind, thick=0.6)
    way = [_at(t) for t in (0, ALPHA, BETA, MOST)]
    drawing.line("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in way), thick=2.4)
    for turns in PLANES.values():
        drawing.circle(*_at(turns), 6, "grey-full")
        by = f"{divisor(turns):.1f}".removesuffix(".0")
        x, y = _at(turns)
        if turns in (2.0, 8.0):
            drawing.text(x + (14 if turns == 2.0 else 0), y + (4 if turns == 2.0 else 24), f"÷{by}",
                         at="start" if turns == 2.0 else "middle", size=SMALL)  # fmt: skip
    drawing.text(_at(0.5)[0], FLOOR - 14, f"÷{FACTOR}", size=SMALL)
    for share in (0, 1):
        drawing.text(LEFT - 10, FLOOR - share * HIGH + 5, str(share), at="end", size=SMALL)
    for turns in (0.5, 1, 2, 4, 8):
        words = "½" if turns == 0.5 else str(turns)
        drawing.text(_at(turns)[0], FLOOR + 18, words, size=SMALL, tone="muted")
    drawing.text(LEFT + WIDE, FLOOR + 38, "turns in the trained context", at="end",
                 size=SMALL, tone="muted")  # fmt: skip
    for x, words, tone in ((16, "interpolate", "orange"), (136, "blend", "violet"),
                           (218, "leave alone", "green")):  # fmt: skip
        drawing.text(x, FLOOR + 66, words, at="start", size=SMALL, tone=tone, bold=True)
    return drawing

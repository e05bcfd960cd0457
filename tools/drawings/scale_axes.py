"""Numbers of the keys that share a scale: those of a token, or those of a channel."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

KEYS = ((9.8, 0.9, -0.5, 0.3), (-10.1, 0.4, 0.7, -0.8), (9.5, -0.6, 0.2, 1.0))
LEVELS = 7  # four bits: whole numbers from -7 to 7
BY_TOKEN = [max(map(abs, row)) / LEVELS for row in KEYS]
BY_CHANNEL = [max(map(abs, column)) / LEVELS for column in zip(*KEYS, strict=True)]
LEFT, WIDE, HIGH, GAP = 74, 56, 30, 8

SCALES = [", ".join(f"{scale:.2f}" for scale in found) for found in (BY_TOKEN, BY_CHANNEL)]
ALT = f"""\
The same keys twice, three tokens by four channels. The first channel holds {KEYS[0][0]}, \
{KEYS[1][0]} and {KEYS[2][0]}, all other numbers lie between -0.8 and 1.0. Above, per token: a \
frame round each row, and at its right the scale, {SCALES[0]}. Below, per channel: a frame round \
each column, and under it the scale, {SCALES[1]}."""
CAPTION = f"""\
Keys of three tokens with an outlier channel, in four bits (whole numbers from −{LEVELS} \
to {LEVELS}). A frame surrounds the numbers that share a scale, and the scale is the step \
between two values that can be stored."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Per token and per channel", 330, NARROW)
    drawing.text(14, 24, "Per token", at="start", bold=True)
    drawing.text(LEFT + 4 * WIDE + 48, 24, "scale", tone="muted", size=SMALL)
    for i, scale in enumerate(BY_TOKEN):
        y = 36 + i * (HIGH + GAP)
        _row(drawing, y, i)
        drawing.line(f"M{LEFT} {y}h{4 * WIDE}v{HIGH}h{-4 * WIDE}z", "violet", thick=2.6)
        drawing.text(LEFT + 4 * WIDE + 48, y + 20, f"{scale:.2f}", tone="violet", bold=True)
    top = 188
    drawing.text(14, top - 12, "Per channel", at="start", bold=True)
    for i in range(len(KEYS)):
        _row(drawing, top + i * HIGH, i, gap=GAP)
    for j, scale in enumerate(BY_CHANNEL):
        x = LEFT + j * (WIDE + GAP)
        drawing.line(f"M{x} {top}h{WIDE}v{3 * HIGH}h{-WIDE}z", "violet", thick=2.6)
        drawing.text(x + WIDE / 2, top + 3 * HIGH + 24, f"{scale:.2f}", tone="violet", bold=True)
    drawing.text(LEFT - 10, top + 3 * HIGH + 24, "scale", at="end", tone="muted", size=SMALL)
    return drawing


def _row(drawing: Drawing, y: float, i: int, gap: float = 0) -> None:
    """Draw the key of a token."""
    drawing.text(LEFT - 10, y + 20, f"token {i}", at="end", tone="muted", size=SMALL)
    for j, value in enumerate(KEYS[i]):
        x = LEFT + j * (WIDE + gap)
        drawing.rect(x, y, WIDE, HIGH, "orange" if j == 0 else "open", thick=0.6)
        drawing.text(x + WIDE / 2, y + 20, f"{value:.1f}".replace("-", "−"))

"""Speculative sampling by hand: the rejected share of q goes to the words where p is larger."""

from fractions import Fraction

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS = ("first", "second", "third")
TARGET = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
DRAFT = (Fraction(1, 5), Fraction(1, 5), Fraction(3, 5))
KEPT = tuple(map(min, TARGET, DRAFT))
REFUSED = tuple(q - kept for q, kept in zip(DRAFT, KEPT, strict=True))
LACKING = tuple(p - kept for p, kept in zip(TARGET, KEPT, strict=True))


def _said(shares: tuple[Fraction, ...]) -> str:
    return ", ".join(map(str, shares))


ALT = f"""\
Two bar charts of three words. Left, the draft guesses them with {_said(DRAFT)}. The lower part of \
each bar, {KEPT[0]} for every word, is accepted; the upper {REFUSED[2]} of the third bar is \
refused. An arrow leads from the refused part to the chart on the right, where the first word \
gains {LACKING[0]} and the second {LACKING[1]} on top of the accepted parts. The bars on the \
right are {_said(TARGET)}, the target's probabilities."""
CAPTION = f"""\
The rule by hand. At most the target's share of each bar is accepted (green). The refused \
{REFUSED[2]} of all rounds are redrawn from the residual (orange), so they go to the words that \
the draft guesses too rarely. The sums on the right are $p$."""

FLOOR, SCALE, WIDE, STEP, LEFT, RIGHT = 204, 250, 44, 56, 24, 216


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Acceptance and residual", 336, NARROW)
    drawing.text(LEFT, 30, "the draft guesses, *q*", at="start", bold=True)
    drawing.text(RIGHT, 30, "the round returns, *p*", at="start", bold=True)
    _bars(drawing, LEFT, REFUSED, "open", DRAFT)
    _bars(drawing, RIGHT, LACKING, "orange", TARGET)
    top = FLOOR - SCALE * float(DRAFT[2]) + 36
    drawing.arrow((LEFT + 2 * STEP + WIDE + 3, top), (RIGHT - 5, top))
    for row, (kind, words) in enumerate((
        ("green", "accepted: the smaller of *p* and *q*"),
        ("open", "refused: *q* above *p*"),
        ("orange", "residual: *p* above *q*"),
    )):  # fmt: skip
        y = 268 + 22 * row
        drawing.rect(LEFT, y - 11, 18, 13, kind, thick=1)
        drawing.text(LEFT + 28, y, words, at="start", size=SMALL)
    return drawing


def _bars(
    drawing: Drawing, left: float, extra: tuple[Fraction, ...], kind: str,
    sums: tuple[Fraction, ...],
) -> None:  # fmt: skip
    for i, (kept, more) in enumerate(zip(KEPT, extra, strict=True)):
        x, low, high = left + i * STEP, SCALE * float(kept), SCALE * float(more)
        drawing.rect(x, FLOOR - low, WIDE, low, "green", thick=1)
        drawing.text(x + WIDE / 2, FLOOR - low / 2 + 5, str(kept), size=SMALL)
        if more:
            drawing.rect(x, FLOOR - low - high, WIDE, high, kind, thick=1)
            drawing.text(x + WIDE / 2, FLOOR - low - high / 2 + 5, str(more), size=SMALL)
        drawing.text(x + WIDE / 2, FLOOR + 17, WORDS[i], size=SMALL, tone="muted")
        drawing.text(x + WIDE / 2, FLOOR + 36, str(sums[i]), size=SMALL, bold=True)

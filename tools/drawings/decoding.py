"""From a distribution to a word: temperature, truncation, scaling, and one random number."""

from tools.drawings.symbols import SMALL, Drawing

WORDS = ("that", "near", "fear", "run", "sing")
MODEL = (8 / 16, 4 / 16, 2 / 16, 1 / 16, 1 / 16)
TEMPERATURE, SHARE, U = 0.5, 0.9, 0.87


def _scaled(shares: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(share / sum(shares) for share in shares)


SHARP = _scaled(tuple(share ** (1 / TEMPERATURE) for share in MODEL))
CUT = tuple(share if sum(SHARP[:i]) < SHARE else 0.0 for i, share in enumerate(SHARP))
LEFT = _scaled(CUT)
CHOSEN = next(i for i in range(len(LEFT)) if sum(LEFT[: i + 1]) > U)


def _said(shares: tuple[float, ...]) -> str:
    return ", ".join(f"{share:.3f}" for share in shares)


ALT = f"""\
Four rows of five bars, for the words {", ".join(WORDS)}. The example has {_said(MODEL)}. \
Temperature one half gives {_said(SHARP)}. Top-p {SHARE} keeps the first two; the other three bars \
are empty. Scaled to sum to 1 they are {LEFT[0]:.1f} and {LEFT[1]:.1f}. Below, a line from 0 to 1 \
with these two shares; the number {U} falls into the second, so the word is {WORDS[CHOSEN]}."""
CAPTION = f"""\
From a made-up distribution to a word. Temperature ½ squares the probabilities, top-p {SHARE} \
keeps the fewest words that reach {SHARE} together, and these are scaled to sum to 1. One random \
number then decides: {U} falls into the share of *{WORDS[CHOSEN]}*."""

LEFT_EDGE, STEP, WIDE, HIGH = 190, 70, 46, 70


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("From a distribution to a word", 482)
    for i, word in enumerate(WORDS):
        drawing.text(LEFT_EDGE + i * STEP + WIDE / 2, 26, word, size=SMALL, bold=True)
    rows = (
        ("an example", "five made-up shares", MODEL, "blue"),
        ("temperature ½", "squares, scaled", SHARP, "violet"),
        (f"top-p {SHARE}", "the rest is cut", CUT, "orange"),
        ("scaled", "sums to 1 again", LEFT, "green"),
    )
    for number, (name, note, shares, kind) in enumerate(rows):
        _bars(drawing, 44 + number * 92, name, note, shares, kind)
    _line(drawing, 424)
    return drawing


def _bars(
    drawing: Drawing, top: float, name: str, note: str, shares: tuple[float, ...], kind: str
) -> None:
    drawing.text(24, top + HIGH - 20, name, at="start", bold=True)
    drawing.text(24, top + HIGH, note, at="start", tone="muted", size=SMALL)
    for i, share in enumerate(shares):
        x, high = LEFT_EDGE + i * STEP, share * HIGH
        if share:
            drawing.rect(x, top + HIGH - high, WIDE, high, kind, thick=1)
        else:
            drawing.rect(x, top + HIGH - SHARP[i] * HIGH - 2, WIDE, SHARP[i] * HIGH + 2, "open",
                         thick=1)  # fmt: skip
        drawing.text(x + WIDE / 2, top + HIGH + 17, f"{share:.3f}" if share else "0", tone="muted",
                     size=SMALL)  # fmt: skip


def _line(drawing: Drawing, top: float) -> None:
    left, wide = LEFT_EDGE, 4 * STEP + WIDE
    drawing.text(24, top + 19, "one draw", at="start", bold=True)
    start = 0.0
    for word, share in zip(WORDS, LEFT, strict=True):
        if share:
            drawing.rect(left + start * wide, top, share * wide, 26, "green", thick=1)
            drawing.text(left + (start + share / 2) * wide, top + 18, word, size=SMALL)
        start += share
    x = left + U * wide
    drawing.arrow((x - 8, top + 42), (x - 8, top + 27))
    drawing.text(x - 16, top + 42, f"u = {U}", at="end", size=SMALL)

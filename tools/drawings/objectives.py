"""Three pretraining objectives on one sentence: inputs, masks, and the positions with a loss."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS = ["the", "fox", "sees", "the", "hen", "."]
MASKED = {1: "fox", 4: "hen"}
SOURCE, TARGET = ["the", "S_0", "the", "hen", "."], ["S_0", "fox", "sees", "S_1"]
ALT = """\
Three panels for the sentence: the fox sees the hen. Each has a row of input tokens, below them \
the tokens to be predicted, each with a dot, and at the right the mask. Masked language \
modelling, BERT: inputs the, M, sees, the, M, full stop; dots with fox and hen; the mask of 6 by \
6 is full; a loss at 2 of 6 positions. Next token, GPT: inputs start, the, fox, sees, the, hen; \
dots at all six, with the, fox, sees, the, hen, full stop; the mask is a triangle; 6 of 6. Span \
corruption, T5: source the, S0, the, hen, full stop; target inputs start, S0, fox, sees; dots \
with S0, fox, sees, S1; the mask has a full square of 5 by 5 for the source, a full rectangle of \
4 by 5 below it, and a triangle of 4 by 4 beside the rectangle; 4 of 4 target positions."""
CAPTION = """\
Three objectives on one sentence. A dot marks a position with a loss, above the token to be \
predicted. Filled cells of the masks are open. M is the mask token, ^ the start token; S0 and S1 \
are sentinels."""

LEFT, WIDE = 14, 42


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three pretraining objectives", 502, NARROW)
    n = len(WORDS)
    drawing.band(6, 8, 388, 134, "Masked language modelling (BERT)")
    inputs = ["M" if i in MASKED else word for i, word in enumerate(WORDS)]
    _row(drawing, 44, inputs, MASKED)
    _count(drawing, 130, len(MASKED), n)
    drawing.mask(298, 48, [[True] * n] * n, "violet", 12)
    drawing.band(6, 150, 388, 134, "Next token (GPT)")
    _row(drawing, 186, ["^", *WORDS[:-1]], dict(enumerate(WORDS)))
    _count(drawing, 272, n, n)
    drawing.mask(298, 190, _triangle(n), "violet", 12)
    drawing.band(6, 292, 388, 202, "Span corruption (T5)")
    drawing.text(LEFT, 334, "source", at="start", tone="muted", size=SMALL)
    _row(drawing, 342, SOURCE, {})
    drawing.text(LEFT, 388, "target", at="start", tone="muted", size=SMALL)
    _row(drawing, 396, ["^", *TARGET[:-1]], dict(enumerate(TARGET)))
    _count(drawing, 482, len(TARGET), len(TARGET))
    s, t = len(SOURCE), len(TARGET)
    _both(drawing, 272, 346, s, t)
    return drawing


def _row(drawing: Drawing, y: float, inputs: list[str], targets: dict[int, str]) -> None:
    """Draw input tokens, and below them a dot and the token at each position with a loss."""
    for i, word in enumerate(inputs):
        x = LEFT + i * WIDE
        kind = "orange" if word in ("M", "S_0") else "grey"
        drawing.rect(x, y, WIDE - 4, 26, kind, thick=1)
        if word == "^":  # in a text it would start a superscript
            drawing.line(f"M{x + WIDE / 2 - 6} {y + 16}l4 -6l4 6")
        else:
            drawing.text(x + WIDE / 2 - 2, y + 18, word, size=SMALL)
        if i in targets:
            drawing.circle(x + WIDE / 2 - 2, y + 39, 4.5, "blue-full", thick=0)
            drawing.text(x + WIDE / 2 - 2, y + 62, targets[i], tone="blue", size=SMALL)


def _count(drawing: Drawing, y: float, lost: int, positions: int) -> None:
    words = f"loss at {lost} of {positions} positions"
    drawing.text(LEFT, y, words, at="start", tone="muted", size=SMALL)


def _triangle(n: int) -> list[list[bool]]:
    return [[j <= i for j in range(n)] for i in range(n)]


def _both(drawing: Drawing, x: float, y: float, s: int, t: int) -> None:
    """Draw the masks of an encoder–decoder: source, cross-attention, target."""
    drawing.mask(x, y, [[True] * s] * s, "violet", 12)
    drawing.mask(x, y + 12 * s + 4, [[True] * s] * t, "orange", 12)
    drawing.mask(x + 12 * s + 4, y + 12 * s + 4, _triangle(t), "violet", 12)

"""One word in two sentences: its attention weights, and the vector that each sentence gives it."""

import math

from tools.drawings.symbols import SMALL, Drawing

MEANING = {
    "the": (0, 0), "was": (0, 0), "bank": (1, 1), "river": (3, 0), "eroding": (2, 0),
    "savings": (0, 3), "failing": (0, 2),
}  # fmt: skip
"""The association of a word with water, and with money."""
SENTENCES = ("the river bank was eroding", "the savings bank was failing")
QUERY = "bank"


def weights(sentence: str, query: str = QUERY) -> list[float]:
    """Return the attention weights of a query over the words of a sentence."""
    a, b = MEANING[query]
    exps = [
        math.exp((a * MEANING[word][0] + b * MEANING[word][1]) / math.sqrt(2))
        for word in sentence.split()
    ]
    return [each / sum(exps) for each in exps]


def output(sentence: str) -> tuple[float, float]:
    """Return the average of the vectors of a sentence, with the weights of the query."""
    pairs = list(zip(weights(sentence), sentence.split(), strict=True))
    return (
        sum(weight * MEANING[word][0] for weight, word in pairs),
        sum(weight * MEANING[word][1] for weight, word in pairs),
    )


(WATER, LITTLE), (_, MONEY) = output(SENTENCES[0]), output(SENTENCES[1])
_SHARES = ", ".join(f"{weight:.2f}" for weight in weights(SENTENCES[0]))

ALT = f"""\
Left, two sentences, the river bank was eroding and the savings bank was failing. From each word a \
line leads to the new vector of bank, as thick as its weight: {_SHARES} in both sentences, so \
that river in one and savings in the other have the thickest line. Right, a plane of water and \
money: an open point at (1, 1), and two arrows from it to ({WATER:.2f}, {LITTLE:.2f}) for the \
first sentence and to ({LITTLE:.2f}, {MONEY:.2f}) for the second."""
CAPTION = """\
*bank* in two sentences. Each line is as thick as the attention weight of its word, and the new \
vector of *bank* is the average with these weights."""

WIDTHS, GAP, LEFT, MIDDLE = (40, 62, 50, 44, 66), 10, 18, 158
ORIGIN, UNIT = (404, 226), 45
THICK = 15  # pixels of a line with weight 1


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("One word in two contexts", 304)
    for sentence, top in zip(SENTENCES, (10, 156), strict=True):
        _sentence(drawing, sentence, top)
    _plane(drawing)
    return drawing


def _sentence(drawing: Drawing, sentence: str, top: float) -> None:
    """Draw a sentence, the weights of the query, and the vector that they give."""
    x = float(LEFT)
    for word, wide, weight in zip(sentence.split(), WIDTHS, weights(sentence), strict=True):
        middle = x + wide / 2
        drawing.line(f"M{middle:.1f} {top + 52}L{MIDDLE} {top + 98}", "violet",
                     thick=max(1.0, THICK * weight))  # fmt: skip
        drawing.token(x, top, wide, word, "blue" if word == QUERY else "grey")
        drawing.text(middle, top + 43, f"{weight:.2f}", tone="violet", size=SMALL)
        x += wide + GAP
    vector = "({:.2f}, {:.2f})".format(*output(sentence))
    drawing.box(MIDDLE - 92, top + 98, 184, 30, "grey", f"new bank: {vector}")


def _plane(drawing: Drawing) -> None:
    """Draw the initial vector and the vector after each sentence."""
    x, y = ORIGIN
    for n in (1, 2, 3):
        drawing.line(f"M{x + n * UNIT} {y}v5M{x} {y - n * UNIT}h-5", thick=1)
        drawing.text(x + n * UNIT, y + 19, str(n), tone="muted", size=SMALL)
        drawing.text(x - 10, y - n * UNIT + 5, str(n), at="end", tone="muted", size=SMALL)
    drawing.arrow((x, y), (x + 3.2 * UNIT, y))
    drawing.arrow((x, y), (x, y - 3.2 * UNIT))
    drawing.text(x + 3.2 * UNIT, y + 39, "water", at="end", size=14)
    drawing.text(x - 8, y - 3.2 * UNIT - 12, "money", at="start", size=14)
    start = (x + UNIT, y - UNIT)
    for a, b in (output(sentence) for sentence in SENTENCES):
        drawing.arrow(start, (x + a * UNIT, y - b * UNIT), kind="blue")
    drawing.circle(*start, 4.5, "open")
    drawing.text(start[0] + 10, start[1] - 6, "(1, 1)", at="start", size=SMALL)
    drawing.text(x + WATER * UNIT + 10, y - LITTLE * UNIT + 2, "river", at="start", tone="blue",
                 size=SMALL)  # fmt: skip
    drawing.text(x + LITTLE * UNIT + 10, y - MONEY * UNIT - 4, "savings", at="start", tone="blue",
                 size=SMALL)  # fmt: skip

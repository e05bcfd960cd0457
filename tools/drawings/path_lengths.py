"""The path from the first of nine words to the last: in a chain, through windows, by attention."""

import itertools

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS, WINDOW = 9, 5
CHAIN = WORDS - 1
REACH = (WINDOW - 1) // 2
LAYERS = -(-CHAIN // REACH)

ALT = f"""\
Three panels of {WORDS} dots, one per word. Recurrent network: arrows lead from each word to the \
next, {CHAIN} steps from the first to the last. Convolution with a window of {WINDOW}: a row of \
words, and above it a row of dots for each layer, layer 1 to layer {LAYERS}; the signal of the \
first word moves {REACH} words to the right with each layer and arrives after {LAYERS} layers. \
Attention: thin arcs join each word to the last, and a thick arc joins the first word to it in 1 \
step."""
CAPTION = f"""\
The path of a signal from the first of {WORDS} words to the last, in blue. The grey lines lead \
from further inputs."""

LEFT, STEP = 74, 35


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Path lengths of three networks", 430, NARROW)
    at = [LEFT + i * STEP + 8 for i in range(WORDS)]
    drawing.band(12, 12, NARROW - 24, 80, "Recurrent network", f"{CHAIN} steps")
    for x, following in itertools.pairwise(at):
        drawing.arrow((x + 7, 64), (following - 10, 64), kind="blue")
    _dots(drawing, at, 64, {0, WORDS - 1}, "states")

    drawing.band(12, 104, NARROW - 24, 178, f"Convolution, window of {WINDOW}", f"{LAYERS} layers")
    rows = [260 - 29 * layer for layer in range(LAYERS + 1)]
    for layer, (low, high) in enumerate(itertools.pairwise(rows)):
        middle = at[(layer + 1) * REACH]
        for x in at[layer * REACH : layer * REACH + WINDOW]:
            drawing.line(f"M{x} {low}L{middle} {high}", thick=0.8)
        drawing.line(f"M{at[layer * REACH]} {low}L{middle} {high}", "blue", thick=3)
    for layer, y in enumerate(rows):
        _dots(drawing, at, y, {layer * REACH}, f"layer {layer}" if layer else "words")

    drawing.band(12, 294, NARROW - 24, 124, "Attention", "1 step")
    for i, x in enumerate(at[:-1]):
        high = 398 - (8 + 8.5 * (WORDS - 1 - i))
        way = f"M{x} 398Q{(x + at[-1]) / 2} {2 * high - 398} {at[-1]} 398"
        drawing.line(way, "grey" if i else "blue", thick=0.8 if i else 3)
    _dots(drawing, at, 398, {0, WORDS - 1}, "words")
    return drawing


def _dots(drawing: Drawing, at: list[int], y: float, on: set[int], name: str) -> None:
    drawing.text(22, y + 5, name, at="start", tone="muted", size=SMALL)
    for i, x in enumerate(at):
        drawing.circle(x, y, 6, "blue-full" if i in on else "open")

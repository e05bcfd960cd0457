"""Three places for positions in a layer: the input, queries and keys, or the scores."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing

ALT = """\
A model, read upwards. At the bottom are three tokens and their embedding; a circle with a plus \
sign adds a position to it: 1, at the input, once, as sinusoidal and learned positions do. Above \
it is a frame, repeated N times. In it, W_Q, W_K and W_V make queries, keys and values. A dial \
above the queries and one above the keys mark point 2: queries and keys are rotated, in every \
layer, by RoPE. There is none above the values. Queries and keys meet in the scores, and a second \
plus sign marks point 3: a bias is added to the scores, in every layer, by ALiBi. Then come \
softmax and, with the values, the output."""
CAPTION = """\
A position can enter, read upwards, at the input (1), at queries and keys in every layer (2), or \
at the scores in every layer (3)."""

Q, K, V = 62, 150, 238  # the columns
NOTE = 268


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Where a position enters", 470, NARROW)
    middle = (Q + K) / 2
    drawing.rect(14, 50, 250, 288, "band", round=8, thick=0)
    drawing.text(24, 72, "× N layers", at="start", tone="muted", size=SMALL)
    for x, word in ((Q, "dog"), (K, "bites"), (V, "man")):
        drawing.token(x - 34, 436, 68, word)
        drawing.arrow((x, 436), (x, 418))
    drawing.box(Q - 34, 390, 244, 26, "grey", "embedding")
    drawing.arrow((K, 390), (K, 376))
    drawing.plus(K, 364)
    drawing.line(f"M{K} 354V328M{Q} 328H{V}")
    _note(drawing, 364, 1, "input, once:", "learned, sines")
    drawing.arrow((NOTE - 4, 364), (K + 13, 364))
    for x, name, kind in ((Q, "*W*_Q", "blue"), (K, "*W*_K", "orange"), (V, "*W*_V", "green")):
        drawing.arrow((x, 328), (x, 316))
        drawing.box(x - 22, 286, 44, 28, kind, name)
    for x, kind in ((Q, "blue"), (K, "orange")):
        drawing.line(f"M{x} 286V264", kind)
        _dial(drawing, x, 248, kind)
        drawing.line(f"M{x} 232V214H{middle}", kind)
    _note(drawing, 248, 2, "queries, keys,", "every layer:", "RoPE")
    drawing.line(f"M{NOTE - 4} 248H{V + 9}M{V - 9} 248H{K + 30}")
    drawing.arrow((K + 31, 248), (K + 20, 248))
    drawing.arrow((middle, 214), (middle, 204))
    drawing.box(middle - 44, 174, 88, 28, "violet", "*QK*^T / √*d*")
    drawing.arrow((middle, 174), (middle, 158))
    drawing.plus(middle, 146)
    _note(drawing, 146, 3, "scores, every", "layer: ALiBi")
    drawing.line(f"M{NOTE - 4} 146H{V + 9}M{V - 9} 146H{middle + 30}")
    drawing.arrow((middle + 31, 146), (middle + 13, 146))
    drawing.arrow((middle, 136), (middle, 122))
    drawing.box(middle - 44, 94, 88, 26, "violet", "softmax")
    drawing.line(f"M{middle} 94V80H{K + 6}")
    drawing.line(f"M{V} 286V80", "green")
    drawing.arrow((V, 80), (K + 42, 80), kind="green")
    drawing.box(K + 6, 66, 34, 28, "grey", "*AV*")
    drawing.arrow((K + 23, 66), (K + 23, 32))
    drawing.text(K + 23, 22, "output")
    return drawing


def _note(drawing: Drawing, y: float, point: int, first: str, second: str, third: str = "") -> None:
    drawing.circle(NOTE + 12, y - 8, 11, "open")
    drawing.text(NOTE + 12, y - 3, str(point), bold=True)
    for i, row in enumerate(filter(None, (first, second, third))):
        drawing.text(NOTE + 28, y - 4 + i * 18, row, at="start", size=SMALL)


def _dial(drawing: Drawing, x: float, y: float, kind: str) -> None:
    drawing.circle(x, y, 16, "open")
    for angle in (0.0, math.pi / 3):
        drawing.line(f"M{x} {y}l{13 * math.cos(angle):.1f} {-13 * math.sin(angle):.1f}", kind)

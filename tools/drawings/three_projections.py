"""Three learned projections: two give the score, the third goes into the weighted sum."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

COLUMNS = (
    ("x", "party", "Q", "query *q*", "blue"),
    ("y", "taste", "K", "key *k*", "orange"),
    ("z", "shopping list", "V", "value *v*", "green"),
)

ALT = """\
Three columns. The party x goes through the matrix W Q and becomes the query q. The taste y goes \
through W K and becomes the key k. The shopping list z goes through W V and becomes the value v. \
Arrows from q and k meet in the score, which becomes a weight by softmax. The weight and the value \
meet in the weighted sum, which is the output. A line below: in self-attention x, y and z are \
vectors of words of one sentence."""
CAPTION = """\
Three learned projections. $W_Q$ and $W_K$ meet in the score, and $W_V$ reaches the output by \
a separate path."""

CENTRES, WIDE = (72, 196, 324), 104


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three learned projections", 408, NARROW)
    for centre, (name, what, matrix, result, kind) in zip(CENTRES, COLUMNS, strict=True):
        drawing.box(centre - WIDE / 2, 14, WIDE, 46, "grey", f"*{name}*", what)
        drawing.arrow((centre, 60), (centre, 80))
        drawing.box(centre - 34, 84, 68, 32, "open", f"*W*_{matrix}")
        drawing.arrow((centre, 116), (centre, 136))
        drawing.box(centre - WIDE / 2, 140, WIDE, 32, kind, result)
    x, y, z = CENTRES
    middle = (x + y) / 2
    drawing.arrow((x, 172), (x, 190), (middle - 12, 206), kind="blue")
    drawing.arrow((y, 172), (y, 190), (middle + 12, 206), kind="orange")
    drawing.box(middle - 52, 210, 104, 32, "violet", "score *q* · *k*")
    drawing.arrow((middle, 242), (middle, 272))
    drawing.text(middle + 10, 261, "softmax", at="start", tone="muted", size=SMALL)
    drawing.box(middle - 52, 276, 104, 32, "violet", "weight *a*")
    drawing.arrow((middle + 52, 292), (z - 60, 292), kind="violet")
    drawing.arrow((z, 172), (z, 272), kind="green")
    drawing.box(z - 56, 276, 112, 32, "grey", "Σ *a* *v*", size=16)
    drawing.arrow((z, 308), (z, 330))
    drawing.text(z, 347, "output", bold=True)
    note = ["In self-attention *x*, *y* and *z* are vectors", "of words of one sentence."]
    drawing.lines(16, 376, note, at="start", tone="muted", size=SMALL, step=18)
    return drawing

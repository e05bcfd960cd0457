"""Three products are split into heads, which attend separately, and their outputs concatenated."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS, WIDTH, HEADS = 5, 12, 3
EACH = WIDTH // HEADS

ALT = f"""\
Read downwards: X, {WORDS} words of width {WIDTH}, is multiplied by W_Q, W_K and W_V. Each of the \
products Q, K and V is cut into {HEADS} slices of {EACH} columns, and slice 0 of each leads to \
head 0, slice 1 to head 1, slice 2 to head 2. In a head, Q and K, both {WORDS} by {EACH}, give \
{WORDS} by {WORDS} weights A, and A and V give an output O of {WORDS} by {EACH}. The {HEADS} \
outputs are put side by side, {WIDTH} wide again, and one matrix W_O mixes them into Y. On the \
right are the axes at each step, with those of Q for the projections: b q m, b q (h d), b h q d, \
b h q k, b h q e, b q (h e), b q m."""
CAPTION = """\
Split, attend, merge: the outputs of the heads side by side, times $W_O$, are as wide as before. \
On the right are the axes: b is the batch, q the queries, k the keys and m the width; (h d) is one \
axis of h heads with d columns each, and e is the width of a value."""

ROW, COLUMN, AXES = 8, 8, 332  # pixels of a matrix's rows and columns; x of the axes' names
MIDDLE, CENTRES = 168, (62, 168, 274)
KINDS = (("Q", "blue"), ("K", "orange"), ("V", "green"))


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Splitting and merging heads", 668, NARROW)
    high, wide = WORDS * ROW, WIDTH * COLUMN
    left = MIDDLE - wide / 2
    drawing.matrix(left, 34, wide, high, "grey", rows=WORDS, name="*X*")
    _axes(drawing, 58, "b q m")
    for x in CENTRES:
        drawing.band(x - 50, 220, 100, 250)
    for place, (name, kind) in enumerate(KINDS):
        x = CENTRES[place]
        drawing.arrow((MIDDLE + (place - 1) * 30, 78), (x, 122), kind=kind)
        drawing.text(x - 46, 124, f"*{name}*", at="start", size=15)
        aside = (-14, 10, 14)[place]
        drawing.text(x + aside - (place - 1) * 26, 100, f"*W*_{name}",
                     at="end" if place == 0 else "start", size=15)  # fmt: skip
        _slices(drawing, x - wide / 2, 130, kind)
        for head, centre in enumerate(CENTRES):
            start = x - wide / 2 + (head + 0.5) * EACH * COLUMN
            end = centre - 32 + place * 32
            drawing.line(f"M{start:.1f} 172L{end} 252", kind, thick=1.2, look="way")
    _axes(drawing, 154, "b q (h d)")
    for head, x in enumerate(CENTRES):
        _head(drawing, head, x)
    for y, axes in ((278, "b h q d"), (344, "b h q k"), (414, "b h q e")):
        _axes(drawing, y, axes)
    _slices(drawing, left, 520, "grey")
    drawing.text(left - 8, 544, "side by side", at="end", size=SMALL)
    _axes(drawing, 544, "b q (h e)")
    drawing.arrow((MIDDLE, 564), (MIDDLE, 594))
    drawing.text(MIDDLE + 10, 584, "*W*_O", at="start", size=15)
    drawing.matrix(left, 602, wide, high, "grey", rows=WORDS)
    drawing.text(left - 10, 628, "*Y*", at="end", size=15)
    _axes(drawing, 626, "b q m")
    return drawing


def _head(drawing: Drawing, head: int, x: float) -> None:
    """Draw one head: A from Q and K, and O from A and V."""
    high = WORDS * ROW
    for place, (_, kind) in enumerate(KINDS):
        drawing.matrix(x - 44 + place * 32, 253, 24, high, kind, rows=WORDS)
    drawing.arrow((x - 32, 296), (x - 22, 313))
    drawing.arrow((x, 296), (x - 4, 313))
    drawing.matrix(x - 32, 319, 40, high, "violet", rows=WORDS)
    drawing.text(x + 19, 344, "*A*", size=15)
    drawing.arrow((x - 12, 363), (x - 12, 383))
    drawing.arrow((x + 32, 296), (x + 32, 409), (x + 5, 409))
    drawing.matrix(x - 24, 389, 24, high, "grey", rows=WORDS)
    drawing.text(x - 30, 414, "*O*", at="end", size=15)
    drawing.text(x + 19, 456, f"head {head}", size=SMALL, bold=True)
    slice_middle = MIDDLE - WIDTH * COLUMN / 2 + (head + 0.5) * EACH * COLUMN
    drawing.arrow((x - 12, 433), (x - 12, 470), (slice_middle, 512))


def _axes(drawing: Drawing, y: float, axes: str) -> None:
    drawing.text(AXES, y, axes, at="start", tone="muted", size=SMALL)


def _slices(drawing: Drawing, x: float, y: float, kind: str) -> None:
    """Draw the slices of the heads, with a gap between them."""
    wide = EACH * COLUMN
    for head in range(HEADS):
        drawing.matrix(x + head * wide + 1, y, wide - 2, WORDS * ROW, kind, rows=WORDS)

"""The decoder layer of an encoder–decoder: three branches of one residual stream."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

TARGET, SOURCE, PADDED = 3, 5, 1  # positions; the last of the source is padding
ALT = f"""\
Read upwards. The residual stream of the target is a thick vertical line from X at the bottom to \
Y at the top, with three plus signs. Before each of them a branch leaves the line, passes a norm \
and a sublayer, and returns. First: self-attention, with a triangular mask of {TARGET} by \
{TARGET}; the sum is X 1. Second: cross-attention. Its queries Q come from the stream, and its \
keys K and values V from a box at the right, the memory H with {SOURCE} positions, the last of \
them padding; in its mask of {TARGET} by {SOURCE} the last column is empty; the sum is X 2. \
Third: feed-forward; the sum is Y."""
CAPTION = """\
A decoder's layer, read upwards: self-attention, cross-attention to the memory, feed-forward. \
Empty cells of a mask are hidden."""

STREAM, MIDDLE, BRANCH = 56, 170, 150


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A decoder's layer with cross-attention", 540, NARROW)
    drawing.band(92, 34, 172, 472)
    drawing.stream(STREAM, 500, 24)
    causal = [[j <= i for j in range(TARGET)] for i in range(TARGET)]
    real = [[j < SOURCE - PADDED for j in range(SOURCE)]] * TARGET
    rows = (
        ("self-attention", "violet", causal, "*X*"),
        ("cross-attention", "orange", real, "*X*_1"),
        ("feed-forward", "green", [], "*X*_2"),
    )
    for number, (name, kind, mask, before) in enumerate(rows):
        bottom = 484 - number * BRANCH
        drawing.text(STREAM - 12, bottom + 5, before, at="end", size=15)
        _branch(drawing, bottom, name, kind, mask, number + 1)
    drawing.text(STREAM - 12, 40, "*Y*", at="end", size=15)
    drawing.text(STREAM, 524, "target, q × m", size=SMALL)
    cross = 484 - BRANCH - 88
    _memory(drawing, cross)
    return drawing


def _branch(
    drawing: Drawing, bottom: float, name: str, kind: str, mask: list[list[bool]], number: int
) -> None:
    """Draw a norm and a sublayer, and the path back to the stream."""
    drawing.arrow((STREAM, bottom), (MIDDLE, bottom), (MIDDLE, bottom - 15))
    drawing.box(MIDDLE - 38, bottom - 44, 76, 26, "grey", f"norm_{number}", size=SMALL)
    drawing.arrow((MIDDLE, bottom - 44), (MIDDLE, bottom - 61),
                  kind="blue" if number == 2 else "grey")  # fmt: skip
    if mask:
        drawing.text(MIDDLE + 8, bottom - 49, "*Q*" if number == 2 else "*Q*, *K*, *V*",
                     at="start", tone="blue" if number == 2 else "ink", size=SMALL)  # fmt: skip
    top = bottom - 112
    drawing.rect(MIDDLE - 70, top, 140, 48, kind, round=5)
    if mask:
        drawing.text(MIDDLE - 62, top + 20, name.partition("-")[0] + "-", at="start")
        drawing.text(MIDDLE - 62, top + 38, "attention", at="start")
        drawing.mask(MIDDLE + 62 - 11 * len(mask[0]), top + 8, mask, kind, 11)
    else:
        drawing.text(MIDDLE, top + 29, name)
    drawing.arrow((MIDDLE, top), (MIDDLE, top - 16), (STREAM + 14, top - 16))
    drawing.plus(STREAM, top - 16)


def _memory(drawing: Drawing, y: float) -> None:
    """Draw the memory next to the cross-attention at y, with its keys and values."""
    left, cell = 312, 22
    top = y - SOURCE * cell / 2
    drawing.text(left + 24, top - 26, "memory *H*")
    drawing.text(left + 24, top - 9, "k × m", tone="muted", size=SMALL)
    for row in range(SOURCE):
        look = "open" if row >= SOURCE - PADDED else "grey"
        drawing.rect(left, top + row * cell, 48, cell - 2, look, thick=1)
    drawing.text(left + 24, top + SOURCE * cell + 16, "from the", tone="muted", size=SMALL)
    drawing.text(left + 24, top + SOURCE * cell + 32, "encoder", tone="muted", size=SMALL)
    for name, kind, at in (("*K*", "orange", y - 12), ("*V*", "green", y + 12)):
        drawing.arrow((left - 4, at), (MIDDLE + 74, at), kind=kind)
        drawing.text((left + MIDDLE + 74) / 2 + 8, at - 6, name, tone=kind, size=SMALL)

"""The source of queries, keys and values in three kinds of attention."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

SOURCE, TARGET, PADDED = 4, 3, 1  # positions; the last of the source is padding

ALT = f"""\
Three panels with a source of {SOURCE} positions, the last of them padding, and a target of \
{TARGET}. Encoder self-attention: queries, keys and values all come from the source, scores \
{SOURCE} by {SOURCE}, last column masked. Decoder self-attention: all three come from the target, \
scores {TARGET} by {TARGET}, a triangle. Cross-attention: queries come from the target, keys and \
values from the source, scores {TARGET} by {SOURCE}, last column masked."""
CAPTION = """\
Where queries (blue), keys (orange) and values (green) come from. Rows of the scores are queries, \
columns are keys, and empty cells are masked: the padding of the source, or later positions of the \
target."""

CELL, SIDE = 17, 16


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The inputs of self- and cross-attention", 404, NARROW)
    real = SOURCE - PADDED
    to_source = [j < real for j in range(SOURCE)]
    panels = (
        ("Self-attention in an encoder", "source", "source", [to_source] * SOURCE),
        ("Self-attention in a decoder", "target", "target",
         [[j <= i for j in range(TARGET)] for i in range(TARGET)]),
        ("Cross-attention", "target", "source", [to_source] * TARGET),
    )  # fmt: skip
    for panel, (name, asks, answers, seen) in enumerate(panels):
        _panel(drawing, 8 + panel * 131, name, asks, answers, seen)
    return drawing


def _panel(
    drawing: Drawing, top: float, name: str, asks: str, answers: str, seen: list[list[bool]]
) -> None:
    drawing.band(8, top, 384, 124, name)
    middle = {"source": top + 98, "target": top + 54}
    for sequence in {asks: 0, answers: 0}:
        y = middle[sequence]
        drawing.text(66, y + 5, sequence, at="end", tone="muted", size=SMALL)
        for j in range(SOURCE if sequence == "source" else TARGET):
            padding = sequence == "source" and j >= SOURCE - PADDED
            drawing.rect(74 + j * SIDE, y - 8, SIDE - 2, SIDE, "open" if padding else "grey",
                         thick=1)  # fmt: skip
    boxes = (("Q", "blue", asks), ("K", "orange", answers), ("V", "green", answers))
    for place, (letter, kind, sequence) in enumerate(boxes):
        y = top + 48 + place * 28
        start = 78 + SIDE * (SOURCE if sequence == "source" else TARGET)
        drawing.arrow((start, middle[sequence]), (196, y), kind=kind)
        drawing.rect(202, y - 11, 30, 22, kind, round=4)
        drawing.text(217, y + 5, f"*{letter}*", size=15)
    drawing.mask(276, top + 34, seen, "violet", CELL)
    rows, columns = len(seen), len(seen[0])
    drawing.text(270, top + 34 + rows * CELL / 2 + 4, "q", at="end", tone="muted", size=SMALL)
    drawing.text(276 + columns * CELL / 2, top + 34 + rows * CELL + 14, "k", tone="muted",
                 size=SMALL)  # fmt: skip
    drawing.text(386, top + 34 + rows * CELL / 2 + 4, f"{rows}×{columns}", at="end", size=SMALL)

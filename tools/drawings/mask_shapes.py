"""A mask without an axis for the heads: the lengths of the sequences apply to the heads."""

from tools.drawings.symbols import SMALL, Drawing

LENGTHS, HEADS, K = (4, 2), 2, 4
AXES = "bhqk"
PANELS = (("2", "1", "4", "4"), ("", "2", "4", "4"))


def seen(panel: int, sequence: int, head: int) -> int:
    """Return the number of keys that a mask allows."""
    return LENGTHS[sequence if panel == 0 else head]


ALT = """\
Two panels. In both, the scores have the sizes 2, 2, 4, 4 under the axes b, h, q, k, and the mask \
is written below, flush right. Left panel, mask 2, 1, 4, 4: of four small grids, sequence 0 has \
all four columns filled in both heads, sequence 1 the first two columns in both heads. Right \
panel, mask 2, 4, 4: its 2 is orange and is under h. In the grids, head 0 has four filled columns \
and head 1 two, in both sequences; the two grids that differ from the left panel are orange."""
CAPTION = """\
Two sequences, of 4 and 2 tokens, and two heads. The first axis of the mask $(2, 4, 4)$ \
meets the heads, so the orange grids are wrong."""

CELL, WIDE = 13, 264


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Shapes are aligned from the right", 296)
    for panel, sizes in enumerate(PANELS):
        left = 12 + panel * (WIDE + 8)
        name = f"mask ({', '.join(size for size in sizes if size)})"
        drawing.band(left, 12, WIDE, 272, name)
        for line, (head, row) in enumerate(
            (("", AXES), ("scores", ("2", "2", "4", "4")), ("mask", sizes))
        ):
            y = 58 + line * 22
            if head:
                drawing.text(left + 16, y, head, at="start", tone="muted", size=SMALL)
            for axis, word in enumerate(row):
                if not word:
                    continue
                wrong = panel == 1 and line == 2 and axis == 1
                drawing.text(left + 104 + axis * 36, y, f"*{word}*" if line == 0 else word,
                             tone="orange" if wrong else "ink", bold=wrong)  # fmt: skip
        _grids(drawing, panel, left)
    return drawing


def _grids(drawing: Drawing, panel: int, left: float) -> None:
    for head in range(HEADS):
        x = left + 104 + head * 78
        drawing.text(x + 2 * CELL, 140, f"head {head}", tone="muted", size=SMALL)
        for sequence in range(len(LENGTHS)):
            y = 150 + sequence * 66
            wrong = seen(panel, sequence, head) != LENGTHS[sequence]
            rows = [[j < seen(panel, sequence, head) for j in range(K)]] * K
            drawing.mask(x, y, rows, "orange" if wrong else "violet", CELL)
    for sequence in range(len(LENGTHS)):
        drawing.text(left + 16, 180 + sequence * 66, f"sequence {sequence}", at="start",
                     tone="muted", size=SMALL)  # fmt: skip

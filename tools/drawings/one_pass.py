"""The rows of one masked pass are passes over the prefixes."""

from tools.drawings.symbols import SMALL, Drawing

NOTES = (5, 0, 3, 6)
CELLS = sum(range(1, len(NOTES) + 1))

ALT = f"""\
On the left a causal mask of four positions over the keys 5, 0, 3 and 6: row 0 has one filled \
cell, row 3 has four, {CELLS} in all. On the right four sequences, one per row: 5; 5, 0; 5, 0, 3; \
5, 0, 3, 6. An equals sign joins each row of the mask to its sequence. An arrow leads from each \
sequence to the note that it predicts: the 2nd, 3rd, 4th and 5th."""
CAPTION = """\
One masked pass over four notes equals four passes over its prefixes, because each row attends to \
the notes of its prefix."""

LEFT, TOP, CELL, HIGH, RIGHT = 48, 78, 36, 36, 258


def draw() -> Drawing:
    """Return the drawing."""
    n = len(NOTES)
    drawing = Drawing("One masked pass is every prefix", TOP + n * HIGH + 22)
    drawing.text(LEFT + n * CELL / 2, 26, "one masked pass", bold=True)
    drawing.text(RIGHT + n * CELL / 2, 26, "a pass per prefix", bold=True)
    drawing.text(RIGHT + n * CELL + 92, 26, "predicts", bold=True)
    for i in range(n):
        y = TOP + i * HIGH
        drawing.token(LEFT + i * CELL + 2, 42, CELL - 5, str(NOTES[i]), "orange")
        drawing.text(LEFT - 16, y + 22, str(i), tone="muted", size=SMALL)
        drawing.mask(LEFT, y, [[j <= i for j in range(n)]], "violet", CELL)
        drawing.text((LEFT + n * CELL + RIGHT) / 2, y + 23, "=", size=18)
        for j in range(i + 1):
            drawing.token(RIGHT + j * CELL + 2, y + 4, CELL - 5, str(NOTES[j]), "orange")
        drawing.arrow((RIGHT + (i + 1) * CELL + 6, y + 17), (RIGHT + n * CELL + 52, y + 17))
        which = f"{('2nd', '3rd', '4th', '5th')[i]} note"
        drawing.text(RIGHT + n * CELL + 92, y + 22, which, size=SMALL)
    return drawing

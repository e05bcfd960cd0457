"""Two attention maps of one ballad in one grid, with the words on the diagonal."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS = """∗ mice sing brave often . the foxes near the owl see the king . \
∗ sing brave often .""".split()  # not *, which marks a formula
# Queries and keys with a weight above 0.5; a test compares them with the storyteller.
LOCAL = ((0, 0), (1, 0), (2, 1), (3, 2), (4, 3), (6, 4), (7, 6), (8, 7), (9, 8), (10, 9), (11, 10),
         (12, 11), (13, 12), (15, 13), (16, 15), (17, 16), (18, 17))  # fmt: skip
INDUCTION = ((0, 0), (1, 1), (2, 2), (3, 0), (4, 4), (7, 0), (9, 8), (10, 9), (11, 9), (13, 9),
             (16, 3), (17, 4), (18, 6))  # fmt: skip
COPIES = ((16, 3), (17, 4))

ALT = """\
A grid of 20 by 20 cells, rows are queries, columns are keys; each word of the ballad is written \
at its cell on the diagonal. Blue cells, head 0.2: a line just below the diagonal, in the \
refrain, in the sentence and in the repeated refrain. Orange cells, head 1.0: scattered, several \
in the column of the first star and of the second "the"; two with a thick edge are far from the \
diagonal, in the row of the repeated sing at the column of brave, and in the row of the repeated \
brave at the column of often."""
CAPTION = """\
Weights above 0.5 of heads 0.2 and 1.0. Each word labels its row to the left and its column \
below. In the two cells with a thick edge, head 1.0 attends to the word that followed the last \
time."""

LEFT, TOP, CELL = 14, 14, 16


def draw() -> Drawing:
    """Return the drawing."""
    n = len(WORDS)
    drawing = Drawing("Two attention maps with their words", TOP + n * CELL + 66, NARROW)
    for i in range(n):
        for j in range(i + 1):
            looks = [kind for kind, cells in (("blue", LOCAL), ("orange", INDUCTION))
                     if (i, j) in cells]  # fmt: skip
            x, y, part = LEFT + j * CELL, TOP + i * CELL, CELL / max(1, len(looks))
            for c, kind in enumerate(looks):
                drawing.rect(x + c * part, y, part, CELL, f"{kind}-full")
            drawing.rect(x, y, CELL, CELL, "grey-line", thick=0.5)
    for i, word in enumerate(WORDS):
        drawing.text(LEFT + (i + 1) * CELL + 5, TOP + i * CELL + 12.5, word, at="start", size=SMALL)
    for i, j in COPIES:
        drawing.rect(LEFT + j * CELL - 2, TOP + i * CELL - 2, CELL + 4, CELL + 4, "grey-line",
                     thick=2.4)  # fmt: skip
    y = TOP + n * CELL + 22
    for x, kind, words in ((LEFT, "blue", "head 0.2"), (LEFT + 110, "orange", "head 1.0")):
        drawing.rect(x, y, CELL, CELL, f"{kind}-full")
        drawing.text(x + CELL + 8, y + 13, words, at="start", size=14)
    drawing.text(LEFT, y + 36, "rows: queries, columns: keys", at="start", tone="muted", size=SMALL)
    return drawing

"""The masks of the chapter, six positions each."""

from collections.abc import Callable

from tools.drawings.symbols import SMALL, Drawing

N, REAL, WINDOW, PREFIX, Q = 6, 4, 3, 3, 2
DOCUMENT = (0, 0, 0, 1, 1, 1)
Rule = Callable[[int, int], bool]
MASKS: dict[tuple[str, str], tuple[int, Rule]] = {
    ("causal", ""): (N, lambda i, j: j <= i),
    ("padding", "on the right"): (N, lambda i, j: j < REAL),
    ("padding", "on the left"): (N, lambda i, j: j >= N - REAL),
    ("causal, and", "padding on the left"): (N, lambda i, j: N - REAL <= j <= i),
    ("sliding window", f"of {WINDOW}"): (N, lambda i, j: i - WINDOW < j <= i),
    ("prefix", f"of {PREFIX}"): (N, lambda i, j: j <= i or j < PREFIX),
    ("causal, two", "documents"): (N, lambda i, j: j <= i and DOCUMENT[i] == DOCUMENT[j]),
    ("causal, last", f"{Q} queries"): (Q, lambda i, j: j <= i + N - Q),
}


def grid(name: tuple[str, str]) -> list[list[bool]]:
    """Return a mask, row by row."""
    rows, rule = MASKS[name]
    return [[rule(i, j) for j in range(N)] for i in range(rows)]


ALT = """\
Eight masks, rows are queries and columns are keys. Causal: a filled triangle. Padding on the \
right: the last two columns are empty. Padding on the left: the first two columns are empty. \
Causal with padding on the left: a triangle from key 2 on, and the rows of queries 0 and 1 are \
orange, without any violet cell. Sliding window of 3: a band three cells wide along the diagonal. \
Prefix of 3: the triangle with the first three columns filled. Two documents: two small triangles \
of three positions along the diagonal. Last two queries: two rows, the first with five filled \
cells, the second with six."""
CAPTION = """\
Masks of six positions. Violet cells are allowed, and orange rows have none. Window and prefix \
are explained later; documents in one sequence stay apart."""

CELL, STEP, LEFT = 17, 134, 27


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The masks of language models", 366)
    drawing.text(280, 352, "rows: queries, columns: keys", tone="muted", size=SMALL)
    for place, name in enumerate(MASKS):
        x, y = LEFT + place % 4 * STEP, 58 + place // 4 * 172
        for line, words in enumerate(filter(None, name)):
            drawing.text(x + N * CELL / 2, y - 27 + line * 17, words, size=SMALL)
        rows = grid(name)
        y += (N - len(rows)) * CELL
        drawing.mask(x, y, rows, "violet", CELL)
        for i, row in enumerate(rows):
            for j in range(N) if not any(row) else ():
                drawing.rect(x + j * CELL, y + i * CELL, CELL - 1, CELL - 1, "orange", thick=0.6)
    return drawing

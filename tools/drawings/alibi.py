"""ALiBi's bias of one head, and the half-lives of three slopes."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing

SIZE, SLOPES, MARKS = 6, (2, 16, 256), (1, 16, 256)  # slopes are 1/2, 1/16 and 1/256


def half_life(inverse_slope: int) -> float:
    """Return the distance over which the weight of equal keys halves."""
    return math.log(2) * inverse_slope


_LIVES = ", ".join(f"1/{n}: {half_life(n):.3g} steps" for n in SLOPES)
ALT = f"""\
Above, a table of {SIZE} queries by {SIZE} keys. On the diagonal the bias is 0, and each step to \
the left lowers it by 1, down to −{SIZE - 1} in the corner; cells right of the diagonal are empty. \
Below, three bars for the half-lives of the slopes {_LIVES}, on a logarithmic axis on which \
1, 16 and 256 steps are marked."""
CAPTION = """\
Above: ALiBi's bias in units of the slope *s*, one row per query. Below: the distance over which \
the weight of equal keys halves, for three slopes of eight heads."""

LEFT, CELL, TOP = 92, 38, 44
AXIS, END = 104, 384


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("ALiBi", 462, NARROW)
    drawing.text(LEFT + 3 * CELL, 22, "bias, divided by *s*", bold=True)
    drawing.text(LEFT - 10, TOP + 3 * CELL + 5, "queries *i*", at="end", tone="muted", size=SMALL)
    for i in range(SIZE):
        for j in range(SIZE):
            seen = j <= i
            drawing.rect(LEFT + j * CELL, TOP + i * CELL, CELL - 2, CELL - 2,
                         "violet" if seen else "open", thick=1)  # fmt: skip
            if seen:
                words = f"−{i - j}" if i > j else "0"
                drawing.text(LEFT + j * CELL + CELL / 2 - 1, TOP + i * CELL + 23, words)
    drawing.text(LEFT + 3 * CELL, TOP + 6 * CELL + 17, "keys *j*", tone="muted", size=SMALL)
    y = TOP + 6 * CELL + 56
    drawing.text(12, y, "half-life, in steps", at="start", bold=True)
    end = y + 18 + 3 * 32
    for mark in MARKS:
        drawing.line(f"M{_along(mark):.1f} {y + 12}V{end}", thick=1)
        drawing.text(_along(mark), end + 15, str(mark), tone="muted", size=SMALL)
    for n, inverse in enumerate(SLOPES):
        row, life = y + 18 + 32 * n, half_life(inverse)
        drawing.text(12, row + 15, f"slope 1/{inverse}", at="start", size=SMALL)
        drawing.rect(AXIS, row, _along(life) - AXIS, 22, "violet", thick=1)
        at, side = (8, "start") if life < MARKS[1] / 2 else (-8, "end")
        drawing.text(_along(life) + at, row + 16, f"{life:.3g}", at=side, size=SMALL)
    return drawing


def _along(steps: float) -> float:
    return AXIS + (END - AXIS) * math.log(steps) / math.log(MARKS[-1]) * 0.95

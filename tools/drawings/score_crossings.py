"""Transfers of a score matrix between memory and chip, in four kernels and in one."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

N, D, BYTES = 4096, 64, 2  # tokens, width, float16
SCORES = N * N * BYTES // 2**20  # MiB of one q × k matrix
KERNELS = ("*QK*^T", "scale", "softmax", "*AV*")
MIDDLES = (86, 214, 342, 470)

ALT = f"""\
Two rows, with HBM above the chip in each. Upper row: four kernels, Q times K transposed, \
scale, softmax, A times V. Q and K go down into the first, V into the last, O comes up from \
it. Between neighbours lie three large violet squares in HBM: scores, scaled scores S, weights \
A. Each is written by one kernel and read by the next, so six thick arrows, {SCORES} MiB each. \
Lower row: one kernel takes Q, K and V down and O up; S and A are inside it, and no violet \
arrow leaves."""
CAPTION = f"""\
Plain attention as four kernels (above) and as one (below), for one head of {N} tokens in half \
precision. A thick arrow is a q × k matrix, {SCORES} MiB; a thin one is $Q$, $K$, $V$ or $O$, \
which have {N * D * BYTES / 2**20:g} MiB each."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Six crossings of a matrix of scores, and none", 470)
    drawing.text(16, 26, "Four kernels", at="start", bold=True)
    drawing.band(12, 38, WIDTH - 24, 92, "HBM")
    for x, name in zip(MIDDLES, KERNELS, strict=True):
        drawing.box(x - 46, 196, 92, 42, "grey", name)
    drawing.text(WIDTH - 16, 262, "on the chip", at="end", tone="muted", size=SMALL)
    for left, right, name in zip(MIDDLES, MIDDLES[1:], ("scores", "*S*", "*A*"), strict=False):
        middle = (left + right) / 2
        drawing.rect(middle - 24, 66, 48, 48, "violet")
        drawing.text(middle, 95, name, size=SMALL)
        _thick(drawing, (left + 24, 194), (middle - 14, 118))
        _thick(drawing, (middle + 14, 118), (right - 24, 192))
    for x, name, kind in ((42, "*Q*", "blue"), (82, "*K*", "orange"), (474, "*V*", "green")):
        drawing.box(x - 14, 78, 28, 28, kind, name, size=SMALL)
        drawing.arrow((x, 108), (x, 188), kind=kind)
    drawing.box(494, 78, 28, 28, "grey", "*O*", size=SMALL)
    drawing.arrow((508, 194), (508, 110))

    y = 288
    drawing.text(16, y, "One kernel", at="start", bold=True)
    drawing.band(12, y + 12, WIDTH - 24, 56, "HBM")
    drawing.box(40, y + 118, 476, 52, "grey")
    for x, name, kind in ((86, "*Q*", "blue"), (150, "*K*", "orange"), (214, "*V*", "green")):
        drawing.box(x - 14, y + 26, 28, 28, kind, name, size=SMALL)
        drawing.arrow((x, y + 56), (x, y + 110), kind=kind)
    drawing.box(456, y + 26, 28, 28, "grey", "*O*", size=SMALL)
    drawing.arrow((470, y + 116), (470, y + 58))
    drawing.rect(268, y + 130, 28, 28, "violet")
    drawing.text(306, y + 149, "tiles of *S* and *A* stay here", at="start", size=SMALL)
    return drawing


def _thick(drawing: Drawing, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw the path of a q × k matrix."""
    (x0, y0), (x, y) = start, end
    u, v = (x - x0) * 0.9, (y - y0) * 0.9
    drawing.line(f"M{x0:.1f} {y0:.1f}l{u:.1f} {v:.1f}", "violet", thick=5)
    length = (u * u + v * v) ** 0.5
    u, v = u / length, v / length
    back, aside = (x - 13 * u, y - 13 * v), (8 * v, -8 * u)
    tip = [(x, y), *((back[0] + s * aside[0], back[1] + s * aside[1]) for s in (1, -1))]
    outline = "L".join(f"{a:.1f} {b:.1f}" for a, b in tip)
    drawing.parts.append(f'<path d="M{outline}z" class="violet-full"/>')

"""The same row as a tree: six keys merged pair by pair, with the numbers."""

import math

from tools.drawings.online_softmax import BLOCKS
from tools.drawings.symbols import SMALL, Drawing

Summary = tuple[float, float, float]  # m, total, weighted
KEYS = [pair for block in BLOCKS for pair in block]  # (score, value)


def merge(one: Summary, other: Summary) -> Summary:
    """Merge two summaries of disjoint keys."""
    m = max(one[0], other[0])
    ours, theirs = math.exp(one[0] - m), math.exp(other[0] - m)
    return m, one[1] * ours + other[1] * theirs, one[2] * ours + other[2] * theirs


def levels() -> list[list[Summary]]:
    """Return the summaries of each level, keys first; one without a neighbour is passed on."""
    found = [[(float(score), 1.0, float(value)) for score, value in KEYS]]
    while len(found[-1]) > 1:
        last = found[-1]
        pairs = [merge(*last[i : i + 2]) for i in range(0, len(last) - 1, 2)]
        found.append([*pairs, last[-1]] if len(last) % 2 else pairs)
    return found


LEVELS = levels()
ROOT = LEVELS[-1][0]


def _said(summary: Summary) -> str:
    m, total, weighted = summary
    return f"{m:.0f}, {total:.3f}, {weighted:.2f}"


ALT = f"""\
A tree that grows downwards. Above, six keys with their scores 1, 2, 4, 0, 3, 3 and their values \
10 to 60. Neighbours merge into three summaries of m, l and o: {_said(LEVELS[1][0])}; \
{_said(LEVELS[1][1])}; {_said(LEVELS[1][2])}. The first two merge into {_said(LEVELS[2][0])}, the \
third goes down as it is. The last merge gives {_said(ROOT)}, whose output is \
{ROOT[2] / ROOT[1]:.2f}."""
CAPTION = f"""\
The same row as a tree. Five merges join six keys, as in a loop, but in {len(LEVELS) - 1} levels, \
and the merges of one level do not depend on each other. The root equals the result of the loop in \
{{numref}}`fig-11-online-softmax`, {ROOT[2]:.2f} / {ROOT[1]:.3f} = {ROOT[2] / ROOT[1]:.2f}."""

LEFT, STEP, TOP, BOX = 76, 78, 40, 104


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Online softmax as a tree: six keys, three levels", 440)
    for name, y in (("scores", TOP + 18), ("values", TOP + 48)):
        drawing.text(14, y, name, at="start", tone="muted", size=SMALL)
    middles = [LEFT + STEP / 2 + i * STEP for i in range(len(KEYS))]
    for x, (score, value) in zip(middles, KEYS, strict=True):
        drawing.token(x - 26, TOP, 52, str(score), "violet")
        drawing.token(x - 26, TOP + 30, 52, str(value), "green")
    foot, high = TOP + 56, 66
    for depth, level in enumerate(LEVELS[1:], start=1):
        y, before = TOP + 88 + (depth - 1) * 106, middles
        middles = [
            sum(before[2 * i : 2 * i + 2]) / len(before[2 * i : 2 * i + 2])
            for i in range(len(level))
        ]
        drawing.text(14, y + high / 2 + 4, f"level {depth}", at="start", tone="muted", size=SMALL)
        for i, (x, (m, total, weighted)) in enumerate(zip(middles, level, strict=True)):
            parents = before[2 * i : 2 * i + 2]
            for parent in parents:
                drawing.arrow((parent, foot + 4), (x + (parent - x) * 0.25, y - 5), kind="orange")
            last = depth == len(LEVELS) - 1
            drawing.rect(x - BOX / 2, y, BOX, high, "grey" if last else "band", round=6,
                         thick=1.4 if last else 0)  # fmt: skip
            for row, (name, what) in enumerate(
                (("*m*", f"{m:.0f}"), ("*ℓ*", f"{total:.3f}"), ("*o*", f"{weighted:.2f}"))
            ):
                drawing.text(x - BOX / 2 + 14, y + 19 + row * 19, name, at="start")
                drawing.text(x + BOX / 2 - 12, y + 19 + row * 19, what, at="end")
        foot = y + high
    drawing.text(middles[0], foot + 28, f"*o* / *ℓ* = {ROOT[2] / ROOT[1]:.2f}", bold=True)
    return drawing

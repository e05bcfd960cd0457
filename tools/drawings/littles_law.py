"""Little's law: the bars of four requests and the curve of their number have the same area."""

import itertools

from tools.drawings.batching import REQUESTS, STATIC, STEPS
from tools.drawings.symbols import SMALL, WIDTH, Drawing

# The arrival of each request under static batching, and the time of its last token.
STAYS = {
    name: (arrives, max(end for _, end, parts in STEPS[STATIC] if who in parts))
    for who, (name, arrives, _, _) in enumerate(REQUESTS)
}
LENGTHS = {name: end - start for name, (start, end) in STAYS.items()}
AREA, LAST = sum(LENGTHS.values()), max(end for _, end in STAYS.values())
TIMES = sorted({at for stay in STAYS.values() for at in stay})
INSIDE = [
    (a, b, sum(start <= a < end for start, end in STAYS.values()))
    for a, b in itertools.pairwise(TIMES)
]
ALT = f"""\
Above, one bar per request from its arrival to its last token: \
{", ".join(f"{name} from {a} to {b} ms" for name, (a, b) in STAYS.items())}; their lengths, \
{", ".join(map(str, LENGTHS.values()))}, sum to {AREA} ms. Below, the number of requests inside \
over the same time: {", ".join(f"{n} from {a} to {b} ms" for a, b, n in INSIDE)}. A line at \
{AREA / LAST:.2f} marks the mean."""
CAPTION = f"""\
Bars and curve have the same area, {AREA} ms. Divided by {LAST} ms it is the mean number inside, \
{AREA / LAST:.2f}; divided by 4 requests it is the mean latency, {AREA / 4:.2f} ms."""

LEFT, SCALE, ROW, HIGH = 62, 2.35, 22, 20


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("One area, seen from two sides", 346)
    drawing.band(12, 12, WIDTH - 24, 146, "Row by row", f"together {AREA} ms long")
    for i, (name, (start, end)) in enumerate(STAYS.items()):
        y = 44 + i * (ROW + 5)
        drawing.text(LEFT - 14, y + 16, name, at="end", size=SMALL)
        drawing.rect(LEFT + start * SCALE, y, (end - start) * SCALE, ROW, "violet", thick=1)
        words = f"{end - start} ms" + (f", from {start} to {end}" if start else "")
        drawing.text(LEFT + (start + end) / 2 * SCALE, y + 16, words, size=SMALL)
    drawing.band(12, 168, WIDTH - 24, 166, "Moment by moment", "requests inside")
    floor = 306
    for a, b, n in INSIDE:
        drawing.rect(LEFT + a * SCALE, floor - n * HIGH * 1.3, (b - a) * SCALE, n * HIGH * 1.3,
                     "violet", thick=1)  # fmt: skip
        if b - a > 8:  # wide enough for its number
            drawing.text(LEFT + (a + b) / 2 * SCALE, floor - 8, str(n), size=SMALL)
    for n in (1, 2, 3, 4):
        drawing.text(LEFT - 14, floor - n * HIGH * 1.3 + 5, str(n), at="end", size=SMALL,
                     tone="muted")  # fmt: skip
    mean = floor - AREA / LAST * HIGH * 1.3
    drawing.line(f"M{LEFT} {mean:.1f}H{LEFT + LAST * SCALE:.1f}", "orange", thick=2)
    drawing.text(LEFT + LAST * SCALE - 4, mean - 8, f"mean {AREA / LAST:.2f}", at="end",
                 size=SMALL)  # fmt: skip
    for at in (0, 44, 99, LAST):
        drawing.text(LEFT + at * SCALE, floor + 20, str(at), size=SMALL, tone="muted")
    drawing.text(LEFT + 145 * SCALE, floor + 20, "milliseconds", size=SMALL, tone="muted")
    return drawing

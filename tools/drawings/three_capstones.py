"""The points of three capstones, measure by measure: no design is best in all of them."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

from plainformer.lab.capstone import PARTS
from plainformer.lab.capstone.worked import WORKED, record

ROWS = {
    "loss": "loss",
    "words 65 to 256": "beyond the trained length",
    "memory": "memory of the cache",
    "speed on one text": "decode speed",
    "speed on 24 texts": "served throughput",
}
RECORDS = {name: record(name) for name in WORKED}
REST = sum(points for part, points in PARTS.items() if part not in ROWS.values())
LOOK = {"floor": "blue", "small": "orange", "fast": "green"}


def _listed(name: str) -> str:
    parts = RECORDS[name]["parts"]
    rows = ", ".join(f"{words} {parts[part]:g}" for words, part in ROWS.items())
    return f"{name}: {rows}, together {RECORDS[name]['score']:g}"


ALT = f"""\
A table of bars with a column for each capstone and a row for each measure. Points by column: \
{"; ".join(_listed(name) for name in WORKED)}. The most points by row are \
{", ".join(f"{PARTS[part]:g}" for part in ROWS.values())}. The totals contain {REST:g} points for \
checks that all three pass."""
CAPTION = f"""\
Points of the three capstones, with the most points of each measure at the right. Each is ahead in \
something and pays for it elsewhere, and the totals, with {REST:g} points for checks that all \
pass, differ by less than two."""

LEFT, WIDE, STEP, ROW = 150, 96, 122, 34


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("Three capstones, measure by measure", 286)
    drawing.band(12, 12, WIDTH - 24, 262)
    drawing.text(WIDTH - 24, 40, "most", at="end", size=SMALL, tone="muted")
    for i, name in enumerate(WORKED):
        drawing.text(LEFT + i * STEP + WIDE / 2, 40, name, bold=True)
    for j, (words, part) in enumerate(ROWS.items()):
        y = 54 + j * ROW
        drawing.text(LEFT - 12, y + 18, words, at="end", size=SMALL)
        for i, name in enumerate(WORKED):
            x, points = LEFT + i * STEP, RECORDS[name]["parts"][part]
            drawing.rect(x, y, WIDE, 26, "open", thick=0.8)
            if points:
                drawing.rect(x, y, WIDE * points / PARTS[part], 26, LOOK[name], thick=1)
            few = WIDE * points / PARTS[part] < WIDE / 2
            drawing.text(x + (WIDE - 22 if few else 22), y + 18, f"{points:g}", size=SMALL)
        drawing.text(WIDTH - 24, y + 18, f"{PARTS[part]:g}", at="end", size=SMALL, tone="muted")
    y = 54 + len(ROWS) * ROW + 26
    drawing.text(LEFT - 12, y, "together", at="end", size=SMALL)
    for i, name in enumerate(WORKED):
        drawing.text(LEFT + i * STEP + WIDE / 2, y, f"{RECORDS[name]['score']:g}", bold=True)
    drawing.text(WIDTH - 24, y, f"{sum(PARTS.values()):g}", at="end", size=SMALL, tone="muted")
    return drawing

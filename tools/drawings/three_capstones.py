"""The points of four designs for each measure: median and range over training runs."""

from statistics import median

from tools.drawings.symbols import SMALL, WIDTH, Drawing

from plainformer.lab.capstone import PARTS
from plainformer.lab.capstone.worked import DESIGNS, record

ROWS = {
    "loss": "loss",
    "words 65 to 256": "beyond the trained length",
    "memory": "memory of the cache",
    "speed on one text": "decode speed",
    "speed on 24 texts": "served throughput",
}
LOOKS = ("grey", "blue", "orange", "green")
LOOK = dict(zip(DESIGNS, LOOKS, strict=True))
TRAININGS = {name: record(name)["trainings"] for name in DESIGNS}
POINTS = {
    name: {words: [row["parts"][part] for row in rows] for words, part in ROWS.items()}
    for name, rows in TRAININGS.items()
}
TOTALS = {name: [row["score"] for row in rows] for name, rows in TRAININGS.items()}


def _range(values: list[float]) -> str:
    low, high = (f"{value:.1f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _listed(name: str) -> str:
    rows = ", ".join(f"{words} {_range(points)}" for words, points in POINTS[name].items())
    return f"{name}: {rows}, together {_range(TOTALS[name])}"


ALT = f"""\
A table of bars with a column for each design and a row for each measure. Points in the recorded \
trainings, by column: {"; ".join(_listed(name) for name in DESIGNS)}. The most points by row are \
{", ".join(f"{PARTS[part]:g}" for part in ROWS.values())}, together {sum(PARTS.values()):g}."""
CAPTION = """\
Points of the plain design and of three finished ones. A bar and a number show the median of the \
recorded trainings, each in a language of its own, and a thin line their range if there are \
several. At the left, the maximum of each measure."""

LEFT, WIDE, STEP, ROW = 158, 88, 98, 36


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Four designs, measure by measure", 294)
    drawing.band(12, 12, WIDTH - 24, 270)
    for i, name in enumerate(DESIGNS):
        drawing.text(LEFT + i * STEP + WIDE / 2, 40, name, bold=True)
    for j, (words, part) in enumerate(ROWS.items()):
        y = 54 + j * ROW
        drawing.text(LEFT - 10, y + 13, words, at="end", size=SMALL)
        drawing.text(LEFT - 10, y + 27, f"of {PARTS[part]:g}", at="end", size=SMALL, tone="muted")
        for i, name in enumerate(DESIGNS):
            _bar(drawing, LEFT + i * STEP, y, name, POINTS[name][words], PARTS[part])
    y = 54 + len(ROWS) * ROW + 26
    drawing.text(LEFT - 10, y, f"together, of {sum(PARTS.values()):g}", at="end", size=SMALL)
    for i, name in enumerate(DESIGNS):
        drawing.text(LEFT + i * STEP + WIDE / 2, y, f"{median(TOTALS[name]):.1f}", bold=True)
    return drawing


def _bar(drawing: Drawing, x: float, y: float, name: str, points: list[float], most: float) -> None:
    middle, low, high = median(points), min(points), max(points)
    drawing.rect(x, y, WIDE, 28, "open", thick=0.8)
    if middle:
        drawing.rect(x, y, WIDE * middle / most, 28, LOOK[name], thick=1)
    few = middle / most < 0.5
    drawing.text(x + (WIDE - 20 if few else 20), y + 16, f"{middle:.1f}", size=SMALL)
    if high > low:
        drawing.line(f"M{x + WIDE * low / most:.1f} {y + 23}H{x + WIDE * high / most:.1f}", thick=3)

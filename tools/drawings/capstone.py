"""What a capstone is made of: data on one side, all that is built and measured on the other."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

from plainformer.lab.capstone import PARTS

# Each part of a design, a remark, and the colour of what is built from it.
HANDED = (
    ("model", "width, heads", "blue"),
    ("training", "rate, batch", "blue"),
    ("stretch", "to 256 words", "blue"),
    ("cache", "such as int8", "orange"),
    ("serving", "steps, slots", "green"),
)
# What is built, its remark, its colour; and what is measured of it, by the names of PARTS.
BUILT = (
    ("decoder", "trained here", "blue", {
        "looks back only": ("it looks back only",),
    }),
    ("caches", "one for each layer", "orange", {
        "loss above the floor": ("loss",),
        "the same on words 65 to 256": ("beyond the trained length",),
        "bytes, beside the plain model's": ("memory of the cache",),
        "the same without it, and in a batch": ("its cache changes nothing", "nor does its batch"),
        "speed on one text, beside the plain model's": ("decode speed",),
    }),
    ("engine", "of steps and pages", "green", {
        "speed on 24 texts, beside the plain model's": ("served throughput",),
    }),
)  # fmt: skip
POINTS = {
    name: {what: sum(PARTS[part] for part in parts) for what, parts in rows.items()}
    for name, _, _, rows in BUILT
}
TOTAL = sum(sum(rows.values()) for rows in POINTS.values())


def _listed(name: str) -> str:
    return "; ".join(f"{what}: {points:g}" for what, points in POINTS[name].items())


ALT = f"""\
Two regions. Above, your function: five boxes of data, called model, training, stretch, cache and \
serving. One arrow, only data crosses, leads to the region below, the test's process, where three \
things are made, each with what is measured of it and its points. The decoder, which is trained \
there: {_listed("decoder")}. Its caches: {_listed("caches")}. The engine: {_listed("engine")}. \
Together {TOTAL:g} points."""
CAPTION = """\
The parts of a capstone. Five pieces of data leave your function. The decoder (blue) is \
trained in the test's process, its caches (orange) and the engine (green) are built there, and all \
three are measured, for the grade with a language that you have not seen. Neither code nor \
weights cross."""

LEFT, WIDE, STEP = 24, 96, 104
ROW, RIGHT = 22, WIDTH - 30


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("What a capstone is made of", 456)
    _handed_in(drawing)
    drawing.arrow((WIDTH / 2, 116), (WIDTH / 2, 150))
    drawing.text(WIDTH / 2 + 14, 138, "only data crosses", at="start", bold=True)
    y = 158
    drawing.band(12, y, WIDTH - 24, 286, "The test's process", "a language that you have not seen")
    drawing.text(RIGHT, y + 22, "points", at="end", tone="muted", size=SMALL)
    y += 40
    for name, note, kind, rows in BUILT:
        high = max(2, len(rows)) * ROW + 4
        drawing.box(LEFT, y, 150, high, kind, name, note)
        first = y + high / 2 - (len(rows) - 1) * ROW / 2 + 5
        for i, what in enumerate(rows):
            drawing.text(LEFT + 168, first + i * ROW, what, at="start", size=SMALL)
            points = f"{POINTS[name][what]:g}"
            drawing.text(RIGHT, first + i * ROW, points, at="end", size=SMALL)
        y += high
        if name != "engine":
            drawing.arrow((LEFT + 75, y + 1), (LEFT + 75, y + 13))
            y += 16
    return drawing


def _handed_in(drawing: Drawing) -> None:
    drawing.band(12, 12, WIDTH - 24, 100, "Your function", "returns a design")
    for i, (name, note, kind) in enumerate(HANDED):
        drawing.box(LEFT + STEP * i, 54, WIDE, 44, kind, name, note)

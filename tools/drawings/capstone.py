"""The parts of a capstone: data on one side, all objects and measurements on the other."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

from plainformer.lab.capstone.measuring import GATES, PARTS

# Each part of a design, a remark, and the colour of the objects built from it.
HANDED = (
    ("model", "width, heads", "blue"),
    ("training", "rate, batch", "blue"),
    ("stretch", "to 256 words", "blue"),
    ("cache", "such as int8", "orange"),
    ("serving", "steps, slots", "green"),
)
# Each built object, its remark and colour, and its checks and measurements by their names in GATES
# and PARTS.
BUILT = (
    ("decoder", "trained here", "blue", {
        "looks back only": "it looks back only",
    }),
    ("caches", "one for each layer", "orange", {
        "same predictions without a cache": "its cache changes nothing",
        "same answer alone and in a batch": "nor does its batch",
        "loss above the floor": "loss",
        "the same on words 65 to 256": "beyond the trained length",
        "bytes, compared with the plain model": "memory of the cache",
        "speed on one text, compared likewise": "decode speed",
    }),
    ("engine", "of steps and pages", "green", {
        "speed on 24 texts, compared likewise": "served throughput",
    }),
)  # fmt: skip
NEEDED = "required"
WORTH = {
    name: {what: NEEDED if part in GATES else f"{PARTS[part]:g}" for what, part in rows.items()}
    for name, _, _, rows in BUILT
}


def _listed(name: str) -> str:
    return "; ".join(f"{what}: {worth}" for what, worth in WORTH[name].items())


ALT = f"""\
Two regions. Above, your function: five boxes of data, called model, training, stretch, cache and \
serving. One arrow, only data crosses, leads to the region below, the test's process, where three \
objects are made, each with its checks, which are required, and its measurements, with their \
points. The decoder, which is trained there: {_listed("decoder")}. Its caches: \
{_listed("caches")}. The engine: {_listed("engine")}. Together {sum(PARTS.values()):g} points."""
CAPTION = """\
The parts of a capstone. Five pieces of data leave your function. The decoder (blue) is trained in \
the test's process, its caches (orange) and the engine (green) are built there, and all three are \
measured, for the grade in a new language. Neither code nor weights cross. A model that misses a \
required property gets no points."""

LEFT, WIDE, STEP = 24, 96, 104
ROW, RIGHT = 22, WIDTH - 30


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The parts of a capstone", 478)
    _handed_in(drawing)
    drawing.arrow((WIDTH / 2, 116), (WIDTH / 2, 150))
    drawing.text(WIDTH / 2 + 14, 138, "only data crosses", at="start", bold=True)
    y = 158
    drawing.band(12, y, WIDTH - 24, 308, "The test's process", "a new language")
    drawing.text(RIGHT, y + 22, "points", at="end", tone="muted", size=SMALL)
    y += 40
    for name, note, kind, rows in BUILT:
        high = max(2, len(rows)) * ROW + 4
        drawing.box(LEFT, y, 150, high, kind, name, note)
        first = y + high / 2 - (len(rows) - 1) * ROW / 2 + 5
        for i, what in enumerate(rows):
            drawing.text(LEFT + 168, first + i * ROW, what, at="start", size=SMALL)
            worth = WORTH[name][what]
            tone = "muted" if worth == NEEDED else "ink"
            drawing.text(RIGHT, first + i * ROW, worth, at="end", size=SMALL, tone=tone)
        y += high
        if name != "engine":
            drawing.arrow((LEFT + 75, y + 1), (LEFT + 75, y + 13))
            y += 16
    return drawing


def _handed_in(drawing: Drawing) -> None:
    drawing.band(12, 12, WIDTH - 24, 100, "Your function", "returns a design")
    for i, (name, note, kind) in enumerate(HANDED):
        drawing.box(LEFT + STEP * i, 54, WIDE, 44, kind, name, note)

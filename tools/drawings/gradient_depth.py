"""The size of gradients in an untrained stack of 24 layers, with and without the residual."""

from tools.drawings.symbols import NARROW, SMALL, Drawing, number

LAYERS, SEEDS, EVERY = 24, 5, 3
# By placement of the norm and factor on the initial weights: the size of the loss's gradient at the
# stream after layers 0, 3, …, 24, divided by that after the last layer. Medians of five seeds,
# measured on plainformer.lab.facts.Facts; a test measures them again.
MEASURED: dict[tuple[str, float], tuple[float, ...]] = {
    ("no sum", 1): (1.22, 1.22, 1.18, 0.668, 0.632, 0.671, 0.701, 0.681, 1),
    ("post", 1): (0.752, 0.484, 0.425, 0.415, 0.552, 0.519, 0.729, 0.8, 1),
    ("deep", 1): (0.971, 0.95, 0.944, 0.946, 0.95, 0.945, 0.95, 0.947, 1),
    ("pre", 1): (7.29, 2.74, 1.93, 1.56, 1.36, 1.21, 1.11, 1.04, 1),
    ("no sum", 0.5): (0.00486, 0.0275, 0.0391, 0.0493, 0.121, 0.141, 0.431, 0.61, 1),
    ("post", 0.5): (1.05, 1, 0.995, 0.956, 0.96, 0.941, 0.987, 0.947, 1),
    ("pre", 0.5): (1.59, 1.47, 1.37, 1.3, 1.22, 1.15, 1.08, 1.04, 1),
}
NAMES = {"no sum": "no residual", "post": "post-norm", "deep": "DeepNorm", "pre": "pre-norm"}


def share(place: str, gain: float) -> str:
    """Return the share of the gradient that reaches the embedding, as text."""
    return f"{MEASURED[place, gain][0]:.2g}"


ALT = f"""\
Above, one sublayer on the stream, from right to left as a gradient goes: it splits, and one part \
goes straight along the line, the other through the sublayer, times its derivatives J; at the \
left both are added. Below, seven bands over {LAYERS} layers, from the loss at the right, where \
each gradient is set to 1, to the embedding at the left. With initial weights half as large: no \
residual {share("no sum", 0.5)}, a band that thins out to a line, post-norm {share("post", 0.5)}, \
pre-norm {share("pre", 0.5)}. With the usual initial weights: no residual {share("no sum", 1)}, \
post-norm {share("post", 1)}, DeepNorm {share("deep", 1)}, pre-norm {share("pre", 1)}."""
CAPTION = f"""\
A gradient on its way from the loss (right) to the embedding (left). The bands are untrained \
stacks of {LAYERS} layers. They show the length of the gradient of the stream, relative to that \
after the last layer (medians of {SEEDS} seeds). Their thickness is its square root. *No \
residual* is version 1 with a norm before each sublayer."""

LEFT, RIGHT, UNIT = 128, 376, 11  # ends of the bands; the thickness of 1


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The life of a gradient", 640, NARROW)
    drawing.text(16, 28, "One sublayer, on the way back", at="start", bold=True)
    drawing.line("M64 112H330", "blue", thick=5)
    drawing.parts.append('<path d="M50 112l16 -9v18z" class="blue-full"/>')
    drawing.text(336, 117, "*g*", at="start", size=16)
    drawing.text(16, 94, "*g* + *J*^T*g*", at="start", size=15)
    drawing.arrow((300, 110), (300, 66), (246, 66))
    drawing.box(168, 50, 76, 32, "grey", "times *J*", size=14)
    drawing.arrow((168, 66), (124, 66), (124, 98))
    drawing.plus(124, 112)
    drawing.text(214, 134, "unchanged, past the sublayer", size=SMALL)
    y = 176
    for gain, title in ((0.5, "Initial weights half as large"), (1, "Usual initial weights")):
        drawing.text(16, y, title, at="start", bold=True)
        lanes = [place for place, size in MEASURED if size == gain]
        for place in lanes:
            y += 50
            drawing.text(16, y - 6, NAMES[place], at="start", size=14)
            drawing.text(16, y + 12, f"{share(place, gain)} arrives", at="start", tone="muted",
                         size=SMALL)  # fmt: skip
            _band(drawing, y, MEASURED[place, gain], "orange" if place == "no sum" else "blue")
        y += 52
    drawing.text(LEFT, y - 16, "embedding", at="start", tone="muted", size=SMALL)
    drawing.text(RIGHT, y - 16, "loss: 1", at="end", tone="muted", size=SMALL)
    drawing.arrow((300, y - 20), (222, y - 20))
    return drawing


def _band(drawing: Drawing, y: float, values: tuple[float, ...], kind: str) -> None:
    """Draw a band whose thickness is the square root of each value."""
    step = (RIGHT - LEFT) / (len(values) - 1)
    half = [UNIT * value**0.5 / 2 for value in values]
    upper = [f"{number(LEFT + i * step)} {number(y - h)}" for i, h in enumerate(half)]
    lower = [f"{number(LEFT + i * step)} {number(y + h)}" for i, h in enumerate(half)][::-1]
    way = "L".join([*upper, *lower])
    drawing.parts.append(f'<path d="M{way}z" class="{kind}" stroke-width="1"/>')

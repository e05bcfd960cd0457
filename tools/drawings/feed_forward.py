"""The feed-forward network: its shape, its activation functions, its rows, and the gated form."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing, number

M, F = 8, 32  # cells of a vector outside and inside
FACTS = (
    ("France, capital", "Paris"),
    ("Japan, capital", "Tokyo"),
    ("France, food", "bread"),
    ("Japan, food", "rice"),
)

ALT = f"""\
Four panels. First, one position: a vector of {M} cells is multiplied by W_1, which gives {F} \
cells, φ is applied to each, and W_2 gives {M} cells again, which are added to the stream. Second, \
three activation functions from -4 to 4: ReLU is 0 on the left and the diagonal on the right, with \
a corner at 0; GELU and SiLU are smooth and dip below 0 on the left, GELU to -0.17 and SiLU to \
-0.28. Third, the network as a memory: four rows, each with an orange key, a circle with φ and a \
green value: France and capital to Paris, Japan and capital to Tokyo, France and food to bread, \
Japan and food to rice. Fourth, the gated form: x times W_g, then φ, and x times W_1 meet in an \
element-wise product, which is multiplied by W_2."""
CAPTION = f"""\
The feed-forward network, here with m = {M} and f = {F}. Read by rows, it is a memory: row $i$ \
of $W_1$ is a key (orange), and column $i$ of $W_2$ a value (green). The gated form has two \
projections."""


def gelu(x: float) -> float:
    """Return GELU of x."""
    return x * (1 + math.erf(x / 2**0.5)) / 2


def silu(x: float) -> float:
    """Return SiLU of x."""
    return x / (1 + math.exp(-x))


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The feed-forward network", 724, NARROW)
    _shape(drawing, 8)
    _activations(drawing, 240)
    _memory(drawing, 396)
    _gated(drawing, 598)
    return drawing


def _cells(drawing: Drawing, x: float, middle: float, n: int, step: float, kind: str) -> None:
    for i in range(n):
        drawing.rect(x, middle + (i - n / 2) * step, 16, step - 1, kind, thick=0.8)


def _trapezoid(drawing: Drawing, x: float, w: float, middle: float, halves: tuple[float, float],
               kind: str, name: str) -> None:  # fmt: skip
    left, right = halves
    way = (
        f"M{number(x)} {number(middle - left)}L{number(x + w)} {number(middle - right)}"
        f"V{number(middle + right)}L{number(x)} {number(middle + left)}z"
    )
    drawing.parts.append(f'<path d="{way}" class="{kind}" stroke-width="1.2"/>')
    drawing.text(x + w / 2, middle + 5, name, size=16)


def _shape(drawing: Drawing, top: float) -> None:
    drawing.band(8, top, 384, 224, "One position: expand, φ, contract")
    middle = top + 124
    small, large = M * 9 / 2, F * 5.4 / 2
    _cells(drawing, 24, middle, M, 9, "blue")
    drawing.text(32, middle + 60, f"{M}", tone="muted", size=SMALL)
    _trapezoid(drawing, 46, 66, middle, (small, large), "orange", "*W*_1")
    _cells(drawing, 118, middle, F, 5.4, "grey")
    drawing.arrow((138, middle), (156, middle))
    drawing.circle(172, middle, 15, "open")
    drawing.text(172, middle + 5, "φ", size=16)
    drawing.arrow((188, middle), (204, middle))
    _cells(drawing, 208, middle, F, 5.4, "grey")
    drawing.text(172, middle - 28, f"{F}", tone="muted", size=SMALL)
    _trapezoid(drawing, 230, 66, middle, (large, small), "green", "*W*_2")
    _cells(drawing, 302, middle, M, 9, "blue")
    drawing.text(310, middle + 60, f"{M}", tone="muted", size=SMALL)
    drawing.arrow((320, middle), (344, middle))
    drawing.stream(356, middle + 70, middle - 70)
    drawing.plus(356, middle)
    drawing.text(384, middle + 92, "stream", at="end", tone="muted", size=SMALL)


def _activations(drawing: Drawing, top: float) -> None:
    drawing.band(8, top, 384, 148, "Activation functions φ, from −4 to 4")
    zero, base, unit = 240, top + 128, 24
    drawing.line(f"M{zero - 4 * unit} {base}H{zero + 4 * unit}M{zero} {base + 8}V{top + 34}",
                 thick=1)  # fmt: skip
    curves = (("ReLU", "violet", lambda x: max(0.0, x)), ("GELU", "blue", gelu),
              ("SiLU", "orange", silu))  # fmt: skip
    for _, kind, f in curves:
        xs = [i / 10 - 4 for i in range(81)]
        way = "L".join(f"{number(zero + unit * x)} {number(base - unit * f(x))}" for x in xs)
        drawing.line(f"M{way}", kind, thick=2.2)
    for i, (name, kind, _) in enumerate(curves):
        y = top + 48 + i * 22
        drawing.line(f"M26 {y - 4}h22", kind, thick=2.6)
        drawing.text(56, y, name, at="start", tone=kind, size=14)
    drawing.text(zero + 4 * unit + 6, base + 5, "4", at="start", tone="muted", size=SMALL)
    drawing.text(zero - 4 * unit - 6, base + 5, "−4", at="end", tone="muted", size=SMALL)
    drawing.text(zero - 6, base - 4 * unit + 12, "4", at="end", tone="muted", size=SMALL)


def _memory(drawing: Drawing, top: float) -> None:
    drawing.band(8, top, 384, 194, "The same network as a memory")
    drawing.text(88, top + 46, "keys: rows of *W*_1", size=SMALL)
    drawing.text(306, top + 46, "values: columns of *W*_2", size=SMALL)
    for i, (key, value) in enumerate(FACTS):
        y = top + 58 + i * 32
        drawing.box(24, y, 128, 26, "orange", key, size=SMALL)
        drawing.arrow((152, y + 13), (178, y + 13))
        drawing.circle(196, y + 13, 13, "open")
        drawing.text(196, y + 18, "φ", size=15)
        drawing.arrow((210, y + 13), (262, y + 13))
        drawing.box(268, y, 76, 26, "green", value, size=SMALL)


def _gated(drawing: Drawing, top: float) -> None:
    drawing.band(8, top, 384, 118, "The gated form")
    middle = top + 72
    drawing.text(24, middle + 5, "*x*", at="start", size=17)
    drawing.arrow((40, middle - 6), (78, middle - 22))
    drawing.arrow((40, middle + 6), (78, middle + 22))
    drawing.box(84, middle - 36, 50, 26, "orange", "*W*_g", size=15)
    drawing.box(84, middle + 10, 50, 26, "orange", "*W*_1", size=15)
    drawing.arrow((134, middle - 23), (154, middle - 23))
    drawing.circle(170, middle - 23, 13, "open")
    drawing.text(170, middle - 18, "φ", size=15)
    drawing.arrow((184, middle - 23), (218, middle - 8))
    drawing.arrow((134, middle + 23), (216, middle + 8))
    drawing.circle(228, middle, 11, "open")
    drawing.circle(228, middle, 2.2, "grey-full", thick=0)
    drawing.text(228, middle + 30, "f numbers", tone="muted", size=SMALL)
    drawing.arrow((240, middle), (272, middle))
    drawing.box(278, middle - 13, 50, 26, "green", "*W*_2", size=15)
    drawing.arrow((328, middle), (352, middle))
    drawing.text(372, middle + 5, "m", tone="muted", size=SMALL)

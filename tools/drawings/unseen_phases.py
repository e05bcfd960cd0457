"""Eight dials for four scalings: angles that occur in training, and in a longer text."""

import math

from tools.drawings.symbols import SMALL, Drawing, number

PLANES, BASE, TRAINED, LONG, FACTOR = 8, 100.0, 64, 512, 8
THETA = [BASE ** (-i / PLANES) for i in range(PLANES)]
TURN = 2 * math.pi


def slowed(method: str) -> list[float]:
    """Return the divisor of each plane's frequency."""
    if method == "nothing done":
        return [1.0] * PLANES
    if method == "interpolation":
        return [float(FACTOR)] * PLANES
    if method == "NTK-aware":
        return [FACTOR ** (i / (PLANES - 1)) for i in range(PLANES)]
    step = math.log(BASE) / PLANES
    ends = (math.log(TRAINED / (TURN * turns)) / step for turns in (32, 1))
    first, last = (max(edge, 0) for edge in (math.floor(next(ends)), math.ceil(next(ends))))
    shares = [min(max((i - first) / (last - first), 0), 1) for i in range(PLANES)]
    return [1 / (1 - share + share / FACTOR) for share in shares]


METHODS = ("nothing done", "interpolation", "NTK-aware", "YaRN")


def angles(method: str, plane: int) -> tuple[float, float]:
    """Return the widest angle in training and in the long text, each at most a turn."""
    trained = TRAINED * THETA[plane]
    reached = LONG * THETA[plane] / slowed(method)[plane]
    return min(trained, TURN), min(reached, TURN)


def fresh(method: str) -> list[int]:
    """Return the planes that reach angles which do not occur in training."""
    both = [angles(method, i) for i in range(PLANES)]
    return [i for i, (trained, reached) in enumerate(both) if reached > trained + 1e-9]


def _names(method: str) -> str:
    *rest, last = map(str, fresh(method))
    return f"{', '.join(rest)} and {last}"


ALT = f"""\
Four rows of eight dials, planes 0 to 7 of a head, fastest first, trained on {TRAINED} positions \
and reading {LONG}. A green arc shows the angles of training, an orange one those that only the \
longer text reaches. Nothing done: planes {_names("nothing done")} have orange arcs. \
Interpolation: no plane has one, but all eight are slowed by {FACTOR}, the fast ones too. \
NTK-aware: planes {_names("NTK-aware")} have orange arcs, and plane 0 is left alone. YaRN: no \
plane has one, and plane 0 is left alone. The number under each dial is its divisor."""
CAPTION = f"""\
The angles that a text of {LONG} positions adds for a model trained on {TRAINED}. Green: angles of \
training. Orange: new angles. The number is the divisor of the plane. Interpolation avoids new \
angles (but for less than a step) by slowing all planes, also the fast ones. NTK-aware scaling \
slows these less, but leaves {len(fresh("NTK-aware"))} planes with new angles. YaRN decides plane \
by plane."""

RADIUS, STEP, LEFT, ROW = 19, 52, 152, 82


def _arc(x: float, y: float, start: float, end: float, kind: str) -> str:
    def point(angle: float) -> str:
        return f"{number(x + RADIUS * math.cos(angle))} {number(y - RADIUS * math.sin(angle))}"

    end = min(end, start + TURN - 0.02)
    large = int(end - start > math.pi)
    return (
        f'<path d="M{point(start)}A{RADIUS} {RADIUS} 0 {large} 0 {point(end)}" '
        f'class="{kind}-line" stroke-width="5"/>'
    )


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Angles that training never showed", 400)
    for i in range(PLANES):
        drawing.text(LEFT + i * STEP, 28, str(i), tone="muted", size=SMALL)
    drawing.text(16, 28, "plane", at="start", tone="muted", size=SMALL)
    for r, method in enumerate(METHODS):
        y = 66 + r * ROW
        drawing.text(16, y + 5, method, at="start", bold=True, size=SMALL)
        for i, divisor in enumerate(slowed(method)):
            x = LEFT + i * STEP
            trained, reached = angles(method, i)
            drawing.parts.append(
                f'<circle cx="{number(x)}" cy="{number(y)}" r="{RADIUS}" class="grey"'
                ' stroke-width="1"/>'
            )
            if reached > trained + 1e-9:
                drawing.parts.append(_arc(x, y, trained, reached, "orange"))
            drawing.parts.append(_arc(x, y, 0, trained, "green"))
            size = f"{divisor:.1f}".removesuffix(".0")
            drawing.text(x, y + 38, f"÷{size}" if divisor > 1 else "as it is",
                         tone="muted", size=12)  # fmt: skip
    drawing.text(
        16, 386, "green: angles that training showed", at="start", tone="green", size=SMALL
    )
    drawing.text(288, 386, "orange: never shown", at="start", tone="orange", size=SMALL)
    return drawing

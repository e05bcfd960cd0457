"""One plane of RoPE at two positions in a text, and the frequencies of four planes."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing, number

STEP = math.pi / 6  # a twelfth of a turn
QUERY, KEY = 2.0, 1.0  # both are on the first axis before the rotation
PLACES = ((3, 1), (5, 3))  # position of the query, of the key
BASE, HEAD, AT = 10_000.0, 8, 6  # the four planes below: base, width d, position


def turned(length: float, position: int) -> tuple[float, float]:
    """Return a vector on the first axis after the rotation for its position."""
    return length * math.cos(position * STEP), length * math.sin(position * STEP)


def score(query: int, key: int) -> float:
    """Return the dot product of the rotated vectors."""
    (a, b), (c, d) = turned(QUERY, query), turned(KEY, key)
    return a * c + b * d


def speeds() -> list[float]:
    """Return the frequency of each plane."""
    return [BASE ** (-2 * plane / HEAD) for plane in range(HEAD // 2)]


ALT = f"""\
Above, one plane as two circles with twelve marks, numbered 0 to 11 from the right and to the left \
round; a position turns by one mark. Left, the query at position 3 points to mark 3, straight up, \
and the key at position 1 to mark 1. Right, both are two positions later and point to the marks 5 \
and 3. The angle between them is 60 degrees both times, and so is the dot product, \
{score(3, 1):.0f}. Below, the four planes of a head of width {HEAD} at position {AT}: they have \
turned by {", ".join(f"{AT * speed:g}" for speed in speeds())} radians."""
CAPTION = f"""\
RoPE in one plane: $\\mathbf q$ and $\\mathbf k$ turn by a twelfth of a turn per position. Two \
positions later the angle between them (60°) and the score ({score(3, 1):.0f}) are the same. \
Below: the four planes of a head of width {HEAD} at position {AT}."""

FACE, SCALE, DIAL = 76, 34, 30


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A rotary plane", 484, NARROW)
    for x, (query, key) in zip((104, 296), PLACES, strict=True):
        drawing.text(x, 30, f"query at {query}, key at {key}", bold=True)
        _face(drawing, x, 142, query, key)
        drawing.text(x, 258, f"score = {score(query, key):.0f}", size=15)
    drawing.text(200, 284, "Two positions later the angle between them is the same.", tone="muted",
                 size=SMALL)  # fmt: skip
    drawing.band(12, 300, NARROW - 24, 172, f"The planes of d = {HEAD}", f"at position {AT}")
    for plane, speed in enumerate(speeds()):
        x = 62 + plane * 92
        _dial(drawing, x, 374, AT * speed)
        drawing.text(x, 430, f"plane {plane}", size=SMALL)
        drawing.text(x, 452, f"{AT * speed:g} rad", tone="muted", size=SMALL)
    return drawing


def _point(x: float, y: float, length: float, angle: float) -> tuple[float, float]:
    return x + length * math.cos(angle), y - length * math.sin(angle)


def _face(drawing: Drawing, x: float, y: float, query: int, key: int) -> None:
    """Draw a circle with twelve marks, query and key and the angle between."""
    drawing.circle(x, y, FACE, "open")
    for mark in range(12):
        (a, b), (c, d) = _point(x, y, FACE - 6, mark * STEP), _point(x, y, FACE, mark * STEP)
        drawing.line(f"M{number(a)} {number(b)}L{number(c)} {number(d)}")
        a, b = _point(x, y, FACE + 12, mark * STEP)
        drawing.text(a, b + 5, str(mark), tone="muted", size=SMALL)
    (a, b), (c, d) = _point(x, y, 20, key * STEP), _point(x, y, 20, query * STEP)
    drawing.parts.append(
        f'<path d="M{number(x)} {number(y)}L{number(a)} {number(b)}A20 20 0 0 0 {number(c)}'
        f' {number(d)}z" class="violet" stroke-width="1"/>'
    )
    for length, position, kind in ((KEY, key, "orange"), (QUERY, query, "blue")):
        drawing.arrow((x, y), _point(x, y, SCALE * length - 2, position * STEP), kind=kind)
    for name, length, position in (("q", QUERY, query), ("k", KEY, key)):
        beyond = 0.32 if name == "q" else 0  # next to the long hand, past the short one
        out = SCALE * length + (-14 if beyond else 14)
        a, b = _point(x, y, out, position * STEP - beyond)
        drawing.text(a, b + 5, f"*{name}*", size=16, tone="blue" if name == "q" else "orange")


def _dial(drawing: Drawing, x: float, y: float, angle: float) -> None:
    """Draw the angle by which one plane is rotated."""
    drawing.circle(x, y, DIAL, "open")
    end = _point(x, y, DIAL - 8, angle)
    large = int(angle > math.pi)
    drawing.parts.append(
        f'<path d="M{number(x)} {number(y)}h{DIAL - 8}A{DIAL - 8} {DIAL - 8} 0 {large} 0 '
        f'{number(end[0])} {number(end[1])}z" class="violet" stroke-width="1"/>'
    )
    a, b = _point(x, y, DIAL, angle)
    drawing.line(f"M{number(x)} {number(y)}L{number(a)} {number(b)}", "blue", thick=2.4)

"""The two layouts of RoPE: the components of each plane, in pairs and in halves."""

from tools.drawings.symbols import NARROW, SMALL, Drawing, number

WIDE = 8
PAIRS = [(2 * r, 2 * r + 1) for r in range(WIDE // 2)]
HALVES = [(r, r + WIDE // 2) for r in range(WIDE // 2)]
ORDER = [*range(0, WIDE, 2), *range(1, WIDE, 2)]
COLOURS = ("blue", "orange", "green", "violet")

ALT = f"""\
Two rows of eight boxes. In the upper row, pairs, the boxes hold the components 0 to 7, and arcs \
above them join 0 and 1, 2 and 3, 4 and 5, 6 and 7, each pair in one colour. In the lower row, \
halves, they hold the components {", ".join(map(str, ORDER))}, and arcs below them join the first \
box with the fifth, the second with the sixth, and so on. Lines between the rows lead each \
component to its new place; the arcs join the same components in both rows."""
CAPTION = """\
The four planes of a vector of width 8, in pairs (above) and in halves (below). If the even \
components come first and the odd ones after them, pairs become halves."""

LEFT, BOX, STEP, UPPER, LOWER = 34, 34, 42, 84, 204


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Two layouts of RoPE", 320, NARROW)
    drawing.text(LEFT, 24, "pairs", at="start", bold=True)
    drawing.text(LEFT, 308, "halves", at="start", bold=True)
    colour = {component: COLOURS[r] for r, pair in enumerate(PAIRS) for component in pair}
    for place, component in enumerate(ORDER):
        drawing.line(
            f"M{_middle(component)} {UPPER + 30}L{_middle(place)} {LOWER}", colour[component]
        )
    for r, (a, b) in enumerate(PAIRS):
        _arc(drawing, a, b, UPPER, -26, COLOURS[r])
    for r, (a, b) in enumerate(HALVES):
        _arc(drawing, a, b, LOWER + 30, 42 + 12 * r, COLOURS[r])
    for place in range(WIDE):
        for y, component in ((UPPER, place), (LOWER, ORDER[place])):
            drawing.rect(LEFT + place * STEP, y, BOX, 30, colour[component], round=3)
            drawing.text(_middle(place), y + 20, str(component))
    drawing.text(NARROW - 14, 24, "one colour per plane", at="end", tone="muted", size=SMALL)
    return drawing


def _middle(place: int) -> float:
    return LEFT + place * STEP + BOX / 2


def _arc(drawing: Drawing, a: int, b: int, y: float, depth: float, kind: str) -> None:
    ends = f"{number(_middle(a))} {number(y)}", f"{number(_middle(b))} {number(y)}"
    bend = f"{number(_middle(a))} {number(y + depth)} {number(_middle(b))} {number(y + depth)}"
    drawing.line(f"M{ends[0]}C{bend} {ends[1]}", kind, thick=2)

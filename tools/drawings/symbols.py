"""The shapes and the light and dark palettes of the course's drawings.

A drawing is an SVG with its own background plate and both palettes. In a browser, its media query
follows the ``color-scheme`` of the page, which the site's switch sets; viewers without media
queries show the light palette. So the same file works on the site, in a notebook and in print.
Units are pixels of a drawing that is ``WIDTH`` wide. A ``NARROW`` drawing fits a phone unscaled.
"""

import re
from xml.sax.saxutils import escape

WIDTH = 560
NARROW = 400
SMALL = 13  # labels; text is 14, and subscripts are 11, or 12.6 in a narrow drawing

# tone: (light, dark). Text uses the plate's tones; a kind of matrix has an edge and a fill.
TEXT = {
    "ink": ("#22262b", "#e6e9ed"),
    "muted": ("#565c64", "#a9b1bc"),
    "blue": ("#0b5c9a", "#86c1f5"),
    "orange": ("#a03d07", "#f2a97e"),
    "green": ("#08694f", "#68d1b2"),
    "violet": ("#64369c", "#c6a9f2"),
}
EDGE = {"grey": ("#5a6068", "#98a1ad")} | {
    kind: TEXT[kind] for kind in ("blue", "orange", "green", "violet")
}
FILL = {
    "grey": ("#eceae3", "#323942"),
    "blue": ("#cfe0ef", "#173a58"),
    "orange": ("#f3d6c6", "#55301b"),
    "green": ("#cbe5dc", "#17463a"),
    "violet": ("#e3d8f1", "#3d2c5a"),
}
PLATE = ("#fbfaf6", "#1c2128")
BAND = ("#f3f1ea", "#262c35")  # a region of the plate, such as one memory
FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
SERIF = "Georgia, 'Times New Roman', serif"

# The colour of each matrix in all drawings.
KIND = {"Q": "blue", "K": "orange", "V": "green", "S": "violet", "A": "violet", "O": "grey"}


def number(value: float) -> str:
    """Write a coordinate, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")


def _style() -> str:
    def rules(scheme: int) -> str:
        lines = [f".plate{{fill:{PLATE[scheme]}}}", f".band{{fill:{BAND[scheme]}}}"]
        lines += [f".t-{tone}{{fill:{both[scheme]}}}" for tone, both in TEXT.items()]
        lines += [
            f".{kind}{{fill:{FILL[kind][scheme]};stroke:{EDGE[kind][scheme]}}}"
            f".{kind}-line{{fill:none;stroke:{EDGE[kind][scheme]}}}"
            f".{kind}-full{{fill:{EDGE[kind][scheme]};stroke:none}}"
            for kind in FILL
        ]
        return "".join(lines) + f".open{{fill:{PLATE[scheme]};stroke:{EDGE['grey'][scheme]}}}"

    return f"{rules(0)}\n@media (prefers-color-scheme:dark){{{rules(1)}}}"


class Drawing:
    """Collect shapes, from back to front.

    Text may have three kinds of markup: ``*Q*`` for a formula, ``_i`` or ``_{new}`` for a
    subscript, and ``^T`` for a superscript.
    """

    def __init__(self, title: str, height: float, width: int = WIDTH) -> None:
        self.title, self.height, self.width, self.parts = title, height, width, list[str]()
        self.low = "11" if width == WIDTH else "12.6"  # font size of subscripts and superscripts

    def text(
        self, x: float, y: float, words: str, *, at: str = "middle", tone: str = "ink",
        size: int = 14, bold: bool = False,
    ) -> None:  # fmt: skip
        """Set ``words`` with their baseline at y; ``at`` is start, middle or end."""
        weight = ' font-weight="600"' if bold else ""
        anchor = "" if at == "start" else f' text-anchor="{at}"'
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}" class="t-{tone}" font-size="{size}"'
            f"{anchor}{weight}>{self._marked(words)}</text>"
        )

    def lines(self, x: float, y: float, rows: list[str], *, step: float = 20, **how) -> None:
        """Set rows of text under each other."""
        for i, row in enumerate(rows):
            self.text(x, y + i * step, row, **how)

    def rect(
        self, x: float, y: float, w: float, h: float, look: str, *, round: float = 0,
        thick: float = 1.4,
    ) -> None:  # fmt: skip
        """Draw a rectangle in the look of a kind: its fill and its edge."""
        corner = f' rx="{number(round)}"' if round else ""
        self.parts.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
            f'{corner} class="{look}" stroke-width="{number(thick)}"/>'
        )

    def box(
        self, x: float, y: float, w: float, h: float, kind: str, *rows: str, size: int = 14
    ) -> None:
        """Draw an operation or a named object, with one or more centred rows of text."""
        self.rect(x, y, w, h, kind, round=5)
        top = y + h / 2 - (len(rows) - 1) * 9 + size * 0.35
        for i, row in enumerate(rows):
            self.text(x + w / 2, top + i * 18, row, size=size if i == 0 else SMALL)

    def band(
        self, x: float, y: float, w: float, h: float, name: str = "", note: str = "",
        low: bool = False,
    ) -> None:  # fmt: skip
        """Draw a region, such as a memory, with its name and a remark in its first or last line."""
        self.rect(x, y, w, h, "band", round=8, thick=0)
        if name:
            rest = f'<tspan class="t-muted" font-size="13">{self._marked(", " + note)}</tspan>'
            bold = f'<tspan font-weight="600">{self._marked(name)}</tspan>'
            self.parts.append(
                f'<text x="{number(x + 12)}" y="{number(y + (h - 12 if low else 22))}"'
                f' class="t-ink" font-size="14">{bold}'
                f"{rest if note else ''}</text>"
            )

    def matrix(
        self, x: float, y: float, w: float, h: float, kind: str, *, name: str = "", rows: int = 1,
        left: str = "", below: str = "", on: int | None = None, empty: int = 0,
    ) -> None:  # fmt: skip
        """Draw a matrix in blocks of rows, with its name above and axis letters left and below.

        Block ``on`` is highlighted; the last ``empty`` blocks are not yet written.
        """
        high = h / rows
        self.rect(x, y, w, h, kind, thick=1)
        if empty:
            self.rect(x, y + h - empty * high, w, empty * high, "open", thick=1)
        if on is not None:
            self.rect(x, y + on * high, w, high, f"{kind}-full")
        grid = "".join(f"M{number(x)} {number(y + i * high)}h{number(w)}" for i in range(1, rows))
        if grid:
            self.parts.append(f'<path d="{grid}" class="{kind}-line" stroke-width="1"/>')
        if name:
            self.text(x + w / 2, y - 8, name, size=15)
        if left:
            self.text(x - 6, y + h / 2 + 4, left, at="end", tone="muted", size=SMALL)
        if below:
            self.text(x + w / 2, y + h + 15, below, tone="muted", size=SMALL)

    def token(self, x: float, y: float, w: float, word: str, kind: str = "grey") -> None:
        """Draw the cell of one token, 26 high."""
        self.rect(x, y, w, 26, kind, thick=1)
        if word:
            self.text(x + w / 2, y + 18, word, size=SMALL)

    def arrow(self, *points: tuple[float, float], kind: str = "grey") -> None:
        """Draw a line through the points, with a head at the last one."""
        way = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.parts.append(f'<path d="{way}" class="{kind}-line way" stroke-width="1.6"/>')
        (x0, y0), (x, y) = points[-2:]
        length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
        u, v = (x - x0) / length, (y - y0) / length
        tip = [(x + 2 * u, y + 2 * v)] + [
            (x - 7 * u + side * 4.5 * v, y - 7 * v - side * 4.5 * u) for side in (1, -1)
        ]
        outline = "L".join(f"{number(a)} {number(b)}" for a, b in tip)
        self.parts.append(f'<path d="M{outline}z" class="{kind}-full"/>')

    def line(self, way: str, kind: str = "grey", *, thick: float = 1.6, look: str = "") -> None:
        """Draw a path; ``look`` adds a class, such as ``way`` for a path without text on it."""
        names = f"{kind}-line {look}".strip()
        self.parts.append(f'<path d="{way}" class="{names}" stroke-width="{number(thick)}"/>')

    def circle(self, x: float, y: float, radius: float, look: str, *, thick: float = 1.4) -> None:
        """Draw a circle in the look of a kind."""
        self.parts.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{look}"'
            f' stroke-width="{number(thick)}"/>'
        )

    def stream(self, x: float, bottom: float, top: float) -> None:
        """Draw a residual stream, which is read upwards: thick, with a head at its top."""
        self.line(f"M{number(x)} {number(bottom)}V{number(top + 8)}", "blue", thick=5)
        tip = f"M{number(x - 8)} {number(top + 10)}h16L{number(x)} {number(top - 4)}z"
        self.parts.append(f'<path d="{tip}" class="blue-full"/>')

    def plus(self, x: float, y: float) -> None:
        """Draw the sign for an addition to a stream."""
        self.circle(x, y, 10, "open")
        self.line(f"M{number(x - 5)} {number(y)}h10M{number(x)} {number(y - 5)}v10", thick=2)

    def mask(self, x: float, y: float, seen: list[list[bool]], kind: str, cell: float = 6) -> None:
        """Draw a small mask, filled where a query may attend to a key; rows are queries."""
        for i, row in enumerate(seen):
            for j, here in enumerate(row):
                look = f"{kind}-full" if here else "open"
                self.rect(x + j * cell, y + i * cell, cell - 1, cell - 1, look, thick=0.6)

    def svg(self) -> str:
        """Return the SVG file's text."""
        h = number(self.height)
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {h}" '
            f'width="{self.width}" height="{h}" role="img" font-family="{FONT}">',
            f"<title>{escape(self.title)}</title>",
            f"<style>\n{_style()}\n.m{{font-family:{SERIF};font-style:italic}}\n</style>",
            f'<rect width="{self.width}" height="{h}" class="plate"/>',
            *self.parts,
            "</svg>\n",
        ])  # fmt: skip

    def _marked(self, words: str) -> str:
        out, moved = [], 0
        for match in re.finditer(r"\*(.+?)\*|([_^])(?:\{(.+?)\}|(\S))|([^*_^]+)", words):
            formula, shift, group, single, plain = match.groups()
            if shift:
                dy = 4 if shift == "_" else -6
                inside = escape(group or single)
                out.append(f'<tspan dy="{dy - moved}" font-size="{self.low}">{inside}</tspan>')
                moved = dy
                continue
            back = f' dy="{-moved}"' if moved else ""
            moved = 0
            look = ' class="m"' if formula else ""
            inside = escape(formula or plain)
            out.append(f"<tspan{look}{back}>{inside}</tspan>" if look or back else inside)
        return "".join(out)

"""Products and exponentials of a tile, in turn and at the same time.

Ref: Shah et al. 2024 (FlashAttention-3), section 3.1: 989 TFLOP/s of products and 3.9 T
exponentials a second on an H100; Zadouri et al. 2026 (FlashAttention-4): 8192 operations and 16
exponentials a cycle in a multiprocessor of a B200.
"""

from tools.drawings.symbols import NARROW, SMALL, Drawing

SIDE, D = 128, 128
PRODUCTS, EXPONENTIALS = 2 * 2 * SIDE * SIDE * D, SIDE * SIDE
H100 = (EXPONENTIALS / 3.9e12) / (PRODUCTS / 989e12)  # exponentials, with the products as 1
B200 = (EXPONENTIALS / 16) / (PRODUCTS / 8192)
TILES, UNIT, LEFT = 3, 62, 84

ALT = f"""\
Four time lines of {TILES} tiles, each with a row for products and a row for exponentials. On \
an H100 the exponentials of a tile take half as long as its products. In turn, three tiles \
take {TILES * (1 + H100):.1f} times as long as the products of one. If the exponentials of a \
tile run during the products of the next, they take {TILES + H100:.1f}. On a B200 both take \
equally long: {TILES * (1 + B200):.0f} in turn, {TILES + B200:.0f} at the same time, and the \
exponentials never pause."""
CAPTION = f"""\
Products and exponentials of {TILES} tiles, from the rates of the two units alone; the \
products of a tile take 1. On a B200 the exponentials take as long as the products, so \
faster products would not help."""


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("The third roof: exponentials", 400, NARROW)
    y = 10
    for chip, share in (("H100", H100), ("B200", B200)):
        drawing.text(12, y + 18, chip, at="start", bold=True)
        for name, overlapped in (("in turn", False), ("at the same time", True)):
            _lanes(drawing, y + 28, name, share, overlapped=overlapped)
            y += 88
        y += 20
    return drawing


def _lanes(drawing: Drawing, y: float, name: str, share: float, *, overlapped: bool) -> None:
    """Draw a time line: products above, exponentials below."""
    unit = UNIT * 6 / 8.4
    drawing.text(12, y + 18, "products", at="start", tone="muted", size=SMALL)
    drawing.text(12, y + 46, "exp", at="start", tone="muted", size=SMALL)
    step = 1 if overlapped else 1 + share
    end = TILES + share if overlapped else TILES * (1 + share)
    for tile in range(TILES):
        x = LEFT + tile * step * unit
        drawing.rect(x, y + 2, unit, 24, "blue", thick=1)
        drawing.text(x + unit / 2, y + 19, str(tile + 1), size=SMALL)
        drawing.rect(x + unit, y + 30, share * unit, 24, "violet", thick=1)
        drawing.text(x + (1 + share / 2) * unit, y + 47, str(tile + 1), size=SMALL)
    x = LEFT + end * unit
    drawing.line(f"M{x:.1f} {y - 2:.1f}v60", thick=1)
    drawing.text(388, y - 10, f"{name}: {end:.1f}", at="end", size=SMALL)

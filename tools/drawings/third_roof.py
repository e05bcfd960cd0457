"""Products and exponentials of a tile, in turn and at the same time.

Ref: Shah et al. 2024 (FlashAttention-3), section 3.1: 989 TFLOP/s of products and 3.9 T
exponentials per second on an H100; Zadouri et al. 2026 (FlashAttention-4): 8192 operations and 16
exponentials per cycle in a multiprocessor of a B200.
"""

from tools.drawings.symbols import NARROW, SMALL, Drawing

SIDE, D = 128, 128
PRODUCTS, EXPONENTIALS = 2 * 2 * SIDE * SIDE * D, SIDE * SIDE
H100 = (EXPONENTIALS / 3.9e12) / (PRODUCTS / 989e12)  # exponentials, with the products as 1
B200 = (EXPONENTIALS / 16) / (PRODUCTS / 8192)
TILES, UNIT, LEFT = 3, 62, 84
Bar = tuple[float, float, str]  # start, duration, label


def schedule(share: float, *, overlapped: bool) -> tuple[list[Bar], list[Bar], float]:
    """Return the bars of products and of exponentials, and the end of the last product.

    A tile's exponentials run after its first product, the scores, and before its second, the
    weighted sum of values. If overlapped, the next tile's scores are computed at the same time.
    """
    order = [step for tile in range(TILES) for step in (("S", tile), ("O", tile))]
    if overlapped:
        order.sort(key=lambda step: (step[1] + (1.5 if step[0] == "O" else 0), step[0]))
    products, exponentials, now, free = list[Bar](), list[Bar](), 0.0, 0.0
    ready = [0.0] * TILES
    for what, tile in order:
        start = max(now, ready[tile])
        now = start + 0.5
        products.append((start, 0.5, f"{what}{tile + 1}"))
        if what == "S":
            begin = max(now, free)
            ready[tile] = free = begin + share
            exponentials.append((begin, share, str(tile + 1)))
    return products, exponentials, now


ENDS = {
    (chip, together): schedule(share, overlapped=together)[2]
    for chip, share in (("H100", H100), ("B200", B200))
    for together in (False, True)
}
ALT = f"""\
Four time lines of {TILES} tiles, each with a row for products and a row for exponentials. The \
exponentials of a tile run after its first product, S, and before its second, O. On an H100 they \
take half as long as the two products. In turn, three tiles take {ENDS["H100", False]:.1f} times \
as long as the products of one. If S of the next tile is computed meanwhile, they take \
{ENDS["H100", True]:.1f}, and the products never pause. On a B200 exponentials and products take \
equally long: {ENDS["B200", False]:.0f} in turn, {ENDS["B200", True]:.0f} at the same time, and \
then the exponentials never pause."""
CAPTION = f"""\
Products and exponentials of {TILES} tiles, from the rates of the two units alone. A tile's \
exponentials run between its two products, S and O, which take 1 together. On a B200 they take as \
long, and then set the pace."""


def draw() -> Drawing:
    """Return the drawing."""
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
    """Draw a timeline: products above, exponentials below."""
    unit = UNIT * 6 / 8.4
    drawing.text(12, y + 18, "products", at="start", tone="muted", size=SMALL)
    drawing.text(12, y + 46, "exp", at="start", tone="muted", size=SMALL)
    products, exponentials, end = schedule(share, overlapped=overlapped)
    for bars, top, tone in ((products, 2, "blue"), (exponentials, 30, "violet")):
        for start, long, label in bars:
            x = LEFT + start * unit
            drawing.rect(x, y + top, long * unit, 24, tone, thick=1)
            named = label if long * unit > 30 else label[0]
            drawing.text(x + long * unit / 2, y + top + 17, named, size=SMALL)
    x = LEFT + end * unit
    drawing.line(f"M{x:.1f} {y - 2:.1f}v60", thick=1)
    drawing.text(388, y - 10, f"{name}: {end:.1f}", at="end", size=SMALL)

"""A block on its residual stream, and four placements of norms with the rates that work."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

RATES = ("0.005", "0.01")
# The number of five runs that learned the 32 facts (a loss below 0.01) after 400 steps, at each
# rate. They are from the record ``norm_places``, with which a test compares them.
LEARNED = {"post": (0, 0), "deep": (5, 5), "pre": (5, 5), "sandwich": (5, 5)}
SEEDS = 5

ALT = f"""\
Read upwards. Left, a pre-norm block: the residual stream, m wide, is a thick vertical line. Two \
branches leave it and return to a plus on the line. The first passes a norm and attention with \
4m² weights, the second a norm and a feed-forward network, which is 4m wide inside, with 8m² \
weights. Right, one sublayer u in four arrangements, each with a square for the learning rates \
{" and ".join(RATES)}. Post-norm: a norm on the line after the plus; both squares are empty. \
DeepNorm: the same with a factor alpha on the line; both are filled. Pre-norm: the norm on the \
branch before u; both are filled. Sandwich-norm: norms before and after u; both are filled."""
CAPTION = f"""\
A pre-norm block and four places of the norm, read upwards (named below). The thick \
line is the residual stream, which *u* changes; *u* is attention or the feed-forward network. The \
squares are the learning rates {" and ".join(RATES)}: filled if all {SEEDS} runs of 12 layers have \
learned the 32 facts after 400 steps, empty if none has."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A block, and four places of its norms", 548, NARROW)
    drawing.text(86, 28, "A pre-norm block", bold=True)
    drawing.stream(36, 506, 56)
    drawing.text(14, 530, "*x*, m wide", at="start", size=SMALL)
    for bottom in (482, 276):
        drawing.arrow((36, bottom), (112, bottom), (112, bottom - 17))
        drawing.box(80, bottom - 46, 64, 26, "orange", "norm", size=SMALL)
        drawing.arrow((112, bottom - 46), (112, bottom - 61))
    drawing.box(60, 482 - 112, 104, 48, "violet", "attention", "4m² weights")
    drawing.arrow((112, 370), (112, 344), (50, 344))
    drawing.plus(36, 344)
    for way in ("M84 214h56l24 -34h-104z", "M60 180h104l-24 -34h-56z"):
        drawing.parts.append(f'<path d="{way}" class="green" stroke-width="1.4"/>')
    drawing.text(112, 202, "m to 4m", size=SMALL)
    drawing.text(112, 168, "4m to m", size=SMALL)
    drawing.text(112, 120, "feed-forward")
    drawing.text(112, 138, "8m² weights", size=SMALL)
    drawing.arrow((112, 104), (112, 88), (50, 88))
    drawing.plus(36, 88)
    drawing.band(176, 12, 212, 524)
    places = (
        ("post-norm", "post", _post),
        ("DeepNorm", "deep", _deep),
        ("pre-norm", "pre", _pre),
        ("sandwich-norm", "sandwich", _sandwich),
    )
    for number, (name, place, put) in enumerate(places):
        x, bottom = 204 + number % 2 * 96, 256 + number // 2 * 262
        drawing.text(x + 24 + number % 2 * 3, bottom - 224, name, size=SMALL, bold=True)
        _squares(drawing, x + 8, bottom - 212, LEARNED[place])
        drawing.stream(x, bottom, bottom - 174)
        put(drawing, x, bottom)
    return drawing


def _squares(drawing: Drawing, x: float, y: float, counts: tuple[int, ...]) -> None:
    """Draw a square for each rate: filled for all runs, half for some, empty for none."""
    for i, count in enumerate(counts):
        left = x + i * 19
        drawing.rect(left, y, 14, 14, "open")
        if count:
            height = 14 if count == SEEDS else 7
            drawing.rect(left, y + 14 - height, 14, height, "blue-full", thick=0)


def _sublayer(drawing: Drawing, x: float, bottom: float, norms: tuple[int, ...]) -> float:
    """Draw the branch with u and its norms, from below; return the height of the plus."""
    y, out = bottom - 10, x + 46
    drawing.line(f"M{x} {y}H{out}", look="way")
    last = (out, y)
    for here in (*norms[:1], 0, *norms[1:]) if norms else (0,):
        top = last[1] - 16
        drawing.arrow(last, (out, top + 3))
        drawing.box(out - 25, top - 22, 50, 22, "orange" if here else "grey",
                    "norm" if here else "*u*", size=SMALL)  # fmt: skip
        last = (out, top - 22)
    drawing.arrow(last, (out, last[1] - 14), (x + 14, last[1] - 14))
    drawing.plus(x, last[1] - 14)
    return last[1] - 14


def _on_the_line(drawing: Drawing, x: float, plus: float) -> None:
    drawing.box(x - 22, plus - 48, 44, 22, "orange", "norm", size=SMALL)


def _post(drawing: Drawing, x: float, bottom: float) -> None:
    _on_the_line(drawing, x, _sublayer(drawing, x, bottom, ()))


def _deep(drawing: Drawing, x: float, bottom: float) -> None:
    plus = _sublayer(drawing, x, bottom, ())
    drawing.circle(x, plus + 26, 9, "open")
    drawing.text(x, plus + 31, "*α*", size=15)
    _on_the_line(drawing, x, plus)


def _pre(drawing: Drawing, x: float, bottom: float) -> None:
    _sublayer(drawing, x, bottom, (1,))


def _sandwich(drawing: Drawing, x: float, bottom: float) -> None:
    _sublayer(drawing, x, bottom, (1, 1))

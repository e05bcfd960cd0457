"""A block on its residual stream, and the four places where its norms may stand."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

ALT = """\
Read upwards. Left, a pre-norm block: the residual stream is a thick vertical line; before \
attention, and again before the feed-forward network, a branch leaves it, passes a norm and the \
sublayer, and returns to a plus on the line. Right, one sublayer u in four arrangements. In \
post-norm and DeepNorm the norm stands on the line itself, after the plus, and DeepNorm \
multiplies the line by alpha before the plus. In pre-norm the norm stands on the branch before \
the sublayer, in sandwich-norm before and after it."""
CAPTION = """\
The block, and four places for its norms, read upwards. The thick line is the stream. In \
post-norm and DeepNorm it passes through every norm; in pre-norm and sandwich-norm nothing stands \
on it."""


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("A block and four places for its norms", 476, NARROW)
    drawing.text(86, 28, "A pre-norm block", bold=True)
    drawing.stream(36, 440, 56)
    drawing.text(14, 462, "*x*, m wide", at="start", size=SMALL)
    for bottom, name, kind in ((420, "attention", "violet"), (248, "feed-forward", "green")):
        drawing.arrow((36, bottom), (112, bottom), (112, bottom - 17))
        drawing.box(80, bottom - 46, 64, 26, "orange", "norm", size=SMALL)
        drawing.arrow((112, bottom - 46), (112, bottom - 61))
        drawing.box(60, bottom - 96, 104, 32, kind, name)
        drawing.arrow((112, bottom - 96), (112, bottom - 122), (50, bottom - 122))
        drawing.plus(36, bottom - 122)
    drawing.band(176, 12, 212, 452)
    places = (
        ("post-norm", _post),
        ("DeepNorm", _deep),
        ("pre-norm", _pre),
        ("sandwich-norm", _sandwich),
    )
    for number, (name, put) in enumerate(places):
        x, bottom = 204 + number % 2 * 96, 226 + number // 2 * 222
        drawing.text(x + 24 + number % 2 * 3, bottom - 188, name, size=SMALL, bold=True)
        drawing.stream(x, bottom, bottom - 172)
        put(drawing, x, bottom)
    return drawing


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

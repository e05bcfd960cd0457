"""The traffic of attention in four kernels and in a fused one: three queries, four keys."""

from tools.drawings.symbols import NARROW, Drawing

QUERIES, KEYS, WIDE, BYTES = 3, 4, 2, 4
Q, K, S = QUERIES * WIDE, KEYS * WIDE, QUERIES * KEYS  # V is as large as K, O as Q

# name, FLOPs; inputs and their size in numbers; outputs and their size
KERNELS = (
    ("scores", 2 * S * WIDE, ("*Q*, *K*", Q + K), ("*S*", S)),
    ("scale", S, ("*S*", S), ("*S*, scaled", S)),
    ("softmax", QUERIES * (5 * KEYS - 2), ("*S*, scaled", S), ("*A*", S)),
    ("average", 2 * S * WIDE, ("*A*, *V*", S + K), ("*O*", Q)),
)
FUSED = ("fused attention", sum(k[1] for k in KERNELS), ("*Q*, *K*, *V*", Q + 2 * K), ("*O*", Q))
NUMBERS = sum(read + written for *_, (_, read), (_, written) in KERNELS)
ONCE = FUSED[2][1] + FUSED[3][1]

ALT = f"""\
Two panels, each with memory on the left and kernels on the right. Above, four kernels: scores \
reads Q and K, {Q + K} numbers, and writes S, {S}. Scale reads S, {S}, and writes it scaled, {S}. \
Softmax reads that, {S}, and writes A, {S}. Average reads A and V, {S + K}, and writes O, {Q}. \
Together {NUMBERS} numbers, {NUMBERS * BYTES} bytes. Below, one fused kernel reads Q, K and V, \
{FUSED[2][1]} numbers, and writes O, {Q}: {ONCE} numbers, {ONCE * BYTES} bytes."""
CAPTION = f"""\
The traffic of our small problem. Four kernels exchange the scores through memory, so {6 * S} of \
the {NUMBERS} numbers that they move are scores. A fused kernel does the same {FUSED[1]} FLOPs \
and moves no scores at all."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The traffic of four kernels, and of a fused one", 440, NARROW)
    drawing.band(12, 12, NARROW - 24, 304, "Four kernels",
                 f"{NUMBERS} numbers, {NUMBERS * BYTES} bytes")  # fmt: skip
    for i, kernel in enumerate(KERNELS):
        _kernel(drawing, 46 + i * 66, *kernel)
    drawing.band(12, 328, NARROW - 24, 100, "One kernel",
                 f"{ONCE} numbers, {ONCE * BYTES} bytes")  # fmt: skip
    _kernel(drawing, 362, *FUSED)
    return drawing


def _kernel(
    drawing: Drawing, y: float, name: str, flops: int, read: tuple[str, int],
    written: tuple[str, int],
) -> None:  # fmt: skip
    for row, (what, count) in enumerate((read, written)):
        kind = "violet" if "*S*" in what or "*A*" in what else "grey" if what == "*O*" else "blue"
        top = y + row * 28
        drawing.rect(24, top, 136, 25, kind, thick=1)
        drawing.text(92, top + 17, f"{what}: {count}", size=13)
        ends = [(164, top + 12), (234, top + 12)]
        drawing.arrow(*(ends if row == 0 else ends[::-1]))
    drawing.box(240, y, 136, 53, "open", name, f"{flops} FLOPs")

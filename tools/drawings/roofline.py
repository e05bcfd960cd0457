"""The rooflines of three machines, and the intensities of four kernels."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing

# FLOPs per second in 16 bits, bytes per second, from data sheets as in plainformer.costs.MACHINES.
MACHINES = {
    "H100": (989e12, 3.35e12),
    "A100": (312e12, 2.039e12),
    "TPU v5e": (197e12, 0.82e12),
}
TOKENS, WIDE, ROWS = 8192, 128, 128
FUSED = (4 * TOKENS * TOKENS * WIDE + 5 * TOKENS * TOKENS + TOKENS * (TOKENS - 2)) / (
    2 * 4 * TOKENS * WIDE
)
TILES = FUSED * 4 * TOKENS / (2 * TOKENS * TOKENS // ROWS + 2 * TOKENS)
MARKS = {
    "decode step": 1.0,
    "attention in four kernels": (4 * WIDE + 6) / 12,
    "fused, without L2": TILES,
    "fused, each input once": FUSED,
}


def ridge(name: str) -> float:
    """Return the intensity at which a machine's two limits are equal."""
    peak, bandwidth = MACHINES[name]
    return peak / bandwidth


ALT = f"""\
Three rooflines on logarithmic axes, of FLOPs per second against FLOPs per byte. Each rises with \
the intensity up to its ridge and is flat from there: H100 to 989 TFLOP/s, ridge \
{ridge("H100"):.0f}; A100 to 312, ridge {ridge("A100"):.0f}; TPU v5e to 197, ridge \
{ridge("TPU v5e"):.0f}. Short lines mark four kernels, A to D: a decode step at 1; attention in \
four kernels at {(4 * WIDE + 6) / 12:.0f}; fused attention without an L2 cache at {TILES:.0f}, \
left of every ridge; fused attention that reads each input once at {FUSED:,.0f}, right of every \
ridge."""
CAPTION = f"""\
Three rooflines for 16-bit numbers, and four kernels; C and D are for {TOKENS:,} tokens of width \
{WIDE}. (The A100 is the one with 80 GB, whose memory moves 2.0 TB/s.)"""

LEFT, RIGHT, TOP, BOTTOM = 54, 386, 44, 322
FIRST, LAST, LEAST, MOST = math.log10(0.3), 4.0, 11.0, 15.0


def _x(intensity: float) -> float:
    return LEFT + (math.log10(intensity) - FIRST) / (LAST - FIRST) * (RIGHT - LEFT)


def _y(rate: float) -> float:
    return BOTTOM - (math.log10(rate) - LEAST) / (MOST - LEAST) * (BOTTOM - TOP)


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three rooflines and four kernels", 460, NARROW)
    drawing.text(16, 22, "TFLOP/s, at most", at="start", tone="muted", size=SMALL)
    for power in range(11, 16):
        y = _y(10.0**power)
        drawing.line(f"M{LEFT} {y:.1f}H{RIGHT}", thick=0.4)
        label = f"{10 ** (power - 12):,}" if power > 11 else "0.1"
        drawing.text(LEFT - 6, y + 4, label, at="end", tone="muted", size=SMALL)
    for power in range(4):
        drawing.text(_x(10.0**power), BOTTOM + 18, f"{10**power:,}", tone="muted",
                     size=SMALL)  # fmt: skip
    drawing.text(RIGHT, BOTTOM + 36, "FLOPs per byte", at="end", tone="muted", size=SMALL)
    for (name, (peak, bandwidth)), kind, drop in zip(
        MACHINES.items(), ("blue", "orange", "green"), (-8, -8, 18), strict=True
    ):
        start, end, roof = 10**FIRST, 10**LAST, _y(peak)
        drawing.line(
            f"M{LEFT} {_y(start * bandwidth):.1f}L{_x(ridge(name)):.1f} {roof:.1f}H{_x(end):.1f}",
            kind, thick=2.2,
        )  # fmt: skip
        drawing.text(RIGHT, roof + drop, f"{name}, ridge {ridge(name):.0f}", at="end", tone=kind,
                     size=SMALL)  # fmt: skip
    for i, (name, intensity) in enumerate(MARKS.items()):
        x, roof = _x(intensity), _y(min(989e12, 3.35e12 * intensity))
        drawing.line(f"M{x:.1f} {BOTTOM}v-26", "violet", thick=2)
        drawing.circle(x, roof, 3.5, "violet-full", thick=0)
        drawing.text(x + 5, BOTTOM - 14, "ABCD"[i], at="start", tone="violet", bold=True)
        row = f"{'ABCD'[i]}: {name}, {intensity:,.0f}"
        drawing.text(24, 384 + i * 20, row, at="start", size=SMALL)
    return drawing

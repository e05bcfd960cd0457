"""The memories of a GPU, and the data that attention moves to and from the largest of them.

Sizes and bandwidths of the A100 are from Dao et al. 2022, section 2.1 and figure 1; its L2 cache
and registers are from NVIDIA's white paper on the A100 (2020). The bytes of attention are counted
below.
"""

from tools.drawings.symbols import NARROW, SMALL, Drawing

TOKENS, WIDE = 4096, 64
BYTES = 2  # float16
ROWS = 128  # queries in a block
HBM = 1.5e12
MIB = 2**20

SCORES = TOKENS * TOKENS * BYTES / MIB  # S, and A is as large
ENDS = 2 * TOKENS * WIDE * BYTES / MIB  # Q read, O written
PASS = 2 * TOKENS * WIDE * BYTES / MIB  # K and V, read once
PLAIN = 6 * SCORES + PASS + ENDS
TILES = TOKENS // ROWS * PASS + ENDS
ONCE = PASS + ENDS
PEAK = 312e12  # FLOPs per second in float16
ARITHMETIC = (4 * WIDE + 6) * TOKENS**2 / PEAK * 1e6  # µs for one head


def microseconds(mib: float) -> float:
    """Return the microseconds for moving a number of MiB to or from HBM."""
    return mib * MIB / HBM * 1e6


ALT = f"""\
Above, three boxes, each wider than the one above it. The first: 108 multiprocessors, each with \
256 KB of registers and 192 KB of SRAM; all SRAM together, 20 MB at 19 TB/s. The second: L2 cache \
on the chip, 40 MB, shared by all. The third: HBM beside the chip, 40 GB at 1.5 TB/s. Below, three \
bars of bytes to and from HBM, for one head of many. Four kernels: S, scaled S and A are each \
written and read, {SCORES:.0f} MiB each time, {PLAIN:.0f} MiB and {microseconds(PLAIN):.0f} µs in \
all. One kernel that reads K and V for every block of {ROWS} queries: {TILES:.0f} MiB, \
{microseconds(TILES):.0f} µs. One kernel that reads each input once: {ONCE:.0f} MiB, \
{microseconds(ONCE):.1f} µs of traffic; its arithmetic takes {ARITHMETIC:.0f} µs."""
CAPTION = f"""\
The memories of an A100 (Dao et al. 2022; NVIDIA's white paper), and the bytes that one head \
moves for {TOKENS:,} tokens of width {WIDE} in float16, with the least \
time of this traffic; the arithmetic takes {ARITHMETIC:.0f} µs. A fused kernel needs $K$ and $V$ \
again for each block of {ROWS} queries, but the L2 cache can serve these repeats. The scores of \
all heads, which a kernel computes together, do not fit into it."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Memory hierarchy, and the bytes that attention moves", 478, NARROW)
    tiers = [
        (300, 70, "green", "108 multiprocessors", "each 256 KB registers, 192 KB SRAM",
         "all SRAM: 20 MB, 19 TB/s"),
        (340, 50, "grey", "L2 cache, on the chip", "40 MB, shared by all"),
        (376, 50, "orange", "HBM, beside the chip", "40 GB, 1.5 TB/s"),
    ]  # fmt: skip
    y = 14.0
    for width, height, kind, *rows in tiers:
        drawing.box((NARROW - width) / 2, y, width, height, kind, *rows)
        y += height + 8

    drawing.band(12, 212, NARROW - 24, 254, "To and from HBM", "one head of many")
    scale = 352 / PLAIN
    y = 264
    _title(drawing, y, "four kernels", PLAIN)
    for i in range(6):
        x = 24 + i * SCORES * scale
        drawing.rect(x, y + 8, SCORES * scale, 28, "violet", thick=1)
        drawing.text(x + SCORES * scale / 2, y + 27, ("write", "read")[i % 2], size=SMALL)
    drawing.rect(24 + 6 * SCORES * scale, y + 8, (PLAIN - 6 * SCORES) * scale, 28, "grey", thick=1)
    for i, name in enumerate(("*S*", "*S*, scaled", "*A*")):
        drawing.text(24 + (2 * i + 1) * SCORES * scale, y + 53, name, size=SMALL)
    y = 344
    _title(drawing, y, "one kernel", TILES)
    drawing.rect(24, y + 8, TILES * scale, 28, "orange", thick=1)
    drawing.text(32 + TILES * scale, y + 27, f"*K* and *V* from HBM {TOKENS // ROWS} times",
                 at="start", tone="muted", size=SMALL)  # fmt: skip
    y = 412
    _title(drawing, y, "one kernel", ONCE)
    drawing.rect(24, y + 8, ONCE * scale, 28, "orange", thick=1)
    drawing.text(32 + ONCE * scale, y + 27, "*K* and *V* from HBM once, then from L2",
                 at="start", tone="muted", size=SMALL)  # fmt: skip
    return drawing


def _title(drawing: Drawing, y: float, name: str, mib: float) -> None:
    time = microseconds(mib)
    drawing.text(24, y, name, at="start")
    drawing.text(NARROW - 24, y, f"{mib:.0f} MiB, {time:.{0 if time > 9 else 1}f} µs", at="end")

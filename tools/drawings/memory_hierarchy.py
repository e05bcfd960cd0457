"""The memories of a GPU and of a CPU, and what attention moves between two of them.

Sizes and bandwidths of the A100: Dao et al. 2022, figure 1, which leaves out the L2 cache of 40 MB;
its registers: 108 multiprocessors of 256 KB (NVIDIA's white paper on the A100, 2020). A core with
AVX-512 has 32 registers of 64 bytes. Two channels of DDR4-3200 move 2 × 8 bytes × 3.2 GT/s. The
bytes that attention moves are counted below.
"""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

Q = K = 4096
D = E = 64
BYTES = 2  # float16
ROWS = 128  # queries in a block
HBM = 1.5e12
MIB = 2**20

SCORES = Q * K * BYTES / MIB  # S, and A is as large
ENDS = (Q * D + Q * E) * BYTES / MIB  # Q read, O written
PASS = (K * D + K * E) * BYTES / MIB  # K and V, read once
PLAIN = 4 * SCORES + PASS + ENDS
FLASH = Q // ROWS * PASS + ENDS


def microseconds(mib: float) -> float:
    """Say how long so many MiB take to or from HBM."""
    return mib * MIB / HBM * 1e6


ALT = f"""\
Above, two pyramids of memories, small and fast on top. An A100: registers, 27 MB; SRAM, 20 MB \
at 19 TB/s; HBM, 40 GB at 1.5 TB/s; below it the DRAM of the host, more than 1 TB at 12.8 GB/s. \
A CPU: registers, 2 KB a core; caches, from 32 KB to tens of MB; DRAM, gigabytes at 51 GB/s. \
Below, two bars of the bytes that one head moves to and from HBM. Plain attention writes and \
reads S, then writes and reads A, {SCORES:.0f} MiB each time: with Q, K, V and O, {PLAIN:.0f} \
MiB. FlashAttention reads K and V {Q // ROWS} times, and Q and writes O once: {FLASH:.0f} MiB."""
CAPTION = f"""\
The fast memory is small, and the large one is slow. HBM of an A100 is 2000 times as large as \
its SRAM and moves about a thirteenth of the bytes per second. Below: what one head moves for q \
= k = {Q}, d = e = {D} in float16. Plain attention moves {PLAIN:.0f} MiB, nearly all of it $S$ \
and $A$, which nobody asked for (with the scale as a kernel of its own, as on this page and in \
chapter 12, it is {PLAIN + 2 * SCORES:.0f}); FlashAttention with blocks of {ROWS} queries moves \
{FLASH:.0f} MiB. At 1.5 TB/s that is {microseconds(PLAIN):.0f} µs against \
{microseconds(FLASH):.0f} µs. \
Sizes and bandwidths of the A100 are those of Dao et al. 2022, figure 1, which leaves out its L2 \
cache, and so does the count; the CPU is a usual one, with two channels of DDR4-3200. The \
pyramids are not to scale, the bars are."""


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("Memory hierarchy, and the bytes that attention moves", 530)
    drawing.text(150, 28, "A GPU (A100)", bold=True)
    drawing.text(425, 28, "A CPU", bold=True)
    _pyramid(drawing, 150, [
        (130, "green", "registers", "27 MB"),
        (172, "green", "SRAM", "20 MB · 19 TB/s"),
        (214, "orange", "HBM", "40 GB · 1.5 TB/s"),
        (256, "grey", "DRAM of the host", "> 1 TB · 12.8 GB/s"),
    ])  # fmt: skip
    _pyramid(drawing, 425, [
        (130, "green", "registers", "2 KB a core"),
        (178, "green", "caches L1–L3", "32 KB to 64 MB"),
        (226, "orange", "DRAM", "16 GB · 51 GB/s"),
    ])  # fmt: skip
    drawing.text(425, 230, "↑ smaller and faster", tone="muted", size=SMALL)
    drawing.text(425, 250, "↓ larger and slower", tone="muted", size=SMALL)

    y = 286
    drawing.band(12, y, WIDTH - 24, 232, "To and from HBM",
                 f"one head, q = k = {Q}, d = e = {D}, float16")  # fmt: skip
    parts = [(SCORES, "violet", f"{act} *{name}*") for name in "SA" for act in ("write", "read")]
    _bar(drawing, y + 58, "plain attention", PLAIN, [*parts, (PASS + ENDS, "grey", "")])
    _bar(drawing, y + 148, "FlashAttention", FLASH, [
        (FLASH - ENDS, "orange", f"*K*, *V* ×{Q // ROWS}"), (ENDS, "grey", "")
    ])  # fmt: skip
    return drawing


def _pyramid(drawing: Drawing, middle: float, tiers: list[tuple[float, str, str, str]]) -> None:
    for i, (width, kind, name, size) in enumerate(tiers):
        drawing.box(middle - width / 2, 42 + i * 56, width, 48, kind, name, size)


def _bar(
    drawing: Drawing, y: float, name: str, total: float, parts: list[tuple[float, str, str]]
) -> None:
    scale = (WIDTH - 48) / PLAIN
    drawing.text(24, y, name, at="start")
    drawing.text(WIDTH - 24, y, f"{total:.0f} MiB: {microseconds(total):.0f} µs", at="end")
    x = 24.0
    for mib, kind, label in parts:
        drawing.rect(x, y + 10, mib * scale, 36, kind, thick=1)
        if label:
            drawing.text(x + mib * scale / 2, y + 33, label, size=SMALL)
        x += mib * scale
    last = "*Q*, *K*, *V*, *O*" if total == PLAIN else "*Q*, *O*"
    if total == PLAIN:
        drawing.text(x, y + 64, f"{last}: {parts[-1][0]:.0f} MiB", at="end", tone="muted",
                     size=SMALL)  # fmt: skip
    else:
        drawing.text(x + 10, y + 33, f"{last}: {parts[-1][0]:.0f} MiB", at="start", tone="muted",
                     size=SMALL)  # fmt: skip
        drawing.text(24, y + 64, f"*S* and *A* stay in SRAM, {ROWS} queries at a time", at="start",
                     tone="muted", size=SMALL)  # fmt: skip

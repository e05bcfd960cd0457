"""A decode step of Llama 3 8B on an H100: milliseconds of reading and of arithmetic."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

BANDWIDTH, PEAK = 3.35e12, 989e12
M, LAYERS, HEADS, KV, D, F, VOCABULARY, POSITIONS = 4096, 32, 32, 8, 128, 14_336, 128_256, 1024
WEIGHTS = LAYERS * (2 * M * HEADS * D + 2 * M * KV * D + 3 * M * F) + VOCABULARY * M
CACHE = POSITIONS * 2 * LAYERS * KV * D * 2  # bytes for one request
FLOPS = 2 * WEIGHTS + 4 * LAYERS * HEADS * D * POSITIONS  # for one request
BATCHES = (1, 64, 256)


def milliseconds(batch: int) -> tuple[float, float, float]:
    """Return the milliseconds of reading the weights, of reading the caches, and of arithmetic."""
    return (
        2 * WEIGHTS / BANDWIDTH * 1e3, batch * CACHE / BANDWIDTH * 1e3, batch * FLOPS / PEAK * 1e3
    )  # fmt: skip


def tokens(batch: int) -> str:
    """Return the most tokens per second of a batch, to two or three digits."""
    weights, caches, arithmetic = milliseconds(batch)
    rate = batch / max(weights + caches, arithmetic) * 1e3
    return f"{round(rate, -2):,.0f}" if rate > 1000 else f"{rate:.0f}"


def _said(batch: int) -> str:
    weights, caches, arithmetic = milliseconds(batch)
    few = "request" if batch == 1 else "requests"
    return (
        f"{batch} {few}: weights {weights:.1f} ms, caches {caches:.2f}, arithmetic "
        f"{arithmetic:.2f}; {tokens(batch)} tokens per second."
    )


ALT = f"""\
Three pairs of bars, for batches of {BATCHES[0]}, {BATCHES[1]} and {BATCHES[2]} requests. The \
upper bar is the time of reading, weights and then caches, and the lower one that of arithmetic. \
{" ".join(_said(batch) for batch in BATCHES)} Reading takes longer than arithmetic in all three."""
CAPTION = f"""\
The floor of a decode step of Llama 3 8B on an H100, each request at position {POSITIONS:,}. Each \
further request adds \
{milliseconds(1)[1] * 1e3:.0f} µs of reading its cache and {milliseconds(1)[2] * 1e3:.0f} µs of \
arithmetic, so reading stays ahead, but the weights are read only once."""

SCALE = 330 / sum(milliseconds(BATCHES[-1])[:2])


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Reading and arithmetic of a decode step", 356, NARROW)
    for i, batch in enumerate(BATCHES):
        top = 12 + i * 100
        drawing.band(12, top, NARROW - 24, 92, f"{batch} request{'s' * (batch > 1)}",
                     f"at most {tokens(batch)} tokens/s")  # fmt: skip
        weights, caches, arithmetic = milliseconds(batch)
        wide = weights * SCALE
        drawing.rect(24, top + 32, wide, 24, "blue", thick=1)
        drawing.text(24 + wide / 2, top + 48, "weights", size=SMALL)
        drawing.rect(24 + wide, top + 32, caches * SCALE, 24, "green", thick=1)
        if caches * SCALE > 50:
            drawing.text(24 + wide + caches * SCALE / 2, top + 48, "caches", size=SMALL)
        drawing.rect(24, top + 60, arithmetic * SCALE, 24, "violet", thick=1)
        if i < 2:
            drawing.text(32 + wide + caches * SCALE, top + 48, f"{weights + caches:.1f} ms",
                         at="start", tone="muted", size=SMALL)  # fmt: skip
        else:
            drawing.text(NARROW - 24, top + 22, f"{weights + caches:.1f} ms", at="end",
                         tone="muted", size=SMALL)  # fmt: skip
        said = f"{arithmetic:.1f} ms" if arithmetic > 0.1 else f"{arithmetic * 1e3:.0f} µs"
        drawing.text(32 + arithmetic * SCALE, top + 76, f"arithmetic {said}", at="start",
                     tone="muted", size=SMALL)  # fmt: skip
    drawing.text(24, 340, "above: reading, below: arithmetic, to scale", at="start", tone="muted",
                 size=SMALL)  # fmt: skip
    return drawing

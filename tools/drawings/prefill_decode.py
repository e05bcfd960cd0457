"""Prefill of the whole prompt at once, then decoding one token at a time with the cache."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

PROMPT = ("The", "cat", "sat", "on", "the", "mat")
ANSWER = ("and", "fell", "asleep")
N = len(PROMPT)
SCORES = N * (N + 1) // 2
# Llama 3 8B: keys and values, layers, key/value heads, width, bytes of bfloat16.
CELL = 2 * 32 * 8 * 128 * 2 // 1024

ALT = f"""\
Above, prefill: the prompt {" ".join(PROMPT)} as {N} queries at once. A triangle of {SCORES} \
scores is filled, and {N} cells of K and of V are written to the cache. Below, decode: three \
steps, with one query each, the tokens {", ".join(ANSWER)}. Each step writes one cell of K and \
of V and then reads all of them: {N + 1}, {N + 2}, {N + 3}. Prefill reads the parameters of the \
model once, decode at each step."""
CAPTION = f"""\
Prefill reads the prompt with {N} queries at once: {SCORES} scores, and the parameters of the \
model are read once for all {N} tokens. Decode has one query a step. It adds one key and one \
value to the cache, reads all of them, and reads the parameters again for a single token. In \
Llama 3 8B a token takes {CELL} KiB of cache, over all layers."""

CELL_WIDE = 28


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Prefill and decode", 540)
    drawing.band(12, 12, WIDTH - 24, 226, "Prefill", f"{N} queries at once")
    top, left, size = 54, 84, 26
    for i, word in enumerate(PROMPT):
        drawing.token(28, top + i * size, 50, word, "blue")
        for j in range(N):
            drawing.rect(left + j * size, top + i * size, size, size,
                         "violet" if j <= i else "open", thick=1)  # fmt: skip
    drawing.text(left + N * size / 2, top + N * size + 17, f"{SCORES} scores", tone="muted",
                 size=SMALL)  # fmt: skip
    x, y = 322, 92
    drawing.arrow((left + N * size + 8, y + 26), (x - 34, y + 26))
    drawing.text(x, y - 14, "cache", at="start", bold=True)
    _cache(drawing, x, y, 0, N)
    drawing.text(x, y + 78, f"writes {N} keys, {N} values", at="start", size=SMALL)
    drawing.text(x, y + 100, "reads all parameters once", at="start", size=SMALL)

    drawing.band(12, 254, WIDTH - 24, 274, "Decode", "one query at a time")
    for step, word in enumerate(ANSWER):
        y = 292 + step * 78
        drawing.token(28, y + 13, 58, word, "blue")
        drawing.arrow((90, y + 26), (112, y + 26))
        _cache(drawing, 146, y, N + step, 1)
        drawing.text(412, y + 22, f"writes 1, reads {N + 1 + step}", at="start", size=SMALL)
        drawing.text(412, y + 42, "and all parameters", at="start", size=SMALL)
    return drawing


def _cache(drawing: Drawing, x: float, y: float, old: int, new: int) -> None:
    """Draw keys above values: the cached ones, and those that are written now."""
    for row, (name, kind) in enumerate((("K", "orange"), ("V", "green"))):
        drawing.text(x - 18, y + 18 + row * 26, f"*{name}*", size=15)
        for c in range(old + new):
            drawing.rect(x + c * CELL_WIDE, y + row * 26, CELL_WIDE, 26, kind, thick=1)
            if c >= old:
                drawing.rect(x + c * CELL_WIDE + 4, y + row * 26 + 4, CELL_WIDE - 8, 18,
                             f"{kind}-full", round=2)  # fmt: skip

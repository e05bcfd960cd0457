"""Eight query heads with eight, two and one key/value heads, and the cache of Llama 3 8B.

Ref: Ainslie et al. 2023, figure 2; Grattafiori et al. 2024, table 3.
"""

from tools.drawings.symbols import NARROW, SMALL, Drawing

HEADS, STEP = 8, 14  # query heads in the drawing; pixels between neighbours
WIDE, TALL = 124, 192
LAYERS, D, TOKENS, BYTES = 32, 128, 8192, 2  # Llama 3 8B, which has 32 query heads
KINDS = (("MHA", 8, 32), ("GQA", 2, 8), ("MQA", 1, 1))  # key/value heads drawn, in the model
GIB = {name: LAYERS * TOKENS * 2 * g * D * BYTES / 2**30 for name, _, g in KINDS}

ALT = f"""\
Three panels, each with eight blue query heads in a row. MHA: below each query head is a key head \
and a value head of its own. GQA: two key heads and two value heads, each pair joined to four \
neighbouring query heads. MQA: one key head and one value head, joined to all eight. Below, for \
Llama 3: g = 32 takes {GIB["MHA"]:g} GiB, g = 8 takes {GIB["GQA"]:g} GiB and g = 1 takes \
{GIB["MQA"]:g} GiB."""
CAPTION = f"""\
Query heads (blue) and the key and value heads that they share (orange, green); eight query heads \
are drawn. Below, the cache of Llama 3 8B, whose 32 layers have 32 query heads each, with g \
key/value heads for a sequence of {TOKENS:,} tokens, at two bytes per number. The model has \
g = 8."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Key and value heads that are shared: MHA, GQA, MQA", TALL + 16, NARROW)
    for panel, (name, groups, g) in enumerate(KINDS):
        left = 8 + panel * (WIDE + 6)
        drawing.band(left, 8, WIDE, TALL, name)
        x = left + (WIDE - HEADS * STEP) / 2
        middles = [x + STEP * (j + 0.5) for j in range(HEADS)]
        for middle in middles:
            drawing.rect(middle - 5, 44, 10, 24, "blue", thick=1)
        size = HEADS // groups
        for group in range(groups):
            own = middles[group * size : (group + 1) * size]
            middle = sum(own) / size
            for above in own:
                drawing.line(f"M{above:.1f} 70L{middle:.1f} 98", thick=1.2)
            for kind, y in (("orange", 100), ("green", 126)):
                drawing.rect(middle - 5, y, 10, 22, kind, thick=1)
        drawing.text(left + WIDE / 2, 168, f"Llama 3: g = {g}", tone="muted", size=SMALL)
        drawing.text(left + WIDE / 2, 188, f"{GIB[name]:g} GiB", bold=True)
    return drawing

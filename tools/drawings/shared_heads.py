"""The cache for one token in four kinds of attention: MHA, GQA, MQA and MLA.

Ref: Shazeer 2019; Ainslie et al. 2023, figure 2; DeepSeek-AI 2024 (DeepSeek-V2), section 2.1.
"""

from tools.drawings.symbols import NARROW, SMALL, Drawing

HEADS, STEP, HIGH = 8, 20, 22  # query heads in the drawing; pixels between neighbours
WIDE, TALL = 182, 186  # a panel
H, D, LATENT, ROTARY = 128, 128, 512, 64  # for the numbers below the panels
KEPT = {"MHA": 2 * H * D, "GQA": 2 * 8 * D, "MQA": 2 * D, "MLA": LATENT + ROTARY}

ALT = f"""\
Four panels, each with eight blue query heads in a row. MHA: below each query head a key \
head and a value head of its own, eight of each. GQA: two key heads and two value heads, \
each joined to four query heads. MQA: one key head and one value head, joined to all eight. \
MLA: one latent vector and a narrow rotary key; dashed boxes of keys and values for each \
head lie between them and the query heads, and are computed from the latent. Below: \
{KEPT["MHA"]:,}, {KEPT["GQA"]:,}, {KEPT["MQA"]:,} and {KEPT["MLA"]} numbers for a token and \
layer."""
CAPTION = f"""\
Filled boxes are kept in the cache. Eight query heads are drawn; the numbers are for {H} \
heads of width {D}, with 8 groups in GQA and the latent of DeepSeek-V3 in MLA, per token and \
layer."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Keys and values that are kept: MHA, GQA, MQA, MLA", 2 * TALL + 24, NARROW)
    for i, name in enumerate(KEPT):
        left, top = 12 + i % 2 * (WIDE + 12), 8 + i // 2 * (TALL + 8)
        drawing.band(left, top, WIDE, TALL, name)
        drawing.text(left + WIDE / 2, top + TALL - 12, f"{KEPT[name]:,} numbers", size=14)
        x = left + (WIDE - HEADS * STEP) / 2
        middles = [x + STEP * (j + 0.5) for j in range(HEADS)]
        for middle in middles:
            drawing.rect(middle - 8, top + 34, 16, HIGH, "blue", thick=1)
        if name == "MLA":
            _latent(drawing, x, top, middles)
            continue
        groups = {"MHA": HEADS, "GQA": 2, "MQA": 1}[name]
        size = HEADS // groups
        for g in range(groups):
            own = middles[g * size : (g + 1) * size]
            middle = sum(own) / size
            for above in own:
                drawing.line(f"M{above:.1f} {top + 58}L{middle:.1f} {top + 88}", thick=1.2)
            for kind, y in (("orange", 90), ("green", 116)):
                drawing.rect(middle - 8, top + y, 16, HIGH, kind, thick=1)
    return drawing


def _latent(drawing: Drawing, x: float, top: float, middles: list[float]) -> None:
    """Draw keys and values that are computed from one latent."""
    for middle in middles:
        drawing.line(f"M{middle:.1f} {top + 58}v8", thick=1.2)
        for kind, y in (("orange", 68), ("green", 84)):
            drawing.parts.append(
                f'<rect x="{middle - 8:.1f}" y="{top + y}" width="16" height="14"'
                f' class="{kind}-line" stroke-width="1" stroke-dasharray="3 2"/>'
            )
        drawing.line(f"M{middle:.1f} {top + 98}v8", thick=1.2)
    drawing.line(f"M{middles[0]:.1f} {top + 106}H{middles[-1]:.1f}", thick=1.2)
    for stem in (x + 60, x + 142):
        drawing.line(f"M{stem:.1f} {top + 106}v12", thick=1.2)
    drawing.rect(x + 2, top + 118, 116, 24, "grey", round=4)
    drawing.text(x + 60, top + 135, "latent", size=SMALL)
    drawing.rect(x + 126, top + 118, 32, 24, "orange", round=4)
    drawing.text(x + 142, top + 135, "*k*", size=SMALL)

"""Encoder, decoder, and both: one block in three architectures, with masks and memory."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

ALT = """\
Three drawings, read upwards. The encoder, as in BERT, has N blocks of self-attention and \
feed-forward; the grid of its mask is filled. The decoder, as in GPT, has the same blocks with a \
triangular mask, and an output layer on top. The encoder–decoder, as in T5, has both: an arrow \
marked memory leads from the reading stack into the cross-attention that stands between \
self-attention and feed-forward in each writing block. The grid of the cross-attention is filled, \
four queries by five keys."""
CAPTION = """\
One block, three architectures, read upwards. The small grids are masks, filled where a query may \
look; rows are queries. The memory, k positions of width m, is the same for every writing block. \
Residual sums and norms are not drawn, nor T5's positions, which are added to the scores."""

BOX, HIGH, TOKENS = 164, 34, 4
FULL = [[True] * TOKENS] * TOKENS
CAUSAL = [[j <= i for j in range(TOKENS)] for i in range(TOKENS)]
CROSS = [[True] * (TOKENS + 1)] * TOKENS
SELF, OVER, FEED = (
    ("self-attention", "violet"),
    ("cross-attention", "orange"),
    ("feed-forward", "green"),
)


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("Three architectures", 676, NARROW)
    drawing.text(104, 28, "Encoder (BERT)", bold=True)
    _stack(drawing, 104, 290, "tokens", [(*SELF, FULL), (*FEED, [])], "one vector a token")
    drawing.text(296, 28, "Decoder (GPT)", bold=True)
    _stack(
        drawing, 296, 290, "tokens so far", [(*SELF, CAUSAL), (*FEED, [])], "next token", out=True
    )
    drawing.text(200, 334, "Encoder–decoder (T5)", bold=True)
    top = _stack(drawing, 104, 660, "tokens to read", [(*SELF, FULL), (*FEED, [])],
                 embed="embed")  # fmt: skip
    _stack(drawing, 296, 660, "tokens written so far",
           [(*SELF, CAUSAL), (*OVER, CROSS), (*FEED, [])], "next token", out=True,
           embed="embed")  # fmt: skip
    cross = 660 - 24 - 30 - 18 - 8 - HIGH - 8 - HIGH / 2
    drawing.arrow((104, top), (104, top - 34), (198, top - 34), (198, cross), (208, cross))
    drawing.text(140, top - 44, "memory", tone="ink", size=14)
    drawing.text(140, top - 62, "k × m", tone="muted", size=SMALL)
    return drawing


def _stack(
    drawing: Drawing, x: float, y: float, tokens: str,
    parts: list[tuple[str, str, list[list[bool]]]],
    result: str = "", *, out: bool = False, embed: str = "embed, + positions",
) -> float:  # fmt: skip
    """Draw a stack upwards from its tokens; return the top of its blocks."""
    left = x - BOX / 2
    drawing.text(x, y, tokens, size=SMALL)
    drawing.arrow((x, y - 14), (x, y - 21))
    drawing.box(left, y - 54, BOX, 30, "grey", embed, size=SMALL)
    bottom = y - 72
    tall = len(parts) * (HIGH + 8) + 8
    drawing.band(left - 8, bottom - tall, BOX + 16, tall)
    drawing.arrow((x, y - 54), (x, bottom - 5))
    at = bottom - 8
    for name, kind, mask in parts:
        drawing.rect(left, at - HIGH, BOX, HIGH, kind, round=5)
        drawing.text(left + 10, at - HIGH / 2 + 5, name, at="start")
        if mask:
            drawing.mask(left + BOX - 8 - 6 * len(mask[0]), at - HIGH / 2 - 12, mask, kind)
        at -= HIGH + 8
    drawing.text(x + BOX / 2 - 2, bottom - tall - 7, "× N", at="end", tone="muted", size=SMALL)
    top = bottom - tall
    if not result:
        return top
    drawing.arrow((x, top), (x, top - 21))
    if out:
        drawing.box(left, top - 54, BOX, 30, "grey", "output, m to v", size=SMALL)
        drawing.arrow((x, top - 54), (x, top - 66))
    drawing.text(x, top - (74 if out else 30), result, size=SMALL)
    return top

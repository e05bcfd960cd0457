"""Encoder, decoder, and both: one block in three architectures, with masks and memory."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

LOSS = {"encoder": 0.0, "decoder": 2.1, "encoder–decoder": 0.0}  # nats, at the blank of WORD
WORD = "d_bbad"
ALT = f"""\
Three drawings, read upwards. Encoder, as in BERT: N blocks of self-attention and feed-forward; \
all cells of its mask are filled. Decoder, as in GPT: the same blocks with a triangular mask, \
and an output layer on top. Encoder–decoder, as in T5: both stacks; an arrow marked memory leads \
from the encoder into the cross-attention between self-attention and feed-forward in each \
decoder block, whose mask of four queries by five keys is filled. Below the stacks the word \
{WORD} in cells, with an empty cell in second place, and the loss at such a blank: \
{LOSS["encoder"]} for the encoder, {LOSS["decoder"]} for the decoder, \
{LOSS["encoder–decoder"]} for the encoder–decoder. The encoder–decoder embeds without positions, \
because T5 adds distances to its scores."""
CAPTION = """\
Three architectures from one block, read upwards. The small grids are masks, filled where a \
query (row) attends to a key (column). Below: the loss in nats at a blank in second place, \
as in *d_bbad*, median of five trainings of small models, all with learned positions. Left out: \
residuals, norms, and the encoder's output layer."""

BOX, HIGH, TOKENS, CELL = 164, 34, 4, 20
FULL = [[True] * TOKENS] * TOKENS
CAUSAL = [[j <= i for j in range(TOKENS)] for i in range(TOKENS)]
CROSS = [[True] * (TOKENS + 1)] * TOKENS
SELF, OVER, FEED = (
    ("self-attention", "violet"),
    ("cross-attention", "orange"),
    ("feed-forward", "green"),
)
UPPER, LOWER = 290, 716  # heights of the tokens' names for the upper and lower stacks


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three architectures", 784, NARROW)
    drawing.text(104, 28, "Encoder (BERT)", bold=True)
    _stack(drawing, 104, UPPER, "tokens", [(*SELF, FULL), (*FEED, [])], "one vector per token")
    drawing.text(296, 28, "Decoder (GPT)", bold=True)
    _stack(
        drawing, 296, UPPER, "tokens so far", [(*SELF, CAUSAL), (*FEED, [])], "next token", out=True
    )
    for x, name in ((104, "encoder"), (296, "decoder")):
        _word(drawing, x, UPPER + 10)
        drawing.text(x, UPPER + 54, f"loss at the blank {LOSS[name]}", size=SMALL)
    drawing.text(200, 390, "Encoder–decoder (T5)", bold=True)
    top = _stack(drawing, 104, LOWER, "source", [(*SELF, FULL), (*FEED, [])], embed="embed")
    _stack(drawing, 296, LOWER, "target so far",
           [(*SELF, CAUSAL), (*OVER, CROSS), (*FEED, [])], "next token", out=True,
           embed="embed")  # fmt: skip
    _word(drawing, 104, LOWER + 10)
    drawing.text(200, LOWER + 54, f"loss at the blank {LOSS['encoder–decoder']}", size=SMALL)
    cross = LOWER - 24 - 30 - 18 - 8 - HIGH - 8 - HIGH / 2
    drawing.arrow((104, top), (104, top - 34), (198, top - 34), (198, cross), (208, cross))
    drawing.text(140, top - 44, "memory", tone="ink", size=14)
    drawing.text(140, top - 62, "k × m", tone="muted", size=SMALL)
    return drawing


def _word(drawing: Drawing, x: float, y: float) -> None:
    """Draw the letters of the word in cells; the blank's cell is empty."""
    for place, letter in enumerate(WORD):
        left = x + (place - len(WORD) / 2) * CELL
        drawing.rect(left, y, CELL, CELL + 4, "open" if letter == "_" else "grey", thick=1)
        if letter != "_":
            drawing.text(left + CELL / 2, y + 17, letter)


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

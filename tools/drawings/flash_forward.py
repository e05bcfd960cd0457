"""The path of one tile through FlashAttention's forward pass. Ref: Dao 2023, algorithm 1."""

from tools.drawings.symbols import KIND, SMALL, WIDTH, Drawing

ALT = """\
Two regions. Above, HBM, large and slow, holds Q, K and V in four blocks of rows each, the \
output O and a column lse. Below, SRAM, small and fast. Block Q1 goes down once and stays. \
Blocks of K and V go down one pair after the other; K2 and V2 are on their way. In SRAM, Q1 \
times K2 transposed gives a tile of scores S, and its exponentials a tile of weights P, and \
neither ever leaves. With the factor alpha, exp of the old maximum minus the new one, the \
total l and the weighted values o are rescaled and added to; an arrow leads back for the next \
block. After the last block, o divided by l goes up into O1, and m plus log l into lse1."""
CAPTION = """\
FlashAttention, forward. A block of queries stays in SRAM while all blocks of keys and values \
pass; each pair updates the running maximum $m$, total $\\ell$ and weighted sum $o$. Of $S$, \
and of $P$, the weights before they are divided by $\\ell$, there is never more than one tile."""

PLACES = {"Q": 44, "K": 162, "V": 266}


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("FlashAttention, forward: the way of a tile", 566)
    drawing.band(12, 12, WIDTH - 24, 172, "HBM", "large and slow")
    drawing.band(12, 250, WIDTH - 24, 304, "SRAM", "small and fast", low=True)
    for name, x in PLACES.items():
        drawing.matrix(x, 66, 60, 92, KIND[name], name=f"*{name}*", rows=4,
                       left="q" if name == "Q" else "k", below="e" if name == "V" else "d",
                       on=1 if name == "Q" else 2)  # fmt: skip
    drawing.matrix(390, 66, 60, 92, "grey", name="*O*", rows=4, left="q", below="e", on=1, empty=2)
    drawing.matrix(494, 66, 14, 92, "grey", name="lse", rows=4, left="q", on=1, empty=2)

    for name, x in PLACES.items():
        index = 1 if name == "Q" else 2
        drawing.arrow((x + 30, 186), (x + 30, 284), kind=KIND[name])
        drawing.box(x - 6, 292, 72, 34, KIND[name], f"*{name}*_{index}")
    drawing.text(82, 222, "once,", at="start", tone="muted", size=SMALL)
    drawing.text(82, 239, "then stays", at="start", tone="muted", size=SMALL)
    drawing.text(244, 222, "one pair", tone="muted", size=SMALL)
    drawing.text(244, 239, "at a time", tone="muted", size=SMALL)

    drawing.arrow((74, 328), (74, 362), kind="blue")
    drawing.arrow((192, 328), (192, 362), kind="orange")
    drawing.box(38, 370, 200, 34, "violet", "*S* = *Q*_1 *K*_2^T / √*d*")
    drawing.arrow((138, 406), (138, 430), kind="violet")
    drawing.box(38, 438, 200, 34, "violet", "*P* = exp(*S* − *m*_{new})")
    drawing.text(138, 498, "tiles of 1 block × 1 block,", tone="muted", size=SMALL)
    drawing.text(138, 516, "never written to HBM", tone="muted", size=SMALL)

    drawing.arrow((240, 387), (264, 387), kind="violet")
    drawing.arrow((264, 425), (222, 425), (222, 430))
    drawing.text(250, 418, "*m*_{new}", size=SMALL)
    drawing.arrow((240, 460), (264, 460), kind="violet")
    drawing.arrow((296, 328), (296, 362), kind="green")
    drawing.rect(272, 370, 264, 140, "grey", round=5)
    drawing.text(284, 394, "kept for *Q*_1: *m*, *ℓ*, *o*", at="start", bold=True)
    drawing.lines(284, 420, [
        "*m*_{new} = max(*m*, max of *S*)",
        "*α* = exp(*m* − *m*_{new})",
        "*ℓ* ← *α* *ℓ* + row sums of *P*",
        "*o* ← *α* *o* + *P* *V*_2",
    ], step=26, at="start")  # fmt: skip
    drawing.text(404, 530, "then *K*_3, *V*_3", tone="muted", size=SMALL)
    for x in (420, 501):
        drawing.arrow((x, 368), (x, 188))
    drawing.text(412, 222, "at the end", at="end", tone="muted", size=SMALL)
    drawing.text(412, 239, "*o* / *ℓ*", at="end", size=SMALL)
    drawing.text(493, 239, "*m* + log *ℓ*", at="end", size=SMALL)
    return drawing

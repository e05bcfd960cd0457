"""FlashAttention's backward pass, tile by tile. Ref: Dao 2023, algorithm 2."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

ALT = """\
Data flow of the backward pass for one tile of queries i and keys j. From HBM come Q_i, K_j and \
the log-sum-exp of each query on the left, dO_i, V_j and D_i, the row sums of dO times O, on the \
right. Q_i and K_j give the scores S again, and with the log-sum-exp the weights A = exp(S - \
lse). dO_i and V_j give dA. Both with D_i give dS = A times (dA - D). Three sums are added to: \
dV_j from A and dO_i, dK_j from dS and Q_i, dQ_i from dS and K_j. S, A, dA and dS are tiles in \
SRAM that are never written."""
CAPTION = """\
FlashAttention, backward. The weights were not kept: they are made again from $Q$, $K$ and the \
log-sum-exp, with one product and no second search for a maximum. $D = \\operatorname{rowsum}(dO \
\\circ O)$ is one number for each query; it is all of the row that softmax's derivative needs. \
Five products a tile, where the forward pass has two. Papers write $P$ for $A$."""


def draw() -> Drawing:
    """Draw it."""
    drawing = Drawing("FlashAttention, backward: one tile", 528)
    drawing.band(12, 12, WIDTH - 24, 92, "HBM: read", "queries of block *i*, keys of block *j*")
    drawing.band(12, 140, WIDTH - 24, 254)
    drawing.band(12, 430, WIDTH - 24, 86, "Sums: added to", low=True)
    y, high = 48, 38
    for x, w, kind, name in (
        (30, 62, "blue", "*Q*_i"), (108, 62, "orange", "*K*_j"), (186, 80, "grey", "lse_i"),
        (292, 62, "grey", "*dO*_i"), (370, 62, "green", "*V*_j"), (448, 80, "grey", "*D*_i"),
    ):  # fmt: skip
        drawing.box(x, y, w, high, kind, name)
    for x, end, kind in (
        (61, 168, "blue"), (139, 168, "orange"), (226, 248, "grey"),
        (323, 168, "grey"), (401, 168, "green"), (488, 322, "grey"),
    ):  # fmt: skip
        drawing.arrow((x, y + high + 2), (x, end), kind=kind)
    drawing.box(30, 176, 144, 38, "violet", "*S* = *Q*_i *K*_j^T / √*d*")
    drawing.box(292, 176, 140, 38, "violet", "*dA* = *dO*_i *V*_j^T")
    drawing.box(30, 256, 236, 38, "violet", "*A* = exp(*S* − lse_i)")
    drawing.box(292, 330, 236, 38, "violet", "*dS* = *A* ∘ (*dA* − *D*_i)")
    drawing.arrow((102, 216), (102, 248), kind="violet")
    drawing.arrow((362, 216), (362, 322), kind="violet")
    drawing.arrow((200, 296), (200, 349), (284, 349), kind="violet")
    drawing.text(62, 334, "SRAM", at="start", bold=True)
    drawing.lines(62, 354, ["made again,", "never written"], step=17, at="start", tone="muted",
                  size=SMALL)  # fmt: skip
    for x, above, kind, name in (
        (24, 296, "green", "*dV*_j += *A*^T *dO*_i"),
        (206, 370, "orange", "*dK*_j += *dS*^T *Q*_i / √*d*"),
        (388, 370, "blue", "*dQ*_i += *dS* *K*_j / √*d*"),
    ):
        drawing.box(x, 446, 148, 36, kind, name)
        middle = {24: 48, 206: 325, 388: 462}[x]
        drawing.arrow((middle, above), (middle, 438), kind="violet")
    return drawing

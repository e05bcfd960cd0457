"""FlashAttention's backward pass, tile by tile. Ref: Dao 2023, algorithm 2."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

ALT = """\
Data flow of the backward pass for one tile of queries i and keys j. Above, HBM, from which \
K_j, Q_i, the log-sum-exp, dO_i, V_j and D_i are read. In the middle, SRAM. Q_i and K_j give \
the scores S; S and the log-sum-exp give the weights A; dO_i and V_j give dA; A, dA and D_i \
give dS. Two sums stay in SRAM: dV_j gets A transposed times dO_i, and dK_j gets dS transposed \
times Q_i. Below, in HBM, is the third sum: dQ_i gets dS times K_j. A line leads from K_j down \
to dQ_i, from Q_i to dK_j, and from dO_i to dV_j."""
CAPTION = """\
FlashAttention, backward, for one tile, in the order of algorithm 2: a block of keys stays \
while the blocks of queries pass, so only $dQ_i$ is added to in HBM. Five products, where the \
forward pass has two: $Q_i$, $K_j$ and $dO_i$ each enter two of them. Papers write $P$ for \
$A$."""

BOXES = (
    (60, 52, "orange", "*K*_j"),
    (128, 52, "blue", "*Q*_i"),
    (196, 66, "grey", "lse_i"),
    (286, 56, "grey", "*dO*_i"),
    (392, 56, "green", "*V*_j"),
    (494, 52, "grey", "*D*_i"),
)


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("FlashAttention, backward: one tile", 596)
    drawing.band(12, 12, WIDTH - 24, 92, "HBM", "read: queries of block *i*, keys of block *j*")
    drawing.band(12, 140, WIDTH - 24, 340)
    drawing.band(12, 512, WIDTH - 24, 72)
    drawing.text(44, 536, "HBM, added to", at="start", bold=True)
    for x, w, kind, name in BOXES:
        drawing.box(x, 48, w, 38, kind, name)

    # Lines for inputs that are needed again: K_j for dQ_i, Q_i for dK_j, dO_i for dV_j.
    drawing.arrow((60, 67), (28, 67), (28, 553), (246, 553), kind="orange")
    drawing.arrow((154, 122), (46, 122), (46, 433), (72, 433), kind="blue")
    drawing.circle(154, 122, 3, "blue-full", thick=0)
    drawing.arrow((86, 88), (86, 168), kind="orange")
    drawing.arrow((154, 88), (154, 168), kind="blue")
    drawing.arrow((229, 88), (229, 246))
    drawing.arrow((314, 88), (314, 246))
    drawing.circle(314, 195, 3, "grey-full", thick=0)
    drawing.arrow((314, 195), (370, 195))
    drawing.arrow((420, 88), (420, 168), kind="green")
    drawing.arrow((520, 88), (520, 326))

    drawing.box(64, 176, 146, 38, "violet", "*S* = *Q*_i *K*_j^T / √*d*")
    drawing.box(378, 176, 122, 38, "violet", "*dA* = *dO*_i *V*_j^T")
    drawing.box(64, 254, 184, 38, "violet", "*A* = exp(*S* − lse_i)")
    drawing.box(282, 254, 140, 38, "green", "*dV*_j += *A*^T *dO*_i")
    drawing.box(120, 334, 416, 38, "violet", "*dS* = *A* ∘ (*dA* − *D*_i)")
    drawing.box(80, 414, 180, 38, "orange", "*dK*_j += *dS*^T *Q*_i / √*d*")
    drawing.box(254, 534, 180, 38, "blue", "*dQ*_i += *dS* *K*_j / √*d*")
    drawing.arrow((137, 216), (137, 246), kind="violet")
    drawing.arrow((250, 273), (274, 273), kind="violet")
    drawing.arrow((180, 294), (180, 326), kind="violet")
    drawing.arrow((452, 216), (452, 326), kind="violet")
    drawing.arrow((180, 374), (180, 406), kind="violet")
    drawing.arrow((300, 374), (300, 526), kind="violet")
    drawing.text(316, 408, "SRAM", at="start", bold=True)
    drawing.lines(
        316, 428,
        ["*S*, *A*, *dA*, *dS*: never written", "*dV*_j, *dK*_j: stay for all *i*,",
         "then written once"],
        step=18, at="start", tone="muted", size=SMALL,
    )  # fmt: skip
    return drawing

"""Losses on one axis: four baselines, a model as it trains and its text, and a missing mask."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

# Nats per word on the held-out words of chapter 08, which computes or measures each.
RUNGS = {
    "uniform": (3.30, "all words alike"),
    "unigram": (2.63, "word frequencies"),
    "bigram": (1.34, "the previous word"),
    "the floor": (1.106, "the grammar"),
}
NO_MASK = 0.04  # after 400 steps
# Step, loss, and the first words that version 4 generates there.
TEXTS = (
    (0, 3.35, "runs sings owl hears sings", "see king owl loves …"),
    (30, 1.47, "the king sings . the hens", "sings . the owls fears …"),
    (100, 1.27, "the hen sings . the hens", "sings . the owls that sees …"),
    (300, 1.11, "the hen sings . the hens", "wait . the owls sing …"),
)

ALT = f"""\
A vertical axis of losses from 0 to 3.5 nats per word. On its left are four baselines: uniform \
{RUNGS["uniform"][0]:.2f}, unigram {RUNGS["unigram"][0]:.2f}, bigram {RUNGS["bigram"][0]:.2f}, \
and the floor, {RUNGS["the floor"][0]}. The region below the floor is shaded, and "no causal \
mask, {NO_MASK}" is in it. On the right are the words of a model at four steps. Step 0, loss 3.35: \
runs sings owl hears sings. Step 30, loss 1.47: the king sings, the hens sings. Step 100, loss \
1.27: the hen sings, the hens sings, the owls that sees. Step 300, loss 1.11: the hen sings, the \
hens wait, the owls sing."""
CAPTION = """\
Loss and text of a model in training (right), and four baselines (left). At step 100 all pairs of \
neighbours occur in the language, but verbs do not always agree with their subjects."""

TOP, SCALE, AXIS, RIGHT = 36, 118, 158, 196


def y(loss: float) -> float:
    """Return the position of a loss on the axis."""
    return TOP + (3.5 - loss) * SCALE


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Losses, baselines and the text of a model", 470, NARROW)
    floor = RUNGS["the floor"][0]
    drawing.rect(12, y(floor), NARROW - 24, y(0) + 9 - y(floor), "grey", thick=0)
    drawing.text(AXIS, 24, "nats per word", tone="muted", size=SMALL)
    drawing.line(f"M{AXIS} {TOP}V{y(0):.1f}")
    for tick in range(4):
        drawing.line(f"M{AXIS - 4} {y(tick):.1f}h8")
        side = -8 if tick > 1 else 8  # lines to the text are on the right
        drawing.text(AXIS + side, y(tick) + 5, str(tick), at="end" if tick > 1 else "start",
                     tone="muted", size=SMALL)  # fmt: skip
    for name, (loss, note) in RUNGS.items():
        drawing.line(f"M24 {y(loss):.1f}H{AXIS}", "violet", thick=2.4)
        low = name in ("the floor", "uniform", "unigram")
        drawing.text(24, y(loss) + (18 if low else -8), f"{loss} {name}"
                     if name == "the floor" else f"{loss:.2f} {name}",
                     at="start", tone="violet", bold=True)  # fmt: skip
        drawing.text(24, y(loss) + (36 if low else -26), note, at="start", tone="muted",
                     size=SMALL)  # fmt: skip
    drawing.circle(AXIS, y(NO_MASK), 5, "orange-full")
    drawing.text(RIGHT, y(NO_MASK) + 5, f"{NO_MASK} no causal mask", at="start", bold=True)
    for (step, loss, *words), height in zip(TEXTS, (48, 138, 200, 262), strict=True):
        drawing.line(f"M{AXIS} {y(loss):.1f}L{RIGHT - 8} {height}", "blue")
        drawing.circle(AXIS, y(loss), 5, "blue-full")
        drawing.text(RIGHT, height + 2, f"step {step}, {loss:.2f}", at="start", tone="blue",
                     bold=True)  # fmt: skip
        drawing.lines(RIGHT, height + 20, words, at="start", size=SMALL, step=17)
    return drawing

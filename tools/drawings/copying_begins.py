"""The loss on copied words during the training of eight storytellers."""

import json
from pathlib import Path

from tools.drawings.symbols import NARROW, SMALL, Drawing

HOME = Path(__file__).parents[2] / "src" / "plainformer" / "lab" / "data" / "storyteller"


def curve(seed: int) -> list[tuple[int, float]]:
    """Return the steps of a training run and the loss on copied words at each."""
    rows = json.loads((HOME / f"growth-{seed}.json").read_text("utf-8"))
    return [(row["step"], row["copied"]) for row in rows]


CURVES = {seed: curve(seed) for seed in range(8)}
ENDS = {seed: points[-1][1] for seed, points in CURVES.items()}
LATE = tuple(seed for seed, end in ENDS.items() if end > 1)

ALT = f"""\
Eight lines: loss of copied words from 0 to 4.5 nats against training steps 0 to 1,800. All begin \
near 4.2 and fall to between 2.7 and 2.9 at step 400. Then each stays for a while and drops \
within a few hundred steps: seed 0, blue, from {dict(CURVES[0])[400]:.1f} at step 400 to \
{dict(CURVES[0])[800]:.1f} at step 800, five more at other times, the last after step 1,000. \
Seeds 2 and 3, orange, end at {ENDS[2]:.1f} and {ENDS[3]:.1f}; the six others below 0.1."""
CAPTION = """\
Loss of copied words during training, a line for each seed. Six of eight fall to below 0.1 nats, \
each within a few hundred steps; two have not fallen by step 1,800."""

LEFT, BOTTOM, WIDE, HIGH = 52, 282, 280, 248


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Copying begins abruptly", 336, NARROW)
    drawing.text(LEFT - 36, 22, "nats", at="start", tone="muted", size=SMALL)
    for loss in range(5):
        y = BOTTOM - HIGH * loss / 4.5
        drawing.line(f"M{LEFT} {y:.1f}h{WIDE}", "grey", thick=0.4)
        drawing.text(LEFT - 10, y + 5, str(loss), at="end", size=SMALL)
    for step in (0, 600, 1200, 1800):
        drawing.text(LEFT + WIDE * step / 1800, BOTTOM + 20, f"{step:,}", size=SMALL)
    drawing.text(LEFT + WIDE / 2, BOTTOM + 42, "training step", tone="muted", size=SMALL)
    for seed in sorted(CURVES, key=lambda seed: (seed == 0, seed in LATE)):
        points = "L".join(
            f"{LEFT + WIDE * step / 1800:.1f} {BOTTOM - HIGH * loss / 4.5:.1f}"
            for step, loss in CURVES[seed]
        )
        kind = "blue" if seed == 0 else "orange" if seed in LATE else "grey"
        drawing.line(f"M{points}", kind, thick=2.6 if seed == 0 else 1.5)
    for seed in LATE:
        y = BOTTOM - HIGH * ENDS[seed] / 4.5
        drawing.text(LEFT + WIDE + 6, y + 5, f"seed {seed}", at="start", tone="orange", size=SMALL)
    drawing.text(LEFT + 62, BOTTOM - 76, "seed 0", at="end", tone="blue", size=SMALL)
    return drawing

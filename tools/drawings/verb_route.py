"""The route of a noun's number to the verb, and the part that each of four tools shows."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS = {"the": 40, "foxes": 112, "near": 192, "the ": 262, "owl": 336}
# Means over the 224 sentences of chapter 09; a test compares them with the model.
FIRST, SECOND, MARGIN, WITHOUT, CUT, NATS, RIGHT = 0.93, 1.00, 7.7, 1.7, 1.9, 7.6, 50

ALT = f"""\
Read upwards. The words at the bottom: the, foxes, near, the, owl. In layer 0, head 0.2 leads \
from foxes to near, weight {FIRST:.2f}, and into feed-forward 0; cut there, the margin falls from \
{MARGIN} to {CUT}. In layer 1, head 1.2 leads from near to owl, weight \
{SECOND:.2f}. Above owl, the last feed-forward writes {NATS} of {MARGIN} nats, and the prediction \
is a plural verb, such as see. Four marks show where each tool points: 1, the attention map, at \
the arrow from near; 2, the attribution, at the feed-forward; 3, the ablation, at head 1.2, \
without which {RIGHT}% are right; 4, the exchange, at foxes. Without head 0.2 the values \
at near lower the margin to {WITHOUT}."""
CAPTION = """\
The main route of the number, read upwards. Circles show where the four tools point: 1 attention \
map, 2 attribution, 3 ablation, 4 exchange."""

TOKENS, LOW, HIGH, BOX = 444, 390, 210, 104


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The route of a number", 508, NARROW)
    drawing.band(12, 292, NARROW - 24, 132, "Layer 0", low=True)
    drawing.band(12, 160, NARROW - 24, 120, "Layer 1", low=True)
    for word, x in WORDS.items():
        drawing.token(x - 32, TOKENS, 64, word.strip(), "orange" if word == "foxes" else "grey")
    foxes, near, owl = (WORDS[word] for word in ("foxes", "near", "owl"))
    drawing.arrow((foxes, TOKENS - 2), (foxes, LOW), (near, LOW), (near, 350), kind="blue")
    drawing.arrow((near, 310), (near, HIGH + 8), kind="blue")
    drawing.box(near - 50, 308, 134, 40, "grey", "feed-forward 0", f"cut: {MARGIN} → {CUT} nats")
    drawing.lines(24, 318, ["head 0.2", "moves the", f"number ({FIRST:.2f})"],
                  at="start", size=SMALL, step=18)  # fmt: skip
    drawing.line(f"M{owl} {TOKENS - 2}V{BOX + 42}", "grey", thick=3)
    drawing.circle(near, HIGH, 5, "green-full")
    drawing.arrow((near + 6, HIGH), (owl - 5, HIGH), kind="green")
    drawing.text(near + 14, HIGH - 14, f"weight {SECOND:.2f}", at="start", size=SMALL)
    drawing.lines(24, 186, ["head 1.2", f"without it, {RIGHT}%", "are right"],
                  at="start", size=SMALL, step=18)  # fmt: skip
    drawing.lines(near + 12, 238, ["patched values:", f"{MARGIN} → {WITHOUT} nats"],
                  at="start", tone="muted", size=SMALL, step=18)  # fmt: skip
    drawing.box(
        owl - 138, BOX, 174, 40, "grey", "feed-forward 1", f"writes {NATS} of {MARGIN} nats"
    )
    drawing.arrow((owl, BOX), (owl, 66))
    drawing.token(owl - 32, 36, 64, "see, …", "blue")
    for number, x, y in (("1", owl - 18, HIGH - 19), ("2", owl - 156, BOX + 20), ("3", 100, 181),
                         ("4", foxes, TOKENS + 44)):  # fmt: skip
        drawing.circle(x, y, 10, "violet")
        drawing.text(x, y + 4.5, number, size=SMALL, bold=True)
    return drawing

"""Four explanations of the output "see": a map, an attribution, ablations and exchanges."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS = ("the", "SUBJECT", "near", "the", "other")
SHOWN = ("the", "foxes", "near", "the", "owl")
# Means over the 224 sentences of chapter 09; a test compares them with the model.
WEIGHTS = {
    "1.0": (0.00, 0.01, 0.00, 0.80, 0.01),
    "1.1": (0.01, 0.00, 0.00, 0.96, 0.00),
    "1.2": (0.00, 0.00, 1.00, 0.00, 0.00),
    "1.3": (0.28, 0.00, 0.00, 0.70, 0.00),
}
NATS = {"last feed-forward": 7.6, "head 1.2": 0.1, "all other parts": 0.0}
RIGHT = {"without head 1.2": 50, "without head 0.2": 69, "without head 0.3": 84,
         "without any other": 100}  # fmt: skip
CHANGED = {"foxes → fox": 100, "owl → owls": 0}

ALT = """\
Above, the words the, foxes, near, the, owl, and after them a plural verb, such as see. Below, \
four panels. \
Panel 1, attention map of the last layer from the last noun: head 1.2 gives near 1.00; head 1.0 \
gives the second "the" 0.80, head 1.1 0.96, head 1.3 0.70 and the first "the" 0.28; no head gives \
foxes more than 0.01. Panel 2, direct logit attribution: the last feed-forward 7.6 nats, head 1.2 \
0.1, all other parts 0.0. Panel 3, right verbs after ablation: 50% without head 1.2, 69% \
without head 0.2, 84% without head 0.3, 100% without any other. Panel 4, how often the \
verb's number changes after an exchange: foxes to fox 100%, owl to owls 0%."""
CAPTION = """\
Four tools, four answers to one question: why does the model choose a plural verb, such as \
*see*? Means over the 224 sentences."""

LEFT, STEP, BAR = 96, 57, 130


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Four answers to one question", 560, NARROW)
    for i, word in enumerate(SHOWN):
        drawing.token(LEFT - 70 + i * STEP, 12, STEP - 4, word)
    drawing.arrow((LEFT - 70 + 5 * STEP, 25), (LEFT - 70 + 5 * STEP + 18, 25))
    drawing.token(LEFT - 70 + 5 * STEP + 22, 12, 52, "see, …", "blue")
    top = 48
    drawing.band(12, top, NARROW - 24, 160, "1 Attention map", "last layer, from owl")
    for i, word in enumerate(SHOWN):
        drawing.text(LEFT + (i + 0.5) * STEP, top + 46, word, tone="muted", size=SMALL)
    for row, (head, weights) in enumerate(WEIGHTS.items()):
        y = top + 54 + 26 * row
        drawing.text(24, y + 17, f"head {head}", at="start", size=SMALL)
        for i, weight in enumerate(weights):
            look = "violet" if weight > 0.05 else "open"
            drawing.rect(LEFT + i * STEP + 2, y, STEP - 4, 23, look, thick=0.6 + 2 * weight)
            drawing.text(LEFT + (i + 0.5) * STEP, y + 16.5, f"{weight:.2f}",
                         tone="ink" if weight > 0.05 else "muted", size=SMALL)  # fmt: skip
    _bars(drawing, 218, "2 Direct logit attribution", "nats", NATS, 7.7, "{:.1f}")
    _bars(drawing, 332, "3 Ablation", "verbs that are right", RIGHT, 100, "{}%")
    _bars(drawing, 468, "4 Exchange", "verbs that change their number", CHANGED, 100, "{}%")
    return drawing


def _bars(
    drawing: Drawing, top: float, name: str, note: str, values: dict[str, float], most: float,
    form: str,
) -> None:  # fmt: skip
    drawing.band(12, top, NARROW - 24, 34 + 24 * len(values), name, note)
    for i, (label, value) in enumerate(values.items()):
        y = top + 32 + 24 * i
        drawing.text(24, y + 14, label, at="start", size=SMALL)
        width = max(2, BAR * value / most)
        drawing.rect(160, y + 2, width, 15, "blue-full" if i == 0 else "grey-full")
        drawing.text(168 + width, y + 14, form.format(value), at="start", size=SMALL)

"""One sentence under three objectives: the inputs, and the targets that count."""

from tools.drawings.symbols import NARROW, Drawing

SENTENCE = "the hens see the fox that waits .".split()
HIDDEN = (1, 5)  # positions hidden by the masked objective
NEXT = [".", *SENTENCE[:-1]]
MASKED = ["MASK" if i in HIDDEN else word for i, word in enumerate(SENTENCE)]
SOURCE = "the S0 the fox S1 waits . END".split()
TARGET = "S0 hens see S1 that S2 END".split()

ALT = f"""\
Three panels for the sentence {" ".join(SENTENCE)} GPT, next token: the inputs are \
{" ".join(NEXT)}, and below each input is its target, the next word; all eight targets are green. \
BERT, masked words: the inputs are {" ".join(MASKED)} with two orange masks, and only below these \
are targets, hens and that. T5, span corruption: the encoder reads {" ".join(SOURCE)}, with two \
orange sentinels, and the decoder generates {" ".join(TARGET)}, all green."""
CAPTION = """\
One sentence under three objectives. Green tokens count in the loss, and orange ones replace \
hidden words. S0 to S2 are sentinels; S2 closes the last span."""

LEFT, STEP = 20, 45


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three training objectives", 432, NARROW)
    targets: list[str] = [word if i in HIDDEN else "" for i, word in enumerate(SENTENCE)]
    panels = (
        ("GPT", "next token, from the words before", NEXT, SENTENCE),
        ("BERT", "masked words, from both sides", MASKED, targets),
        ("T5", "spans, from the rest of the sentence", SOURCE, TARGET),
    )
    for i, (name, note, inputs, wanted) in enumerate(panels):
        top = 12 + i * 138
        drawing.band(12, top, NARROW - 24, 130, name, note)
        for j, word in enumerate(inputs):
            special = word in ("MASK", "S0", "S1")
            drawing.token(LEFT + j * STEP, top + 40, STEP - 3, word,
                          "orange" if special else "grey")  # fmt: skip
        for j, word in enumerate(wanted):
            if word:
                drawing.token(LEFT + j * STEP, top + 92, STEP - 3, word, "green")
                if name != "T5":
                    middle = LEFT + j * STEP + (STEP - 3) / 2
                    drawing.arrow((middle, top + 68), (middle, top + 87))
        if name == "T5":
            drawing.arrow((NARROW / 2, top + 68), (NARROW / 2, top + 87))
    return drawing

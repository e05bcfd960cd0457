"""A needle test: a refrain at three depths in a text, and the question at its end."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

NEEDLE = ("∗", "mice", "sing", "brave")
KEY, ANSWER = "sing", "brave"
TEXTS = ((64, 0.1), (64, 0.9), (128, 0.5), (256, 0.1))  # words, depth

ALT = f"""\
Above, four texts as bars whose lengths are 64, 64, 128 and 256 words. Each holds one orange \
needle, at depth 0.1, 0.9, 0.5 and 0.1, and ends with a violet question. Below, the needle in \
words, a star, {" ".join(NEEDLE[1:])} and so on, and the question, a star and {KEY}. An arrow \
leads from the question back to {KEY} in the needle, and the next word, {ANSWER}, is the answer."""
CAPTION = f"""\
A needle test. The needle (orange) is at a known depth of a text of a known length, and the \
question (violet) repeats its key. The answer is the word after the key: *{ANSWER}*."""

LEFT, WIDE = 24, 348


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A needle test", 306, NARROW)
    for i, (words, depth) in enumerate(TEXTS):
        y, long = 32 + 30 * i, words / 256 * (WIDE - 60)
        drawing.rect(LEFT, y, long, 16, "grey", thick=1)
        drawing.rect(LEFT + depth * (long - 22), y, 10, 16, "orange-full", thick=0)
        drawing.rect(LEFT + long - 8, y, 8, 16, "violet-full", thick=0)
        drawing.text(LEFT + long + 12, y + 13, f"{words}", at="start", size=SMALL, tone="muted")
    drawing.text(LEFT, 22, "words", at="start", size=SMALL, tone="muted")
    drawing.text(LEFT, 182, "needle", at="start", bold=True, tone="orange")
    for i, word in enumerate(NEEDLE):
        kind = "green" if word == ANSWER else "orange"
        drawing.token(LEFT + i * 58, 192, 54, word, kind)
    drawing.text(LEFT + 4 * 58 + 4, 210, "…", at="start")
    drawing.text(268, 254, "question", at="start", bold=True, tone="violet")
    for i, word in enumerate(("∗", KEY)):
        drawing.token(268 + i * 58, 264, 54, word, "violet")
    drawing.arrow((262, 277), (LEFT + 2 * 58 + 27, 277), (LEFT + 2 * 58 + 27, 222))
    drawing.text(LEFT, 254, "same key, so the", at="start", size=SMALL, tone="muted")
    drawing.text(LEFT, 272, "answer follows", at="start", size=SMALL, tone="muted")
    return drawing

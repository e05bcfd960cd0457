"""Recall of eight cards from the last state alone, and from all states by attention."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

LABELS = (8, 12, 5, 1, 6, 11, 15, 10)
DIGITS = (3, 0, 7, 9, 9, 7, 2, 9)
# From the network that chapter 01 trains, for the question "label 8?"; the chapter shows all.
WEIGHTS = (0.72, 0.07, 0.02, 0.01, 0.11, 0.02, 0.02, 0.03)

ALT = """\
Two panels with the same eight cards in a row: labels 8, 12, 5, 1, 6, 11, 15, 10 above digits 3, \
0, 7, 9, 9, 7, 2, 9. Below the cards, eight boxes joined by arrows from left to right are the \
memory after each card. The question "label 8?" enters from the left. In the upper panel only the \
last box is filled; one arrow leads from it to the answer 9, which is wrong. In the lower panel \
all boxes are filled, and a line joins each of them to the answer 3, which is right. The line from \
the first box is thick and marked 0.7; the others are thin. Upper panel: 26% right after 500 \
steps, 80% after 8,000. Lower panel: 100% after 500."""
CAPTION = """\
Both networks are asked for the digit of label 8, the first card. The upper one answers from its \
last memory. The lower one averages its eight memories, and gives the first a weight of about 0.7. \
Below: the share of digits that are right, median of five runs."""

LEFT, STEP, BOX, HEIGHT = 80, 38, 25, 232


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Two networks recall the digit of label 8", 2 * HEIGHT + 36, NARROW)
    _panel(drawing, 12, "One memory", "the last", attends=False)
    _panel(drawing, 24 + HEIGHT, "Attention", "all memories, weighted", attends=True)
    return drawing


def _panel(drawing: Drawing, top: float, name: str, note: str, *, attends: bool) -> None:
    drawing.band(12, top, NARROW - 24, HEIGHT, name, note)
    for y, word in ((52, "label"), (76, "digit"), (115, "memory")):
        drawing.text(18, top + y, word, at="start", tone="muted", size=SMALL)
    answer = LEFT + 5 * STEP, top + 166
    for i, (label, digit, weight) in enumerate(zip(LABELS, DIGITS, WEIGHTS, strict=True)):
        x = LEFT + i * STEP
        middle = x + BOX / 2
        drawing.text(middle, top + 52, str(label), size=SMALL)
        drawing.token(x - 2, top + 58, BOX + 4, str(digit))
        drawing.line(f"M{middle} {top + 84}v13")
        last = i == len(LABELS) - 1
        if attends:
            way = f"M{middle} {top + 122}L{answer[0] + 10 + 6 * i} {answer[1]}"
            drawing.line(way, "violet", thick=max(1, 10 * weight))
        drawing.rect(x, top + 98, BOX, 24, "grey-full" if attends or last else "open", round=4)
        if not last:
            drawing.arrow((x + BOX, top + 110), (x + STEP - 4, top + 110))
    if attends:
        drawing.text(112, top + 160, "0.7", tone="violet", bold=True)
    else:
        x = LEFT + 7 * STEP + BOX / 2
        drawing.arrow((x, top + 123), (x, answer[1] - 4))
    drawing.box(24, answer[1], 84, 32, "blue", "label 8?")
    drawing.arrow((108, answer[1] + 16), (answer[0] - 4, answer[1] + 16))
    drawing.box(*answer, 107, 32, "grey", "3, right" if attends else "9, wrong")
    score = "100% right after 500 steps"
    if not attends:
        score = "26% right after 500 steps, 80% after 8,000"
    drawing.text(24, top + HEIGHT - 12, score, at="start", bold=True, size=SMALL)

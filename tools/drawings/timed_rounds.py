"""Speed as a ratio: two models timed in turn, and the median of the rounds."""

from statistics import median

from tools.drawings.symbols import SMALL, WIDTH, Drawing

# An example: milliseconds of the plain model and of yours, and the disturbance in the round.
ROUNDS = (
    (20, 16, ""),
    (20, 16, ""),
    (34, 27, "busy all the while"),
    (20, 16, ""),
    (20, 31, "busy for one"),
)
RATIOS = [plain / yours for plain, yours, _ in ROUNDS]
MEDIAN = median(RATIOS)
OF_SUMS = sum(plain for plain, _, _ in ROUNDS) / sum(yours for _, yours, _ in ROUNDS)
ALT = f"""\
Five rounds on one time line. In each, the plain model and yours run one right after the other, \
and each is first in turn. Their times in milliseconds are \
{"; ".join(f"{plain} and {yours}" for plain, yours, _ in ROUNDS)}. In round 3 the machine is busy \
all the while, in round 5 only while yours runs. Below each round is its ratio: \
{", ".join(f"{ratio:.2f}" for ratio in RATIOS)}. The median is {MEDIAN:.2f}, the ratio of the sums \
{OF_SUMS:.2f}."""
CAPTION = f"""\
An example of five rounds. A machine that is busy for a whole round slows both models, and the \
ratio stays. A disturbance of one model spoils one ratio, but not the median of {MEDIAN:.2f}. The \
ratio of the sums would be {OF_SUMS:.2f}."""

LEFT, SCALE, GAP = 28, 2.12, 11


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Five rounds of two models", 236)
    drawing.band(12, 12, WIDTH - 24, 176, "Five rounds", "milliseconds")
    x = float(LEFT)
    for number, (plain, yours, note) in enumerate(ROUNDS):
        runs = [(plain, "grey"), (yours, "green")]
        start = x
        for time, look in runs if number % 2 == 0 else reversed(runs):
            drawing.rect(x, 64, time * SCALE, 34, look, thick=1)
            drawing.text(x + time * SCALE / 2, 86, str(time), size=SMALL)
            x += time * SCALE
        middle = (start + x) / 2
        if note:
            drawing.text(middle, 54, note, size=SMALL, tone="muted")
        drawing.line(f"M{start:.1f} 106v6H{x:.1f}v-6", thick=1)
        drawing.text(middle, 134, f"{RATIOS[number]:.2f}", bold=abs(RATIOS[number] - MEDIAN) < 1e-9)
        x += GAP
    words = f"ratios; their median is {MEDIAN:.2f}, and the ratio of the sums {OF_SUMS:.2f}"
    drawing.text(WIDTH / 2, 168, words, size=SMALL)
    for at, look, words in ((LEFT, "grey", "the plain model"), (200, "green", "yours")):
        drawing.rect(at, 202, 22, 18, look, thick=1)
        drawing.text(at + 30, 216, words, at="start", size=SMALL)
    return drawing

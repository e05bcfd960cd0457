"""Three truncation rules, for a distribution over many likely words and for one likely word."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

# The storyteller's probabilities of its likeliest words after two words of the chapter's text.
FOXES = (0.305, 0.210, 0.062, 0.061, 0.056, 0.053, 0.053, 0.051, 0.050, 0.050, 0.046, 0, 0)
NEAR = (0.999, *(0.0,) * 12)  # each below 0.0005
K, P, MIN_P = 10, 0.9, 0.1


def kept(shares: tuple[float, ...]) -> dict[str, int]:
    """Return the number of words that each rule keeps."""
    return {
        f"top-k {K}": K,
        f"top-p {P}": sum(sum(shares[:i]) < P for i in range(len(shares))),
        f"min-p {MIN_P}": sum(share >= MIN_P * shares[0] for share in shares),
    }


def _said(shares: tuple[float, ...]) -> str:
    return ", ".join(f"{rule} keeps {count}" for rule, count in kept(shares).items())


ALT = f"""\
Two bar charts of the 13 likeliest words, one below the other, each with three lines that show how \
far each rule reaches. After foxes eleven words are possible, the likeliest with {FOXES[0]} \
and the last with {FOXES[10]}; the other two bars are almost empty. {_said(FOXES)}. After near \
one word is possible, with {NEAR[0]}. {_said(NEAR)}."""
CAPTION = f"""\
Where three rules cut the storyteller's probabilities. After *foxes* top-k {K} and top-p {P} lose \
possible words; after *near* top-k {K} keeps {K - 1} impossible ones. Min-p {MIN_P} fits both \
rows, because it compares each word with the likeliest."""

LEFT, STEP, WIDE, SCALE = 22, 24, 18, 250


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three rules of truncation", 432, NARROW)
    _row(drawing, 26, f"after *foxes*: 11 possible words, up to {FOXES[0]}", FOXES, 11, 84)
    _row(drawing, 236, f"after *near*: one possible word, {NEAR[0]}", NEAR, 1, 84)
    return drawing


def _row(
    drawing: Drawing, top: float, title: str, shares: tuple[float, ...], possible: int, high: float
) -> None:
    drawing.text(LEFT, top, title, at="start")
    floor = top + 20 + high
    for i, share in enumerate(shares):
        x = LEFT + i * STEP
        tall = max(share / max(shares) * high, 2)
        drawing.rect(x, floor - tall, WIDE, tall, "green" if i < possible else "orange", thick=1)
    end = LEFT + possible * STEP - (STEP - WIDE) / 2
    drawing.line(f"M{end:.1f} {floor - high:.1f}V{floor + 78:.1f}", "green", thick=1)
    for line, (rule, count) in enumerate(kept(shares).items()):
        y = floor + 22 + 24 * line
        right = LEFT + count * STEP - (STEP - WIDE)
        drawing.line(f"M{LEFT} {y:.1f}H{right}", "violet", thick=5)
        drawing.text(NARROW - 12, y + 5, rule, at="end", size=SMALL)

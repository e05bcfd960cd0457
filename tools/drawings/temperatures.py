"""The weights for three scores at five temperatures, from one key to a plain average."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing

SCORES = (2, 1, 3)  # the query (2, 1) with apple cake, potato soup, heaven and earth
TEMPERATURES = (0.05, 0.5, 1, 2, 100)


def weights(temperature: float) -> list[float]:
    """Return the softmax of the scores over a temperature."""
    exps = [math.exp((score - max(SCORES)) / temperature) for score in SCORES]
    return [x / sum(exps) for x in exps]


def percents(temperature: float) -> str:
    """Return the weights in whole percentages, for the alt text."""
    return ", ".join(f"{100 * a:.0f}" for a in weights(temperature))


_GROUPS = "; ".join(f"{t:g}: {percents(t)}" for t in TEMPERATURES)
ALT = f"""\
Five groups of three bars, the weights in per cent of apple cake, potato soup and heaven and \
earth. At temperature {_GROUPS}. Below, an arrow leads from "the best match alone" at the left to \
"the average" at the right."""
CAPTION = """\
Weights of the three recipes for the query $(2, 1)$, whose scores are 2, 1 and 3, at five \
temperatures. Their order never changes."""

LEFT, STEP, BAR, FLOOR = 26, 74, 19, 162


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Weights at five temperatures", 246, NARROW)
    drawing.text(14, 24, "weights in per cent", at="start", bold=True)
    drawing.text(386, 24, "cake, soup, heaven and earth", at="end", tone="muted", size=SMALL)
    for i, temperature in enumerate(TEMPERATURES):
        x = LEFT + i * STEP - 6
        for j, weight in enumerate(weights(temperature)):
            high = max(1, 100 * weight)
            drawing.rect(x + j * (BAR + 2), FLOOR - high, BAR, high, "violet", thick=1)
            drawing.text(x + j * (BAR + 2) + BAR / 2, FLOOR - high - 5, f"{100 * weight:.0f}",
                         size=SMALL)  # fmt: skip
        drawing.text(x + 1.5 * BAR + 2, FLOOR + 20, f"*τ* = {temperature:g}", size=SMALL)
    drawing.arrow((24, FLOOR + 40), (376, FLOOR + 40))
    drawing.text(20, FLOOR + 64, "the best match alone", at="start", tone="muted", size=SMALL)
    drawing.text(380, FLOOR + 64, "the average", at="end", tone="muted", size=SMALL)
    return drawing

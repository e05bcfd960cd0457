"""The lookup of chapter 01 by hand: one query, three keys, scores, weights, values, output."""

import math

from tools.drawings.symbols import NARROW, SMALL, Drawing

QUERY = (1, 0)
RECIPES = {  # name: key, value
    "apple cake": ((1, 0), (10, 0)),
    "potato soup": ((0, 1), (0, 10)),
    "heaven and earth": ((1, 1), (5, 5)),
}
SCORES = [sum(q * k for q, k in zip(QUERY, key, strict=True)) for key, _ in RECIPES.values()]
EXPS = [math.exp(score) for score in SCORES]
WEIGHTS = [x / sum(EXPS) for x in EXPS]
OUTPUT = [
    sum(a * v[side] for a, (_, v) in zip(WEIGHTS, RECIPES.values(), strict=True)) for side in (0, 1)
]

_ROWS = "; ".join(
    f"{name}: key {key}, score {score}, weight {weight:.3f}, value {value}"
    for (name, (key, value)), score, weight in zip(RECIPES.items(), SCORES, WEIGHTS, strict=True)
)
ALT = f"""\
A query {QUERY} at the top and three rows, one per recipe. {_ROWS}. The columns are headed key, \
1 score, 2 softmax and value. Bars show the weights. Three lines, as thick as the weights, lead \
from the values to the output ({OUTPUT[0]:.3f}, {OUTPUT[1]:.3f}) at the bottom, marked 3 weighted \
sum."""
CAPTION = """\
The lookup of "something sweet". The query is compared only with the keys (1), the scores become \
weights (2), and the values are not used before the weighted sum (3)."""

KEY, SCORE, WEIGHT, VALUE = 16, 112, 176, 284
TOP, STEP = 100, 60


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A soft lookup by hand", 356, NARROW)
    drawing.box(KEY, 14, 116, 32, "blue", f"query {QUERY}")
    drawing.text(KEY + 128, 35, "something sweet", at="start", tone="muted", size=SMALL)
    for x, head in ((KEY + 35, "key"), (SCORE + 23, "1 score"), (WEIGHT + 40, "2 softmax"),
                    (VALUE + 38, "value")):  # fmt: skip
        drawing.text(x, 76, head, bold=True)
    for i, (name, (key, value)) in enumerate(RECIPES.items()):
        y = TOP + i * STEP
        drawing.text(KEY, y, name, at="start", tone="muted", size=SMALL)
        drawing.token(KEY, y + 8, 70, str(key), "orange")
        drawing.token(SCORE, y + 8, 46, str(SCORES[i]), "violet")
        drawing.rect(WEIGHT, y + 8, 100 * WEIGHTS[i], 26, "violet", thick=1)
        drawing.text(WEIGHT + 100 * WEIGHTS[i] + 6, y + 26, f"{WEIGHTS[i]:.3f}", at="start",
                     size=SMALL)  # fmt: skip
        drawing.token(VALUE, y + 8, 76, str(value), "green")
        x = VALUE + 84 + 9 * (2 - i)
        drawing.line(f"M{VALUE + 76} {y + 21}H{x}V306", "green", thick=max(1, 10 * WEIGHTS[i]))
    drawing.arrow((KEY + 35, 48), (KEY + 35, 60), kind="blue")
    drawing.text(VALUE - 62, 296, "3 weighted sum", bold=True)
    drawing.box(VALUE - 122, 306, 230, 34, "grey", f"output ({OUTPUT[0]:.3f}, {OUTPUT[1]:.3f})")
    return drawing

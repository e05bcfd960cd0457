"""A sliding window with sinks, as a ring buffer: the newest token replaces the oldest."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

SINKS, WINDOW, FIRST, ROWS = 2, 4, 5, 5
LEFT, WIDE, TOP, STEP = 104, 44, 66, 40


def place(token: int) -> int:
    """Return the slot in which a token is stored."""
    return token if token < SINKS else SINKS + (token - SINKS) % WINDOW


def held(last: int) -> list[int]:
    """Return the tokens in all slots after token ``last`` is written."""
    found = [0] * (SINKS + WINDOW)
    for token in range(last + 1):
        found[place(token)] = token
    return found


TOKENS = range(FIRST, FIRST + ROWS)
STEPS = " ".join(
    f"After token {last} the window holds {', '.join(map(str, held(last)[SINKS:]))}."
    for last in TOKENS
)
ALT = f"""\
Five rows of six places. The first {SINKS} places are sinks and hold tokens 0 and 1 in every row; \
the other {WINDOW} are the window. {STEPS} The place that was just written is filled. It moves one \
to the right in each row, and from the last place back to the first of the window."""
CAPTION = f"""\
A ring buffer of {WINDOW} places behind {SINKS} sinks. Token {FIRST + 1} is written over the \
oldest of the window, token {FIRST + 1 - WINDOW}, so no other key or value moves."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A ring buffer with sinks", TOP + ROWS * STEP + 30, NARROW)
    edge = LEFT + SINKS * WIDE + 12
    drawing.text(LEFT + SINKS * WIDE / 2, 26, "sinks", bold=True)
    drawing.text(edge + WINDOW * WIDE / 2, 26, "window, a ring", bold=True)
    drawing.text(14, 52, "after token", at="start", tone="muted", size=SMALL)
    for row, last in enumerate(TOKENS):
        y = TOP + row * STEP
        drawing.text(80, y + 19, str(last), at="end")
        for i, token in enumerate(held(last)):
            x = LEFT + i * WIDE if i < SINKS else edge + (i - SINKS) * WIDE
            new = token == last
            drawing.rect(x, y, WIDE, 28, "orange" if new else "blue" if i < SINKS else "open",
                         thick=2.4 if new else 1)  # fmt: skip
            drawing.text(x + WIDE / 2, y + 19, str(token), bold=new)
    y = TOP + ROWS * STEP
    end = edge + WINDOW * WIDE - WIDE / 2
    drawing.arrow((end, y - 8), (end, y + 6), (edge + WIDE / 2, y + 6), (edge + WIDE / 2, y - 8))
    drawing.text((edge + end + WIDE / 2) / 2, y + 24, "then from the left again", tone="muted",
                 size=SMALL)  # fmt: skip
    return drawing

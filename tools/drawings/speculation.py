"""A round of speculative decoding: four drafted tokens, one pass, two accepted, one replaced."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

TEXT = ("the", "foxes")
GUESSES = ("near", "the", "hen", "sing")
ACCEPTED, INSTEAD = 2, "owls"

ALT = f"""\
A round of speculative decoding after {" ".join(TEXT)}. The draft guesses four tokens in turn: \
{", ".join(GUESSES)}. The target reads all of them in one pass and returns five rows. The guesses \
{" and ".join(GUESSES[:ACCEPTED])} are accepted, {GUESSES[ACCEPTED]} is refused, and {INSTEAD} is \
drawn in its place from the residual; {GUESSES[-1]} is discarded and its row is not used. Three \
new tokens come from one pass."""
CAPTION = """\
One round with four guesses. The target's single pass returns a row before each guess and one \
after the last. The first refusal ends the round: a draw from the residual replaces the refused \
token. If all four had been accepted, the last row would have given a fifth token."""

LEFT, STEP, CELL = 92, 76, 64


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A round of speculative decoding", 400)
    drawing.band(12, 12, WIDTH - 24, 92, "Draft", "four small steps, each draws from *q*")
    for i, word in enumerate((*TEXT, *GUESSES)):
        drawing.token(_at(i), 54, CELL, word, "grey" if i < 2 else "blue")
    for i in range(2, 6):
        drawing.arrow((_at(i) - 11, 67), (_at(i) - 3, 67))

    drawing.band(12, 118, WIDTH - 24, 154, "Target", "one pass over all: a row before each guess "
                 "and one after the last", low=True)  # fmt: skip
    for i in range(1, 6):
        drawing.arrow((_at(i) + CELL / 2, 84), (_at(i) + CELL / 2, 150))
        used = i <= ACCEPTED + 1
        drawing.rect(_at(i), 154, CELL, 26, "violet" if used else "open", thick=1)
        drawing.text(_at(i) + CELL / 2, 172, f"*p*_{{{i}}}", size=15)
    words = ["accepted", "accepted", "refused", "not used", "bonus"]
    for i, said in enumerate(words):
        tone = "green" if said == "accepted" else "orange" if said == "refused" else "muted"
        if i < 4:
            drawing.text(_at(i + 1) + CELL / 2, 204, GUESSES[i], size=SMALL, tone=tone)
            drawing.text(_at(i + 1) + CELL / 2, 222, said, size=SMALL, tone=tone)
        else:
            drawing.text(_at(5) + CELL / 2, 204, "bonus row,", size=SMALL, tone=tone)
            drawing.text(_at(5) + CELL / 2, 222, "not used", size=SMALL, tone=tone)

    drawing.band(12, 286, WIDTH - 24, 102, "Text", "three new tokens from one pass")
    made = (*TEXT, *GUESSES[:ACCEPTED], INSTEAD)
    for i, word in enumerate(made):
        kind = "grey" if i < 2 else "green" if i < 2 + ACCEPTED else "orange"
        drawing.token(_at(i), 322, CELL, word, kind)
    drawing.text(_at(4) + CELL / 2, 370, "from the residual", size=SMALL, tone="orange")
    return drawing


def _at(i: int) -> float:
    return LEFT - 46 + i * STEP

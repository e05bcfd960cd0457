"""The induction circuit of the storyteller, read upwards, with the evidence for each part."""

from tools.drawings.symbols import NARROW, SMALL, Drawing

WORDS = {"sing": 42, "brave": 112, "often": 182, "…": 238, "∗": 292, "sing ": 350}
# Evidence from chapter 09; a test compares it with the model.
ONE_BACK, MATCH, COPY, WRITES, RAISES = 0.92, 89, 100, 5.2, 6.8

ALT = f"""\
Read upwards. The words at the bottom: sing, brave, often, three dots, star, sing. In layer 0, \
head 0.2 moves "after sing" from sing to brave; its weight one back is {ONE_BACK} in songs. In \
layer 1, head 1.0 leads from brave to the second sing: its key "after sing" matches the query \
sing, {MATCH}% of the words match themselves, and it copies {COPY}% of them. Head 1.1 leads from \
the star to the second sing and brings a flag. Above the second sing, feed-forward 1 raises the \
word; without the flag it predicts a new refrain. At the top is the prediction, brave: {WRITES} \
from head 1.0 plus {RAISES} from the feed-forward."""
CAPTION = """\
The induction circuit, read upwards. Head 0.2 writes to each word which one came before; head \
1.0 finds *brave* by this key and copies it; head 1.1 keeps the feed-forward from predicting a \
new refrain."""

TOKENS, LOW, HIGH, BOX = 470, 392, 250, 106


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("The induction circuit", 512, NARROW)
    drawing.band(12, 330, NARROW - 24, 112, "Layer 0")
    drawing.band(12, 166, NARROW - 24, 152, "Layer 1", low=True)
    for word, x in WORDS.items():
        drawing.token(x - 29 if len(word) > 2 else x - 17, TOKENS, 58 if len(word) > 2 else 34,
                      word.strip())  # fmt: skip
    sing, brave, star, now = (WORDS[word] for word in ("sing", "brave", "∗", "sing "))
    drawing.arrow((sing, TOKENS - 2), (sing, LOW), (brave, LOW), (brave, HIGH + 6), kind="blue")
    drawing.lines(124, 358, ["head 0.2 writes", "“after sing”", f"(weight one back {ONE_BACK})"],
                  at="start", size=SMALL, step=18)  # fmt: skip
    drawing.line(f"M{now} {TOKENS - 2}V{BOX + 42}", "grey", thick=3)
    drawing.circle(brave, HIGH, 5, "orange-full")
    drawing.arrow((brave + 6, HIGH), (now - 5, HIGH), kind="orange")
    match = ["head 1.0: key “after sing” matches", f"query “sing” ({MATCH}%), copies",
             f"“brave” ({COPY}%)"]  # fmt: skip
    drawing.lines(24, 192, match, at="start", size=SMALL, step=18)
    drawing.arrow((star, TOKENS - 2), (star, 290), (now - 5, 290), kind="green")
    drawing.text(star - 10, 295, "head 1.1: “repeated”", at="end", size=SMALL)
    drawing.box(now - 130, BOX, 166, 40, "grey", "feed-forward 1", "raises the word")
    drawing.arrow((now, BOX), (now, 66))
    drawing.token(now - 36, 36, 72, "brave", "blue")
    drawing.lines(now - 48, 46, [f"{WRITES} from head 1.0 +", f"{RAISES} from the feed-forward"],
                  at="end", size=SMALL, step=18)  # fmt: skip
    return drawing

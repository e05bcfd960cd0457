"""Three prompts in a tree of pages: a shared page is stored once, and counted once per prompt."""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

PAGE = 4
# Each node: the tokens on its page, its position, its parent, and the prompts that use it.
NODES = {
    1: (("the", "file", "says", "that"), (40, 96), None, "ABC"),
    2: (("the", "rent", "is", "due"), (208, 56), 1, "AB"),
    3: (("on", "the", "first", "."), (376, 30), 2, "A"),
    4: (("the", "roof", "must", "hold"), (208, 150), 1, "C"),
}
TAIL = {"A": 0, "B": 2, "C": 1}  # tokens of each prompt on its own last page, which is not full
PROMPTS = {
    name: [node for node, (*_, holders) in NODES.items() if name in holders] for name in TAIL
}
LENGTHS = {name: PAGE * len(nodes) + TAIL[name] for name, nodes in PROMPTS.items()}
ALONE = sum(-(-length // PAGE) for length in LENGTHS.values())
SHARED = len(NODES) + sum(tail > 0 for tail in TAIL.values())

ALT = f"""\
A tree of {len(NODES)} full pages of {PAGE} tokens. The first page, the file says that, is held by \
A, B and C. Two pages follow it: “the rent is due”, held by A and B, and “the roof must hold”, \
held by C. “on the first .”, held by A, follows “the rent is due”. B and C go on with pages of \
their own that are not full, with {TAIL["B"]} tokens and {TAIL["C"]} token; these are not in the \
tree. Prompts of {", ".join(map(str, LENGTHS.values()))} tokens take {SHARED} pages instead of \
{ALONE}."""
CAPTION = f"""\
A prefix cache as a tree: three prompts take {SHARED} pages instead of {ALONE}. A page may be \
freed when no request holds it and no page follows it."""

WIDE, HIGH = 144, 46


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A tree of pages", 300)
    drawing.band(12, 12, WIDTH - 24, 204, "In the tree", "full pages")
    for tokens, (x, y), parent, holders in NODES.values():
        if parent is not None:
            px, py = NODES[parent][1]
            drawing.arrow((px + WIDE, py + HIGH / 2), (x - 3, y + HIGH / 2))
        drawing.rect(x, y, WIDE, HIGH, "orange", round=5)
        drawing.text(x + WIDE / 2, y + 19, " ".join(tokens), size=SMALL)
        drawing.text(
            x + WIDE / 2, y + 37, f"held by {', '.join(holders)}", size=SMALL, tone="muted"
        )
    drawing.band(12, 228, WIDTH - 24, 60, "Beside it", "pages of one request, not full yet")
    for i, (name, tail) in enumerate((name, tail) for name, tail in TAIL.items() if tail):
        x = 300 + i * 130
        drawing.text(x - 8, 273, name, at="end", size=SMALL)
        for place in range(PAGE):
            drawing.rect(x + place * 22, 258, 22, 20, "green" if place < tail else "open", thick=1)
    return drawing

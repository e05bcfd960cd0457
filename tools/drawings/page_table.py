"""Two sequences with a common prefix, in pages of four tokens.

Ref: Kwon et al. 2023, sections 4.2 and 4.3 (block tables), 4.4 (sharing).
"""

from tools.drawings.symbols import SMALL, WIDTH, Drawing

PAGE = 4
PAGES = 8
TABLES = {"A": ((3, 1, 6), 10), "B": ((3, 1, 4, 7), 13)}  # pages, tokens
HELD = {
    page: [name for name, (pages, _) in TABLES.items() if page in pages] for page in range(PAGES)
}
FREE = [page for page, holders in HELD.items() if not holders]
LOOK = {("A", "B"): "green", ("A",): "blue", ("B",): "orange", (): "open"}

ALT = f"""\
In the middle a column of {PAGES} physical pages with room for {PAGE} tokens each. Left, the \
page table of sequence A, 10 tokens: its blocks 0, 1, 2 lie in pages 3, 1, 6. Right, the table \
of sequence B, 13 tokens: its blocks 0 to 3 lie in pages 3, 1, 4, 7. Pages 3 and 1 have two \
holders and are full. Page 6 holds 2 tokens, page 4 holds 4, page 7 holds 1. Pages \
{", ".join(map(str, FREE))} have no holder and stand in the free list."""
CAPTION = f"""\
A paged cache. A table gives the page of each block of {PAGE} tokens, so pages need no order, and \
a shared beginning is stored once: {10 + 13} tokens in {PAGES - len(FREE)} pages, not 7. B copied \
page 6 to page 4 before it wrote into it."""


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A page table: two sequences, one shared beginning", 474)
    x, wide, top, step = 216, 32, 74, 40
    drawing.text(76, 30, "sequence A", bold=True)
    drawing.text(x + 2 * wide, 30, "pages", bold=True)
    drawing.text(WIDTH - 76, 30, "sequence B", bold=True)
    drawing.text(76, 52, "10 tokens, 3 blocks", tone="muted", size=SMALL)
    drawing.text(WIDTH - 76, 52, "13 tokens, 4 blocks", tone="muted", size=SMALL)
    drawing.text(x + 2 * wide, 52, f"{PAGE} tokens each", tone="muted", size=SMALL)
    used = {
        page: min(PAGE, tokens - i * PAGE)
        for pages, tokens in TABLES.values() for i, page in enumerate(pages)
    }  # fmt: skip
    for page, holders in HELD.items():
        y, kind = top + page * step, LOOK[tuple(holders)]
        drawing.text(x - 8, y + 18, str(page), at="end", tone="muted")
        for c in range(PAGE):
            drawing.token(x + c * wide, y, wide, "", kind if c < used.get(page, 0) else "open")
        drawing.text(x + PAGE * wide + 8, y + 18, f"×{len(holders)}", at="start",
                     tone="muted" if not holders else "ink", bold=len(holders) > 1)  # fmt: skip
    for name, (pages, _) in TABLES.items():
        for i, page in enumerate(pages):
            y = top + (2 * i + (0.5 if name == "A" else 0)) * step
            left = 24 if name == "A" else WIDTH - 128
            kind = LOOK[tuple(HELD[page])]
            drawing.box(left, y - 3, 104, 32, kind, f"block {i} → {page}")
            end = top + page * step + 13
            if name == "A":
                drawing.arrow((left + 106, y + 13), (x - 26, end), kind=kind)
            else:
                drawing.arrow((left - 2, y + 13), (x + PAGE * wide + 36, end), kind=kind)
    y = top + PAGES * step + 22
    drawing.band(12, y, WIDTH - 24, 46)
    drawing.text(24, y + 28, "Free list", at="start", bold=True)
    for i, page in enumerate(FREE):
        drawing.token(120 + i * 48, y + 10, 36, str(page), "open")
    drawing.text(WIDTH - 24, y + 28, "×2: held by two sequences", at="end", tone="muted",
                 size=SMALL)  # fmt: skip
    return drawing

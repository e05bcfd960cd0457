"""A pool of fifteen pages, step by step: the youngest request returns its pages."""

import itertools

from tools.drawings.batching import REQUESTS, STEP
from tools.drawings.symbols import SMALL, WIDTH, Drawing

from plainformer.serving import Cost, Request, Simulator, drive, scheduler_for
from plainformer.serving.engine import Step

PAGES, SIZE, BUDGET = 15, 4, 16


def served() -> list[tuple[int, int, dict[str, list[int]], dict[str, int]]]:
    """Return each step's start and end, the pages of each request, and its computed tokens."""
    shape = {"page_size": SIZE, "max_running": 4, "prefix_cache": False}
    scheduler = scheduler_for(pages=PAGES, token_budget=BUDGET, **shape)
    names, steps = [name for name, *_ in REQUESTS], []

    class Noted(Simulator):
        def compute(self, work):  # the pages before a finished answer frees its own
            made = super().compute(work)
            held.update({names[x.number]: list(x.table.pages) for x in self.scheduler.running})
            return made

    def note(now: float, step: Step) -> None:
        counts = {names[who]: count for who, _, count in step.shares}
        steps.append((round(now - step.seconds), round(now), dict(held), counts))
        held.clear()

    held: dict[str, list[int]] = {}
    cost = Cost(step=float(STEP), token=1.0, look=0.0, request=0.0)
    asked = [(float(at), Request(prompt=[0] * n, max_new_tokens=new)) for _, at, n, new in REQUESTS]
    drive(Noted(scheduler, cost), asked, watch=note)
    return steps


STEPS = served()
LOOK = {"A": "green", "B": "blue", "C": "orange", "D": "violet"}
WITH_D = [i for i, (_, _, held, _) in enumerate(STEPS) if "D" in held]
OUT = next(i for i, j in itertools.pairwise(WITH_D) if j > i + 1)  # D's last step before preemption
BACK = next(i for i in WITH_D if i > OUT)
FULL, AGAIN = STEPS[OUT], STEPS[BACK]
ALT = f"""\
The {PAGES} pages of a pool over time, each column a step. A and B hold a few pages at first; B is \
done at 44 ms. C reads its prompt in slices and takes pages 3 to 12 by {FULL[1]} ms. In the step \
up to {FULL[1]} ms A holds {len(FULL[2]["A"])} pages, C {len(FULL[2]["C"])} and D \
{len(FULL[2]["D"])}: all {PAGES}. In the next step C needs one more page, and D is gone from the \
pool. From {AGAIN[0]} to {AGAIN[1]} ms D is back and computes {AGAIN[3]["D"]} tokens at once, \
then one per step until {STEPS[-1][1]} ms."""
CAPTION = f"""\
Preemption with {PAGES} pages of {SIZE} tokens. At {FULL[1]} ms C needs an eleventh page and none \
is free, so D, which arrived last, gives up its two. Later it reads its prompt again, then its \
first token: its second token comes {AGAIN[1] - FULL[1]} ms after the first."""

LEFT, TOP, SCALE, CELL = 62, 44, 2.4, 14
FOOT = TOP + PAGES * CELL


def runs(pages: list[int]) -> list[tuple[int, int]]:
    """Return the first page and the length of each run of neighbouring pages."""
    firsts = [page for page in sorted(pages) if page - 1 not in pages]
    return [(a, next(n for n in range(1, 99) if a + n not in pages)) for a in firsts]


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("A pool of pages", FOOT + 92)
    drawing.band(12, 12, WIDTH - 24, FOOT + 18, "The pool", f"{PAGES} pages, one per row")
    for start, end, held, counts in STEPS:
        x, wide = LEFT + start * SCALE, (end - start) * SCALE
        drawing.rect(x, TOP, wide, PAGES * CELL, "open", thick=0.6)
        for name, pages in held.items():
            for first, count in runs(pages):
                y = TOP + first * CELL
                drawing.rect(x, y, wide, count * CELL, LOOK[name], thick=0.8)
                if counts.get(name) and count > 1:
                    drawing.text(x + wide / 2, y + count * CELL / 2 + 5, name, size=SMALL)
    grid = "".join(
        f"M{LEFT} {TOP + i * CELL}H{LEFT + STEPS[-1][1] * SCALE:.1f}" for i in range(1, PAGES)
    )
    drawing.line(grid, "grey", thick=0.3)
    for page in (0, 5, 10, PAGES - 1):
        drawing.text(LEFT - 8, TOP + page * CELL + 12, str(page), at="end", size=SMALL,
                     tone="muted")  # fmt: skip
    for at in (0, 44, FULL[1], AGAIN[0], STEPS[-1][1]):
        drawing.text(LEFT + at * SCALE, FOOT + 20, f"{at}", size=SMALL, tone="muted")
    drawing.text(LEFT + 84 * SCALE, FOOT + 20, "milliseconds", size=SMALL, tone="muted")
    for at, look, rows in (
        (FULL[1], "end", ("C needs a page,", "D is preempted")),
        (AGAIN[0], "start", ("D is read again:", f"{AGAIN[3]['D']} tokens")),
    ):
        x = LEFT + at * SCALE
        drawing.arrow((x, FOOT + 58), (x, FOOT + 36))
        side = -8 if look == "end" else 8
        drawing.lines(x + side, FOOT + 54, list(rows), step=17, at=look, size=SMALL)
    for i, (name, look) in enumerate(LOOK.items()):
        drawing.rect(24 + i * 46, FOOT + 58, 16, 16, look, thick=1)
        drawing.text(46 + i * 46, FOOT + 71, name, at="start", size=SMALL)
    return drawing

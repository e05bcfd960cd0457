"""Four requests under three policies: static batching, continuous batching, and chunked prefill."""

import itertools
from collections.abc import Iterable

from tools.drawings.symbols import SMALL, WIDTH, Drawing

from plainformer.serving import Cost, Request, Simulator, drive, scheduler_for
from plainformer.serving.engine import Step

# Name, arrival in milliseconds, tokens of the prompt, tokens of the answer.
REQUESTS = (("A", 0, 6, 8), ("B", 0, 4, 3), ("C", 35, 40, 3), ("D", 40, 5, 4))
STEP = 10  # milliseconds; a token takes 1 more
POLICIES = {
    "Static batching": (False, 10_000),
    "Continuous batching": (True, 10_000),
    "Chunked prefill": (True, 16),
}


def served(continuous: bool, budget: int) -> list[tuple[int, int, dict[int, bool]]]:
    """Return each step's start, end and requests: True in the prompt, False in the answer."""
    steps = []

    def note(now: float, step: Step) -> None:
        parts = {who: first < REQUESTS[who][2] for who, first, _ in step.shares}
        steps.append((round(now - step.seconds), round(now), parts))

    shape = {"pages": 20, "page_size": 4, "max_running": 4, "prefix_cache": False}
    scheduler = scheduler_for(continuous=continuous, token_budget=budget, **shape)
    cost = Cost(step=float(STEP), token=1.0, look=0.0, request=0.0)
    asked = [(float(at), Request(prompt=[0] * n, max_new_tokens=new)) for _, at, n, new in REQUESTS]
    drive(Simulator(scheduler, cost), asked, watch=note)
    return steps


STEPS = {name: served(*policy) for name, policy in POLICIES.items()}
ENDS = {name: steps[-1][1] for name, steps in STEPS.items()}


def _gap(steps: Iterable[tuple[int, int, dict[int, bool]]]) -> int:
    """Return the longest time between two tokens of A."""
    ends = [end for _, end, parts in steps if 0 in parts]
    return max(b - a for a, b in itertools.pairwise(ends))


GAPS = {name: _gap(steps) for name, steps in STEPS.items()}
STATIC, CONTINUOUS, CHUNKED = POLICIES
ALT = f"""\
Three timelines of the requests A to D, up to {ENDS[STATIC]} ms. Static batching: A and B run, B \
is done at 44 ms, and C and D, which came at 35 and 40 ms, wait until A is done at 99 ms; the last \
token comes at {ENDS[STATIC]} ms. Continuous batching: C and D join at 44 ms, one long step reads \
the prompt of C while A waits {GAPS[CONTINUOUS]} ms, and all is done at {ENDS[CONTINUOUS]} ms. \
Chunked prefill: the prompt of C is read in slices, A never waits more than {GAPS[CHUNKED]} ms, \
and all is done at {ENDS[CHUNKED]} ms."""
CAPTION = """\
Four requests under three policies. With static batching C and D wait for the whole first batch. \
With continuous batching they join between steps, and A stalls while the prompt of C is read. \
Chunked prefill reads it in slices."""

LEFT, SCALE, ROW = 44, 2.6, 24


def draw() -> Drawing:
    """Return the drawing."""
    drawing = Drawing("Three policies", 550)
    for band, (name, steps) in enumerate(STEPS.items()):
        top = 12 + band * 158
        drawing.band(12, top, WIDTH - 24, 148, name, f"all answered at {ENDS[name]} ms")
        for i, (who, arrives, _, _) in enumerate(REQUESTS):
            y = top + 36 + i * (ROW + 3)
            drawing.text(30, y + 17, who, size=SMALL)
            mine = [(start, end, parts[i]) for start, end, parts in steps if i in parts]
            drawing.rect(LEFT + arrives * SCALE, y + 9, (mine[-1][1] - arrives) * SCALE, 6, "open",
                         thick=0.8)  # fmt: skip
            for start, end, prompt in mine:
                drawing.rect(LEFT + start * SCALE, y, (end - start) * SCALE, ROW,
                             "orange" if prompt else "green", thick=1)  # fmt: skip
    for at in range(0, 151, 50):
        drawing.text(LEFT + at * SCALE, 494, f"{at} ms", size=SMALL, tone="muted")
        drawing.line(f"M{LEFT + at * SCALE:.1f} 474v6", thick=1)
    y = 518
    for x, kind, words in (
        (44, "orange", "reads its prompt"),
        (206, "green", "one token of answer"),
    ):
        drawing.rect(x, y, 22, 18, kind, thick=1)
        drawing.text(x + 30, y + 14, words, at="start", size=SMALL)
    drawing.rect(388, y + 6, 22, 6, "open", thick=0.8)
    drawing.text(418, y + 14, "waits", at="start", size=SMALL)
    return drawing

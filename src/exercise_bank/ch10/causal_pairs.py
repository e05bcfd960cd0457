"""Exercise 10.causal_pairs: pairs that a causal mask leaves, with a window and sinks."""

import torch
from torch import Generator

from exercise_bank.ch10.mistakes.causal_pairs import MISCONCEPTIONS
from exercise_bank.ch10.mistakes.causal_pairs_more import MORE
from exercise_bank.draws import some
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import COUNTED

MILLION = 1_000_000


def squares(g: Generator) -> list[Inputs]:
    return [{"q": n, "k": n} for n in (1, 2, 3, some(g, 4, 39), some(g, 40, 89))]


def last_queries(g: Generator) -> list[Inputs]:
    found: list[Inputs] = [{"q": 1, "k": 2}, {"q": 1, "k": 5}, {"q": 1, "k": 9}, {"q": 3, "k": 5}]
    for _ in range(3):
        q = some(g, 2, 29)
        found.append({"q": q, "k": q + some(g, 1, 29)})
    return found


def more_queries(g: Generator) -> list[Inputs]:
    k = some(g, 35, 59)  # so long that no count is right by chance
    return [
        {"q": 2, "k": 1},
        {"q": 3, "k": 2},
        {"q": 5, "k": 2},
        {"q": k + some(g, 2, 19), "k": k},
    ]


def windows(g: Generator) -> list[Inputs]:
    found: list[Inputs] = [
        {"q": 3, "k": 3, "window": 1},
        {"q": 4, "k": 4, "window": 2},
        {"q": 1, "k": 6, "window": 4},
        {"q": 2, "k": 3, "window": 8},
        {"q": 6, "k": 4, "window": 3},
    ]
    for _ in range(3):
        q = some(g, 5, 29)
        found.append({"q": q, "k": q + some(g, 0, 29), "window": some(g, 2, 19)})
    return found


def sinks(g: Generator) -> list[Inputs]:
    found: list[Inputs] = [
        {"q": 4, "k": 4, "window": 1, "sinks": 1},
        {"q": 5, "k": 5, "window": 2, "sinks": 1},
        {"q": 5, "k": 5, "window": 2, "sinks": 2},
        {"q": 1, "k": 9, "window": 3, "sinks": 4},
        {"q": 2, "k": 6, "window": 4, "sinks": 5},
        {"q": 7, "k": 5, "window": 2, "sinks": 9},
        {"q": 4, "k": 6, "sinks": 2},
        {"q": 4, "k": 6, "window": 4, "sinks": 2},
    ]
    for _ in range(3):
        q = some(g, 5, 29)
        k, window, first = q + some(g, 0, 29), some(g, 2, 11), some(g, 1, 7)
        found.append({"q": q, "k": k, "window": window, "sinks": first})
    return found


def long_texts(g: Generator) -> list[Inputs]:
    return [
        {"q": MILLION, "k": MILLION},
        {"q": MILLION - some(g, 1, 98), "k": MILLION, "window": 4096, "sinks": 4},
    ]


def causal_pairs(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    """Return the number of pairs of a query and a key that it may attend to."""
    seen = torch.arange(max(0, k - q), k) + 1
    recent = seen if window is None else seen.clamp(max=window)
    return int((recent + (seen - recent).clamp(max=sinks)).sum())


def one_by_one(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    pairs = 0
    for position in range(max(0, k - q), k):
        start = 0 if window is None else max(0, position - window + 1)
        pairs += position + 1 - start + min(sinks, start)
    return pairs


def by_triangles(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    def triangle(n: int) -> int:
        return n * (n + 1) // 2 if n > 0 else 0

    def below(distance: int) -> int:
        """Count the pairs at this distance or more."""
        return triangle(k - distance) - triangle(k - q - distance)

    if window is None:
        return below(0)
    return below(0) - below(window) + below(window) - below(window + sinks)


def number_by_number(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    w = k if window is None else window
    rows = range(max(0, k - q) + 1, k + 1)
    return sum(min(n, w + sinks) for n in rows)


def near(inputs: Inputs, answer: int) -> str | None:
    """Report a count for a long text that is off by more than a thousandth."""
    pairs = causal_pairs(**inputs)
    if abs(float(answer) - pairs) <= 1e-3 * pairs:
        return None
    return f"you count {float(answer):,.0f} pairs; there are {pairs:,}"


TASK = Exercise(
    id="10.causal_pairs",
    title="Pairs that a mask leaves",
    level="medium",
    minutes=10,
    concepts=("quadratic-time",),
    reference=causal_pairs,
    rungs=(
        Rung(
            name="as many queries as keys",
            points=0.75,
            idea="each query attends to its past",
            draw=squares,
        ),
        Rung(
            name="the queries are the last of more keys",
            points=0.5,
            idea="each query attends to its past",
            draw=last_queries,
        ),
        Rung(name="more queries than keys", points=0.5, draw=more_queries),
        Rung(name="a window", points=0.75, idea="the window", draw=windows),
        Rung(
            name="the first keys stay visible",
            points=1.75,
            idea="sinks beside the window",
            draw=sinks,
        ),
        Rung(
            name="a million keys: within a thousandth, with no mask of all pairs",
            points=0.75,
            draw=long_texts,
            law=near,
            compare=False,
        ),
    ),
    precision=COUNTED,
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="one query at a time", answer=one_by_one),
        Alternative(name="differences of triangles", answer=by_triangles),
        Alternative(name="window and sinks together", answer=number_by_number),
    ),
    hints=(
        "What is the position of query 0 if there are q queries and k keys?",
        "A query at position p attends to p + 1 keys. How many of them are in the window, and "
        "how many are left over?",
        "The sinks are the first of the keys that the window leaves over, at most as many as "
        "there are. Sum this over the queries at position 0 or later.",
    ),
    equivalents={
        "causal_pairs: line 2: 0 and k - q swapped in max(0, k - q)": "a maximum has no order",
        "causal_pairs: line 2: 0 becomes -1 in max(0, k - q)": "a query before the first key "
        "attends to nothing and adds 0 pairs",
        "causal_pairs: line 4: int of (recent + (seen - rece … .clamp(max=sinks)).sum(…) dropped": (
            "a tensor of one whole number is a whole number"
        ),
    },
)

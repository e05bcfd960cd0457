"""Exercise 12.block_skip: which blocks of keys a block of queries visits, and which need a mask."""

import torch
from torch import Generator

from exercise_bank.ch12.mistakes.block_skip import MISCONCEPTIONS
from exercise_bank.ch12.mistakes.block_skip_more import MORE
from exercise_bank.ch12.numbers import two_whole
from exercise_bank.draws import more, some
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def at(first: int, height: int, q: int, k: int, width: int) -> Inputs:
    return {"first": first, "height": height, "q": q, "k": k, "width": width}


def square(g: Generator) -> list[Inputs]:
    side = some(g, 2, 5)
    drawn = at(2 * side, side, 4 * side, 4 * side, side)
    by = 2 * more(g, 4)  # further positions, in hidden inputs
    tall, flat = at(by, 6, 12 + by, 12 + by, 2), at(6 + by, 2, 12 + by, 12 + by, 6)
    on = 4 * more(g, 9)
    own = at(2 + on, 3, 12 + on, 12 + on, 4)  # the last query is at the first key of a block
    first, second = at(by, 2, 4 + by, 4 + by, 2), at(2 + by, 2, 4 + by, 4 + by, 2)
    return [
        first,
        second,
        tall,
        flat,
        at(3 + by, 3, 12 + by, 12 + by, 4),
        own,
        drawn,
    ]


def cached(g: Generator) -> list[Inputs]:
    blocks, many = some(g, 1, 9), some(g, 10, 40)
    return [
        at(0, 2, 2, 6, 2),
        at(2, 2, 4, 12, 3),
        at(4, 4, 8, 8 + 4 * blocks, 4),
        at(3, 3, 9, 9 + many, 2),
        at(8, 8, 16, 16 + many, 8),
    ]


def ragged(g: Generator) -> list[Inputs]:
    rest = some(g, 3, 9)
    return [
        at(4, 4, 7, 7, 2),
        at(4, 4, 6, 9, 3),
        at(0, 9, 5, 11, 4),
        at(8, 8, 8 + rest, 8 + rest, 3),
        at(0, 2, 2, 7, 4),
    ]


def one_query(g: Generator) -> list[Inputs]:
    many = some(g, 5, 99)
    return [at(0, 4, 1, 3, 2), at(0, 1, 1, 7, 7), at(2, 1, 3, 8, 3), at(0, 16, 1, 7 * many + 3, 7)]


def before_all(g: Generator) -> list[Inputs]:
    many = some(g, 5, 9)
    early, late = more(g, 5), more(g, 5)
    return [
        at(0, 2, 6 + early, 3, 2),
        at(2, 2, 6 + late, 3, 2),
        at(0, 4, 4 + many, 4, 2),
        at(4, 4, 8, 2, 1),
        at(0, 3, 10, 3, 2),
    ]


def both(inputs: Inputs, answer: object, *, which: str = "both") -> str | None:
    """Report the block of keys at which an answer is wrong, with the positions."""
    found = two_whole(answer)
    if found is None:
        return "return a tuple of two whole numbers, whole and stop"
    first, height, q, k, width = (inputs[n] for n in ("first", "height", "q", "k", "width"))
    whole, stop = block_skip(**inputs)
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    where = f"the queries are at positions {low} to {high}" if low < high else (
        f"the query is at position {low}"
    )  # fmt: skip
    of = f"of {-(-k // width)} blocks of keys"
    if which != "whole" and found[1] != stop:
        has = "holds" if stop == 1 else "hold"
        return f"{where}; {of}, {stop} {has} a key that one of them sees; your stop is {found[1]}"
    if which != "stop" and found[0] != whole:
        has = "holds" if whole == 1 else "hold"
        return f"{where}; {of}, {whole} {has} only keys that all see; your whole is {found[0]}"
    return None


def stops(inputs: Inputs, answer: object) -> str | None:
    return both(inputs, answer, which="stop")


def wholes(inputs: Inputs, answer: object) -> str | None:
    return both(inputs, answer, which="whole")


def block_skip(first: int, height: int, q: int, k: int, width: int) -> tuple[int, int]:
    """Return how many blocks of keys need no mask, and how many are visited."""
    lowest = first + k - q
    highest = min(first + height, q) - 1 + k - q
    stop = max(0, highest // width + 1)
    whole = max(0, (lowest + 1) // width)
    return (stop if lowest == k - 1 else whole), stop


def block_by_block(first: int, height: int, q: int, k: int, width: int) -> tuple[int, int]:
    stands = range(first + k - q, min(first + height, q) + k - q)
    whole = stop = 0
    for start in range(0, k, width):
        last = min(start + width, k) - 1
        whole += last <= stands[0]
        stop += start <= stands[-1]
    return whole, stop


def from_the_mask(first: int, height: int, q: int, k: int, width: int) -> tuple[int, int]:
    mask = torch.ones(q, k, dtype=torch.bool).tril(k - q)[first : first + height]
    parts = mask.split(width, dim=1)
    return sum(bool(part.all()) for part in parts), sum(bool(part.any()) for part in parts)


TASK = Exercise(
    id="12.block_skip",
    title="Which blocks to visit",
    level="warm-up",
    minutes=8,
    concepts=("causal-block-skipping",),
    reference=block_skip,
    rungs=(
        Rung(
            name="q = k: the blocks that are visited",
            points=1.0,
            idea="visited if a query attends to it",
            draw=square,
            law=stops,
            compare=False,
        ),
        Rung(
            name="q = k: those among them that need no mask",
            points=1.25,
            idea="unmasked if all queries attend to it",
            draw=square,
            law=wholes,
            compare=False,
        ),
        Rung(
            name="the queries are the last q positions",
            points=1.25,
            idea="the queries come last",
            draw=cached,
            law=both,
            compare=False,
        ),
        Rung(name="blocks cut short by the end", points=0.5, draw=ragged, law=both, compare=False),
        Rung(
            name="the last query alone: nothing is masked",
            points=0.5,
            draw=one_query,
            law=both,
            compare=False,
        ),
        Rung(name="queries before every key", points=0.5, draw=before_all, law=both, compare=False),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="block by block", answer=block_by_block),
        Alternative(name="from the mask", answer=from_the_mask),
    ),
    hints=(
        "At which position is the first query of the block, and at which the last?",
        "A block of keys is visited if its first key lies at or before one of these two positions. "
        "It needs no mask if its last key lies at or before the other one.",
        "Which query is missing when the block of queries is cut short? And how many keys has the "
        "last block of keys, if one query attends to all of it?",
    ),
    equivalents=dict.fromkeys(
        (
            "block_skip: line 3: first + height and q swapped in min(first + height, q)",
            "block_skip: line 4: 0 and highest // width + 1 swapped in "
            "max(0, highest // width + 1)",
            "block_skip: line 5: 0 and (lowest + 1) // width swapped in "
            "max(0, (lowest + 1) // width)",
        ),
        "the larger and the smaller of two numbers have no order",
    ),
)

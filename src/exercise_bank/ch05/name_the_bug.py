"""Exercise 05.name_the_bug: which position bug does a closed box have?"""

import math
from collections.abc import Callable

import torch
from torch import Generator

from exercise_bank.ch05.mistakes.name_the_bug import MISCONCEPTIONS, SEEN
from exercise_bank.ch05.name_the_bug_ways import by_imitation, from_scores
from exercise_bank.ch05.suspects import BOXES, Attention, closed
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

POSITIONS = "what moves with the positions"
LAWS = "laws that the right box obeys"
NUMBERS = "laws do not fix the numbers"


def shown(*names: str) -> list[Inputs]:
    return [{"attention": closed(name)} for name in names]


def some_order(g: Generator) -> list[Inputs]:
    return shown("no order", "right")


def what_is_read(g: Generator) -> list[Inputs]:
    return shown("values", "no order")


def one_side(g: Generator) -> list[Inputs]:
    return shown("queries only", "no order")


def other_way(g: Generator) -> list[Inputs]:
    return shown("backwards", "no order")


def layouts(g: Generator) -> list[Inputs]:
    return shown("halves", "right")


def told(inputs: Inputs, answer: object) -> str | None:
    """Describe this box to an answer that names it wrongly."""
    if not isinstance(answer, str) or answer not in BOXES:
        return f"the answer is one of {', '.join(map(repr, BOXES))}; yours is {answer!r}"
    name = name_the_bug(inputs["attention"])
    if answer == name:
        return None
    return f"this box {SEEN[name]}, so it is {name!r}; yours says {answer!r}"


def rung(name: str, draw: Callable[[Generator], list[Inputs]], idea: str, points: float) -> Rung:
    return Rung(name=name, points=points, draw=draw, law=told, idea=idea)


def name_the_bug(attention: Attention) -> str:
    """Test the laws in turn, and finally compare with a rotation of our own."""
    generator = torch.Generator().manual_seed(0)
    query, key, value = torch.randn(3, 5, 6, generator=generator, dtype=torch.float64)
    at, same = torch.arange(5), value[:1].expand(5, 6)
    out = attention(query, key, value, at, at)
    if not torch.allclose(attention(query, key, same, at, at), same):
        return "values"
    if torch.allclose(attention(query, key, value, at, at.flip(0)), out):
        unturned = attention(query, key, value, at.flip(0), at)
        return "no order" if torch.allclose(unturned, out) else "queries only"
    if not torch.allclose(attention(query, key, value, at + 4, at + 4), out):
        return "backwards"
    angles = at[:, None] * 10_000.0 ** (-torch.arange(0, 6, 2, dtype=torch.float64) / 6)
    turns = torch.polar(torch.ones_like(angles), angles)
    query, key = (torch.view_as_complex(x.reshape(5, 3, 2)) * turns for x in (query, key))
    scores = (query @ key.mH).real / math.sqrt(6)
    own = torch.softmax(scores, dim=-1) @ value
    return "right" if torch.allclose(own, out) else "halves"


CLOSE = "swapped in torch.allclose(…)"
EVEN = "attention(query, key, same, at, at)"
EQUIVALENTS = {
    f"name_the_bug: line {change}": why
    for why, changes in {
        "every random draw gives the same result": (
            "2: manual_seed(0) dropped",
            "2: 0 becomes -1 in torch.Generator().manual_seed(0)",
            "2: 0 becomes 1 in torch.Generator().manual_seed(0)",
            "3: generator=generator dropped in torch.randn(…)",
        ),
        "any row will do, if it is the same for all": (
            "4: value becomes query in value[:1]",
            "4: value becomes key in value[:1]",
        ),
        "equal values come out of any average": (
            f"6: query and key swapped in {EVEN}",
            *(f"6: query becomes {x} in {EVEN}" for x in ("key", "value", "same", "out")),
            *(f"6: key becomes {x} in {EVEN}" for x in ("query", "value", "same", "out")),
        ),
        "the last of one or two axes may be named from either end": (
            "8: 0 becomes -1 in at.flip(0)",
            "9: 0 becomes -1 in at.flip(0)",
            "17: the minus of -1 dropped",
        ),
        "a difference has no direction": (
            f"6: {EVEN} and same {CLOSE}",
            f"8: attention(query, key, value, at, at.flip(0)) and out {CLOSE}",
            "10: unturned and out swapped in torch.allclose(unturned, out)",
            f"11: attention(query, key, value, at + 4, at + 4) and out {CLOSE}",
            "18: own and out swapped in torch.allclose(own, out)",
        ),
        "the default tolerance is wider than what float32 frequencies lose": (
            "13: dtype=torch.float64 dropped in torch.arange(0, 6, 2, dtype=torch.float64)",
        ),
        "0, 2, 4 are what lies below 5 as well": (
            "13: 6 becomes 5 in torch.arange(0, 6, 2, dtype=torch.float64)",
        ),
    }.items()
    for change in changes
}

TASK = Exercise(
    id="05.name_the_bug",
    title="Name the bug",
    level="hard",
    seconds=10.0,
    minutes=20,
    concepts=("permutation-equivariance", "rotary-derivation", "rotary-placement"),
    reference=name_the_bug,
    rungs=(
        rung("order or no order, as in the example", some_order, POSITIONS, 1.0),
        rung("values that are turned", what_is_read, LAWS, 1.0),
        rung("keys that are not turned", one_side, POSITIONS, 1.0),
        rung("keys that are turned backwards", other_way, LAWS, 1.0),
        rung("halves for pairs", layouts, NUMBERS, 2.0),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by imitation", answer=by_imitation),
        Alternative(name="from scores", answer=from_scores),
    ),
    hints=(
        "The right box obeys several laws, and most bugs break one of them. Write the laws down "
        "first: which changes of the inputs leave the output as it is?",
        "Try equal values, other key positions, other query positions, and both moved together. "
        "Which of the six boxes reacts to which change?",
        "One box obeys every law and is still wrong. What else do you need, besides laws, to "
        "distinguish it from the right one?",
    ),
    equivalents=EQUIVALENTS,
)

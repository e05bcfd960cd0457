"""Exercise 02.name_the_mistake: which mistake does a closed box make?"""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from exercise_bank.ch02 import boxes
from exercise_bank.ch02.boxes import Attention, shown
from exercise_bank.ch02.mistakes.name_the_mistake import MISCONCEPTIONS
from exercise_bank.ch02.mistakes.name_the_mistake_more import MORE
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

SCALES = "scores are divided by √d"
SUMS = "what ones as values show"
LOUD = "a loud query among others"


def right_or_unscaled(g: Generator) -> list[Inputs]:
    return shown(g, boxes.right, boxes.unscaled, boxes.right_by_loop)


def right_or_over_queries(g: Generator) -> list[Inputs]:
    return shown(g, boxes.right, boxes.over_queries)


def late_or_keys(g: Generator) -> list[Inputs]:
    return shown(g, boxes.scaled_late, boxes.keys_for_values, boxes.scaled_late_alone)


def right_or_overflow(g: Generator) -> list[Inputs]:
    return shown(g, boxes.right_by_loop, boxes.no_maximum)


def seldom(g: Generator) -> list[Inputs]:
    return shown(g, boxes.over_axis_1, boxes.one_maximum_for_all, boxes.average_in_the_last_row)


def other_scales(g: Generator) -> list[Inputs]:
    """Draw divisors that equal √d only at some widths or numbers of keys, or are close to it."""
    near, nearer = (torch.tensor([0.5, 0.85]) + 0.1 * torch.rand(2, generator=g)).tolist()
    roots = boxes.root_of_the_number_of_keys, boxes.root_of_the_width_of_values
    close = boxes.scaled_by(near), boxes.scaled_by(nearer)
    fixed = boxes.always_8, boxes.half_of_d, boxes.average_of_all
    return shown(g, *roots, *close, *fixed, boxes.right)


def one_of_six(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not one of the six words, or is wrong about this attention."""
    if not isinstance(answer, str) or answer not in boxes.WORDS:
        words = ", ".join(f'"{word}"' for word in boxes.WORDS)
        return f"return one of {words}; you return {str(answer)[:40]!r}"
    truth = boxes.name(inputs["attention"])
    if answer == truth:
        return None
    told = boxes.told(inputs["attention"])
    return f'this attention {told}. Its name is "{truth}"; you return "{answer}"'


def by_comparison(attention: Attention) -> str:
    """Implement each mistake, and find the one with equal outputs."""

    def drawn(*shape: int) -> Tensor:
        return torch.sin(torch.arange(1.0, 1 + math.prod(shape)) ** 2).reshape(shape)

    query, key, value = drawn(2, 3, 7), drawn(2, 4, 7), drawn(2, 4, 6)
    scores = query @ key.mT / math.sqrt(7)
    weights = torch.softmax(scores, dim=-1)
    unscaled = torch.softmax(query @ key.mT, dim=-1)
    answers: list[tuple[str, Callable[[], Tensor]]] = [
        ("axis", lambda: torch.softmax(scores, dim=-2) @ value),
        ("late", lambda: weights @ value / math.sqrt(7)),
        ("late", lambda: unscaled @ value / math.sqrt(7)),
    ]
    got = attention(query, key, value)
    if got.shape != (2, 3, 6):
        return "keys"
    for name, answer in answers:
        if torch.allclose(got, answer(), atol=1e-5):
            return name
    right = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    if torch.allclose(got, right, atol=1e-5):
        loud = torch.cat([1e4 * query[:, :1], query[:, 1:]], dim=1)
        return "overflow" if attention(loud, key, value).isnan().any() else "right"
    return "scale"


def by_single_weights(attention: Attention) -> str:
    """Read the weights themselves, which values that are an identity return."""
    query = torch.tensor([[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]])
    key = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-0.5, 1.0, 0.0], [0.0, 3.0, 0.0]]])
    read = attention(query, key, torch.eye(4)[None])
    if read.shape[-1] != 4:
        return "keys"
    if attention(2000 * query, key, torch.eye(4)[None]).isnan().any():
        return "overflow"
    sums = read.sum(dim=-1)[0]
    if not torch.allclose(sums, torch.ones(2), atol=1e-5):
        return "late" if torch.allclose(sums, sums[:1].expand(2), atol=1e-5) else "axis"
    ratio = (read[0, 1, 0] / read[0, 1, 1]).log().item()
    return "right" if abs(ratio - 2 / math.sqrt(3)) < 1e-4 else "scale"


def rung(name: str, draw: Callable[[Generator], list[Inputs]], idea: str = "") -> Rung:
    return Rung(name=name, points=1.0, draw=draw, law=one_of_six, compare=False, idea=idea)


TASK = Exercise(
    id="02.name_the_mistake",
    title="Name the mistake",
    level="hard",
    seconds=10.0,
    minutes=20,
    concepts=(
        "softmax-axis",
        "sqrt-d-variance",
        "stable-softmax",
        "convex-combination",
        "value-width",
    ),
    reference=boxes.name,
    rungs=(
        rung("right, or without a scale", right_or_unscaled, SCALES),
        rung("right, or with its softmax over the queries", right_or_over_queries, SUMS),
        rung("divided too late, or keys in place of values", late_or_keys, SUMS),
        rung("right, or overflowing", right_or_overflow, LOUD),
        rung("a mistake that shows only with a batch, or in only one row", seldom),
        rung("a scale that is right at some sizes only", other_scales, SCALES),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="by comparison with each mistake", answer=by_comparison),
        Alternative(name="by reading single weights", answer=by_single_weights),
    ),
    hints=(
        "With ones as values, what does a right attention return, for any query and keys? Which "
        "of the five mistakes change that, and what do they return instead?",
        "Choose inputs at which no mistake can hide: sizes that all differ, a batch, and one query "
        "so loud that the others lie far below it.",
        "Decide in this order: the shape of the output, then nan, then the sums that you get with "
        "ones as values. Otherwise the rows sum to 1: compare the output with one that you worked "
        "out yourself.",
    ),
    call=lambda answer, inputs: answer(inputs["attention"]),
    equivalents={
        **dict.fromkeys(
            (
                "name_the_mistake: line 2: 2 becomes 1 in torch.rand(2, 3, 5)",
                "name_the_mistake: line 2: 2 becomes 1 in torch.rand(2, 4, 5)",
                "name_the_mistake: line 2: 2 becomes 1 in torch.rand(2, 4, 6)",
            ),
            "one of the three may lack its batch: a product gives it one",
        ),
        **dict.fromkeys(
            (
                "name_the_mistake: line 6: query becomes key in [query, 10000.0 * query]",
                "name_the_mistake: line 6: query becomes key in 10000.0 * query",
                "name_the_mistake: line 6: * query becomes / query",
                "name_the_mistake: line 6: 10000.0 becomes 9999.0 in 10000.0 * query",
                "name_the_mistake: line 6: 10000.0 becomes 10001.0 in 10000.0 * query",
            ),
            "any quiet rows beside any loud ones will do",
        ),
        "name_the_mistake: line 7: value becomes key in attention(one_loud, key, value)": (
            "nan comes from the weights, whatever they average"
        ),
        **dict.fromkeys(
            (
                "name_the_mistake: line 9: sums and torch.ones_like(sums) swapped in "
                "torch.allclose(sums, torch.ones_like(sums))",
                "name_the_mistake: line 10: sums and sums.mean() swapped in "
                "torch.allclose(sums, sums.mean())",
                "name_the_mistake: line 12: attention(query, key, value) and weights @ value "
                "swapped in torch.allclose(…)",
                "reference name: line 5: got and want swapped in "
                "torch.allclose(got, want, equal_nan=True)",
            ),
            "a difference has no direction",
        ),
    },
)

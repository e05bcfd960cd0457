"""How 04.who_shares goes wrong if the users of each key head are known but returned wrongly."""

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from plaincourse.exercise import Misconception

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def users(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[list[int]]:
    """Return the query heads that use each key head."""
    labels = torch.arange(len(key), dtype=value.dtype)[:, None, None].expand_as(value)
    used = attention(query, key, labels)[:, 0, 0].round().tolist()
    return [[r for r, number in enumerate(used) if number == j] for j in range(len(key))]


def appended(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    return [j for j, of in enumerate(users(attention, query, key, value)) for _ in of]


def users_appended(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    return [r for of in users(attention, query, key, value) for r in of]


def users_from_one(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    return [r + 1 for r in users_appended(attention, query, key, value)]


def users_in_use(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> object:
    return [of for of in users(attention, query, key, value) if of]


def users_by_name(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> object:
    return dict(enumerate(users(attention, query, key, value)))


def appended_from_one(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    return [j + 1 for j in appended(attention, query, key, value)]


def root_assumed(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    out = attention(query, key, value)
    found = []
    for q, o in zip(query, out, strict=True):
        fits = 0
        for j, (k, v) in enumerate(zip(key, value, strict=True)):
            weights = torch.softmax(q @ k.mT / query.shape[-1] ** 0.5, dim=-1)
            if torch.allclose(weights @ v, o, atol=1e-5):
                fits = j
        found.append(fits)
    return found


def nearest_by_formula(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, power: float = 0.5
) -> list[int]:
    """Choose the key head whose output by the formula is nearest."""
    weights = torch.softmax(query[:, None] @ key.mT / query.shape[-1] ** power, dim=-1)
    apart = (weights @ value - attention(query, key, value)[:, None]).abs().amax(dim=(2, 3))
    return apart.argmin(dim=1).tolist()


def one_position(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, place: int = 0
) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = value.clone()
        other[j, place] += 1
        after = attention(query, key, other)
        for r in range(len(query)):
            if not torch.allclose(after[r], before[r]):
                found[r] = j
    return found


def marked_by_nan(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, mark: float = math.nan
) -> list[int]:
    found = [0] * len(query)
    for j in range(len(key)):
        other = value.clone()
        other[j] = mark
        for r, out in enumerate(attention(query, key, other)):
            if not out.isfinite().all():
                found[r] = j
    return found


LISTS = (
    Misconception(
        name="one-position-changed",
        answer=one_position,
        variants=(partial(one_position, place=-1),),
        kind="corner",
        believed="Each position has a weight that one can see.",
        says="You find no key head for some query heads. If you change one position only: a query "
        "may give it so little weight that no output moves. The weights of all positions together "
        "are 1.",
        hints=(
            "What is the weight of a key whose score lies 50 below another?",
            "Which change shows whatever the weights are?",
            "Change the values of all positions of a key head by the same number.",
        ),
    ),
    Misconception(
        name="in-order-and-from-one",
        answer=appended_from_one,
        believed="Key heads are used in their order, and count from 1.",
        says="Your numbers never fall from left to right, and they count from 1. Place r of the "
        "list belongs to query head r, which may use any key head; key heads count from 0.",
        hints=(
            "Which query head does the first number of your list belong to?",
            "What is the number of the first key head?",
            "Begin with a list of zeros, and write j into place r.",
        ),
    ),
    Misconception(
        name="scale-assumed",
        answer=root_assumed,
        variants=(nearest_by_formula, partial(nearest_by_formula, power=0.0)),
        believed="The box divides its scores by √d.",
        says="With boxes of one scaling you name a wrong key head for some query heads. "
        "If you work the outputs out yourself: the scores of a box may be divided by √d or not, "
        "and your formula has one of the two.",
        hints=(
            "What does your function return if the output of no key head fits exactly?",
            "What does the task say about the scaling of the scores?",
            "Change one key head's values, and see which outputs change.",
        ),
    ),
    Misconception(
        name="in-the-order-of-key-heads",
        answer=appended,
        believed="The list is complete when every user is in it.",
        says="Your numbers never fall from left to right, as if you appended one for each user "
        "that you find, one key head after the other. Place r of the list belongs to query head r.",
        hints=(
            "Which query head does the first number of your list belong to?",
            "append() writes at the end, whichever query head you have found.",
            "Begin with a list of zeros, and write j into place r.",
        ),
    ),
    Misconception(
        name="marked-by-nan",
        answer=marked_by_nan,
        variants=(partial(marked_by_nan, mark=math.inf),),
        believed="nan shows where a value goes.",
        kind="corner",
        says="You mark a head by nan or inf. A box may pick heads by a matrix of zeros and ones. "
        "0 times nan is nan, so all outputs are marked.",
        hints=(
            "What is 0 · nan?",
            "Which finite numbers show as well whose values are averaged?",
            "Give the values of head j the number j.",
        ),
    ),
    Misconception(
        name="users-in-a-row-and-from-one",
        answer=users_from_one,
        believed="The list names the users, and heads count from 1.",
        says="Your list holds the numbers of query heads, those of key head 0 first, and counts "
        "them from 1. It should hold numbers of key heads, counted from 0: at place r, the one "
        "that query head r uses.",
        hints=(
            "Can the same number be in your list twice? Should it?",
            "Two query heads that share a key head get the same number.",
            "Write j into place r.",
        ),
    ),
    Misconception(
        name="users-in-a-row",
        answer=users_appended,
        believed="The list names the users.",
        says="Your list holds the numbers of query heads, those of key head 0 first. It should "
        "hold numbers of key heads: at place r, the one that query head r uses.",
        hints=(
            "Can the same number be in your list twice? Should it?",
            "Two query heads that share a key head get the same number.",
            "Write j into place r.",
        ),
    ),
    Misconception(
        name="a-list-for-each-key-head",
        answer=users,
        variants=(users_in_use, users_by_name),
        believed="The answer lists, for each key head, who uses it.",
        says="You return the query heads of each key head. The task asks for the other direction: "
        "one number for each query head, that of the key head which it uses.",
        hints=(
            "How long should the list be, and what is each of its entries?",
            "A key head may have several users; a query head has one key head.",
            "Write j into the place of each user of key head j.",
        ),
    ),
)

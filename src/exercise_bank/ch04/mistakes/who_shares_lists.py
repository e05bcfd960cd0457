"""How 04.who_shares goes wrong where the users of each key head are known, but not written down."""

from collections.abc import Callable

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


def users_in_use(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> object:
    return [of for of in users(attention, query, key, value) if of]


def users_by_name(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> object:
    return dict(enumerate(users(attention, query, key, value)))


LISTS = (
    Misconception(
        name="in-the-order-of-key-heads",
        answer=appended,
        believed="The list is complete when every user is in it.",
        says="Your numbers never fall from left to right: you append a number for each user that "
        "you find, one key head after the other. Place r of the list belongs to query head r.",
        hints=(
            "Which query head does the first number of your list belong to?",
            "append() writes at the end, whichever query head you have found.",
            "Begin with a list of zeros, and write j into place r.",
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

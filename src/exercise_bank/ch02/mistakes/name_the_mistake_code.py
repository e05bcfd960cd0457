"""Tests of attention that overlook a mistake, or give it the name of another."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
FIRST = slice(1)


def numbers(*shape: int) -> Tensor:
    """Return numbers between -2 and 2 that look random."""
    return 2 * torch.sin(torch.arange(1.0, 1 + math.prod(shape)).double() ** 2).reshape(shape)


def expected(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def from_sums(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> str:
    """Return the finding from values of ones; "right" means that no mistake was found."""
    sums = attention(query, key, torch.ones_like(value))
    if sums.shape != (*query.shape[:-1], value.shape[-1]):
        return "keys"
    if torch.allclose(sums, torch.ones_like(sums)):
        return "right"
    return "late" if torch.allclose(sums, sums.flatten()[0].expand_as(sums)) else "axis"


def first_loud(query: Tensor) -> Tensor:
    return torch.cat([5000 * query[..., :1, :], query[..., 1:, :]], dim=-2)


def always_right(attention: Attention) -> str:
    return "right"


def sums_only(attention: Attention) -> str:
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    return from_sums(attention, query, key, value)


def sums_and_no_more(attention: Attention) -> str:
    return from_sums(attention, numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6))


def all_the_same(attention: Attention) -> str:
    x = numbers(2, 4, 5)
    if attention(first_loud(x), x, x).isnan().any():
        return "overflow"
    got, scores = attention(x, x, x), x @ x.transpose(-2, -1) / math.sqrt(5)
    if torch.allclose(got, torch.softmax(scores, dim=-2) @ x):
        return "axis"
    if torch.allclose(got, expected(x, x, x) / math.sqrt(5)):
        return "late"
    return "right" if torch.allclose(got, expected(x, x, x)) else "scale"


def right_or_scale(attention: Attention) -> str:
    x = numbers(2, 4, 5)
    if attention(first_loud(x), x, x).isnan().any():
        return "overflow"
    return "right" if torch.allclose(attention(x, x, x), expected(x, x, x)) else "scale"


def no_batch(attention: Attention) -> str:
    query, key, value = numbers(3, 5), numbers(4, 5), numbers(4, 6)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    same = torch.allclose(attention(query, key, value), expected(query, key, value))
    return "right" if same else "scale"


def no_loud_query(attention: Attention) -> str:
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    same = torch.allclose(attention(query, key, value), expected(query, key, value))
    return "right" if same else "scale"


def all_loud(attention: Attention) -> str:
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    alike = torch.ones(2, 3, 5).double()
    if attention(1000 * alike, 1 + 0.1 * key.abs(), value).isnan().any():
        return "overflow"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    same = torch.allclose(attention(query, key, value), expected(query, key, value))
    return "right" if same else "scale"


def one_width(attention: Attention, d: int = 64, e: int = 6) -> str:
    query, key, value = numbers(2, 3, d), numbers(2, 7, d), numbers(2, 7, e)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    same = torch.allclose(attention(query, key, value), expected(query, key, value))
    return "right" if same else "scale"


def values_as_wide_as_keys(attention: Attention) -> str:
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 5).flip(-1)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    got = attention(query, key, value)
    if torch.allclose(got, expected(query, key, key)):
        return "keys"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    return "right" if torch.allclose(got, expected(query, key, value)) else "scale"


def as_many_keys_as_features(attention: Attention) -> str:
    query, key, value = numbers(2, 3, 5), numbers(2, 5, 5), numbers(2, 5, 6)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    same = torch.allclose(attention(query, key, value), expected(query, key, value))
    return "right" if same else "scale"


def by_sums_alone(attention: Attention, otherwise: str) -> str:
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    sums = attention(query, key, torch.ones_like(value))
    if sums.shape[-1] != 6:
        return "keys"
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    if not torch.allclose(sums, torch.ones_like(sums)):
        return otherwise
    same = torch.allclose(attention(query, key, value), expected(query, key, value))
    return "right" if same else "scale"


def short_sums_are_the_axis(attention: Attention) -> str:
    return by_sums_alone(attention, "axis")


def any_sum_is_late(attention: Attention) -> str:
    return by_sums_alone(attention, "late")


def one_size(attention: Attention, n: int = 5) -> str:
    query, key, value = numbers(n, n), numbers(n, n).flip(-1), numbers(n, n).flip(0)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    got = attention(query, key, value)
    if torch.allclose(got, expected(query, key, key)):
        return "keys"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    return "right" if torch.allclose(got, expected(query, key, value)) else "scale"


def less_generous(attention: Attention) -> str:
    return generous(attention, at_most=0.3)


def generous(attention: Attention, at_most: float = 0.75) -> str:
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    difference = (attention(query, key, value) - expected(query, key, value)).abs().max()
    return "right" if difference < at_most else "scale"


def at_sizes(
    attention: Attention,
    k: int = 4,
    d: int = 5,
    e: int = 6,
    batch: int = 2,
    loud: str = "first",
) -> str:
    """Test for all six at inputs of these sizes; a batch of 0 means no batch axis."""
    front = (batch,) if batch else ()
    query, key = numbers(*front, 3, d), numbers(*front, k, d).flip(-1)
    value = numbers(*front, k, e).flip(-2)
    if loud == "first" and attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    if (
        loud == "all"
        and attention(1000 * torch.ones_like(query), 1 + 0.1 * key.abs(), value).isnan().any()
    ):
        return "overflow"
    got = attention(query, key, value)
    if got.shape[-1] != e or (d == e and torch.allclose(got, expected(query, key, key))):
        return "keys"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    return "right" if torch.allclose(got, expected(query, key, value)) else "scale"


def renamed(
    attention: Attention,
    right: str = "right",
    scale: str = "scale",
    axis: str = "axis",
    late: str = "late",
    keys: str = "keys",
    overflow: str = "overflow",
) -> str:
    """Find the right name, and return another in its place."""
    others = {
        "right": right, "scale": scale, "axis": axis, "late": late, "keys": keys,
        "overflow": overflow,
    }  # fmt: skip
    return others[at_sizes(attention)]


def infinite_scores(attention: Attention) -> str:
    """Test for nan first, with scores that are inf themselves."""
    query, key = 1e200 * numbers(3, 5), 1e200 * numbers(4, 5)
    return "overflow" if attention(query, key, numbers(4, 6)).isnan().any() else at_sizes(attention)


def some_scales(attention: Attention, otherwise: str = "axis", e: int = 6) -> str:
    """Recognise two wrong scales, 1 and d, and call every other one something else."""
    found = at_sizes(attention)
    if found != "scale":
        return found
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, e)
    scores, got = query @ key.transpose(-2, -1), attention(query, key, value)
    known = (torch.softmax(scores / divisor, dim=-1) @ value for divisor in (1, 5))
    return "scale" if any(torch.allclose(got, each) for each in known) else otherwise


def expected_unscaled(attention: Attention) -> str:
    """Expect outputs without a scale, so that right boxes differ and unscaled ones do not."""
    found = at_sizes(attention)
    if found not in ("right", "scale"):
        return found
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    plain = torch.softmax(query @ key.transpose(-2, -1), dim=-1) @ value
    return "right" if torch.allclose(attention(query, key, value), plain) else "scale"


def late_besides_alone(attention: Attention, otherwise: str = "axis") -> str:
    """Recognise late division of scaled scores, and call that of unscaled ones something else."""
    found = at_sizes(attention)
    return otherwise if found == "late" and not divided_twice(attention) else found


def late_in_place_alone(attention: Attention, otherwise: str = "axis") -> str:
    """Recognise late division of unscaled scores, and call that of scaled ones something else."""
    found = at_sizes(attention)
    return otherwise if found == "late" and divided_twice(attention) else found


def divided_twice(attention: Attention) -> bool:
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    return torch.allclose(attention(query, key, value), expected(query, key, value) / math.sqrt(5))


def some_rows(attention: Attention, rows: slice = FIRST) -> str:
    """Compare only these rows of the output; the rest is right."""
    query, key, value = numbers(2, 3, 5), numbers(2, 4, 5), numbers(2, 4, 6)
    if attention(first_loud(query), key, value).isnan().any():
        return "overflow"
    found = from_sums(attention, query, key, value)
    if found != "right":
        return found
    got, right = attention(query, key, value), expected(query, key, value)
    return "right" if torch.allclose(got[:, rows], right[:, rows]) else "scale"

"""Attentions in closed boxes: right ones, and ones with a single mistake.

All take query (..., q, d), key (..., k, d) and value (..., k, e), of any such sizes.
"""

# Products of tensors are Any to the type checker.
# mypy: disable-error-code="no-any-return"

from collections.abc import Callable
from weakref import WeakKeyDictionary

import torch
from torch import Generator, Tensor

from exercise_bank.arguments import queries_keys_values
from exercise_bank.closing import closed, does
from plaincourse.exercise import Inputs
from plainformer.attention import attend
from plainformer.scores import dot, scaled_dot

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
_TOLD: WeakKeyDictionary[Attention, str] = WeakKeyDictionary()


def shown(g: Generator, *candidates: Attention) -> list[Inputs]:
    """Close boxes under uninformative names, and shuffle them."""
    order = torch.randperm(len(candidates), generator=g).tolist()
    return [{"attention": _closed(candidates[i])} for i in order]


def _closed(box: Attention) -> Attention:
    attention: Attention = closed(box, queries_keys_values, name="attention", slopes=True)
    _TOLD[attention] = does(box)
    return attention


def told(attention: Attention) -> str:
    """Describe a closed box in words, in the third person."""
    return _TOLD[attention]


def right(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend as it should."""
    return attend(query, key, value)


def right_by_loop(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend as it should, in a loop: a few queries at a time."""
    few = query.chunk(4, dim=-2)
    return torch.cat([attend(each, key, value) for each in few], dim=-2)


def scaled_by(factor: float) -> Attention:
    """Return attention whose divisor is the right one times a factor."""

    def scaled(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attend(query / factor, key, value)

    scaled.__doc__ = f"Divide by {factor:.2f} times √d."
    return scaled


def unscaled(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide by nothing."""
    return torch.softmax(dot(query, key), dim=-1) @ value


def always_8(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide by 8, which is √d at d = 64 only."""
    return torch.softmax(dot(query, key) / 8, dim=-1) @ value


def half_of_d(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide by d / 2, which is √d at d = 4 only."""
    return torch.softmax(dot(query, key) * 2 / query.shape[-1], dim=-1) @ value


def root_of_the_number_of_keys(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide by the root of the number of keys, which is √d where k = d."""
    return torch.softmax(dot(query, key) / key.shape[-2] ** 0.5, dim=-1) @ value


def root_of_the_width_of_values(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide by the root of the width of the values, which is √d where e = d."""
    return torch.softmax(dot(query, key) / value.shape[-1] ** 0.5, dim=-1) @ value


def average_of_all(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Give all keys the same weight, as if scores were divided by infinity."""
    mean = value.mean(dim=-2, keepdim=True)
    return mean + 0 * query[..., :1]


def average_in_the_last_row(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide the scores by √d, those of the last query by infinity: all its weights are equal."""
    first, last = query[..., :-1, :], query[..., -1:, :]
    rows = attend(first, key, value), average_of_all(last, key, value)
    return torch.cat(rows, dim=-2)


def over_queries(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Take its softmax over the queries, so that the rows have unlike sums."""
    return torch.softmax(scaled_dot(query, key), dim=-2) @ value


def over_axis_1(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Take its softmax over axis 1, which is the keys of a matrix and the queries of a batch."""
    return torch.softmax(scaled_dot(query, key), dim=1) @ value


def scaled_late(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide the weights by √d besides the scores, so that all rows have the sum 1/√d."""
    return attend(query, key, value) / query.shape[-1] ** 0.5


def scaled_late_alone(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Divide the weights by √d in place of the scores, so that all rows have the sum 1/√d."""
    return unscaled(query, key, value) / query.shape[-1] ** 0.5


def keys_for_values(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Average the keys in place of the values."""
    return attend(query, key, key)


def no_maximum(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Take exp of the scores as they are, so that a score of 1000 gives nan."""
    powers = torch.exp(scaled_dot(query, key))
    return powers / powers.sum(dim=-1, keepdim=True) @ value


def one_maximum_for_all(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Take the largest of *all* scores off, so that a row that lies far below it becomes 0/0."""
    scores = scaled_dot(query, key)
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum(dim=-1, keepdim=True) @ value


#: The six answers.
WORDS = ("right", "scale", "axis", "late", "keys", "overflow")

_g = torch.Generator().manual_seed(7)
_LOUD = torch.tensor([1000.0, 1.0, 1.0])[:, None]
#: Inputs that separate boxes with different mistakes: a batch, three sizes, a loud first query.
_INPUTS = (
    _LOUD * torch.randn(2, 3, 5, generator=_g),
    torch.randn(2, 4, 5, generator=_g),
    torch.randn(2, 4, 6, generator=_g),
)
_KNOWN = (
    ("right", right),
    ("axis", over_queries),
    ("late", scaled_late),
    ("late", scaled_late_alone),
    ("keys", keys_for_values),
    ("overflow", no_maximum),
    ("overflow", one_maximum_for_all),
)


def name(attention: Attention) -> str:
    """Return the word for a box: that of the known box with equal outputs, else ``scale``."""
    got = attention(*_INPUTS)
    for word, box in _KNOWN:
        want = box(*_INPUTS)
        if got.shape == want.shape and torch.allclose(got, want, equal_nan=True):
            return word
    return "scale"

"""Causal attentions, and attentions with various leaks.

All take query, key (n, d) and value (n, e) and return (n, e), and all claim to be causal. Some of
the leaks are small, or occur only in one place, or only through the keys.
"""

import math
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from exercise_bank.arguments import queries_keys_values
from exercise_bank.closing import closed, does

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
_TOLD: WeakKeyDictionary[Attention, str] = WeakKeyDictionary()


def unnamed(attention: Attention, seed: int) -> Attention:
    """Return an attention of this kind under an uninformative name.

    Its queries go through a drawn matrix and its values get a drawn scale. These keep the kind's
    leaks, but change its outputs with each seed, so that outputs noted in one check are useless in
    another.
    """

    def of_its_own(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        drawn = torch.Generator().manual_seed(seed)
        turn = torch.randn(query.shape[1], query.shape[1], generator=drawn, dtype=torch.float64)
        scale = 0.7 + 0.6 * torch.rand((), generator=drawn, dtype=torch.float64).item()
        return attention(query + 0.6 * query @ turn.to(query.dtype), key, scale * value)

    given: Attention = closed(of_its_own, _taken, name="attention", slopes=True)
    _TOLD[given] = does(attention)
    return given


def _taken(query: Any, key: Any, value: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Take query and key (n, d) and value (n, e)."""
    query, key, value = queries_keys_values(query, key, value)
    if query.ndim != 2 or len(query) != len(key):
        raise ValueError(
            f"query is {tuple(query.shape)}, key {tuple(key.shape)} and value "
            f"{tuple(value.shape)}: expected (n, d), (n, d) and (n, e)"
        )
    return query, key, value


def told(attention: Attention) -> str:
    """Describe an unnamed attention in words, in the third person."""
    return _TOLD[attention]


def honest(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to the own position and those before it."""
    return averaged(query, key, value, ~above(query))


def honest_window(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to the own position and the one before."""
    ones = torch.ones(len(query), len(query), dtype=torch.bool)
    return averaged(query, key, value, ones.tril() & ones.triu(-1))


def honest_without_itself(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to earlier positions only; the first output is zero."""
    return averaged(query, key, value, ~above(query, 0))


def honest_alone(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to the own position only."""
    return averaged(query, key, value, torch.eye(len(query), dtype=torch.bool))


def honest_looks_nowhere(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return zeros for every position."""
    return torch.zeros_like(value)


def norming_first(attention: Attention) -> Attention:
    """Return an attention that norms query, key and value over their features, then attends."""

    def normed_first(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attention(normed(query), normed(key), normed(value) / 8)

    said = (attention.__doc__ or "").strip().rstrip(".")
    normed_first.__doc__ = f"{said}, with all three normed over their features."
    return normed_first


def honest_normed(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to the own position and before, with all three normed over their features."""
    return honest(normed(query), normed(key), normed(value))


def normed_over_positions(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Norm the values over all positions, later ones too; the rest is causal."""
    return honest(query, key, normed(value.mT).mT)


def two_percent(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Mix 2% of an attention without a mask into a causal one."""
    return 0.98 * honest(query, key, value) + 0.02 * no_mask(query, key, value)


def honest_sum(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Add up the values so far."""
    return value.cumsum(dim=0)


def honest_rest_taken_off(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Take the sum of all later values off the sum of all, which leaves the sum so far."""
    later = value.flip(0).cumsum(dim=0).flip(0) - value
    return value.sum(dim=0) - later


def turned_round(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return the values from the last to the first."""
    return value.flip(0)


def no_mask(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to every position."""
    return averaged(query, key, value, torch.ones_like(above(query)))


def one_ahead(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to the next position as well, and to all before."""
    return averaged(query, key, value, ~above(query, 2))


def first_query_looks_ahead(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Let the first query attend to the second key; the rest is causal."""
    mask = ~above(query)
    mask[0, :2] = True
    return averaged(query, key, value, mask)


def last_but_one_looks_ahead(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Let the last query but one attend to the last key; the rest is causal."""
    mask = ~above(query)
    mask[-2:-1, -1] = True
    return averaged(query, key, value, mask)


def middle_looks_ahead(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Let the query in the middle attend to the key after it; the rest is causal."""
    mask = ~above(query)
    middle = len(query) // 2
    mask[middle - 1, middle] = True
    return averaged(query, key, value, mask)


def first_sees_last(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Let the first query attend to the last key; the rest is causal."""
    mask = ~above(query)
    mask[0, -1] = True
    return averaged(query, key, value, mask)


def one_value_feature(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Leak the next value into the last feature of the output alone."""
    leaked = honest(query, key, value)
    leaked[:-1, -1] += 0.1 * value[1:, -1]
    return leaked


def masked_after_softmax(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Hide after softmax: later keys still take part in the sum, later values do not."""
    return torch.softmax(scores(query, key), dim=-1).tril() @ value


def mean_of_values(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Add the mean of all values: it leaks through the values alone."""
    return honest(query, key, value) + value.mean(dim=0)


def next_key_hidden_late(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Hide the next key after softmax, the further ones before: only the next key leaks."""
    hidden = scores(query, key).masked_fill(above(query, 2), -torch.inf)
    return torch.softmax(hidden, dim=-1).tril() @ value


def next_value(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Use with each key the value after it: only the next value leaks."""
    return honest(query, key, torch.cat([value[1:], value[-1:]]))


def softly_hidden(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Lower hidden scores by 14 instead of minus infinity, with queries and keys normed."""
    return torch.softmax(scores(normed(query), normed(key)) - 14.0 * above(query), dim=-1) @ value


def normed(x: Tensor) -> Tensor:
    """Subtract the mean of each row, and divide by the length of the remainder."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return 2 * centred / centred.norm(dim=-1, keepdim=True).clamp(min=1e-6)


def scores(query: Tensor, key: Tensor) -> Tensor:
    """Score queries against keys, scaled."""
    return query @ key.mT / math.sqrt(query.shape[-1])


def above(query: Tensor, diagonal: int = 1) -> Tensor:
    """Mark the cells on or above a diagonal of the square mask."""
    return torch.ones(len(query), len(query), dtype=torch.bool).triu(diagonal)


def averaged(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Average the values where the mask allows; a query without a key gets zeros."""
    hidden = scores(query, key).masked_fill(~mask, -torch.inf)
    return torch.softmax(hidden, dim=-1).nan_to_num(0.0) @ value

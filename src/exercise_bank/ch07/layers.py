"""Functions that make up a decoder's layer, the arguments of an answer to 07.decoder_layer."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from exercise_bank.draws import normal
from plaincourse.checking.noticing import unwatched

Each = Callable[[Tensor], Tensor]
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


def as_it_is(x: Tensor) -> Tensor:
    """Return the input unchanged, in place of a norm."""
    return x.clone()


def norm(g: Generator, m: int) -> Each:
    """Return a LayerNorm with a gain and a shift."""
    gain, shift = 1 + 0.5 * normal(g, m), normal(g, m)

    @unwatched
    def norm(x: Tensor) -> Tensor:
        y = x.double() - x.double().mean(dim=-1, keepdim=True)
        y = y / torch.sqrt(y.square().mean(dim=-1, keepdim=True) + 1e-5)
        return (gain * y + shift).to(x.dtype)

    return norm


def attention(g: Generator, m: int) -> Attend:
    """Return attention with queries from its first argument, keys and values from its second."""
    to_query, to_key, to_value = normal(g, 3, m, m)

    @unwatched
    def attention(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        scores = (queries.double() @ to_query) @ (keys.double() @ to_key).mT / m
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
        return (weights @ (keys.double() @ to_value)).to(queries.dtype)

    return attention


def feed_forward(g: Generator, m: int) -> Each:
    """Return a feed-forward network."""
    up, down = normal(g, m, 2 * m), normal(g, 2 * m, m)

    @unwatched
    def feed_forward(x: Tensor) -> Tensor:
        return ((x.double() @ up).relu() @ down).to(x.dtype)

    return feed_forward


def always(output: Tensor) -> Callable[..., Tensor]:
    """Return a branch with the same output for any input."""

    @unwatched
    def branch(x: Tensor, *others: Tensor) -> Tensor:
        return output.to(x.dtype)

    return branch

"""Closed boxes: small stacks of attention, each with its own attention pattern.

A box takes (n, m) vectors and returns (n, m). All have their own random weights and differ in the
mask of each layer.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.arguments import numbers
from exercise_bank.closing import closed
from exercise_bank.draws import normal
from plaincourse.exercise import Inputs

Box = Callable[[Tensor], Tensor]


def stack(g: Generator, m: int, masks: Sequence[Tensor]) -> Box:
    """Make a stack of attention layers, one for each mask (n, n), True where a query attends."""
    weights = [[normal(g, m, m) / math.sqrt(m) for _ in range(3)] for _ in masks]

    def box(x: Tensor) -> Tensor:
        for mask, (ask, find, give) in zip(masks, weights, strict=True):
            scores = (x @ ask) @ (x @ find).mT / math.sqrt(m)
            hidden = scores.masked_fill(~mask, -torch.inf)
            x = x + torch.tanh(torch.softmax(hidden, dim=-1) @ (x @ give))
        return x

    return box


def averages(g: Generator, m: int, mask: Tensor) -> Box:
    """Make a layer without a residual; each output is a mean of the inputs that the mask allows."""
    give = normal(g, m, m) / math.sqrt(m)
    shares = mask.double() / mask.sum(dim=-1, keepdim=True)
    return lambda x: torch.tanh(shares @ (x @ give))


def normed(box: Box, *, centre: bool) -> Box:
    """Normalise the input of a box, which removes any shift of it, or its size."""

    def box_behind_a_norm(x: Tensor) -> Tensor:
        y = x - x.mean(dim=-1, keepdim=True) if centre else x
        return box(y / y.square().mean(dim=-1, keepdim=True).sqrt())

    return box_behind_a_norm


def narrow(box: Box) -> Box:
    """Restrict the effect of other positions to the last feature."""

    def box_of_one_feature(x: Tensor) -> Tensor:
        return torch.cat([x[..., :-1], box(x)[..., -1:]], dim=-1)

    return box_of_one_feature


def blind_to(box: Box, feature: int) -> Box:
    """Let a box read every feature of its inputs but one."""

    def box_that_overlooks_a_feature(x: Tensor) -> Tensor:
        kept = torch.ones(x.shape[-1], dtype=x.dtype)
        kept[feature] = 0
        return box(x * kept)

    return box_that_overlooks_a_feature


def faint(box: Box) -> Box:
    """Scale a box's change of its input to a hundred-millionth."""

    def box_of_faint_moves(x: Tensor) -> Tensor:
        return x + 1e-8 * (box(x) - x)

    return box_of_faint_moves


def triangle(n: int) -> Tensor:
    """Allow a query's own position and earlier ones."""
    return torch.ones(n, n, dtype=torch.bool).tril()


def everything(n: int) -> Tensor:
    """Allow all positions."""
    return torch.ones(n, n, dtype=torch.bool)


def opened(n: int, first: int) -> Tensor:
    """Allow the first positions to all queries, and earlier ones as in a causal mask."""
    mask = triangle(n)
    mask[:, :first] = True
    return mask


def itself(n: int) -> Tensor:
    """Allow only a query's own position."""
    return torch.eye(n, dtype=torch.bool)


def window(n: int, width: int) -> Tensor:
    """Allow the last positions up to a query's own."""
    return triangle(n).triu(1 - width)


def peeking(n: int, query: int, key: int) -> Tensor:
    """Make a causal mask with one further cell open."""
    mask = triangle(n)
    mask[query, key] = True
    return mask


def blind(n: int, query: int, key: int) -> Tensor:
    """Allow all positions but for one cell."""
    mask = everything(n)
    mask[query, key] = False
    return mask


def shut(box: Box, x: Tensor) -> Inputs:
    """Close a box, and return it with its example vectors (n, m).

    It accepts other vectors of that shape, also in batches, and computes in float64.
    """

    def taken(x: Any) -> list[Tensor]:
        x = numbers("x", x, None, wild=True)
        if x.shape[-2:] != shape:
            raise ValueError(f"x is {tuple(x.shape)}: expected the shape of the x that was shown")
        return [x]

    shape = x.shape
    return {"box": closed(lambda x: box(x.double()).to(x.dtype), taken, slopes=True), "x": x}

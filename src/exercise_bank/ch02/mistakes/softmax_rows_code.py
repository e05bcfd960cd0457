"""Softmax with a slip in it, as students write it."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return"

from typing import Any

import torch
from torch import Tensor


def over_queries(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-2, keepdim=True))
    return powers / powers.sum(dim=-2, keepdim=True)


def axis_0(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=0, keepdim=True))
    return powers / powers.sum(dim=0, keepdim=True)


def axis_1(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    return powers / powers.sum(dim=1, keepdim=True)


def whole_matrix(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum()


def no_maximum(scores: Tensor) -> Tensor:
    powers = torch.exp(scores)
    return powers / powers.sum(dim=-1, keepdim=True)


def one_maximum_for_all(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum(dim=-1, keepdim=True)


def no_division(scores: Tensor) -> Tensor:
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


def no_exp(scores: Tensor) -> Tensor:
    return scores / scores.sum(dim=-1, keepdim=True)


def unit_length(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.norm(dim=-1, keepdim=True)


def maximum_without_keepdim(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1))
    return powers / powers.sum(dim=-1, keepdim=True)


def sum_without_keepdim(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1)


def one_more_in_the_sum(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / (1 + powers.sum(dim=-1, keepdim=True))


def winner_takes_all(scores: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)


def clamped(scores: Tensor) -> Tensor:
    powers = torch.exp(scores.clamp(-50, 50))
    return powers / powers.sum(dim=-1, keepdim=True)


def in_float64(scores: Tensor) -> Tensor:
    scores = scores.double()
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def minus_the_mean(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.mean(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def nan_filled(scores: Tensor) -> Tensor:
    powers = torch.exp(scores)
    return torch.nan_to_num(powers / powers.sum(dim=-1, keepdim=True))


def smallest_first(scores: Tensor) -> Tensor:
    powers = torch.exp(scores.amin(dim=-1, keepdim=True) - scores)
    return powers / powers.sum(dim=-1, keepdim=True)


def powers_of_two(scores: Tensor) -> Tensor:
    powers = 2 ** (scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def divided_by_the_largest(scores: Tensor) -> Tensor:
    powers = torch.exp(scores / scores.abs().amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def in_bfloat16(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return (powers / powers.sum(dim=-1, keepdim=True)).bfloat16()


def as_an_array(scores: Tensor) -> Any:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return (powers / powers.sum(dim=-1, keepdim=True)).numpy()


def in_float32(scores: Tensor) -> Tensor:
    powers = torch.exp((scores - scores.amax(dim=-1, keepdim=True)).float())
    return powers / powers.sum(dim=-1, keepdim=True)


def column_maxima(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-2, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def maxima_of_axis_0(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=0, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def minus_the_smallest(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amin(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def divided_by_the_number(scores: Tensor) -> Tensor:
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True)) / scores.shape[-1]


def minus_the_largest_in_size(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.abs().amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def squeezed(scores: Tensor, least: float = 1.0) -> Tensor:
    powers = torch.exp(scores / scores.abs().amax(dim=-1, keepdim=True).clamp(min=least))
    return powers / powers.sum(dim=-1, keepdim=True)

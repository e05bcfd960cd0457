"""Softmax under a mask, gone wrong."""

import torch
from torch import Tensor


def no_mask(scores: Tensor, mask: Tensor) -> Tensor:
    scores.masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, dim=-1)


def after_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores, dim=-1) * mask


def after_and_renormalised(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True)


def upside_down(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


def scores_times_mask(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores * mask, dim=-1)


def large_negative_number(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


def small_negative_number(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, -100.0), dim=-1)


def large_negative_then_zeroed(scores: Tensor, mask: Tensor) -> Tensor:
    added = (~mask * -1e9).to(scores.dtype)
    return torch.softmax(scores + added, dim=-1) * mask


def ten_thousand_then_zeroed(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1) * mask


def ten_thousand_and_empty_rows(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)


def lowest_number(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)


def filled_where_allowed(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)


def a_billion_where_allowed(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)


def half_types_widened(scores: Tensor, mask: Tensor) -> Tensor:
    double = scores.dtype == torch.float64
    return always_float32(scores, mask).to(torch.float64 if double else torch.float32)


def minus_infinity_multiplied(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores + (1 - mask.to(scores.dtype)) * -torch.inf, dim=-1)


def nan_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)


def over_the_queries(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-2)
    return torch.nan_to_num(weights, nan=0.0)


def always_float32(scores: Tensor, mask: Tensor, wide: torch.dtype = torch.float32) -> Tensor:
    hidden = torch.where(mask, scores.to(wide), torch.finfo(wide).min)
    powers = torch.exp(hidden - hidden.amax(dim=-1, keepdim=True)) * mask
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total == 0, 1.0, total)


def lowest_and_empty_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return lowest_number(scores, mask) * mask.any(dim=-1, keepdim=True)


def lowest_then_zeroed(scores: Tensor, mask: Tensor) -> Tensor:
    return lowest_number(scores, mask) * mask


def lowest_of_float32(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = torch.where(mask, scores.float(), torch.finfo(torch.float32).min)
    return (torch.softmax(hidden, dim=-1) * mask).to(scores.dtype)


def lowest_of_float32_and_empty_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return (lowest_number(scores.float(), mask) * mask.any(dim=-1, keepdim=True)).to(scores.dtype)


def all_or_nothing(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights if mask.any(dim=-1).all() else torch.zeros_like(weights)


def no_maximum(scores: Tensor, mask: Tensor) -> Tensor:
    powers = torch.exp(scores) * mask
    return powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-30)


def no_maximum_with_care(scores: Tensor, mask: Tensor) -> Tensor:
    powers = torch.exp(scores) * mask
    total = powers.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, powers / total, torch.zeros_like(powers))


def renormalised_with_a_floor(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)


def maximum_taken_off(scores: Tensor, mask: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    return powers


def multiplied_then_zeroed(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores * mask, dim=-1) * mask


def multiplied_then_shared(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores * mask, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True)


def filled_then_shared(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, 0.0), dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)


def plus_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, torch.inf), dim=-1)


def plus_a_billion(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, 1e9), dim=-1)


def over_axis_1(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=1)
    return torch.nan_to_num(weights, nan=0.0)


def nan_rows_in_float32(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.float().masked_fill(~mask, -torch.inf), dim=-1)


def shared_in_empty_rows(scores: Tensor, mask: Tensor) -> Tensor:
    empty = ~mask.any(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(~mask & ~empty, -torch.inf), dim=-1)


def even_in_empty_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return nan_rows(scores, mask).nan_to_num(1 / scores.shape[-1])


def first_key_in_empty_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return _one_key_in_empty_rows(scores, mask, 0)


def last_key_in_empty_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return _one_key_in_empty_rows(scores, mask, -1)


def _one_key_in_empty_rows(scores: Tensor, mask: Tensor, key: int) -> Tensor:
    shown = mask.expand(scores.shape).clone()
    shown[..., key] |= ~shown.any(dim=-1)
    return torch.softmax(scores.masked_fill(~shown, -torch.inf), dim=-1)


def zeros_hidden(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores * mask
    return torch.softmax(scores.masked_fill(scores == 0, -torch.inf), dim=-1).nan_to_num(0.0)


def just_below_the_smallest(scores: Tensor, mask: Tensor, by: float = 1.0) -> Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, scores.min().item() - by), dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)


def filled_in_a_wider_type(
    scores: Tensor, mask: Tensor, low: float = -1e9, wide: torch.dtype = torch.float64
) -> Tensor:
    """Hide with a finite number that the wider type holds, and handle the empty rows."""
    weights = torch.softmax(scores.to(wide).masked_fill(~mask, low), dim=-1)
    return (weights * mask.any(dim=-1, keepdim=True)).to(scores.dtype)


def filled_as_it_is(scores: Tensor, mask: Tensor, low: float, *, zeroed: bool = False) -> Tensor:
    """Hide with a finite number in the type of the scores, and handle the empty rows."""
    weights = torch.softmax(scores.masked_fill(~mask, low), dim=-1)
    return weights * (mask if zeroed else mask.any(dim=-1, keepdim=True))


def shared_again_with_care(
    scores: Tensor, mask: Tensor, wide: torch.dtype = torch.float64
) -> Tensor:
    """Hide after the softmax and divide by the remaining sum, unless it is 0."""
    weights = torch.softmax(scores.to(wide), dim=-1) * mask
    total = weights.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, weights / total, torch.zeros_like(weights)).to(scores.dtype)

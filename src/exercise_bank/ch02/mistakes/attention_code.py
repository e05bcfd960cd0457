"""Attention with a slip in it, as students write it."""

import math

import torch
from torch import Tensor


def no_scale(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1), dim=-1) @ value


def divided_by_d(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch.softmax(query @ key.transpose(-2, -1) / query.shape[-1], dim=-1) @ value


def root_of_the_value_width(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(value.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def root_of_the_number_of_keys(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-2])
    return torch.softmax(scores, dim=-1) @ value


def root_of_the_number_of_queries(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-2])
    return torch.softmax(scores, dim=-1) @ value


def root_of_axis_1(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[1])
    return torch.softmax(scores, dim=-1) @ value


def axes_0_and_1(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(0, 1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def scaled_after_softmax(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1) / math.sqrt(query.shape[-1])
    return weights @ value


def over_queries(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-2) @ value


def axis_1(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=1) @ value


def average_of_keys(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ key


def no_softmax(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]) @ value


def best_key_only(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    best = (query @ key.transpose(-2, -1)).argmax(dim=-1, keepdim=True)
    return torch.take_along_dim(value, best, dim=-2)


def causal(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    later = torch.ones(scores.shape[-2:]).triu(1).bool()
    return torch.softmax(scores.masked_fill(later, -torch.inf), dim=-1) @ value


def multiplied(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) * math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def scaled_twice(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1) / math.sqrt(query.shape[-1])
    return weights @ value


def sum_not_divided(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True)) @ value


def no_maximum(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    powers = torch.exp(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]))
    return powers @ value / powers.sum(dim=-1, keepdim=True)


def scores_of_self(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ query.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def whole_root(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.isqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def rounded_root(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / round(math.sqrt(query.shape[-1]))
    return torch.softmax(scores, dim=-1) @ value


def over_all_pairs(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.flatten(-2).softmax(dim=-1).reshape(scores.shape) @ value


def over_all_pairs_of_a_batch(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.flatten().softmax(dim=-1).reshape(scores.shape) @ value


def cosines(query: Tensor, key: Tensor, value: Tensor, power: float = 0.0) -> Tensor:
    ask, find = (x / x.norm(dim=-1, keepdim=True).clamp(min=1e-12) for x in (query, key))
    scores = ask @ find.mT / query.shape[-1] ** power
    return torch.softmax(scores, dim=-1) @ value


def sizes_of_scores(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = (query @ key.mT).abs() / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value

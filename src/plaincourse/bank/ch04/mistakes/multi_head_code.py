"""Wrong answers to 04.multi_head: the right one with one slip each."""

import math

import torch
from torch import Tensor


def attended(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor, n_heads: int, width: int | None = None
) -> Tensor:
    query, key, value = (
        y.reshape(*y.shape[:2], n_heads, -1).transpose(1, 2) for y in (query, key, value)
    )
    scores = query @ key.mT / math.sqrt(width or query.shape[-1])
    scores = scores.masked_fill(~mask[:, None], -torch.inf)
    return torch.softmax(scores, dim=-1) @ value


def joined(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def no_output_projection(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    heads = attended(x @ w_query, memory @ w_key, memory @ w_value, mask, n_heads)
    return joined(heads)


def root_of_m(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    m = x.shape[-1]
    heads = attended(x @ w_query, memory @ w_key, memory @ w_value, mask, n_heads, m)
    return joined(heads) @ w_output


def split_by_reshape(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    query, key, value = (
        y.reshape(len(y), n_heads, y.shape[1], -1)
        for y in (x @ w_query, memory @ w_key, memory @ w_value)
    )
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask[:, None], -torch.inf), dim=-1)
    return joined(weights @ value) @ w_output


def joined_without_transpose(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    heads = attended(x @ w_query, memory @ w_key, memory @ w_value, mask, n_heads)
    return heads.reshape(x.shape) @ w_output


def over_the_target(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    query, key, value = (
        y.reshape(*y.shape[:2], n_heads, -1).transpose(1, 2)
        for y in (x @ w_query, memory @ w_key, memory @ w_value)
    )
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask[:, None], -torch.inf), dim=-2)
    return joined(weights @ value) @ w_output


def memory_ignored(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    heads = attended(x @ w_query, x @ w_key, x @ w_value, mask, n_heads)
    return joined(heads) @ w_output


def roles_swapped(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    heads = attended(memory @ w_query, x @ w_key, x @ w_value, mask.mT, n_heads)
    return joined(heads) @ w_output


def mask_ignored(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    everywhere = torch.ones_like(mask)
    heads = attended(x @ w_query, memory @ w_key, memory @ w_value, everywhere, n_heads)
    return joined(heads) @ w_output


def mask_upside_down(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    heads = attended(x @ w_query, memory @ w_key, memory @ w_value, ~mask, n_heads)
    return joined(heads) @ w_output


def mask_after_softmax(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    query, key, value = (
        y.reshape(*y.shape[:2], n_heads, -1).transpose(1, 2)
        for y in (x @ w_query, memory @ w_key, memory @ w_value)
    )
    weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    return joined(weights * mask[:, None] @ value) @ w_output


def mask_without_head_axis(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
) -> Tensor:
    query, key, value = (
        y.reshape(*y.shape[:2], n_heads, -1).transpose(1, 2)
        for y in (x @ w_query, memory @ w_key, memory @ w_value)
    )
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return joined(weights @ value) @ w_output

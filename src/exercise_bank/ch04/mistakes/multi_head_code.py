"""Wrong answers to 04.multi_head: the right one with one slip each."""

import math

import torch
from torch import Tensor


def layer(
    x: Tensor,
    memory: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    mask: Tensor,
    slip: str,
    low: float = -torch.inf,
) -> Tensor:
    if slip == "roles swapped":
        x, memory, mask = memory, x, mask.mT
    if slip == "memory ignored":
        memory = x
    for_keys, for_values = (x if slip == f"{part} of x" else memory for part in ("keys", "values"))
    if slip == "transposed":
        w_query, w_key, w_value, w_output = w_query.T, w_key.T, w_value.T, w_output.T
    if slip == "keys averaged":
        w_value = w_key
    query, key, value = (
        split(y, n_heads, slip) for y in (x @ w_query, for_keys @ w_key, for_values @ w_value)
    )
    scores = query @ key.mT * factor(query, n_heads, slip)
    if slip == "shared weights":
        scores = scores.sum(dim=1, keepdim=True).expand_as(scores)
    weights = weighed(scores, mask, slip, low)
    if slip == "mean weights":
        weights = weights.mean(dim=1, keepdim=True)
    heads = joined(weights @ value, slip)
    if slip == "not projected":
        return heads
    return heads @ (w_output.T if slip == "output transposed" else w_output)


def split(y: Tensor, n_heads: int, slip: str) -> Tensor:
    if slip == "split by reshape":
        return y.reshape(len(y), n_heads, y.shape[1], -1)
    if slip == "every h-th":
        return y.reshape(*y.shape[:2], -1, n_heads).permute(0, 3, 1, 2)
    return y.reshape(*y.shape[:2], n_heads, -1).transpose(1, 2)


def joined(heads: Tensor, slip: str) -> Tensor:
    b, h, q, d = heads.shape
    if slip == "joined without transpose":
        return heads.reshape(b, q, h * d)
    return heads.transpose(1, 2).flatten(2)


def factor(query: Tensor, n_heads: int, slip: str) -> float:
    d = query.shape[-1]
    widths = {
        "root of m": n_heads * d,
        "root of q": query.shape[-2],
        "root of h": n_heads,
        "no root": d * d,
        "whole root": math.isqrt(d) ** 2,
    }
    if slip == "no scale":
        return 1.0
    if slip == "multiplied":
        return math.sqrt(d)
    return 1 / math.sqrt(widths.get(slip, d))


def weighed(scores: Tensor, mask: Tensor, slip: str, low: float) -> Tensor:
    if slip == "causal":
        mask = mask & torch.ones_like(mask).tril()
    if slip == "first mask for all":
        mask = mask[:1]
    if slip == "mask ignored":
        mask = torch.ones_like(mask)
    if slip == "upside down":
        mask = ~mask
    if slip == "after softmax":
        return torch.softmax(scores, dim=-1) * mask[:, None]
    shown = mask if slip == "no head axis" else mask[:, None]
    if slip == "added":
        return torch.softmax(scores + shown, dim=-1)
    if slip == "multiplied by the mask":
        return torch.softmax(scores * shown, dim=-1) * shown
    if slip == "masks out of step":
        shown = mask.repeat(scores.shape[1], 1, 1).reshape(scores.shape)
    if slip == "bare exp":
        powers = scores.exp() * shown
        return powers / powers.sum(dim=-1, keepdim=True)
    scores = scores.masked_fill(~shown, 0.0 if slip == "zero" else low)
    return torch.softmax(scores, dim={"over queries": -2, "over heads": 1}.get(slip, -1))

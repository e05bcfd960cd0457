"""Backward passes of a tile with one mistake each."""

import torch
from torch import Tensor

Three = tuple[Tensor, Tensor, Tensor]


def slip(
    kind: str,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_output: Tensor,
    lse: Tensor,
    delta: Tensor,
    mask: Tensor,
) -> Three:
    """Compute gradients correctly except for one thing."""
    sizes = {"no scale": 1, "root of e": value.shape[-1], "root of q": query.shape[-2]}
    scale = sizes.get(kind, query.shape[-1]) ** -0.5
    scores = scale * query @ key.mT
    seen = ~mask if kind == "inverted" else mask
    if kind == "no mask":
        seen = torch.ones_like(mask)
    fillers = {"nan": -torch.inf, "huge": -1e9, "zero scores": 0.0}
    if kind in fillers:
        weights = torch.exp(scores.masked_fill(~seen, fillers[kind]) - lse[..., None])
    elif kind == "exp apart":
        weights = (torch.exp(scores) / torch.exp(lse[..., None])).masked_fill(~seen, 0.0)
    elif kind == "exp apart, times mask":
        weights = torch.exp(scores) / torch.exp(lse[..., None]) * seen
    elif kind == "softmax":
        hidden = scores.masked_fill(~seen, -torch.inf)
        weights = torch.softmax(hidden, dim=-1).nan_to_num(0.0)
    elif kind == "times mask":
        weights = torch.exp(scores - lse[..., None]) * seen
    elif kind == "times mask, lse guarded":
        guarded = lse.masked_fill(lse == -torch.inf, 0.0)
        weights = torch.exp(scores - guarded[..., None]) * seen
    else:
        weights = torch.exp(scores - lse[..., None]).masked_fill(~seen, 0.0)
    whole = torch.exp(scores - lse[..., None])
    if not kind.endswith("bare"):
        whole = whole.masked_fill(lse[..., None] == -torch.inf, 0.0)
    d_weights = d_output @ value.mT
    centre = delta[..., None]
    if kind == "own delta":
        centre = (weights * d_weights).sum(dim=-1, keepdim=True)
    if kind == "no delta":
        centre = torch.zeros_like(centre)
    pulling = whole if kind.startswith("dS unmasked") else weights
    d_scores = pulling * d_weights - centre if kind == "outside" else pulling * (d_weights - centre)
    if kind == "delta added":
        d_scores = pulling * (d_weights + centre)
    if kind == "own slope":
        d_scores = pulling * (1 - pulling) * d_weights
    if kind == "turned":
        d_scores = -d_scores
    for_query = 1.0 if kind in ("scale once", "dQ bare") else scale
    for_key = 1.0 if kind in ("scale once", "dK bare") else scale
    for_query *= scale if kind == "dQ scaled twice" else 1.0
    for_key *= scale if kind == "dK scaled twice" else 1.0
    if kind == "scale squared":
        for_query = for_key = scale**2
    d_query, d_key = for_query * d_scores @ key, for_key * d_scores.mT @ query
    pushing = whole if kind.startswith("dV unmasked") else weights
    d_value = (d_scores if kind == "dV from dS" else pushing).mT @ d_output
    if kind == "by head":
        return d_query, d_key, d_value
    if kind == "mean":
        return d_query, d_key.mean(dim=0), d_value.mean(dim=0)
    if kind in ("one head", "last head"):
        head = 0 if kind == "one head" else -1
        return d_query, d_key[head], d_value[head]
    if kind == "dQ summed":
        d_query = d_query.sum(dim=0)
    if kind == "dV before dK":
        return d_query, d_value.sum(dim=0), d_key.sum(dim=0)
    return d_query, d_key.sum(dim=0), d_value.sum(dim=0)

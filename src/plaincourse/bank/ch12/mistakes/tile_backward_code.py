"""Backward passes of a tile that go wrong in one place each."""

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
    """Do all but one thing right."""
    scale = 1.0 if kind == "no scale" else query.shape[-1] ** -0.5
    scores = scale * query @ key.mT
    seen = ~mask if kind == "inverted" else mask
    if kind == "no mask":
        seen = torch.ones_like(mask)
    if kind == "softmax":
        hidden = scores.masked_fill(~seen, -torch.inf)
        weights = torch.softmax(hidden, dim=-1).nan_to_num(0.0)
    elif kind == "times mask":
        weights = torch.exp(scores - lse[..., None]) * seen
    else:
        weights = torch.exp(scores - lse[..., None]).masked_fill(~seen, 0.0)
    d_weights = d_output @ value.mT
    centre = delta[..., None]
    if kind == "own delta":
        centre = (weights * d_weights).sum(dim=-1, keepdim=True)
    if kind == "no delta":
        centre = torch.zeros_like(centre)
    d_scores = weights * d_weights - centre if kind == "outside" else weights * (d_weights - centre)
    if kind == "turned":
        d_scores = -d_scores
    after = 1.0 if kind == "scale once" else scale
    d_key, d_value = after * d_scores.mT @ query, weights.mT @ d_output
    if kind == "by head":
        return after * d_scores @ key, d_key, d_value
    if kind == "mean":
        return after * d_scores @ key, d_key.mean(dim=0), d_value.mean(dim=0)
    if kind == "one head":
        return after * d_scores @ key, d_key[0], d_value[0]
    return after * d_scores @ key, d_key.sum(dim=0), d_value.sum(dim=0)

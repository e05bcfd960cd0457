"""Decoder layers with mistakes, built by one function."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

SELF = "self"
CROSS = "cross"
LAST = "feed"
ORDER = ("self", "cross", "feed")


def built(
    x: Tensor,
    memory: Tensor,
    causal: Tensor,
    real: Tensor,
    *,
    order: tuple[str, ...] = ORDER,
    place: str = "pre",
    placed: tuple[str, ...] = ORDER,
    use: tuple[int, int, int] = (0, 1, 2),
    at_place: bool = False,
    own: str = "causal",
    other: str = "real",
    lost: tuple[str, ...] = (),
    reads: dict[str, str] | None = None,
    keys: str = "normed",
    cross: str = "memory",
    end: bool = False,
    **parts: Any,
) -> Tensor:
    """Build a layer.

    Args:
        x: the stream.
        memory: output of the encoder.
        causal: the mask of the target.
        real: the mask of the memory.
        order: of the branches.
        place: of the norms: "pre", "post", "none", "behind" the branch, or "stream", which is lost.
        placed: the branches with a norm in that place; the others have it before them.
        use: the number of each branch's norm.
        at_place: whether the norms belong to the places instead of the branches.
        own: the mask of self-attention: "causal", "real", "open", or one of the first two negated.
        other: the mask of cross-attention: one of these, a "triangle" and the padding, or "both".
        lost: the branches that replace the stream instead of being added to it.
        reads: the earlier stream that a branch reads: "x" for the input.
        keys: the source of keys in self-attention: "normed" or "stream".
        cross: the input of cross-attention: "memory", "normed" memory, "turned" round or the
            "stream".
        end: whether another norm follows.
        parts: the functions.
    """
    masks = {"causal": causal, "real": real}
    masks["open"] = torch.ones(1, 1, dtype=torch.bool)
    masks |= {"not causal": ~causal, "not real": ~real}
    if other == "both":  # fails if the two have different numbers of keys
        masks["both"] = causal & real
    masks["triangle"] = real & torch.ones(len(x), len(memory), dtype=torch.bool).tril()
    start = x
    for n, name in enumerate(order):
        normalise = parts["norms"][use[n if at_place else ORDER.index(name)]]
        here = place if name in placed else "pre"
        stream = start if (reads or {}).get(name) == "x" else x
        y = normalise(stream) if here in ("pre", "stream") else stream
        if name == SELF:
            out = parts["self_attention"](y, y if keys == "normed" else stream, masks[own])
        elif name == CROSS:
            given = {"memory": (y, memory), "turned": (memory, y), "stream": (y, y)}
            pair = given.get(cross) or (y, normalise(memory))
            out = parts["cross_attention"](*pair, masks[other])
        else:
            out = parts["feed_forward"](y)
        if here == "behind":
            out = normalise(out)
        x = out if name in lost else (y if here == "stream" else x) + out
        if here == "post":
            x = normalise(x)
    return parts["norms"][2](x) if end else x


def layer(how: dict[str, Any]) -> Callable[..., Tensor]:
    """Return a layer with these mistakes."""
    return partial(built, **how)

"""Wrong ways to build a decoder's layer, and one way to say them all."""

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
        memory: what the encoder returned.
        causal: the mask of the target.
        real: the mask of the memory.
        order: of the branches.
        place: of the norms: "pre", "post", "none", "behind" the branch, or "stream", which is lost.
        placed: the branches whose norm is there; that of the others is before them.
        use: which norm each branch has.
        at_place: whether the norms go with the places and not with the branches.
        own: the mask of self-attention: "causal", "real", "open", or one of the first two negated.
        other: the mask of cross-attention: one of these, a "triangle" and the padding, or "both".
        lost: the branches that are not added to the stream but replace it.
        reads: which earlier stream a branch reads: "x" for the input.
        keys: what self-attention takes keys from: "normed" or "stream".
        cross: what cross-attention gets: "memory", "normed" memory, "turned" round or the "stream".
        end: whether another norm follows.
        parts: the functions.
    """
    masks = {"causal": causal, "real": real}
    masks["open"] = torch.ones(1, 1, dtype=torch.bool)
    masks |= {"not causal": ~causal, "not real": ~real}
    if other == "both":  # which fails where the two have different numbers of keys
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
    """Return a layer that is built wrongly in these ways."""
    return partial(built, **how)

"""Inputs that tiles cannot take are refused before the first one."""

import torch
from torch import Tensor, nn

from plainformer.attention import Bias
from plainformer.heads import check_divides


def check_inputs(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Refuse queries, keys and values that do not belong together.

    Args:
        query: (b, h, q, d).
        key: (b, g, k, d).
        value: (b, g, k, e).

    Raises:
        ValueError: says which shape or dtype was given, and which was expected.
    """
    shapes = [tuple(x.shape) for x in (query, key, value)]
    if any(len(shape) != 4 for shape in shapes):
        raise ValueError(
            f"query, key, value of shapes {shapes}: expected four axes each, (b, h, q, d), "
            "(b, g, k, d), (b, g, k, e); for one head use x[:, None]"
        )
    (b, h, _, d), (b_key, g, k, d_key), of_value = shapes
    if (b, d) != (b_key, d_key) or (b, g, k) != of_value[:3]:
        raise ValueError(
            f"query, key, value of shapes {shapes}: expected (b, h, q, d), (b, g, k, d), "
            "(b, g, k, e) with the same b, g, k and d"
        )
    check_divides("n_heads", h, "the number of key/value heads", g)
    dtypes = [x.dtype for x in (query, key, value)]
    if len(set(dtypes)) > 1 or not query.is_floating_point():
        raise ValueError(
            f"query, key, value of dtypes {dtypes}: expected the same floating point for all; "
            "convert with key.to(query.dtype)"
        )


def check_bias(bias: Tensor | Bias | None, query: Tensor, key: Tensor) -> None:
    """Refuse a bias that does not fit the scores, or whose gradient would be lost.

    Args:
        bias: a tensor, or a function of positions.
        query: (b, h, q, d).
        key: (b, g, k, d).

    Raises:
        ValueError: the shape does not broadcast to (b, h, q, k), or a function that is no
            ``nn.Module`` makes what requires a gradient.
    """
    if bias is None:
        return
    b, h, q, k = *query.shape[:3], key.shape[-2]
    if isinstance(bias, Tensor):
        shape, target = tuple(bias.shape), (b, h, q, k)
    else:
        here = torch.arange(min(1, q, k), device=query.device)
        made = bias(here, here)
        shape, target = tuple(made.shape), (b, h, len(here), len(here))
        if made.requires_grad and not isinstance(bias, nn.Module):
            raise ValueError(
                f"bias={bias!r} makes what requires a gradient, and is no nn.Module: its "
                "parameters cannot be found tile by tile. Make it a module, or use "
                "plainformer.attention.attend_heads or plainformer.sdpa.sdpa"
            )
    padded = (1,) * (4 - len(shape)) + shape
    if len(padded) != 4 or any(n not in (1, m) for n, m in zip(padded, target, strict=True)):
        raise ValueError(
            f"bias of shape {shape} does not broadcast to scores of shape {target} (b, h, q, k)"
        )

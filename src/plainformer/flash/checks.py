"""A bias that tiles cannot take is refused before the first one."""

import torch
from torch import Tensor, nn

from plainformer.attention import Bias


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

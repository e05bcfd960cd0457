"""FlashAttention on a GPU: what it can do, and its door.

What runs is in :mod:`~plainformer.flash.triton_function`, imported at its first use: a machine
without Triton can import this file. With ``TRITON_INTERPRET=1`` set before Python starts, it runs
on the CPU, one NumPy operation after another, which is slow and good for tests.
"""

import os
from importlib.util import find_spec

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Bias
from plainformer.heads import check_divides
from plainformer.mask_rules import Rule
from plainformer.positions.alibi import Alibi

WIDEST = 256  # wider heads have sums that fit no register file


def supports(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | Rule | None = None,
    bias: Tensor | Bias | None = None,
) -> bool:
    """Say whether :func:`attend` can do this.

    Args:
        query: (b, h, q, d); on a GPU of compute capability 7.5 or later, in float32, float16, or
            (from 8.0 on) bfloat16.
        key: (b, g, k, d), g dividing h.
        value: (b, g, k, d): not of another width.
        mask: None, or a rule of causality and window; no written mask.
        bias: None, or an :class:`~plainformer.positions.alibi.Alibi` of h heads.
    """
    b, h, _, d = query.shape
    fits = key.shape == value.shape and (key.shape[0], key.shape[-1]) == (b, d)
    fits = fits and 1 <= d <= WIDEST and key.shape[1] > 0 and h % key.shape[1] == 0
    alike = len({(x.dtype, x.device) for x in (query, key, value)}) == 1
    sloped = isinstance(bias, Alibi) and len(bias.slopes) == h
    ruled = mask is None or (isinstance(mask, Rule) and _two_numbers(mask))
    return fits and alike and ruled and (bias is None or sloped) and _runs(query)


def attend(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k d"],
    *,
    rule: Rule | None,
    scale: float,
    slopes: Float[Tensor, " h"] | None = None,
) -> Float[Tensor, "b h q d"]:
    """Attend with scaled dot products, in tiles, on a GPU; gradients too, once.

    Sums are in float32, and float32 inputs are multiplied exactly as such (no TF32).

    Args:
        query: h heads of queries, the last q of the k positions.
        key: g heads of keys; g divides h, and none is repeated.
        value: g heads of values.
        rule: who may look at whom, by causality and window; None = all at all.
        scale: the factor of the dot products.
        slopes: what each head's scores lose for each step of distance (ALiBi); not learned.

    Returns:
        One vector for each head and query; zeros where a query may look nowhere.

    Raises:
        ValueError: :func:`supports` denies it, or the slopes want a gradient.

    Cost: 4·h·q·k·d operations forward, 2.5 times that backward, those in invisible tiles left out;
        4 bytes for each head and query beyond inputs and output.

    Ref: Dao 2023 (FlashAttention-2).
    """
    check_divides("n_heads", query.shape[1], "the number of key/value heads", key.shape[1])
    if not supports(query, key, value, rule):
        raise ValueError(
            f"query {tuple(query.shape)} {query.dtype} on {query.device}, key {tuple(key.shape)}, "
            f"value {tuple(value.shape)}, {rule=}: the GPU kernel does not do this (see its "
            "supports); use plainformer.flash.attend, which finds another way"
        )
    if slopes is not None and slopes.requires_grad:
        raise ValueError("slopes.requires_grad: the GPU kernel gives slopes no gradient; detach()")
    from plainformer.flash.triton_function import Flash

    output: Tensor = Flash.apply(query, key, value, slopes, rule, scale)  # type: ignore[no-untyped-call]
    return output


def _two_numbers(rule: Rule) -> bool:
    """Say whether a rule is no more than how far a query sees behind it and in front of it."""
    sequences = rule.starts is not None or rule.lengths is not None
    return not sequences and not rule.prefix and (rule.window is None or not rule.sinks)


def _runs(x: Tensor) -> bool:
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or not find_spec("triton"):
        return False
    if not x.is_cuda or torch.version.cuda is None:
        return x.device.type == "cpu" and os.environ.get("TRITON_INTERPRET") == "1"
    # Before 8.0 there is no bfloat16, and too little shared memory for the widest heads.
    needed = (8, 0) if x.dtype == torch.bfloat16 or x.shape[-1] > WIDEST // 2 else (7, 5)
    return torch.cuda.get_device_capability(x.device) >= needed

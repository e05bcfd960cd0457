"""Exact attention without storing q·k scores: on a GPU with a kernel, elsewhere in tiles."""

from typing import Literal, overload

from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Bias, headwise
from plainformer.flash import gpu
from plainformer.flash.function import attend_in_tiles
from plainformer.flash.reference import attend_in_blocks
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scaled_dot
from plainformer.sdpa import scale_of

__all__ = ["attend", "attend_in_blocks", "attend_in_tiles"]


@overload
def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
    return_lse: Literal[False] = False,
) -> Tensor: ...


@overload
def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
    return_lse: Literal[True],
) -> tuple[Tensor, Tensor]: ...


@headwise
def attend(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
    return_lse: bool = False,
) -> Float[Tensor, "b h q e"] | tuple[Float[Tensor, "b h q e"], Float[Tensor, "b h q"]]:
    """Attend with the GPU kernel if it supports the inputs, otherwise in tiles of plain PyTorch.

    Args:
        query: h heads of queries, the last q of the k positions.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True where a query may attend to a key, broadcasting to (b, h, q, k); or a rule.
        score: :func:`~plainformer.scores.scaled_dot` or :func:`~plainformer.scores.dot`.
        bias: added to the scores, or a function of positions that makes it.
        return_lse: whether to return the log-sum-exp of the scores, too. With it, outputs over
            disjoint sets of keys can be merged: :func:`plainformer.online_softmax.merge_outputs`.

    Returns:
        One vector of width e for each head and query; zeros for a fully masked query. With
        ``return_lse``, also the natural logarithm of each query's sum of exp(score), including the
        bias: (b, h, q), -inf for a fully masked query, in float32, or in float64 for float64.
        Gradients flow through both.

    Raises:
        ValueError: see :func:`~plainformer.flash.function.attend_in_tiles`.

    Cost: h·q·k·(d + e) multiplications, fewer if tiles are hidden; memory grows with q + k.
    Gradients can be taken once.

    Ref: Dao et al. 2022 (FlashAttention); Dao 2023 (FlashAttention-2). ``return_lse`` has this name
    in PyTorch's ``flex_attention``.
    """
    if query.is_cuda and gpu.supports(query, key, value, mask, bias):
        scale = scale_of(score, query.shape[-1])
        rule = mask if isinstance(mask, Rule) else None
        slopes = getattr(bias, "slopes", None)
        output, lse = gpu.attend(query, key, value, rule=rule, scale=scale, slopes=slopes)
    else:
        output, lse = attend_in_tiles(query, key, value, mask, score=score, bias=bias)
    return (output, lse) if return_lse else output

"""Exact attention that never holds q·k numbers: one dispatch over a GPU kernel and tiles."""

from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Bias
from plainformer.flash.function import attend_in_tiles
from plainformer.flash.reference import attend_in_blocks
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scale_of, scaled_dot

__all__ = ["attend", "attend_in_blocks", "attend_in_tiles"]


def attend(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
) -> Float[Tensor, "b h q e"]:
    """Attend with the GPU kernel where it applies, in tiles of plain PyTorch elsewhere.

    Args:
        query: h heads of queries, the last q of the k positions.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True = may look, broadcasting to (b, h, q, k); or a rule.
        score: :func:`~plainformer.scores.scaled_dot` or :func:`~plainformer.scores.dot`.
        bias: added to the scores, or a function of positions that makes it.

    Returns:
        One vector of width e for each head and query; zeros where a query may look nowhere.

    Raises:
        ValueError: see :func:`~plainformer.flash.function.attend_in_tiles`.

    Cost: h·q·k·(d + e) multiplications, fewer where tiles are invisible; memory grows with q + k.
    Gradients can be taken once.

    Ref: Dao et al. 2022 (FlashAttention); Dao 2023 (FlashAttention-2).
    """
    if query.is_cuda:
        from plainformer.flash import triton_kernel

        if triton_kernel.supports(query, key, value, mask, bias):
            scale = scale_of(score, query.shape[-1])
            rule = mask if isinstance(mask, Rule) else None
            slopes = getattr(bias, "slopes", None)
            return triton_kernel.attend(query, key, value, rule=rule, scale=scale, slopes=slopes)
    return attend_in_tiles(query, key, value, mask, score=score, bias=bias)

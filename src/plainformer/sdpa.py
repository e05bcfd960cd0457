"""PyTorch's own fused attention behind the signature of this package."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from plainformer.attention import Bias, written_out
from plainformer.heads import check_shapes
from plainformer.mask_checks import check_mask_and_bias
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scale_of, scaled_dot


def sdpa(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
) -> Float[Tensor, "b h q e"]:
    """Attend with :func:`torch.nn.functional.scaled_dot_product_attention`.

    Its ``is_causal`` aligns top-left, this package bottom-right; so it is used only where the two
    agree, and a mask is written out elsewhere.

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
        ValueError: the score is another one, the mask or the bias is unfit, g does not divide h,
            or query, key and value do not fit each other.

    Cost: h·q·k·(d + e) multiplications.
    """
    scale = scale_of(score, query.shape[-1])
    h, q, k = query.shape[-3], query.shape[-2], key.shape[-2]
    check_shapes(query, key, value)  # the kernel on the CPU reads what is not there
    _, bias = written_out(None, bias, q, k, query.device)
    check_mask_and_bias(query, key, mask, bias)
    causal = False
    if isinstance(mask, Rule) and bias is None:
        if mask.sees(range(k - q, k), range(k)):
            mask = None
        elif mask.only_causal and q == k:
            mask, causal = None, True
    mask, _ = written_out(mask, None, q, k, query.device)
    if bias is not None:
        bias = bias.to(query.dtype)[(None,) * (4 - bias.ndim)]  # the fast kernel wants 4 axes
        mask = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
    return F.scaled_dot_product_attention(
        query, key, value, mask, is_causal=causal, scale=scale, enable_gqa=key.shape[-3] != h
    )

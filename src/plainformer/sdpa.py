"""PyTorch's own fused attention with the signature of this package, and checks of its inputs.

The kernels of :func:`sdpa` and :func:`plainformer.flash.attend` do not check their inputs. Inputs
that they cannot compute, or would read wrongly, are refused here, before they start.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from plainformer.attention import Bias, headwise
from plainformer.heads import check_divides
from plainformer.mask_checks import check, check_bias
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.scores import Score, dot, scaled_dot


@headwise
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

    Its ``is_causal`` aligns top-left, this package bottom-right; so it is used only if the two
    agree, and otherwise the mask is made as a tensor.

    Args:
        query: h heads of queries, the last q of the k positions.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True where a query may attend to a key, broadcasting to (b, h, q, k); or a rule.
        score: :func:`~plainformer.scores.scaled_dot` or :func:`~plainformer.scores.dot`.
        bias: added to the scores, or a function of positions that makes it.

    Returns:
        One vector of width e for each head and query; zeros for a fully masked query.

    Raises:
        ValueError: another score is given, the mask or the bias is invalid, g does not divide h, or
            query, key and value do not match each other.

    Cost: h·q·k·(d + e) multiplications. Gradients can be taken once: for the gradient of a
    gradient, use :func:`~plainformer.attention.attend_heads`.
    """
    scale = scale_of(score, query.shape[-1])
    h, q, k = query.shape[-3], query.shape[-2], key.shape[-2]
    check_shapes(query, key, value)  # the kernel on the CPU would read beyond its inputs
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
        narrow = bias.to(query.dtype)
        if not torch.equal(narrow.isinf(), bias.isinf()):  # such as -1e9, which is not -inf
            query_, key_, value_ = (x.to(bias.dtype) for x in (query, key, value))
            return sdpa(query_, key_, value_, mask, score=score, bias=bias).to(query.dtype)
        bias = narrow[(None,) * (4 - narrow.ndim)]  # the fast kernel requires 4 axes
        mask = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
    return F.scaled_dot_product_attention(
        query, key, value, mask, is_causal=causal, scale=scale, enable_gqa=key.shape[-3] != h
    )


def scale_of(score: Score, width: int) -> float:
    """Return the factor by which a score multiplies the dot product.

    Fast attention computes only scaled dot products; this function returns their scale.

    Args:
        score: :func:`~plainformer.scores.scaled_dot` or :func:`~plainformer.scores.dot`.
        width: width d of queries and keys.

    Returns:
        1/√d for ``scaled_dot``, 1 for ``dot``.

    Raises:
        ValueError: the score is not a multiple of the dot product.
    """
    if score is scaled_dot:
        return 1 / math.sqrt(width)
    if score is dot:
        return 1.0
    raise ValueError(
        f"score={score!r}: fast attention knows scaled_dot and dot only; "
        "use plainformer.attention.attend_heads for others"
    )


def check_inputs(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Refuse queries, keys and values that do not match each other.

    Args:
        query: (b, h, q, d).
        key: (b, g, k, d).
        value: (b, g, k, e).

    Raises:
        ValueError: names the shapes or dtypes that were given, and those that were expected.
    """
    check_shapes(query, key, value)
    dtypes = [x.dtype for x in (query, key, value)]
    if len(set(dtypes)) > 1 or not query.is_floating_point():
        raise ValueError(
            f"query, key, value of dtypes {dtypes}: expected the same floating point for all; "
            "convert with key.to(query.dtype)"
        )


def check_shapes(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Refuse queries, keys and values whose shapes do not match each other.

    Args:
        query: (b, h, q, d).
        key: (b, g, k, d).
        value: (b, g, k, e).

    Raises:
        ValueError: names the shapes that were given, and those that were expected.
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
    if not g or h % g:
        check_divides("n_heads", h, "the number of key/value heads", g)  # names those that divide


def check_mask_and_bias(
    query: Tensor,
    key: Tensor,
    mask: Tensor | Rule | None,
    bias: Tensor | Bias | None,
) -> None:
    """Refuse a mask or a bias that does not fit the heads.

    Args:
        query: (b, h, q, d), for its shape.
        key: (b, g, k, d), for its shape.
        mask: a mask that broadcasts to (b, h, q, k); or a rule, whose starts and lengths are (b,).
        bias: broadcasts to the scores and is added to them; or a function of positions, which is
            called with the first position.

    Raises:
        ValueError: see :mod:`plainformer.mask_checks`, and for a rule
            :meth:`plainformer.mask_rules.Rule.check_batch`.
    """
    scores = query.new_zeros(()).expand(*query.shape[:3], key.shape[-2])  # for their shape alone
    if isinstance(mask, Rule):
        mask.check_batch(query.shape[0])
    elif mask is not None:
        check(mask, scores)
    if bias is not None and not isinstance(bias, Tensor):
        first = torch.arange(min(1, *scores.shape[-2:]), device=query.device)
        bias, scores = bias(first, first), scores[..., : len(first), : len(first)]
    if bias is not None:
        check_bias(bias, scores)

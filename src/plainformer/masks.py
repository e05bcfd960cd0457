"""Attention masks: which keys each query may attend to.

Every mask of this package is a boolean tensor in which **True means "may attend"**: row = query,
column = key. This is the polarity of :func:`torch.nn.functional.scaled_dot_product_attention`.
:class:`torch.nn.MultiheadAttention` uses the opposite one; ``~mask`` converts.

With fewer queries than keys, the queries are the *last* ones: query ``i`` is at key position
``i + k - q``. This is called bottom-right alignment, and a decoder with a cache needs it. With
q = 2 and k = 4::

    causal(2, 4)          1 = may attend
      query 0:  1 1 1 0
      query 1:  1 1 1 1
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from plainformer.mask_checks import check, check_boolean

__all__ = ["additive", "causal", "check", "combine", "padding", "prefix", "sliding_window"]


def causal(
    q: int, k: int | None = None, *, device: torch.device | None = None
) -> Bool[Tensor, "{q} k"]:
    """Let each query attend to its own position and to earlier ones.

    Query ``i`` attends to key ``j`` when ``j <= i + k - q``.

    Args:
        q: number of queries.
        k: number of keys; the same as ``q`` when left out.
        device: device of the mask.

    Returns:
        A mask of shape (q, k). With q > k, the first q - k rows are all False.

    Raises:
        ValueError: ``q`` or ``k`` is negative.

    Cost: q·k booleans.

    Ref: Vaswani et al. 2017, section 3.2.3.

    >>> causal(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    q, k = _lengths(q, k)
    later = torch.ones(q, k, dtype=torch.bool, device=device).triu(k - q + 1)
    return ~later


def sliding_window(
    q: int, k: int | None = None, *, window: int, device: torch.device | None = None
) -> Bool[Tensor, "{q} k"]:
    """Let each query attend to the last ``window`` positions, its own included.

    Query ``i``, at position ``p = i + k - q``, attends to key ``j`` when ``p - window < j <= p``.

    Args:
        q: number of queries.
        k: number of keys; the same as ``q`` when left out.
        window: number of positions that each query may attend to, at least 1.
        device: device of the mask.

    Returns:
        A mask of shape (q, k).

    Raises:
        ValueError: ``window`` is below 1, or a length is negative.

    Cost: q·k booleans.

    Ref: Beltagy et al. 2020 (Longformer), section 3.1, one-sided.

    >>> sliding_window(4, window=2).int().tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    q, k = _lengths(q, k)
    if window < 1:
        raise ValueError(f"window={window}: a query sees at least its own position, so window >= 1")
    too_early = torch.ones(q, k, dtype=torch.bool, device=device).tril(k - q - window)
    return causal(q, k, device=device) & ~too_early


def prefix(
    q: int, k: int | None = None, *, prefix: int, device: torch.device | None = None
) -> Bool[Tensor, "{q} k"]:
    """Let every query attend to the first ``prefix`` keys, and to the rest causally.

    Args:
        q: number of queries.
        k: number of keys; the same as ``q`` when left out.
        prefix: number of keys, from the first one, that are visible to all queries.
        device: device of the mask.

    Returns:
        A mask of shape (q, k).

    Raises:
        ValueError: ``prefix`` is negative or exceeds ``k``, or a length is negative.

    Cost: q·k booleans.

    Ref: Raffel et al. 2020 (T5), figure 3, "causal with prefix".

    >>> prefix(3, prefix=2).int().tolist()
    [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    """
    q, k = _lengths(q, k)
    if not 0 <= prefix <= k:
        raise ValueError(f"prefix={prefix} is outside 0..{k}, the number of keys")
    mask = causal(q, k, device=device)
    mask[:, :prefix] = True
    return mask


def padding(lengths: Int[Tensor, " b"], k: int) -> Bool[Tensor, "b 1 1 {k}"]:
    """Hide the padding after sequences of unequal length.

    Args:
        lengths: number of real tokens in each sequence of the batch; the padding follows them.
        k: length of the padded sequences.

    Returns:
        A mask of shape (b, 1, 1, k), which broadcasts over heads and queries. For padding on the
        left, flip it: ``padding(lengths, k).flip(-1)``. A model then needs the positions of the
        tokens, too; it computes them itself from ``Rule(starts=k - lengths)``.

    Raises:
        ValueError: a length is negative or exceeds ``k``.

    Cost: b·k booleans.

    >>> padding(torch.tensor([3, 1]), k=3).int()[:, 0, 0].tolist()
    [[1, 1, 1], [1, 0, 0]]
    """
    wrong = [int(n) for n in lengths if not 0 <= n <= k]
    if wrong:
        raise ValueError(f"lengths contains {wrong[0]}, which is outside 0..{k}, the padded length")
    positions = torch.arange(k, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]


def combine(*masks: Tensor | None) -> Tensor | None:
    """Let a query attend only to keys that every mask allows.

    Args:
        masks: masks of shapes that broadcast with each other; ``None`` allows everything.

    Returns:
        Their logical *and*, or ``None`` when all of them are ``None``.

    Raises:
        ValueError: a mask is not boolean.

    >>> both = combine(causal(3), padding(torch.tensor([2]), k=3))
    >>> both.shape, both[0, 0].int().tolist()
    (torch.Size([1, 1, 3, 3]), [[1, 0, 0], [1, 1, 0], [1, 1, 0]])
    """
    together: Tensor | None = None
    for mask in masks:
        if mask is not None:
            check_boolean(mask)
            together = mask if together is None else together & mask
    return together


def additive(
    mask: Bool[Tensor, "*batch"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "*batch"]:
    """Convert a boolean mask to one that papers *add* to the scores: 0 or minus infinity.

    Args:
        mask: True where a query may attend to a key.
        dtype: floating-point type of the result.

    Returns:
        A tensor of the same shape: 0 where the mask is True, ``-inf`` where it is False.

    Cost: one number of the dtype for each boolean.

    >>> additive(causal(2)).tolist()
    [[0.0, -inf], [0.0, 0.0]]
    """
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, -torch.inf)


def _lengths(q: int, k: int | None) -> tuple[int, int]:
    k = q if k is None else k
    if q < 0 or k < 0:
        raise ValueError(f"q={q}, k={k}: a number of positions cannot be negative")
    return q, k

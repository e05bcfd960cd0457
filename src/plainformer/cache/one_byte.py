"""One query against codes of one byte, a piece of cache-sized memory at a time."""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Bias, written_out
from plainformer.heads import check_divides
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scale_of
from plainformer.softmax import softmax

PIECE = 1 << 20  # numbers decoded at a time: 4 MB in float32, which stay in a processor's cache


def attend_codes(
    query: Float[Tensor, "b h 1 d"],
    key: tuple[Tensor, Tensor],
    value: tuple[Tensor, Tensor],
    mask: Tensor | Rule | None,
    *,
    score: Score,
    bias: Tensor | Bias | None,
) -> Float[Tensor, "b h 1 e"]:
    r"""Attend to codes, their scales folded into scores and weights.

    .. math:: O = \operatorname{softmax}((Q C_K^\top) \odot s_K / \sqrt d)\, s_V \odot C_V

    Args:
        query: one query for each head.
        key: codes (b, g, k, d) and scales (b, g, k).
        value: codes (b, g, k, e) and scales (b, g, k).
        mask: True = may look, or a rule.
        score: a multiple of the dot product.
        bias: added to the scores, or a function of positions that makes it.

    Raises:
        ValueError: the mask or the score is unfit, or g does not divide h.

    Cost: h·k·(d + e) multiplications; the codes are converted once, a piece at a time.
    """
    (b, h, _, d), (g, k) = query.shape, key[0].shape[1:3]
    check_divides("n_heads", h, "the number of key/value heads", g)
    if isinstance(mask, Rule) and mask.sees(range(k - 1, k), range(k)):
        mask = None
    mask, bias = written_out(mask, bias, 1, k, query.device)
    rows = query.detach().reshape(b * g, h // g, d) * scale_of(score, d)
    scores = rows.new_empty(b * g, h // g, k)
    for heads, codes in _decoded(key[0], query.dtype):
        torch.bmm(rows[heads], codes.transpose(1, 2), out=scores[heads])
    scores *= key[1].reshape(b * g, 1, k)
    if bias is not None:
        scores = (scores.view(b, h, 1, k) + bias).view(b * g, h // g, k)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        weights = softmax(scores.view(b, h, 1, k), mask).view(b * g, h // g, k)
    weights = (weights * value[1].reshape(b * g, 1, k)).to(query.dtype)  # a bias may be wider
    out = rows.new_empty(b * g, h // g, value[0].shape[-1])
    for heads, codes in _decoded(value[0], query.dtype):
        torch.bmm(weights[heads], codes, out=out[heads])
    return out.view(b, h, 1, value[0].shape[-1])


def _decoded(codes: Tensor, dtype: torch.dtype) -> Iterator[tuple[slice, Tensor]]:
    """Give heads as numbers of ``dtype``, some at a time, each time in the same memory."""
    b, g, k, d = codes.shape
    if not codes.numel():
        return
    flat = codes.flatten(0, 1) if b > 1 else codes[0]
    step = max(1, PIECE // (k * d))
    piece = torch.empty(min(step, b * g), k, d, dtype=dtype, device=codes.device)
    for first in range(0, b * g, step):
        heads = slice(first, min(first + step, b * g))
        yield heads, decoded(flat[heads], out=piece[: heads.stop - first])


def decoded(codes: Tensor, *, out: Tensor) -> Tensor:
    """Write codes as numbers.

    PyTorch converts float8 one number at a time. Its bits, 1 + 4 + 3 of them, moved seven places
    up are a float16's, 1 + 5 + 10, whose exponent counts from 8 lower: 256 times too small.

    Args:
        codes: whole numbers of one byte, or float8_e4m3fn.
        out: where the numbers are written.

    Cost: one pass; four for float8.
    """
    if codes.dtype == torch.int8:
        return out.copy_(codes)
    bits = codes.view(torch.int8).to(torch.int16)  # the sign fills the upper byte
    bits.bitwise_left_shift_(7).bitwise_and_(~0x407F)  # of its copies, the highest stays
    return out.copy_(bits.view(torch.float16)).mul_(256)

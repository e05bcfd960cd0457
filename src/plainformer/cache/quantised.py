"""Keys and values in one byte each, with a scale for every token and head."""

from abc import abstractmethod
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias
from plainformer.cache.base import LayerCache, check_fit, check_length, check_room
from plainformer.cache.static import reserve
from plainformer.heads import check_divides
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.scores import Score, dot, scaled_dot
from plainformer.sdpa import scale_of
from plainformer.softmax import softmax

PIECE = 1 << 20  # numbers decoded at a time: 4 MB in float32, which fit in a processor's cache


class QuantisedCache(LayerCache):
    r"""Store codes c of one byte and one scale s for each token and head: :math:`x \approx s c`.

    A subclass defines the codes. For a single query no number is decoded: a score is
    :math:`s_k\, (q \cdot c_k)`, and a key's weight is multiplied by its value's scale before the
    codes.

    Args:
        batch: sequences b.
        capacity: the largest number of positions.
        n_kv_heads: key/value heads g.
        width: width d of keys.
        value_width: width e of values; d when left out.
        value_in_key: the values are the first e numbers of the keys, and are not stored again.
        dtype: dtype of the decoded numbers.
        device: device of the codes.

    Raises:
        ValueError: a size is out of range.

    Cost: b·g·capacity·(d + e + 8) bytes: 0.27 of float32 at d = e = 64.

    Ref: Liu et al. 2024 (KIVI), section 3 (per token); Dettmers et al. 2022 (absolute maximum).
    """

    codes: torch.dtype
    largest: float

    def __init__(
        self,
        *,
        batch: int,
        capacity: int,
        n_kv_heads: int,
        width: int,
        value_width: int | None = None,
        value_in_key: bool = False,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> None:
        self.sizes = batch, n_kv_heads, width, width if value_width is None else value_width
        self.capacity, self.length, self.dtype = capacity, 0, dtype
        self.value_in_key = value_in_key
        places = batch, n_kv_heads, capacity
        self.key, self.value = reserve(places, *self.sizes[2:], value_in_key, self.codes, device)
        self.key_scale = torch.zeros(*places, dtype=torch.float32, device=device)
        self.value_scale = self.key_scale if value_in_key else self.key_scale.clone()

    @abstractmethod
    def encode(self, x: Tensor) -> Tensor:
        """Return the codes nearest to ``x``, whose absolute value is at most ``largest``."""

    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Encode the keys and values of the next n positions.

        Raises:
            CacheFull: there is no room; nothing was written.
            ValueError: batch, heads or widths differ from the cache's, or a number is not finite,
                for which there is no scale.
        """
        check_fit(key, value, *self.sizes)
        n = key.shape[-2]
        check_room(self.length, n, self.capacity)
        if not key.numel():
            return
        pairs = [(key, self.key, self.key_scale)]
        if not self.value_in_key:
            pairs.append((value, self.value, self.value_scale))
        if len(pairs) == 2 and key.shape == value.shape:  # half the number of small steps
            codes, scale = self._quantise(torch.stack([key.detach(), value.detach()]))
            done = list(zip(codes, scale, strict=True))
        else:
            done = [self._quantise(x.detach()) for x, *_ in pairs]
        for (codes, scale), (_, codes_held, scales_held) in zip(done, pairs, strict=True):
            codes_held.narrow(2, self.length, n).copy_(codes)
            scales_held.narrow(2, self.length, n).copy_(scale)
        self.length += n

    def read(self) -> tuple[Tensor, Tensor]:
        """Return the decoded keys and values, in ``dtype``."""
        found = []
        for held in ((self.key, self.key_scale), (self.value, self.value_scale)):
            codes, scale = self._held(*held)
            numbers = torch.empty(codes.shape, dtype=self.dtype, device=codes.device)
            found.append(decoded(codes, out=numbers).mul_(scale[..., None]))
        return found[0], found[1]

    def _attend(
        self,
        query: Tensor,
        mask: Tensor | Rule | None,
        *,
        score: Score,
        bias: Tensor | Bias | None,
        backend: Attend,
    ) -> Tensor:
        """Attend; one query uses the codes, more queries or another score decode them first."""
        if query.shape[-2] != 1 or (score is not scaled_dot and score is not dot):
            return super()._attend(query, mask, score=score, bias=bias, backend=backend)
        key, key_scale = self._held(self.key, self.key_scale)
        value, value_scale = self._held(self.value, self.value_scale)
        return attend_codes(
            query, (key, key_scale), (value, value_scale), mask, score=score, bias=bias
        )

    def truncate(self, length: int) -> None:
        """Drop the positions from ``length`` on.

        Raises:
            ValueError: ``length`` is negative or above the cache's.
        """
        check_length(length, self.length)
        self.length = length

    @property
    def nbytes(self) -> int:
        """Bytes of codes and scales: b·g·capacity·(d + e + 8), or (d + 4) for values in keys."""
        keys = self.key.nbytes + self.key_scale.nbytes
        return keys if self.value_in_key else keys + self.value.nbytes + self.value_scale.nbytes

    def _held(self, codes: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        return codes.narrow(2, 0, self.length), scale.narrow(2, 0, self.length)

    def _quantise(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = x.to(torch.promote_types(x.dtype, torch.float32))  # half precision is inexact
        scale = (x.abs().amax(dim=-1) / self.largest).to(torch.float32)
        if not scale.amax() < torch.inf:
            raise ValueError(
                "keys or values hold NaN or infinity, or overflow: nothing was written"
            )
        limits = torch.finfo(torch.float32)  # the largest code must not overflow when decoded
        scale = scale.clamp(limits.tiny, (1 - 2**-20) * limits.max / self.largest)
        return self.encode(x / scale[..., None]), scale


class Int8Cache(QuantisedCache):
    """Store whole numbers from -127 to 127, with an error of at most half a scale.

    A scale is the largest magnitude divided by 127.

    Ref: Dettmers et al. 2022 (LLM.int8()), section 2.1 (absolute maximum).
    """

    codes, largest = torch.int8, 127.0

    def encode(self, x: Tensor) -> Tensor:
        """Round ``x`` to whole numbers."""
        return x.round().to(torch.int8)


class Fp8Cache(QuantisedCache):
    """Store floating-point numbers of 4 + 3 bits, with an error of at most 1/16 of each number.

    Below 2⁻⁶ scales the distance between numbers no longer shrinks, and the error is at most 2⁻¹⁰
    scales; a scale is the largest magnitude / 448.

    Raises:
        NotImplementedError: this PyTorch has no ``float8_e4m3fn``.

    Ref: Micikevicius et al. 2022, table 1 (E4M3).
    """

    codes, largest = getattr(torch, "float8_e4m3fn", torch.int8), 448.0

    def __new__(cls, *_: object, **__: object) -> "Fp8Cache":
        """Raise an error if there is no such dtype."""
        if not hasattr(torch, "float8_e4m3fn"):
            raise NotImplementedError("this PyTorch has no float8_e4m3fn: use Int8Cache")
        return super().__new__(cls)

    def encode(self, x: Tensor) -> Tensor:
        """Round ``x`` to the nearest number of the dtype."""
        return x.to(self.codes)


def attend_codes(
    query: Float[Tensor, "b h 1 d"],
    key: tuple[Tensor, Tensor],
    value: tuple[Tensor, Tensor],
    mask: Tensor | Rule | None,
    *,
    score: Score,
    bias: Tensor | Bias | None,
) -> Float[Tensor, "b h 1 e"]:
    r"""Attend to codes, with their scales applied to scores and weights.

    .. math:: O = \operatorname{softmax}((Q C_K^\top) \odot s_K / \sqrt d)\, s_V \odot C_V

    Args:
        query: one query for each head.
        key: codes (b, g, k, d) and scales (b, g, k).
        value: codes (b, g, k, e) and scales (b, g, k).
        mask: True where a query may attend to a key; or a rule.
        score: a multiple of the dot product.
        bias: added to the scores, or a function of positions that makes it.

    Raises:
        ValueError: the mask or the score is invalid, or g does not divide h.

    Cost: h·k·(d + e) multiplications; the codes are converted once, a piece at a time.
    """
    (b, h, _, d), (g, k) = query.shape, key[0].shape[1:3]
    check_divides("n_heads", h, "the number of key/value heads", g)
    if isinstance(mask, Rule) and mask.sees(range(k - 1, k), range(k)):
        mask = None
    mask, bias = written_out(mask, bias, 1, k, query.device)
    wide = torch.promote_types(query.dtype, torch.float32)  # codes go up to 448: beyond float16
    rows = query.detach().to(wide).reshape(b * g, h // g, d) * scale_of(score, d)
    scores = rows.new_empty(b * g, h // g, k)
    for heads, codes in _pieces(key[0], wide):
        torch.bmm(rows[heads], codes.transpose(1, 2), out=scores[heads])
    scores *= key[1].reshape(b * g, 1, k)
    if mask is None and bias is None:
        weights = torch.softmax(scores, dim=-1)
    else:  # a mask and a bias may mask every key
        added = scores.view(b, h, 1, k) + (0 if bias is None else bias)
        weights = softmax(added, mask).view(b * g, h // g, k)
    weights = (weights * value[1].reshape(b * g, 1, k)).to(wide)  # a bias may be wider
    out = rows.new_empty(b * g, h // g, value[0].shape[-1])
    for heads, codes in _pieces(value[0], wide):
        torch.bmm(weights[heads], codes, out=out[heads])
    return out.view(b, h, 1, value[0].shape[-1]).to(query.dtype)


def _pieces(codes: Tensor, dtype: torch.dtype) -> Iterator[tuple[slice, Tensor]]:
    """Yield heads as numbers of ``dtype``, some at a time, each time in the same memory."""
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
    """Convert codes to numbers.

    PyTorch converts float8 one number at a time. Its bits, 1 + 4 + 3 of them, shifted left by seven
    places, are those of a float16, 1 + 5 + 10, whose exponent has a bias larger by 8: the number is
    256 times too small.

    Args:
        codes: whole numbers of one byte, or float8_e4m3fn.
        out: the tensor to which the numbers are written.

    Cost: one pass; four for float8.
    """
    if codes.dtype == torch.int8:
        return out.copy_(codes)
    bits = codes.view(torch.int8).to(torch.int16)  # the sign fills the upper byte
    bits.bitwise_left_shift_(7).bitwise_and_(~0x407F)  # the highest of these copies stays
    return out.copy_(bits.view(torch.float16)).mul_(256)

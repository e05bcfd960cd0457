"""FlashAttention's forward pass in plain PyTorch, made fast.

It computes the same as :mod:`plainformer.flash.reference`. These optimisations make it fast on a
processor:

- Each head's tile is one 2-D matrix product into a buffer that stays in the cache.
- Scores are in powers of two: the factor log2(e) is part of the queries' scale, and ``exp2`` is
  several times faster than ``exp``, which also slows down far below 0.
- A mask is multiplied or added as numbers; filling by booleans takes eight times as long.
- The largest score is subtracted only to prevent overflow. No score exceeds the product of the
  longest query and the longest key (Cauchy–Schwarz). If that is small, overflow is impossible, and
  nothing is subtracted: the scores are *calm*.
- Otherwise each row sets its *shift* to the largest score of its first tile, and keeps it: the
  output does not depend on the shift. If the scores of a later tile are much larger, the block is
  computed again with a shift that changes from tile to tile, as in the reference.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.flash.threads import one_thread, share_out
from plainformer.flash.tiles import LOG2_E, HeadTile, Tile, Tiles, heads

CALM = 50.0  # scores, in powers of two, that need no shift: 2^50 times any k fits float32
FAINT = -100.0  # smaller weights are raised to 2^-100: denormal numbers are slow to multiply
TOWERING = 90.0  # a larger sum is recomputed, to leave room for values and gradients
LOWEST = -1e38  # the shift of a row without keys so far; finite, as -inf - -inf is not a number


class Attended(NamedTuple):
    """An output, and the numbers from which its weights can be recomputed.

    A weight is exp2(score - shift) / total, with the score in powers of two. ``shift`` and
    ``total`` are (b, h, q, 1). They are separate because in the sum of a large shift and the
    logarithm of the total, rounding would lose the latter, and all weights of the row with it.
    """

    output: Tensor
    shift: Tensor
    total: Tensor

    @property
    def lse(self) -> Float[Tensor, "b h q"]:
        """The logarithm of each query's sum of exp(score); -inf for a fully masked query."""
        return self.total.log2().add_(self.shift).div_(LOG2_E).squeeze(-1)


class _Rows(NamedTuple):
    """A block of queries of one head, and their sums so far: views, written in place.

    ``query`` (rows, d) is multiplied by scale and log2(e); ``weighted`` (rows, e) is the sum of
    weight · value; ``total`` (rows, 1) is the sum of the weights, exp2(score - shift), and
    ``shift`` (rows, 1) the number subtracted.
    """

    query: Tensor
    weighted: Tensor
    total: Tensor
    shift: Tensor


def forward(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    tiles: Tiles,
    *,
    scale: float,
) -> Attended:
    """Attend tile by tile.

    Args:
        query: h heads of queries.
        key: g heads of keys; g divides h.
        value: g heads of values.
        tiles: which tiles are visited, masked and biased.
        scale: factor of the dot products.

    Returns:
        The output (b, h, q, e), in the dtype of the query, zeros for a fully masked query; and two
        numbers for each query, in float32 or float64.

    Cost: h·q·k·(d + e) multiplications, fewer if tiles are hidden; besides the output, one tile of
    scores and one block of queries.

    Ref: Dao et al. 2022 (FlashAttention), algorithm 1; Dao 2023, algorithm 1.
    """
    work = torch.promote_types(query.dtype, torch.float32)
    output = query.new_empty(*query.shape[:3], value.shape[-1])
    attended = Attended(output, *query.new_empty(2, *query.shape[:3], 1, dtype=work))
    calm = is_calm(query, key, tiles, scale=scale)
    g = key.shape[1]
    group = query.shape[1] // g

    def attend(shared: slice) -> None:
        own = slice(shared.start * group, shared.stop * group)  # the query heads of these keys
        target = Attended(*(x[:, own] for x in attended))
        inputs = query[:, own], key[:, shared], value[:, shared]
        _attend(*inputs, tiles.of_heads(own), target, scale=scale, calm=calm)

    share_out(attend, g, scores=attended.total.numel() * tiles.k)
    return attended


def _attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    tiles: Tiles,
    target: Attended,
    *,
    scale: float,
    calm: bool,
) -> None:
    """Attend with one block of queries after another, and write to the ``target``."""
    h, work = query.shape[1], target.total.dtype
    buffer = query.new_empty(tiles.height * tiles.width, dtype=work)
    for block in tiles.blocks():
        output, shift, total = (x[:, :, block] for x in target)
        scaled = query[:, :, block].to(work) * (scale * LOG2_E)
        weighted = output.to(work)  # the same tensor, except in half precision
        rows = list(map(_Rows, heads(scaled), heads(weighted), heads(total), heads(shift)))
        for moving in (False, True):  # the second time only if a later tile has much larger scores
            for x, start in ((weighted, 0), (total, 0), (shift, 0 if calm else LOWEST)):
                x.fill_(start)
            for number, tile in enumerate(tiles.visit(block)):
                parts = tile.split(key, value, h, additive=not calm)
                _add(tile, rows, parts, buffer, calm=calm, moves=moving or number == 0)
                del parts  # frees a mask as large as a tile early
            if calm or _in_range(weighted, total):
                break
        weighted.div_(total.masked_fill(total == 0, 1))
        if weighted.dtype != output.dtype:
            output.copy_(weighted)


def _add(
    tile: Tile,
    rows: list[_Rows],
    parts: list[HeadTile],
    buffer: Tensor,
    *,
    calm: bool,
    moves: bool,
) -> None:
    """Add the keys of one tile to the sums of each head: one step of online softmax."""
    n, width = tile.rows.stop - tile.rows.start, tile.keys.stop - tile.keys.start
    scores = buffer[: n * width].view(n, width)
    partly_hidden = scores[:, tile.columns]
    for own, part in zip(rows, parts, strict=True):
        torch.mm(own.query, part.key.t(), out=scores)
        if part.bias is not None:
            scores.add_(part.bias)
        if part.additive is not None:
            partly_hidden.add_(part.additive)
        if not calm:
            if moves:
                _move_shift(own, scores)
            scores.sub_(own.shift).clamp_(min=FAINT)
        weights = scores.exp2_()
        if part.visible is not None:
            partly_hidden.mul_(part.visible)
        own.total.add_(weights.sum(dim=1, keepdim=True))
        own.weighted.addmm_(weights, part.value)


def _move_shift(rows: _Rows, scores: Tensor) -> None:
    """Set the shift to the largest score so far, and rescale the sums to match."""
    larger = torch.maximum(rows.shift, scores.amax(dim=1, keepdim=True))
    alpha = torch.exp2(rows.shift - larger)
    rows.shift.copy_(larger)
    rows.total.mul_(alpha)
    rows.weighted.mul_(alpha)


def _in_range(weighted: Tensor, total: Tensor) -> bool:
    """Return whether all sums are small enough that no value or gradient can overflow."""
    if not total.numel():
        return True
    return bool(total.max() < 2**TOWERING) and bool(weighted.sum().isfinite())


def is_calm(query: Tensor, key: Tensor, tiles: Tiles, *, scale: float) -> bool:
    """Return whether all scores are so small that no exponential can leave the range of floats.

    Args:
        query: the queries, of any number of heads.
        key: the keys.
        tiles: with a bias the result is False.
        scale: factor of the dot products.

    Cost: one pass over the queries and the keys.
    """
    if tiles.bias is not None or not query.numel() or not key.numel():
        return False
    work = torch.promote_types(query.dtype, torch.float32)
    with one_thread():
        longest_q, longest_k = (
            torch.linalg.vector_norm(x, dim=-1, dtype=work).max() for x in (query, key)
        )
        return bool(longest_q * longest_k * (abs(scale) * LOG2_E) < CALM)

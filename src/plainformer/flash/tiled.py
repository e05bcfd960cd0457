"""Tiled attention in plain PyTorch, made fast: the forward pass.

It computes what :mod:`plainformer.flash.reference` computes. What makes it fast on a processor:

- Each head's tile is one 2-D matrix product into a buffer that stays in the cache.
- Scores are counted in powers of two: the queries take up log2(e) with their scale, and ``exp2``
  is several times faster than ``exp``, which also slows down far below 0.
- A mask is multiplied or added as numbers; filling by booleans takes eight times as long.
- The largest score is subtracted only so that nothing overflows. No score exceeds the product of
  the longest query and the longest key (Cauchy–Schwarz). Where that is small nothing can overflow,
  and nothing is subtracted: the scores are *calm*.
- Elsewhere each row takes its *shift* from the largest score of its first tile, and keeps it: the
  output does not depend on the shift. Should a later tile tower far above the first, the block is
  done again with a shift that moves from tile to tile, as in the reference.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.flash.sharing import share_out
from plainformer.flash.spread import LOG2_E, Spread, heads
from plainformer.flash.tiles import Tile, Tiles

CALM = 50.0  # scores, in powers of two, that need no shift: 2^50 times any k fits float32
FAINT = -100.0  # smaller weights are raised to 2^-100: denormal numbers are slow to multiply
TOWERING = 90.0  # a sum beyond 2^90 is done again: there must be room for values and gradients
LOWEST = -1e38  # the shift of a row that has seen nothing; finite: -inf - -inf is not a number


class Attended(NamedTuple):
    """Hold an output and what its weights can be made from again.

    A weight is exp2(score - shift) / total, the score in powers of two. ``shift`` and ``total`` are
    (b, h, q, 1). They are kept apart: in the sum of a large shift and the logarithm of the total,
    the latter would be rounded off, and all weights of the row with it.
    """

    output: Tensor
    shift: Tensor
    total: Tensor

    @property
    def lse(self) -> Float[Tensor, "b h q"]:
        """The logarithm of each query's sum of exp(score); -inf where it may look nowhere."""
        return (self.total.log2() + self.shift).squeeze(-1) / LOG2_E


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
        tiles: what is visited, what is masked, what is added.
        scale: what the dot products are multiplied by.

    Returns:
        The output (b, h, q, e), in the dtype of the query, zeros where a query may look nowhere;
        and two numbers for each query, in float32 or float64.

    Cost: h·q·k·(d + e) multiplications, fewer where tiles are invisible; beside the output, one
    tile of scores and one block of queries.

    Ref: Dao et al. 2022 (FlashAttention), algorithm 1; Dao 2023, algorithm 1.
    """
    work = torch.promote_types(query.dtype, torch.float32)
    output = query.new_empty(*query.shape[:3], value.shape[-1])
    shifts, totals = query.new_empty(2, *query.shape[:3], 1, dtype=work)
    calm = is_calm(query, key, tiles, scale=scale)
    h, g = query.shape[1], key.shape[1]

    def attend(some: slice) -> None:
        mine = slice(some.start * h // g, some.stop * h // g)
        own = tiles.of_heads(mine)
        run = _Forward(query[:, mine], key[:, some], value[:, some], own, calm)
        for rows in own.blocks():
            scaled = query[:, mine, rows].to(work) * (scale * LOG2_E)
            total, shift = (x[:, mine, rows] for x in (totals, shifts))
            weighted = output[:, mine, rows]
            if output.dtype != work:
                weighted = weighted.to(work)
            run.attend(rows, scaled, weighted, total, shift)
            weighted.div_(total.masked_fill(total == 0, 1))
            if output.dtype != work:
                output[:, mine, rows] = weighted

    share_out(attend, g, scores=totals.numel() * tiles.k)
    return Attended(output, shifts, totals)


def is_calm(query: Tensor, key: Tensor, tiles: Tiles, *, scale: float) -> bool:
    """Say whether no score can be so large that its exponential leaves the range of floats.

    Args:
        query: the queries, of any number of heads.
        key: the keys.
        tiles: with a bias nothing is promised.
        scale: what the dot products are multiplied by.

    Cost: one pass over the queries and the keys.
    """
    if tiles.bias is not None or not query.numel() or not key.numel():
        return False
    work = torch.promote_types(query.dtype, torch.float32)
    longest_q, longest_k = (
        torch.linalg.vector_norm(x, dim=-1, dtype=work).max() for x in (query, key)
    )
    return bool(longest_q * longest_k * (abs(scale) * LOG2_E) < CALM)


class _Forward(Spread):
    """Attend with one block of queries after another, of all heads."""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor, tiles: Tiles, calm: bool) -> None:
        super().__init__(query, key, value)
        self.tiles, self.calm = tiles, calm
        self.scores = query.new_empty(tiles.height * tiles.width, dtype=self.work)

    def attend(
        self, rows: slice, query: Tensor, weighted: Tensor, total: Tensor, shift: Tensor
    ) -> None:
        """Fill in the weighted values, the sums of the weights, and the shifts of the scores."""
        gathered = list(zip(*map(heads, (query, weighted, total, shift)), strict=True))
        for moving in (False, True):
            for x, start in ((weighted, 0), (total, 0), (shift, 0 if self.calm else LOWEST)):
                x.fill_(start)
            first = not self.calm
            for tile in self.tiles.visit(rows):
                self._add(tile, gathered, moves=moving or first)
                first = False
            if self.calm or not total.numel() or _in_range(weighted, total):
                return

    def _add(self, tile: Tile, gathered: list[tuple[Tensor, ...]], *, moves: bool) -> None:
        """Add the keys of one tile to what each head has gathered."""
        n, width = gathered[0][0].shape[0] if gathered else 0, tile.keys.stop - tile.keys.start
        scores = self.scores[: n * width].view(n, width)
        torn = scores[:, tile.columns]
        keys, values = self.keys_values(tile)
        wall = None
        if tile.hidden is not None and not self.calm:
            wall = scores.new_zeros(tile.hidden.shape).masked_fill_(tile.hidden, -torch.inf)
        parts = zip(
            gathered, keys, values, self.bias(tile), self.each(wall), self.open(tile), strict=True
        )
        for (query, weighted, total, shift), key, value, bias, barrier, seen in parts:
            torch.mm(query, key.t(), out=scores)
            if bias is not None:
                scores.add_(bias)
            if barrier is not None:
                torn.add_(barrier)
            if moves:
                _move(scores, weighted, total, shift)
            if not self.calm:
                scores.sub_(shift).clamp_(min=FAINT)
            weights = scores.exp2_()
            if seen is not None:
                torn.mul_(seen)
            total.add_(weights.sum(dim=1, keepdim=True))
            weighted.addmm_(weights, value)


def _in_range(weighted: Tensor, total: Tensor) -> bool:
    return bool(total.max() < 2**TOWERING) and bool(weighted.sum().isfinite())


def _move(scores: Tensor, weighted: Tensor, total: Tensor, shift: Tensor) -> None:
    """Shift by the largest score seen so far, and fade what was gathered to match."""
    larger = torch.maximum(shift, scores.amax(dim=1, keepdim=True))
    fade = torch.exp2(shift - larger)
    shift.copy_(larger)
    total.mul_(fade)
    weighted.mul_(fade)

r"""Tiled attention in plain PyTorch, made fast: the backward pass.

The forward pass kept two numbers for each query: the shift :math:`m` of its scores, and the total
:math:`l` of its weights. From them the weights of any tile are made again:

.. math:: P = 2^{S - m} / l, \qquad dS = P \circ (dO\,V^\top - D), \qquad D_i = dO_i \cdot O_i

Dividing :math:`dO` and :math:`D` by :math:`l`, one block of queries at a time, spares the division
of every tile. See :mod:`plainformer.flash.tiled` for the rest of what makes it fast.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.flash.sharing import share_out
from plainformer.flash.spread import LOG2_E, Spread, heads
from plainformer.flash.tiled import FAINT, TOWERING, Attended, is_calm
from plainformer.flash.tiles import Tile, Tiles

# Told the gradient of the scores of a tile, (b, h, rows, keys).
OnScores = Callable[[Tile, Tensor], None]


def backward(
    grad: Float[Tensor, "b h q e"],
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    attended: Attended,
    tiles: Tiles,
    *,
    scale: float,
    on_scores: OnScores | None = None,
) -> tuple[Float[Tensor, "b h q d"], Float[Tensor, "b g k d"], Float[Tensor, "b g k e"]]:
    """Return the gradients of queries, keys and values, tile by tile.

    Args:
        grad: the gradient of the output.
        query: h heads of queries.
        key: g heads of keys; g divides h.
        value: g heads of values.
        attended: what the forward pass returned.
        tiles: what is visited, what is masked, what is added.
        scale: what the dot products are multiplied by.
        on_scores: told the gradient of each tile's scores; a bias takes its own from it.

    Cost: h·q·k·(3d + 2e) multiplications, fewer where tiles are invisible; beside the gradients,
    two tiles of scores and one block of queries (h such tiles with ``on_scores``).

    Ref: Dao 2023 (FlashAttention-2), algorithm 2.
    """
    work = torch.promote_types(query.dtype, torch.float32)
    d_query = torch.empty_like(query)
    d_key, d_value = torch.zeros_like(key, dtype=work), torch.zeros_like(value, dtype=work)
    calm = is_calm(query, key, tiles, scale=scale)
    h, g = query.shape[1], key.shape[1]

    def go_back(some: slice) -> None:
        mine = slice(some.start * h // g, some.stop * h // g)
        own = tiles.of_heads(mine)
        theirs = [x[:, some] for x in (key, value, d_key, d_value)]
        run = _Backward([query[:, mine], *theirs], own, calm, on_scores)
        for rows in own.blocks():
            output, shift, total = (x[:, mine, rows] for x in attended)
            total = total.masked_fill(total == 0, 1)  # saw nothing: all its tiles are hidden
            if not calm:
                shift, total = evened(shift, total)
            upstream = grad[:, mine, rows].to(work) / total
            match = (upstream * output).sum(dim=-1, keepdim=True)
            scaled = query[:, mine, rows].to(work) * (scale * LOG2_E)
            d_query[:, mine, rows] = run.block(rows, scaled, upstream, shift, match).mul_(scale)

    if on_scores is None:
        share_out(go_back, g, scores=attended.total.numel() * tiles.k)
    else:
        go_back(slice(0, g))
    d_key.div_(LOG2_E)  # the queries carried the scale and log2(e); the gradient wants the scale
    return d_query, d_key.to(key.dtype), d_value.to(value.dtype)


def evened(shift: Tensor, total: Tensor) -> tuple[Tensor, Tensor]:
    """Move the size of each total into its shift: the same weights, their sum close to 1.

    A large total makes the gradient above it small, and its product with a faint weight denormal,
    on which some processors take a hundred times as long. What a shift can hold depends on its own
    size; only what it has taken up is taken from the total, so that no weight changes.

    Args:
        shift: what was subtracted from the scores of each query, in powers of two.
        total: the sum of the weights that resulted, above 0.

    Returns:
        Another shift and another total, of the same shapes.
    """
    lifted = shift + total.log2().round()
    return lifted, total * torch.exp2(shift - lifted)


class _Backward(Spread):
    """Go back through one block of queries after another, of all heads."""

    def __init__(
        self,
        tensors: list[Tensor],
        tiles: Tiles,
        calm: bool,
        on_scores: OnScores | None,
    ) -> None:
        query, key, value, d_key, d_value = tensors
        super().__init__(query, key, value)
        self.tiles, self.calm, self.on_scores = tiles, calm, on_scores
        self.d_key, self.d_value = d_key, d_value
        size = tiles.height * tiles.width
        self.first, self.second = query.new_empty(2, size, dtype=self.work).unbind(0)

    def block(
        self, rows: slice, query: Tensor, upstream: Tensor, shift: Tensor, match: Tensor
    ) -> Tensor:
        """Add a block's share to the gradients of keys and values; return its own, unscaled."""
        d_query = torch.zeros_like(query)
        each = list(zip(*map(heads, (query, upstream, shift, match, d_query)), strict=True))
        for tile in self.tiles.visit(rows):
            self._add(tile, each)
        return d_query

    def _add(self, tile: Tile, each: list[tuple[Tensor, ...]]) -> None:
        n, width = each[0][0].shape[0] if each else 0, tile.keys.stop - tile.keys.start
        weights = self.first[: n * width].view(n, width)
        change = self.second[: n * width].view(n, width)
        torn = weights[:, tile.columns]
        gradients = (heads(x[:, :, tile.keys], self.group) for x in (self.d_key, self.d_value))
        told = None
        if self.on_scores is not None:
            told = weights.new_empty(self.b, self.h, n, width)
        parts = zip(
            each,
            *self.keys_values(tile),
            *gradients,
            self.bias(tile),
            self.open(tile),
            self.each(told),
            strict=True,
        )
        for own, key, value, d_key, d_value, bias, seen, copy in parts:
            query, upstream, shift, match, d_query = own
            torch.mm(query, key.t(), out=weights)
            if bias is not None:
                weights.add_(bias)
            if not self.calm:
                weights.sub_(shift).clamp_(min=FAINT, max=TOWERING + 1)  # only hidden ones exceed
            weights.exp2_()
            if seen is not None:
                torn.mul_(seen)
            d_value.addmm_(weights.t(), upstream)
            torch.addmm(match.expand(n, width), upstream, value.t(), beta=-1, out=change)
            change.mul_(weights)
            if copy is not None:
                copy.copy_(change)
            d_query.addmm_(change, key)
            d_key.addmm_(change.t(), query)
        if told is not None and self.on_scores is not None:
            self.on_scores(tile, told)

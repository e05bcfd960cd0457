r"""FlashAttention's backward pass in plain PyTorch, made fast: the weights are recomputed.

The forward pass has stored two numbers for each query: the shift :math:`m` of its scores, and the
total :math:`l` of its weights. From them the weights of any tile are recomputed, and with them the
gradient of its scores:

.. math:: P = 2^{S - m} / l, \qquad dS = P \circ (dO\,V^\top - D), \qquad
    D = \operatorname{rowsum}(dO \circ O) - d\ell

If the log-sum-exp :math:`\ell` was requested, it has its own gradient :math:`d\ell`. Since
:math:`\partial \ell_i / \partial S_{ij} = P_{ij}`, it is subtracted from D at no cost.

Dividing :math:`dO` and :math:`D` by :math:`l`, one block of queries at a time, avoids a division of
every tile. See :mod:`plainformer.flash.forward` for the other optimisations.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.flash.forward import FAINT, TOWERING, Attended, is_calm
from plainformer.flash.threads import share_out
from plainformer.flash.tiles import LOG2_E, HeadTile, Tile, Tiles, heads

# Called with the gradient of the scores of a tile, (b, h, rows, keys).
OnScores = Callable[[Tile, Tensor], None]


class Gradients(NamedTuple):
    """The gradients of queries (b, h, q, d), keys (b, g, k, d) and values (b, g, k, e)."""

    query: Tensor
    key: Tensor
    value: Tensor


class _Rows(NamedTuple):
    """A block of queries of one head, and their gradient, which is accumulated in place.

    ``query`` (rows, d) is multiplied by scale and log2(e), ``d_output`` (rows, e) and ``delta``
    (rows, 1), the D above, are divided by the total; ``shift`` (rows, 1) is from the forward pass.
    """

    query: Tensor
    d_output: Tensor
    delta: Tensor
    shift: Tensor
    d_query: Tensor


class _Sums(NamedTuple):
    """The accumulators of one head for a tile's gradients, and for those of the scores or None."""

    d_key: Tensor
    d_value: Tensor
    d_scores: Tensor | None


def backward(
    grad: Float[Tensor, "b h q e"],
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    attended: Attended,
    tiles: Tiles,
    *,
    scale: float,
    d_lse: Float[Tensor, "b h q"] | None = None,
    on_scores: OnScores | None = None,
) -> Gradients:
    """Return the gradients of queries, keys and values, tile by tile.

    Args:
        grad: the gradient of the output.
        query: h heads of queries.
        key: g heads of keys; g divides h.
        value: g heads of values.
        attended: the result of the forward pass.
        tiles: which tiles are visited, masked and biased.
        scale: factor of the dot products.
        d_lse: the gradient of the log-sum-exp, if it has one.
        on_scores: called with the gradient of each tile's scores, to compute that of a bias.

    Cost: h·q·k·(3d + 2e) multiplications, fewer if tiles are hidden; besides the gradients, two
    tiles of scores and one block of queries (h such tiles with ``on_scores``).

    Ref: Dao 2023 (FlashAttention-2), algorithm 2.
    """
    work = attended.total.dtype
    d_query = torch.empty_like(query)
    d_key, d_value = torch.empty_like(key, dtype=work), torch.empty_like(value, dtype=work)
    calm = is_calm(query, key, tiles, scale=scale)
    g = key.shape[1]
    group = query.shape[1] // g

    def go_back(shared: slice) -> None:
        own = slice(shared.start * group, shared.stop * group)  # the query heads of these keys
        _go_back(
            grad[:, own],
            None if d_lse is None else d_lse[:, own, :, None],
            *(query[:, own], key[:, shared], value[:, shared]),
            Attended(*(x[:, own] for x in attended)),
            tiles.of_heads(own),
            Gradients(d_query[:, own], d_key[:, shared], d_value[:, shared]),
            scale=scale,
            calm=calm,
            on_scores=on_scores,
        )

    if on_scores is None:
        share_out(go_back, g, scores=attended.total.numel() * tiles.k)
    else:
        go_back(slice(0, g))
    return Gradients(d_query, d_key.to(key.dtype), d_value.to(value.dtype))


def _go_back(
    grad: Tensor,
    d_lse: Tensor | None,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attended: Attended,
    tiles: Tiles,
    target: Gradients,
    *,
    scale: float,
    calm: bool,
    on_scores: OnScores | None,
) -> None:
    """Compute the gradients from one block of queries after another, and add to the ``target``."""
    work = attended.total.dtype
    b, h = query.shape[:2]
    group = h // key.shape[1]
    buffers = query.new_empty(2, tiles.height * tiles.width, dtype=work)
    target.key.zero_()
    target.value.zero_()
    for block in tiles.blocks():
        output, shift, total = (x[:, :, block] for x in attended)
        nothing = total == 0  # for a query with all keys masked
        total = total.masked_fill(nothing, 1)
        if not calm:
            shift, total = evened(shift, total)
        d_output = grad[:, :, block].to(work) / total
        delta = (d_output * output).sum(dim=-1, keepdim=True)
        if d_lse is not None:
            delta -= d_lse[:, :, block].masked_fill(nothing, 0) / total
        scaled = query[:, :, block].to(work) * (scale * LOG2_E)
        d_query = target.query[:, :, block]
        grows = d_query.zero_().to(work)  # the same tensor, except in half precision
        rows = list(map(_Rows, *map(heads, (scaled, d_output, delta, shift, grows))))
        for tile in tiles.visit(block):
            d_keys, d_values = (heads(x[:, :, tile.keys], group) for x in target[1:])
            d_scores: Tensor | None = None
            if on_scores is not None:
                size = tile.rows.stop - tile.rows.start, tile.keys.stop - tile.keys.start
                d_scores = query.new_empty(b, h, *size, dtype=work)
            kept = [None] * len(rows) if d_scores is None else heads(d_scores)
            sums = list(map(_Sums, d_keys, d_values, kept))
            _add(tile, rows, tile.split(key, value, h), sums, buffers, calm=calm)
            if on_scores is not None and d_scores is not None:
                on_scores(tile, d_scores)
        d_query.copy_(grows.mul_(scale))
    target.key.div_(LOG2_E)  # the queries include the factor log2(e) besides the scale


def _add(
    tile: Tile,
    rows: list[_Rows],
    parts: list[HeadTile],
    sums: list[_Sums],
    buffers: Tensor,
    *,
    calm: bool,
) -> None:
    """Add the contribution of one tile to the gradients."""
    n, width = tile.rows.stop - tile.rows.start, tile.keys.stop - tile.keys.start
    weights, d_scores = (x[: n * width].view(n, width) for x in buffers)
    partly_hidden = weights[:, tile.columns]
    for own, part, to in zip(rows, parts, sums, strict=True):
        torch.mm(own.query, part.key.t(), out=weights)
        if part.bias is not None:
            weights.add_(part.bias)
        if not calm:
            weights.sub_(own.shift).clamp_(min=FAINT, max=TOWERING + 1)  # masked ones exceed it
        weights.exp2_()
        if part.visible is not None:
            partly_hidden.mul_(part.visible)
        to.d_value.addmm_(weights.t(), own.d_output)
        delta = own.delta.expand(n, width)
        torch.addmm(delta, own.d_output, part.value.t(), beta=-1, out=d_scores)
        d_scores.mul_(weights)
        if to.d_scores is not None:
            to.d_scores.copy_(d_scores)
        own.d_query.addmm_(d_scores, part.key)
        to.d_key.addmm_(d_scores.t(), own.query)


def evened(shift: Tensor, total: Tensor) -> tuple[Tensor, Tensor]:
    """Move the magnitude of each total into its shift, so that the total is close to 1.

    A large total makes the gradient that it divides small, and its product with a small weight
    denormal, which takes a hundred times as long on some processors. The precision of a shift
    depends on its magnitude, so only the change that it can represent is taken from the total, and
    no weight changes.

    Args:
        shift: the number subtracted from the scores of each query, in powers of two.
        total: the sum of the resulting weights, above 0.

    Returns:
        The new shift and total, of the same shapes.
    """
    lifted = shift + total.log2().round()
    return lifted, total * torch.exp2(shift - lifted)

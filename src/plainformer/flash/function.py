"""Tiled attention that autograd can go back through without having kept the weights."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.attention import Bias
from plainformer.flash.checks import check_bias
from plainformer.flash.tiled import Attended, forward
from plainformer.flash.tiled_backward import OnScores, backward
from plainformer.flash.tiles import Tile, Tiles, part
from plainformer.heads import check_inputs
from plainformer.mask_checks import check
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scale_of, scaled_dot


def tile_size(q: int) -> tuple[int, int]:
    """Return how many queries and how many keys a tile has.

    Measured at width 64 in float32: the scores of a tile, with its keys and values, should fit the
    second-level cache; a short sequence wastes less on the diagonal with lower tiles. Forward and
    backward share the size, so that the same products round the same way.

    Args:
        q: number of queries.
    """
    return (128 if q < 1024 else 256), 512


def attend_in_tiles(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
) -> Float[Tensor, "b h q e"]:
    """Attend as :func:`~plainformer.attention.attend_heads` does, never holding q·k numbers.

    Gradients reach queries, keys, values, a bias that is a tensor, and the parameters of a bias
    that is a module. They can be taken once: the backward pass recomputes the weights and is not
    itself recorded.

    Args:
        query: h heads of queries, the last q of the k positions; float64, float32, or half
            precision, which is summed in float32.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True = may look, broadcasting to (b, h, q, k); or a rule.
        score: :func:`~plainformer.scores.scaled_dot` or :func:`~plainformer.scores.dot`.
        bias: added to the scores; a tensor that broadcasts, or a function of positions, which is
            asked for one tile at a time.

    Returns:
        One vector of width e for each head and query; zeros where a query may look nowhere.

    Raises:
        ValueError: the shapes, dtypes or mask are unfit, the score is another one, the bias is a
            function that learns and is no module; or, going back, ``create_graph=True``.

    Cost: h·q·k·(d + e) multiplications forward and h·q·k·(3d + 2e) backward, fewer where tiles are
    invisible; memory grows with q + k.

    Ref: Dao et al. 2022 (FlashAttention), algorithm 1; Dao 2023 (FlashAttention-2), algorithm 2.
    """
    query, key, value = (_autocast(x) for x in (query, key, value))
    check_inputs(query, key, value)
    check_bias(bias, query, key)
    b, h, q, k = *query.shape[:3], key.shape[-2]
    if mask is not None and not isinstance(mask, Rule):
        check(mask, query.new_zeros(()).expand(b, h, q, k))
        mask = mask[(None,) * (4 - mask.ndim)]
    if isinstance(bias, Tensor):
        bias = bias[(None,) * (4 - bias.ndim)]
    height, width = tile_size(q)
    tiles = Tiles(q=q, k=k, height=height, width=width, mask=mask, bias=bias, device=query.device)
    learned = list(bias.parameters()) if isinstance(bias, nn.Module) else []
    added = bias if isinstance(bias, Tensor) else None
    output: Tensor = _Flash.apply(  # type: ignore[no-untyped-call]
        query, key, value, tiles, scale_of(score, query.shape[-1]), added, *learned
    )
    return output


def _autocast(x: Tensor) -> Tensor:
    """Cast as autocast would, where it is on: it does not reach inside."""
    kind = x.device.type
    cast = torch.is_autocast_enabled(kind) and x.is_floating_point() and x.dtype != torch.float64
    return x.to(torch.get_autocast_dtype(kind)) if cast else x


class _Flash(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        tiles: Tiles,
        scale: float,
        bias: Tensor | None,
        *learned: Tensor,
    ) -> Tensor:
        attended = forward(query, key, value, tiles, scale=scale)
        ctx.save_for_backward(query, key, value, *attended, bias, *learned)
        ctx.tiles, ctx.scale = tiles, scale
        return attended.output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # only under create_graph=True
            raise ValueError(
                "create_graph=True: attention in tiles cannot be differentiated twice, since its "
                "backward pass is not recorded. Use plainformer.attention.attend_heads"
            )
        query, key, value, output, shift, total, bias, *learned = ctx.saved_tensors
        attended = Attended(output, shift, total)
        tiles: Tiles = ctx.tiles
        d_bias, on_scores = None, None
        if bias is not None and ctx.needs_input_grad[5]:
            d_bias = torch.zeros_like(bias, dtype=total.dtype)
            on_scores = _into_tensor(d_bias)
        wanted = [p for p, needed in zip(learned, ctx.needs_input_grad[6:], strict=True) if needed]
        sums = {id(p): torch.zeros_like(p) for p in wanted}
        if wanted:
            on_scores = _into_parameters(tiles, wanted, sums)
        d_query, d_key, d_value = backward(
            grad, query, key, value, attended, tiles, scale=ctx.scale, on_scores=on_scores
        )
        if d_bias is not None:
            d_bias = d_bias.to(bias.dtype)
        return d_query, d_key, d_value, None, None, d_bias, *(sums.get(id(p)) for p in learned)


def _into_tensor(d_bias: Tensor) -> OnScores:
    """Add the gradient of a tile's scores to that of a bias, summed where the bias broadcasts."""

    def add(tile: Tile, d_scores: Tensor) -> None:
        target = part(d_bias, tile.rows, tile.keys)
        target.add_(d_scores.sum_to_size(target.shape))

    return add


def _into_parameters(tiles: Tiles, wanted: list[Tensor], sums: dict[int, Tensor]) -> OnScores:
    """Make a tile's bias again, and go back through it to the parameters."""

    def add(tile: Tile, d_scores: Tensor) -> None:
        with torch.enable_grad():
            made = tiles.bias_of(tile.rows, tile.keys)
        assert made is not None
        d_made = d_scores.sum_to_size(made.shape).to(made.dtype)
        found = torch.autograd.grad(made, wanted, d_made, allow_unused=True)
        for parameter, gradient in zip(wanted, found, strict=True):
            if gradient is not None:
                sums[id(parameter)].add_(gradient)

    return add

"""Tiled attention with a gradient: autograd recomputes the weights instead of storing them."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.attention import Bias
from plainformer.flash.backward import OnScores, backward
from plainformer.flash.forward import Attended, forward
from plainformer.flash.tiles import Tile, Tiles, cut_out
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scaled_dot
from plainformer.sdpa import check_inputs, check_mask_and_bias, scale_of


def tile_size(q: int) -> tuple[int, int]:
    """Return the number of queries and of keys in a tile.

    The sizes were measured at width 64 in float32: the scores of a tile, with its keys and values,
    should fit in the second-level cache; for a short sequence, fewer queries per tile waste less on
    the diagonal. Forward and backward pass share the size, so that the same products round in the
    same way.

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
) -> tuple[Float[Tensor, "b h q e"], Float[Tensor, "b h q"]]:
    """Attend as :func:`~plainformer.attention.attend_heads` does, without storing q·k numbers.

    Gradients flow to queries, keys, values, a bias that is a tensor, and the parameters of a bias
    that is a module, from the output and from the log-sum-exp. They can be taken once, because the
    backward pass recomputes the weights and is not itself recorded.

    Args:
        query: h heads of queries, the last q of the k positions; float64, float32, or half
            precision, which is summed in float32.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True where a query may attend to a key, broadcasting to (b, h, q, k); or a rule.
        score: :func:`~plainformer.scores.scaled_dot` or :func:`~plainformer.scores.dot`.
        bias: added to the scores; a tensor that broadcasts, or a function of positions, which is
            called for one tile at a time.

    Returns:
        One vector of width e for each head and query, zeros for a fully masked query; and the
        natural logarithm of each query's sum of exp(score), -inf for such a query, in float32
        (float64 for float64).

    Raises:
        ValueError: the shapes, dtypes or mask are invalid, another score is given, the bias is a
            function with learned parameters but not a module; or, in the backward pass,
            ``create_graph=True``.

    Cost: h·q·k·(d + e) multiplications forward and h·q·k·(3d + 2e) backward, fewer if tiles are
    hidden; memory grows with q + k.

    Ref: Dao et al. 2022 (FlashAttention), algorithm 1; Dao 2023 (FlashAttention-2), algorithm 2.
    """
    query, key, value = (_autocast(x) for x in (query, key, value))
    check_inputs(query, key, value)
    check_mask_and_bias(query, key, mask, bias)
    learned = _parameters(bias, query.device)
    if isinstance(mask, Tensor):
        mask = mask[(None,) * (4 - mask.ndim)]
    if isinstance(bias, Tensor):
        bias = bias[(None,) * (4 - bias.ndim)]
    q, k = query.shape[-2], key.shape[-2]
    height, width = tile_size(q)
    tiles = Tiles(q=q, k=k, height=height, width=width, mask=mask, bias=bias, device=query.device)
    added = bias if isinstance(bias, Tensor) else None
    output, lse = _Flash.apply(  # type: ignore[no-untyped-call]
        query, key, value, tiles, scale_of(score, query.shape[-1]), added, *learned
    )
    return output, lse


def _autocast(x: Tensor) -> Tensor:
    """Cast as autocast would if enabled, because it does not apply inside."""
    kind = x.device.type
    cast = torch.is_autocast_enabled(kind) and x.is_floating_point() and x.dtype != torch.float64
    return x.to(torch.get_autocast_dtype(kind)) if cast else x


def _parameters(bias: Tensor | Bias | None, device: torch.device) -> list[Tensor]:
    """List the parameters of a function of positions; refuse a function that hides them."""
    if isinstance(bias, nn.Module):
        return list(bias.parameters())
    if bias is not None and not isinstance(bias, Tensor):
        here = torch.zeros(1, dtype=torch.int64, device=device)
        if bias(here, here).requires_grad:
            raise ValueError(
                f"bias={bias!r} makes what requires a gradient, and is no nn.Module: its "
                "parameters cannot be found tile by tile. Make it a module, or use "
                "plainformer.attention.attend_heads or plainformer.sdpa.sdpa"
            )
    return []


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
    ) -> tuple[Tensor, Tensor]:
        attended = forward(query, key, value, tiles, scale=scale)
        ctx.save_for_backward(query, key, value, *attended, bias, *learned)
        ctx.tiles, ctx.scale = tiles, scale
        ctx.set_materialize_grads(False)
        return attended.output, attended.lse

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, d_lse: Tensor | None) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # only under create_graph=True
            raise ValueError(
                "create_graph=True: attention in tiles cannot be differentiated twice, since its "
                "backward pass is not recorded. Use plainformer.attention.attend_heads"
            )
        query, key, value, output, shift, total, bias, *learned = ctx.saved_tensors
        attended = Attended(output, shift, total)
        grad = torch.zeros_like(output) if grad is None else grad
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
            *(grad, query, key, value, attended, tiles),
            scale=ctx.scale,
            d_lse=d_lse,
            on_scores=on_scores,
        )
        if d_bias is not None:
            d_bias = d_bias.to(bias.dtype)
        return d_query, d_key, d_value, None, None, d_bias, *(sums.get(id(p)) for p in learned)


def _into_tensor(d_bias: Tensor) -> OnScores:
    """Add the gradient of a tile's scores to that of a bias, summed over broadcast axes."""

    def add(tile: Tile, d_scores: Tensor) -> None:
        target = cut_out(d_bias, tile.rows, tile.keys)
        target.add_(d_scores.sum_to_size(target.shape))

    return add


def _into_parameters(tiles: Tiles, wanted: list[Tensor], sums: dict[int, Tensor]) -> OnScores:
    """Recompute a tile's bias, and propagate the gradient to its parameters."""

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

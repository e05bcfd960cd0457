"""The GPU programs of FlashAttention as one operation that autograd knows."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from plainformer.flash.triton_backward import backward_keys, backward_queries, output_times_grad
from plainformer.flash.triton_forward import forward_queries
from plainformer.flash.triton_tiles import Tiles, tiles_for
from plainformer.mask_rules import Rule

FAR = 2**30  # further apart than any two positions are


class Flash(torch.autograd.Function):
    """Attend, and recompute the weights for the gradients.

    Kept between the two: the inputs, the output, and one number for each head and query.
    """

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        slopes: Tensor | None,
        rule: Rule | None,
        scale: float,
    ) -> Tensor:
        """Attend with ``query``, ``key``, ``value``, ``slopes``, ``rule`` and ``scale``.

        What the backward pass needs goes into ``ctx``.
        """
        query, key, value = _in_rows(query), _in_rows(key), _in_rows(value)
        slopes = None if slopes is None else slopes.to(query.device, torch.float32).contiguous()
        output = torch.empty_like(query)
        log_sums = torch.empty(query.shape[:3], device=query.device)
        ctx.tiles, ctx.settings = _settings(query, key, slopes, rule, scale)
        ctx.save_for_backward(query, key, value, slopes, output, log_sums)
        with _device_of(query):
            forward_queries[_grid(query, ctx.tiles[0].q_tile)](
                query, key, value, slopes, output, log_sums,
                _strides(query, key, value, output), **ctx.settings, **_launch(ctx.tiles[0]),
            )  # fmt: skip
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of query, key and value, given ``ctx`` and the output's ``grad``."""
        query, key, value, slopes, output, log_sums = ctx.saved_tensors
        grad, deltas = _in_rows(grad), torch.empty_like(log_sums)
        same = {name: ctx.settings[name] for name in ("sizes", "d", "width")}
        query_grad, key_grad, value_grad = (torch.empty_like(x) for x in (query, key, value))
        _, for_queries, for_keys = ctx.tiles
        inputs = (query, key, value, slopes, grad, log_sums, deltas)
        strides = _strides(query, key, value, grad)
        with _device_of(query):
            output_times_grad[_grid(query, 64)](
                output, grad, deltas, _strides(output, grad), **same, q_tile=64, num_warps=4
            )
            backward_queries[_grid(query, for_queries.q_tile)](
                *inputs, query_grad, (*strides, *_strides(query_grad)), **ctx.settings,
                **_launch(for_queries),
            )  # fmt: skip
            backward_keys[_grid(key, for_keys.k_tile)](
                *inputs, key_grad, value_grad, (*strides, *_strides(key_grad, value_grad)),
                **ctx.settings, **_launch(for_keys),
            )  # fmt: skip
        return query_grad, key_grad, value_grad, None, None, None


def _settings(
    query: Tensor, key: Tensor, slopes: Tensor | None, rule: Rule | None, scale: float
) -> tuple[tuple[Tiles, Tiles, Tiles], dict[str, Any]]:
    """Return the tiles of the three large programs, and the arguments that they share."""
    _, h, q, d = query.shape
    width = max(16, 1 << (d - 1).bit_length())  # a factor of a tile product has sides of 16 or more
    back = FAR if rule is None or rule.window is None else rule.window - 1
    capability = torch.cuda.get_device_capability(query.device) if query.is_cuda else None
    return tiles_for(width, query.dtype, capability), {
        "sizes": (h, key.shape[1], q, key.shape[2]),
        "scale": scale,
        "back": back,
        "ahead": 0 if rule is not None and rule.causal else back,
        "d": d,
        "width": width,
        "sloped": slopes is not None,
        "upcast": not query.is_cuda,  # the interpreter takes the bits of bfloat16 for integers
    }


def _grid(rows: Tensor, tile: int) -> tuple[int, int, int]:
    """Return how many runs a program needs: tiles of rows, heads, batches."""
    b, heads, length, _ = rows.shape
    return -(-length // tile), heads, b


def _launch(tiles: Tiles) -> dict[str, int]:
    return {
        "q_tile": tiles.q_tile,
        "k_tile": tiles.k_tile,
        "num_warps": tiles.warps,
        "num_stages": tiles.stages,
    }


def _strides(*tensors: Tensor) -> tuple[tuple[int, ...], ...]:
    return tuple(x.stride()[:3] for x in tensors)


def _in_rows(x: Tensor) -> Tensor:
    """Return a tensor whose columns lie side by side; most do, whatever the order of their axes."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _device_of(x: Tensor) -> AbstractContextManager[Any]:
    """Make the tensor's GPU the one that programs are sent to."""
    return torch.cuda.device(x.device) if x.is_cuda else nullcontext()

"""FlashAttention on a GPU: the supported inputs, the sizes of the tiles, and the launch.

The kernels are in :mod:`~plainformer.flash.kernel`, imported at its first use, so that a machine
without Triton can import this file. With ``TRITON_INTERPRET=1`` set before Python starts, they run
on the CPU as a sequence of NumPy operations, which is slow and good for tests.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from plainformer.attention import Bias
from plainformer.heads import check_divides
from plainformer.mask_rules import FAR, Rule
from plainformer.positions.alibi import Alibi

WIDEST = 256  # the sums of wider heads do not fit in registers


def supports(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | Rule | None = None,
    bias: Tensor | Bias | None = None,
) -> bool:
    """Return whether :func:`attend` supports these inputs.

    Args:
        query: (b, h, q, d); on a GPU of compute capability 7.5 or later, in float32, float16, or
            (from 8.0 on) bfloat16.
        key: (b, g, k, d), g dividing h.
        value: (b, g, k, d), of the same width.
        mask: None, or a rule of causality and window; not a tensor.
        bias: None, or an :class:`~plainformer.positions.alibi.Alibi` of h heads.
    """
    b, h, _, d = query.shape
    fits = key.shape == value.shape and (key.shape[0], key.shape[-1]) == (b, d)
    fits = fits and 1 <= d <= WIDEST and key.shape[1] > 0 and h % key.shape[1] == 0
    alike = len({(x.dtype, x.device) for x in (query, key, value)}) == 1
    sloped = type(bias) is Alibi and len(bias.slopes) == h  # a subclass may add another bias
    ruled = mask is None or (isinstance(mask, Rule) and mask.as_band() is not None)
    return fits and alike and ruled and (bias is None or sloped) and _runs(query)


def attend(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k d"],
    *,
    rule: Rule | None,
    scale: float,
    slopes: Float[Tensor, " h"] | None = None,
) -> tuple[Float[Tensor, "b h q d"], Float[Tensor, "b h q"]]:
    """Attend with scaled dot products, in tiles, on a GPU; gradients can be taken once.

    Sums are in float32, and float32 inputs are multiplied in full precision (no TF32).

    Args:
        query: h heads of queries, the last q of the k positions.
        key: g heads of keys; g divides h, and they are not repeated.
        value: g heads of values.
        rule: which keys a query may attend to, by causality and window; None for all.
        scale: factor of the dot products.
        slopes: decrease of each head's scores per step of distance (ALiBi); not learned.

    Returns:
        One vector for each head and query, zeros for a fully masked query; and the natural
        logarithm of each query's sum of exp(score), -inf for such a query, in float32.

    Raises:
        ValueError: :func:`supports` returns False, or the slopes require a gradient.

    Cost: 4·h·q·k·d operations forward, 2.5 times that number backward, without those in hidden
    tiles; 4 bytes for each head and query in addition to inputs and results.

    Ref: Dao 2023 (FlashAttention-2).
    """
    check_divides("n_heads", query.shape[1], "the number of key/value heads", key.shape[1])
    if not supports(query, key, value, rule):
        raise ValueError(
            f"query {tuple(query.shape)} {query.dtype} on {query.device}, key {tuple(key.shape)}, "
            f"value {tuple(value.shape)}, {rule=}: the GPU kernel does not do this (see its "
            "supports); use plainformer.flash.attend, which finds another way"
        )
    if slopes is not None and slopes.requires_grad:
        raise ValueError("slopes.requires_grad: the GPU kernel gives slopes no gradient; detach()")
    output, lse = _Flash.apply(query, key, value, slopes, rule, scale)  # type: ignore[no-untyped-call]
    return output, lse


def _runs(x: Tensor) -> bool:
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or not find_spec("triton"):
        return False
    if not x.is_cuda or torch.version.cuda is None:
        return x.device.type == "cpu" and os.environ.get("TRITON_INTERPRET") == "1"
    # Before 8.0 there are no bfloat16 products, and too little shared memory for the widest heads.
    needed = (8, 0) if x.dtype == torch.bfloat16 or x.shape[-1] > WIDEST // 2 else (7, 5)
    return torch.cuda.get_device_capability(x.device) >= needed


class Tiles(NamedTuple):
    """The sides of a tile, and how one run of a program is mapped to the hardware.

    Attributes:
        q_tile: queries in a tile.
        k_tile: keys in a tile.
        warps: groups of 32 threads that share a run.
        stages: number of tiles that are loaded at the same time.
    """

    q_tile: int
    k_tile: int
    warps: int
    stages: int


# A run keeps its own tile and its sums in registers, and the tiles of the other side, times
# ``stages``, in shared memory (64 KB on 7.5, 99 KB on the smallest 8.x, 227 KB on 9.0). Large tiles
# read memory less often; too large ones spill registers, which costs more. So wide heads and
# float32 halve a side. 7.5 has no asynchronous copies, so one stage; more warps share its
# registers. The sides are the largest tested that spill nothing, or at most 64 bytes per thread.
#
# (capability at least, itemsize at most, width at most): forward, queries' and keys' gradients
TABLE: dict[tuple[tuple[int, int], int, int], tuple[Tiles, Tiles, Tiles]] = {
    ((9, 0), 2, 64): (Tiles(128, 128, 8, 2), Tiles(128, 64, 8, 2), Tiles(32, 128, 8, 2)),
    ((9, 0), 2, 128): (Tiles(128, 64, 8, 2), Tiles(128, 64, 8, 2), Tiles(32, 64, 8, 2)),
    ((8, 0), 2, 64): (Tiles(128, 64, 4, 3), Tiles(128, 32, 8, 2), Tiles(32, 64, 4, 2)),
    ((8, 0), 2, 128): (Tiles(64, 64, 4, 2), Tiles(64, 64, 8, 2), Tiles(32, 64, 8, 2)),
    ((8, 0), 2, 256): (Tiles(64, 32, 8, 1), Tiles(32, 32, 8, 1), Tiles(32, 32, 8, 1)),
    ((8, 0), 4, 64): (Tiles(64, 32, 8, 1), Tiles(32, 32, 8, 1), Tiles(32, 32, 8, 1)),
    ((8, 0), 4, 256): (Tiles(32, 16, 8, 1), Tiles(16, 16, 8, 1), Tiles(16, 16, 8, 1)),
    ((7, 5), 2, 64): (Tiles(64, 32, 8, 1), Tiles(32, 32, 8, 1), Tiles(32, 32, 8, 1)),
    ((7, 5), 4, 128): (Tiles(16, 16, 8, 1), Tiles(16, 16, 8, 1), Tiles(16, 16, 8, 1)),
}
SMALLEST = Tiles(16, 16, 4, 1)  # without a GPU: small, so that short rows have several tiles


def tiles_for(
    width: int, dtype: torch.dtype, capability: tuple[int, int] | None
) -> tuple[Tiles, Tiles, Tiles]:
    """Look up the tiles of the forward pass, of the queries' gradient, and of the keys'.

    Args:
        width: the head width, padded to a power of two of at least 16.
        dtype: dtype of query, key and value.
        capability: the GPU's compute capability; None if programs are interpreted.

    Returns:
        The three, from the first matching row of the table.

    Raises:
        ValueError: no row matches.

    >>> tiles_for(64, torch.float16, (7, 5))[0]
    Tiles(q_tile=64, k_tile=32, warps=8, stages=1)
    """
    if capability is None:
        return SMALLEST, SMALLEST, SMALLEST
    for (least, itemsize, widest), tiles in TABLE.items():
        if capability >= least and dtype.itemsize <= itemsize and width <= widest:
            return tiles
    raise ValueError(
        f"head width {width}, {dtype}, compute capability {capability}: the GPU kernel has tiles "
        "up to width 256 (128 before 8.0), 32 bits, from 7.5 on; use plainformer.sdpa.sdpa"
    )


class _Flash(torch.autograd.Function):
    """Attend, and recompute the weights for the gradients.

    Stored between the two: the inputs, the output, and one number for each head and query.
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
    ) -> tuple[Tensor, Tensor]:
        from plainformer.flash.kernel import forward_queries

        query, key, value = _in_rows(query), _in_rows(key), _in_rows(value)
        slopes = None if slopes is None else slopes.to(query.device, torch.float32).contiguous()
        output = torch.empty_like(query)
        lse, log_sums = (query.new_empty(query.shape[:3], dtype=torch.float32) for _ in range(2))
        ctx.tiles, ctx.settings = _settings(query, key, slopes, rule, scale)
        ctx.save_for_backward(query, key, value, slopes, output, log_sums)
        ctx.set_materialize_grads(False)
        with _device_of(query):
            forward_queries[_grid(query, ctx.tiles[0].q_tile)](
                query, key, value, slopes, output, lse, log_sums,
                _strides(query, key, value, output), **ctx.settings, **_launch(ctx.tiles[0]),
            )  # fmt: skip
        return output, lse

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor | None, d_lse: Tensor | None) -> tuple[Tensor | None, ...]:
        from plainformer.flash.kernel import backward_keys, backward_queries, output_times_grad

        query, key, value, slopes, output, log_sums = ctx.saved_tensors
        grad = torch.zeros_like(output) if grad is None else _in_rows(grad)
        deltas = torch.empty_like(log_sums)
        same = {name: ctx.settings[name] for name in ("sizes", "d", "width")}
        query_grad, key_grad, value_grad = (torch.empty_like(x) for x in (query, key, value))
        _, for_queries, for_keys = ctx.tiles
        inputs = (query, key, value, slopes, grad, log_sums, deltas)
        strides = _strides(query, key, value, grad)
        with _device_of(query):
            output_times_grad[_grid(query, 64)](
                output, grad, deltas, _strides(output, grad), **same, q_tile=64, num_warps=4
            )
            if d_lse is not None:  # ∂lse/∂score is the weight, as in plainformer.flash.backward
                deltas -= d_lse.masked_fill(log_sums == torch.inf, 0)
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
    """Return the tiles of the three large programs, and their common arguments."""
    _, h, q, d = query.shape
    width = max(16, 1 << (d - 1).bit_length())  # factors of a tile product have sides of 16 or more
    band = (FAR, FAR) if rule is None else rule.as_band()
    assert band is not None  # supports() has checked this
    capability = torch.cuda.get_device_capability(query.device) if query.is_cuda else None
    return tiles_for(width, query.dtype, capability), {
        "sizes": (h, key.shape[1], q, key.shape[2]),
        "scale": scale,
        "back": band[0],
        "ahead": band[1],
        "d": d,
        "width": width,
        "sloped": slopes is not None,
        "upcast": not query.is_cuda,  # the interpreter misreads bfloat16 as integers
    }


def _grid(rows: Tensor, tile: int) -> tuple[int, int, int]:
    """Return the number of runs of a program: tiles of rows, heads, batches."""
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
    """Return a tensor with adjacent columns, which most have, whatever the order of their axes."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _device_of(x: Tensor) -> AbstractContextManager[Any]:
    """Select the tensor's GPU as the one on which programs are launched."""
    return torch.cuda.device(x.device) if x.is_cuda else nullcontext()

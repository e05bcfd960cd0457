"""Run one cell of the matrix, and measure its distance from the reference."""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from plainformer.attention import Attend, Bias, attend_heads, headwise
from plainformer.cache import (
    ContiguousCache,
    Fp8Cache,
    Int8Cache,
    LayerCache,
    PagedCache,
    PagePool,
    PageTable,
    SlidingCache,
    StaticCache,
)
from plainformer.flash import attend_in_tiles, gpu
from plainformer.heads import repeat_heads
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.multihead import MultiHeadAttention
from plainformer.online_softmax import Partial
from plainformer.positions import Alibi, Rotary, Sinusoidal
from plainformer.scores import Score, scaled_dot
from plainformer.sdpa import scale_of, sdpa
from tests.plainformer.equivalence.cells import GRADIENTS, LOSSY, SINKS, WINDOW, Cell, N, rule
from tests.plainformer.tensors import normal

B, H, D, MEMORY = 2, 4, 8, 7


@headwise
def tiles(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
) -> Tensor:
    """Attend in tiles of plain PyTorch, also on a GPU."""
    return attend_in_tiles(query, key, value, mask, score=score, bias=bias)[0]


@headwise
def kernel(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
) -> Tensor:
    """Run the Triton kernel on a GPU if available, and otherwise in Triton's interpreter."""
    if not gpu.supports(query, key, value, mask, bias):  # like plainformer.flash
        return tiles(query, key, value, mask, score=score, bias=bias)
    slopes, rule_ = getattr(bias, "slopes", None), mask if isinstance(mask, Rule) else None
    scale = scale_of(score, query.shape[-1])
    return gpu.attend(query, key, value, rule=rule_, scale=scale, slopes=slopes)[0]


GROUPS = {"MHA": 4, "GQA": 2, "MQA": 1, "cross": 4}


@headwise
def online(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
) -> Tensor:
    """Process three keys at a time, the last ones first, and merge the results."""
    h, k = query.shape[1], key.shape[2]
    mask, bias = written_out(mask, bias, query.shape[2], k, query.device)
    wide = [x.to(torch.promote_types(x.dtype, torch.float32)) for x in (query, key, value)]
    scores = score(wide[0], repeat_heads(wide[1], h))
    scores = scores if bias is None else scores + bias
    value_of_head = repeat_heads(wide[2], h)
    merged = Partial.nothing(wide[0].new_zeros(*query.shape[:-1], value.shape[-1]))
    for first in reversed(range(0, k, 3)):
        block = slice(first, first + 3)
        part = None if mask is None else mask.expand(*mask.shape[:-1], k)[..., block]
        merged = Partial.of(scores[..., block], value_of_head[..., block, :], part).merge(merged)
    return merged.output.to(query.dtype)


BACKENDS: dict[str, Attend] = {
    "plain": attend_heads,
    "SDPA": sdpa,
    "online": online,
    "tiles": tiles,
    "Triton": kernel,
}
# A cell's error may be TIMES the error of plain code in the same precision, or ROUNDINGS of the
# largest output, whichever is more. For gradients the number of roundings is doubled, relative to
# the largest gradient, because they are computed after the output. Lossy caches have their own
# bound, relative to the output.
TIMES, ROUNDINGS = 2.0, 4.0
BOUND = {"INT8": 0.02, "FP8": 0.12}


def error(cell: Cell) -> float:
    """Return the largest error of a cell, relative to the largest number of the reference.

    A cell of gradients has an error for each tensor with a gradient; the largest counts.
    """
    truth = reference(cell.heads, cell.positions, cell.feeding == GRADIENTS, cell.mask)
    pairs = zip(numbers(cell), truth, strict=True)
    errors = [(f.double() - t).abs().max() / t.abs().max() for f, t in pairs]
    return float(torch.stack(errors).max())  # keeps NaN, which Python's max may ignore


def allowed(cell: Cell) -> float:
    """Return the largest error that a cell may have."""
    if cell.cache in LOSSY:
        return BOUND[cell.cache]
    feeding = cell.feeding if cell.cache is None else "whole"
    plain = error(Cell("plain", cell.heads, cell.positions, feeding, cell.mask, cell.dtype))
    roundings = ROUNDINGS * (2 if cell.feeding == GRADIENTS else 1)
    return max(TIMES * plain, roundings * torch.finfo(getattr(torch, cell.dtype)).eps)


@cache
def reference(heads: str, positions: str, gradients: bool, mask: str) -> tuple[Tensor, ...]:
    """Compute plain attention for all positions at once, in float64."""
    feeding = GRADIENTS if gradients else "whole"
    return numbers(Cell("plain", heads, positions, feeding, mask, "float64"))


def numbers(cell: Cell) -> tuple[Tensor, ...]:
    """Compute the compared tensors of a cell: its output (b, q, m), or all gradients."""
    dtype = getattr(torch, cell.dtype)
    layer = module(cell.heads, cell.positions, cell.dtype)
    layer.backend = BACKENDS[cell.backend]
    x, memory = inputs(cell.positions, cell.heads == "cross")
    x, memory = x.to(dtype), None if memory is None else memory.to(dtype)
    if cell.feeding != GRADIENTS:
        with torch.no_grad():
            return (output(cell, layer, x, memory),)
    given = [y.detach().requires_grad_() for y in (x, memory) if y is not None]
    found = output(cell, layer, given[0], given[1] if memory is not None else None)
    weight = normal(B, N, H * D, seed=4).to(dtype)
    # Without the biases: one that shifts all keys equally does not change the output; its gradient
    # is 0.
    learned = [each for each in layer.parameters() if each.dim() == 2]
    return torch.autograd.grad(found, [*given, *learned], weight)


def output(cell: Cell, layer: MultiHeadAttention, x: Tensor, memory: Tensor | None) -> Tensor:
    """Compute the output (b, q, m) of a cell, call by call."""
    bias: Bias | None = Alibi(H) if cell.positions == "ALiBi" else None
    held = make_cache(cell, x.dtype)
    parts, first = [], 0
    for count in cell.chunks:
        mask = mask_of(cell)
        if cell.heads == "cross" and isinstance(mask, Tensor):
            mask = mask[..., first : first + count, :]
        parts.append(
            layer(
                x[:, first : first + count],
                memory,
                mask,
                positions=torch.arange(first, first + count),
                bias=bias,
                cache=held,
            )
        )
        first += count
    return torch.cat(parts, dim=1)


def mask_of(cell: Cell) -> Tensor | Rule | None:
    """Return the mask of a cell's calls."""
    keys = MEMORY if cell.heads == "cross" else N
    if cell.mask == "random":
        seen = torch.rand(B, 1, N, keys, generator=torch.Generator().manual_seed(3)) < 0.6
        seen[0, 0, 2] = False  # a query without visible keys
        return seen
    if cell.heads == "cross" and cell.mask == "right":
        return Rule(causal=False, lengths=torch.tensor([MEMORY, 4]))
    return rule(cell.mask)


@cache
def module(heads: str, positions: str, dtype: str) -> MultiHeadAttention:
    """Make the layer with the same weights in every precision."""
    torch.manual_seed(0)
    rotary = Rotary(D) if positions == "rotary" else None
    made = MultiHeadAttention(
        d_model=H * D, n_heads=H, n_kv_heads=GROUPS[heads], rotary=rotary, bias=True
    )
    return made.to(getattr(torch, dtype))


@cache
def inputs(positions: str, cross: bool) -> tuple[Tensor, Tensor | None]:
    """Draw the input and the memory, in float64."""
    x, memory = normal(B, N, H * D, seed=1), normal(B, MEMORY, H * D, seed=2)
    if positions == "sinusoidal":
        x = x + Sinusoidal(H * D)(torch.arange(N)).double()
        memory = memory + Sinusoidal(H * D)(torch.arange(MEMORY)).double()
    return x, memory if cross else None


def make_cache(cell: Cell, dtype: torch.dtype) -> LayerCache | None:
    """Make an empty cache for a cell."""
    g = GROUPS[cell.heads]
    sizes = {"batch": B, "n_kv_heads": g, "width": D, "dtype": dtype}
    sinks = SINKS if cell.mask == "sinks" else 0
    if cell.cache == "paged":
        pool = PagePool(n_layers=1, n_pages=2 * N, page_size=2, n_kv_heads=g, width=D, dtype=dtype)
        return PagedCache(pool, 0, [PageTable(pool) for _ in range(B)])
    make: dict[str | None, Callable[[], LayerCache | None]] = {
        None: lambda: None,
        "contiguous": ContiguousCache,
        "static": lambda: StaticCache(capacity=N, **sizes),
        "sliding": lambda: SlidingCache(window=WINDOW, sinks=sinks, **sizes),
        "INT8": lambda: Int8Cache(capacity=N, **sizes),
        "FP8": lambda: Fp8Cache(capacity=N, **sizes),
    }
    return make[cell.cache]()

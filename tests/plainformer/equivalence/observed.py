"""Observed attention, that is recorded, ablated or patched, is the same for every back end.

Each combination is compared with attention written by hand in float64: projections, a softmax over
the visible keys, the change of one head, the last projection.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product

import torch
from torch import Tensor, nn

from plainformer.cache import LayerCache, PackedPagedCache, PagedCache, PagePool, PageTable
from plainformer.latent_attention import LatentAttention
from plainformer.looking import Recorded, ablated, recorded
from plainformer.mask_rules import Rule
from plainformer.multihead import MultiHeadAttention
from plainformer.positions import Rotary
from tests.plainformer.equivalence import measure
from tests.plainformer.equivalence.cells import BACKENDS, CACHES, CHUNKS, LOSSY, WINDOW, Cell, N
from tests.plainformer.equivalence.measure import BOUND, B, D, H
from tests.plainformer.tensors import normal

HOWS = ("recorded", "ablated", "patched by a hook", "patched by a back end")
GROUPS = {"MHA": 4, "GQA": 2, "MQA": 1, "latent": 1}
APART, PACKED = "paged, lengths apart", "packed"
FEEDINGS = ("whole", *(f"{c}, {how}" for c in CACHES for how in ("steps", "chunks")), APART, PACKED)
LAST = (N - 2, N), (N - 5, N - 3)  # positions of the last call, for sequences of two lengths
R, E = 6, 3  # widths of the latent and of its heads' values
HEAD, ROUNDINGS = 1, 16  # the changed head; allowed roundings of the largest number
MEAN = 0.5  # a hook replaces the head's queries by this


@dataclass(frozen=True)
class Watched:
    """One combination."""

    how: str
    backend: str
    heads: str
    feeding: str

    @property
    def window(self) -> int:
        """The window of a query."""
        return WINDOW if self.feeding.startswith("sliding") else N


def undefined(cell: Watched) -> str | None:
    """Return why a combination is left out; None if it is not."""
    if cell.backend == "Triton" and cell.feeding != "static, steps":
        return "the interpreter is slow, so only one cache is tested"
    if cell.backend == "Triton" and cell.heads == "latent":
        return "the kernel needs values as wide as keys"
    return None


def cells() -> Iterator[Watched]:
    """Yield all combinations, defined or not."""
    return (Watched(*each) for each in product(HOWS, BACKENDS, GROUPS, FEEDINGS))


def share(cell: Watched) -> float:
    """Return the error of a combination, as a share of the allowed error."""
    lossy = cell.feeding.split(",")[0]
    most = BOUND[lossy] if lossy in LOSSY else ROUNDINGS * torch.finfo(torch.float32).eps
    worst = 0.0
    for got, right in pairs(cell):
        if got.shape != right.shape:
            return math.inf
        off = (got.double() - right).abs().max() / right.abs().max()
        worst = max(worst, float(off) / most)
    return worst


def pairs(cell: Watched) -> list[tuple[Tensor, Tensor]]:
    """Return each computed and recorded tensor of a combination, with the one computed by hand."""
    layer = module(cell.heads, torch.float32)
    layer.backend = measure.BACKENDS[cell.backend]
    run = two_lengths if cell.feeding in (APART, PACKED) else one_batch
    with torch.no_grad(), observed(layer, cell.how) as record:
        return run(cell, layer, record)


@contextmanager
def observed(layer: nn.Module, how: str) -> Iterator[Recorded | None]:
    """Observe a layer while the block runs."""
    if how == "recorded":
        with recorded(layer) as record:
            yield record
    elif how == "ablated":
        with ablated(layer, [(0, HEAD)]):
            yield None
    elif how == "patched by a hook":
        width = layer.query.out_features // H

        def hook(_: nn.Module, given: object, out: Tensor) -> Tensor:
            patched = out.clone()
            patched[..., HEAD * width : (HEAD + 1) * width] = MEAN
            return patched

        with layer.query.register_forward_hook(hook):
            yield None
    else:
        before = layer.backend

        def doubled(*args: object, **options: object) -> Tensor:
            out: Tensor = before(*args, **options).clone()
            out[:, HEAD] *= 2
            return out

        layer.backend = doubled
        yield None
        layer.backend = before


@cache
def module(heads: str, dtype: torch.dtype) -> MultiHeadAttention | LatentAttention:
    """Make a layer with the same weights in every precision."""
    torch.manual_seed(0)
    if heads == "latent":
        made: nn.Module = LatentAttention(
            d_model=H * D, n_heads=H, latent_width=R, rotary_width=4, head_width=D, value_width=E,
            rotary=Rotary(4),
        )  # fmt: skip
    else:
        made = MultiHeadAttention(
            d_model=H * D, n_heads=H, n_kv_heads=GROUPS[heads], rotary=Rotary(D)
        )
    return made.to(dtype)  # type: ignore[return-value]


@cache
def by_hand(heads: str, how: str, window: int) -> list[Tensor]:
    """Return the output, the weights, the values and the output of each head, in float64."""
    with torch.no_grad():
        layer, x, at = module(heads, torch.float32), inputs(), torch.arange(N)
        weight = {name: each.double() for name, each in layer.named_parameters()}
        query = (x @ weight["query.weight"].T).view(B, N, H, -1).transpose(1, 2)
        if how == "patched by a hook":
            query[:, HEAD] = MEAN
        if isinstance(layer, LatentAttention):
            down, turn = (x @ weight["down.weight"].T).split([R, 4], dim=-1)
            latent = down * (down.square().mean(-1, keepdim=True) + layer.norm.eps).rsqrt()
            latent = latent * weight["norm.weight"]
            key = (latent @ weight["key_up.weight"].T).view(B, N, H, D).transpose(1, 2)
            turn = layer.rotary(turn[:, None], at).expand(-1, H, -1, -1)
            key = torch.cat([key, turn], dim=-1)
            query = torch.cat([query[..., :D], layer.rotary(query[..., D:], at)], dim=-1)
            value = (latent @ weight["value_up.weight"].T).view(B, N, H, E).transpose(1, 2)
        else:
            key, value = (
                (x @ weight[f"{name}.weight"].T).view(B, N, -1, D).transpose(1, 2)
                for name in ("key", "value")
            )
            query, key = layer.rotary(query, at), layer.rotary(key, at)
            group = torch.arange(H) // (H // GROUPS[heads])
            key, value = key[:, group], value[:, group]
        gap = at[:, None] - at
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        scores = scores.masked_fill((gap < 0) | (gap >= window), -math.inf)
        weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
        out = weights @ value
        if how == "ablated":
            out[:, HEAD] = 0
        if how == "patched by a back end":
            out[:, HEAD] *= 2
        output = out.transpose(1, 2).flatten(2) @ weight["output.weight"].T
    return [output, weights, value, out]


@cache
def inputs() -> Tensor:
    """Draw the input (b, q, m) in float64."""
    return normal(B, N, H * D, seed=1)


def one_batch(
    cell: Watched, layer: nn.Module, record: Recorded | None
) -> list[tuple[Tensor, Tensor]]:
    """Run two sequences of the same length, at once or with a cache."""
    x, parts, first, held = inputs().float(), [], 0, held_by(cell)
    steps = CHUNKS if cell.feeding.endswith("chunks") else (1,) * N
    for n in (N,) if held is None else steps:
        parts.append(layer(x[:, first : first + n], mask=Rule(), cache=held))
        first += n
    found = [torch.cat(parts, dim=1)]
    if record is not None:
        wide = [nn.functional.pad(w, (0, N - w.shape[-1])) for w in record.weights]
        found += [torch.cat(wide, 2), first_seen(record.values), torch.cat(record.outputs, 2)]
    return list(zip(found, by_hand(cell.heads, cell.how, cell.window), strict=False))


def first_seen(calls: list[Tensor]) -> Tensor:
    """Return each position's values from the first call that has them."""
    whole = calls[0]
    for call in calls[1:]:
        whole = torch.cat([whole, call[:, :, whole.shape[2] :]], dim=2)
    return whole


def held_by(cell: Watched) -> LayerCache | None:
    """Make an empty cache for a combination."""
    if cell.heads != "latent":
        like = Cell("plain", cell.heads, "rotary", cell.feeding, "causal", "float32")
        return measure.make_cache(like, torch.float32)
    kind, sizes = cell.feeding.split(",")[0], {"batch": B, "n_kv_heads": 1, "width": R + 4}
    sizes["value_width"] = R
    if kind == "paged":
        del sizes["batch"]
        pool = PagePool(n_layers=1, n_pages=2 * N, page_size=2, **sizes)
        return PagedCache(pool, 0, [PageTable(pool) for _ in range(B)])
    if kind == "sliding":
        return measure.SlidingCache(window=WINDOW, **sizes)
    make = {
        "whole": lambda: None,
        "contiguous": measure.ContiguousCache,
        "static": lambda: measure.StaticCache(capacity=N, **sizes),
        "INT8": lambda: measure.Int8Cache(capacity=N, **sizes),
        "FP8": lambda: measure.Fp8Cache(capacity=N, **sizes),
    }
    return make[kind]()  # type: ignore[no-untyped-call]


def two_lengths(
    cell: Watched, layer: nn.Module, record: Recorded | None
) -> list[tuple[Tensor, Tensor]]:
    """Run the last two positions of sequences of two lengths, in a batch or in one row."""
    x, tables = inputs().float(), read_before(cell.heads, layer)
    new = [x[i, first:last] for i, (first, last) in enumerate(LAST)]
    at = [torch.arange(first, last) for first, last in LAST]
    if cell.feeding == PACKED:
        row: LayerCache = PackedPagedCache(tables[0].pool, 0, tables, [2, 2])
        out = layer(torch.cat(new)[None], mask=Rule(), positions=torch.cat(at), cache=row)
        outputs, begin = out[0].split(2), [0, LAST[0][1]]
    else:
        held = PagedCache(tables[0].pool, 0, tables)
        out = layer(torch.stack(new), mask=Rule(), positions=torch.stack(at), cache=held)
        outputs, begin = out.unbind(0), [0, 0]
    found = []
    for i, (first, last) in enumerate(LAST):
        right = [x[i] for x in by_hand(cell.heads, cell.how, N)]
        found.append((outputs[i], right[0][first:last]))
        if record is not None:
            row_of, queries = (
                (0, slice(2 * i, 2 * i + 2)) if cell.feeding == PACKED else (i, slice(2))
            )
            keys = slice(begin[i], begin[i] + last)
            weights, values = record.weights[-1][row_of, :, queries], record.values[-1][row_of]
            rest = weights.clone()
            rest[..., keys] = 0
            assert not rest.any(), "keys of another sequence, or of none"
            found += [
                (weights[..., keys], right[1][:, first:last, :last]),
                (values[:, keys], right[2][:, :last]),
                (record.outputs[-1][row_of, :, queries], right[3][:, first:last]),
            ]
    return found


def read_before(heads: str, layer: nn.Module) -> list[PageTable]:
    """Read all but the last positions of two sequences into separate pages."""
    latent = heads == "latent"
    pool = PagePool(
        n_layers=1, n_pages=2 * N, page_size=2, n_kv_heads=GROUPS[heads],
        width=R + 4 if latent else D, value_width=R if latent else D,
    )  # fmt: skip
    tables = [PageTable(pool) for _ in LAST]
    for at in range(max(first for first, _ in LAST)):
        for i, (first, _) in enumerate(LAST):
            if at < first:
                part = inputs()[i : i + 1, at : at + 1].float()
                layer(part, mask=Rule(), cache=PagedCache(pool, 0, [tables[i]]))
    return tables

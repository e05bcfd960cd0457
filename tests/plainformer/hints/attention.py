"""Advice in errors of attention, masks and caches, with calls that follow each part."""

from dataclasses import dataclass
from unittest import mock

import torch
from torch import Tensor

from plainformer import flash, masks
from plainformer.attention import attend_heads
from plainformer.cache import (
    ContiguousCache,
    Fp8Cache,
    Int8Cache,
    PackedPagedCache,
    PagedCache,
    PagePool,
    PageTable,
    SlidingCache,
    StaticCache,
)
from plainformer.flash import gpu
from plainformer.heads import check_divides
from plainformer.mask_checks import check
from plainformer.mask_rules import Rule
from plainformer.models import EncoderDecoder
from plainformer.positions import RelativeBias
from plainformer.scores import cosine, dot
from plainformer.sdpa import sdpa
from tests.plainformer.hints.parts import TOKENS, appended, held, model
from tests.plainformer.hints.rows import Hint
from tests.plainformer.tensors import normal

CACHE = {"batch": 1, "n_kv_heads": 2, "width": 4, "dtype": torch.float64}


def heads(q=3, k=3, h=2, d=4, b=1, dtype=torch.float64):
    return [normal(b, h, n, d, seed=i, dtype=dtype) for i, n in enumerate((q, k, k))]


def scores(b=1, h=2, q=3, k=3):
    return torch.zeros(b, h, q, k)


def masked(*shape, at=(...,)):
    """Attend with two queries to five keys, under a mask of a shape after indexing."""
    return attend_heads(*heads(q=2, k=5, b=3), mask=torch.ones(shape, dtype=torch.bool)[at])


def pool(pages=2):
    return PagePool(n_layers=1, n_pages=pages, page_size=2, n_kv_heads=2, width=4,
                    dtype=torch.float64)  # fmt: skip


def paged(pages, free=False):
    ours = pool(pages)
    tables = [PageTable(ours) for _ in range(2)]
    appended(PagedCache(ours, 0, tables[:1]), 4)
    if free:
        tables[0].free()
    appended(PagedCache(ours, 0, tables[1:]), 4)


def allocated(pages, free=False):
    ours = pool(pages)
    first = ours.allocate(2)
    if free:
        ours.free(first)
    ours.allocate(2)


def packed(step=True, again=False, fresh=False):
    ours = pool(4)
    table = PageTable(ours)
    cache = PackedPagedCache(ours, 0, [table], [3])
    if step:
        appended(cache, 3)
    if fresh:
        cache = PackedPagedCache(ours, 0, [table], [3])
    if again:
        appended(cache, 3)
    return cache, table


def twice_differentiated(backend):
    query, key, value = (x.requires_grad_() for x in heads())
    (once,) = torch.autograd.grad(
        backend(query, key, value).square().sum(), query, create_graph=True
    )
    once.square().sum().backward()


class Learning:
    """A learned bias that is not a module."""

    def __init__(self):
        self.weight = torch.zeros(1, dtype=torch.float64, requires_grad=True)

    def __call__(self, q, k):
        return (self.weight * (q[:, None] - k[None]))[None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Silent(Rule):
    """A rule with an unread field."""

    reach: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Spoken(Silent):
    """The same with the field read."""

    def allows(self, q_positions, k_positions):
        near = (q_positions[..., :, None] - k_positions[..., None, :]).abs() <= self.reach
        return super(Silent, self.changed(reach=0)).allows(q_positions, k_positions) & near


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows(Rule):
    """A rule with a tensor for each sequence."""

    ends: Tensor | None = None

    def allows(self, q_positions, k_positions):
        return (k_positions[None, None, :] < self.ends[:, None, None])[:, None].expand(
            -1, -1, q_positions.shape[-1], -1
        )


class Each(Rows):
    """The same with its own method to split it."""

    def each(self, b):
        return [Rows(causal=False, ends=end) for end in self.ends.split(1)]


class Marked(Rule):
    """A rule with an attribute that is not a field."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "mark", 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Fielded(Rule):
    """The same with a field."""

    mark: int | None = None


def by_pages(rule, cache="paged"):
    ours = pool(8)
    made = PagedCache(ours, 0, [PageTable(ours)]) if cache == "paged" else ContiguousCache()
    return appended(made, 3).attend(heads()[0], rule)


def with_slopes(slopes):
    """Call the GPU's kernel as if a GPU existed, without launching it."""
    done = mock.patch.object(gpu._Flash, "apply", return_value=(heads()[0], heads()[0][..., 0]))
    with mock.patch.object(gpu, "supports", return_value=True), done:
        return gpu.attend(*heads(), rule=None, scale=1.0, slopes=slopes)


def without_fp8():
    kind = torch.float8_e4m3fn
    del torch.float8_e4m3fn
    try:
        return Fp8Cache(capacity=4, **CACHE)
    finally:
        torch.float8_e4m3fn = kind


def crossed(memory_mask, **more):
    ours = model(EncoderDecoder)
    memory = ours.encode(TOKENS, mask=more.get("source"))
    return ours.decode(TOKENS, memory, memory_mask=memory_mask)


LEARNED = RelativeBias(2, buckets=4, max_distance=9, bidirectional=True).double()


UPSIDE = torch.ones(3, 3, dtype=torch.bool).triu(1)


FALSE_FLOAT = torch.zeros(3, 3).masked_fill(~Rule().dense(3, 3)[0, 0], -torch.inf)


HINTS = [
    Hint(
        "One row for each sequence (b, k) becomes …[:, None, None, :].",
        lambda: masked(3, 5),
        [lambda: masked(3, 5, at=(slice(None), None, None, slice(None)))],
    ),
    Hint(
        "One matrix for each sequence (b, q, k) becomes …[:, None].",
        lambda: masked(3, 2, 5),
        [lambda: masked(3, 2, 5, at=(slice(None), None))],
    ),
    Hint(
        "The queries are the last … of … positions: take …[..., -…:, :].",
        lambda: masked(5, 5),
        [lambda: masked(5, 5, at=(..., slice(-2, None), slice(None)))],
    ),
    Hint(
        "make the cache larger, truncate it, or use a sliding cache",
        lambda: held(5, StaticCache(capacity=4, **CACHE)),
        [
            lambda: held(5, StaticCache(capacity=5, **CACHE)),
            lambda: [c := held(4, StaticCache(capacity=4, **CACHE)), c.truncate(1), held(3, c)],
            lambda: held(5, SlidingCache(window=4, **CACHE)),
        ],
    ),
    Hint(
        "append the keys and values of the queries' positions first, or, where they are of "
        "another sequence, use mask=Rule(causal=False)",
        lambda: held(2).attend(heads()[0], Rule()),
        [
            lambda: held(3).attend(heads()[0], Rule()),
            lambda: held(2).attend(heads()[0], Rule(causal=False)),
        ],
    ),
    Hint(
        "append keys and values before reading",
        lambda: ContiguousCache().read(),
        [lambda: held(1).read()],
    ),
    Hint(
        "truncate the page tables, each to its own length",
        lambda: packed()[0].truncate(1),
        [lambda: packed()[1].truncate(1)],
    ),
    Hint(
        "make new caches for the next step",
        lambda: packed(again=True),
        [lambda: packed(again=True, fresh=True)],
    ),
    Hint(
        "append first, then attend with (1, h, …, d)",
        lambda: packed(step=False)[0].attend(heads()[0]),
        [lambda: packed()[0].attend(heads()[0])],
    ),
    Hint(
        "make it with PageTable(pool)",
        lambda: PagedCache(pool(), 0, [PageTable(pool())]),
        [lambda: PagedCache(ours := pool(), 0, [PageTable(ours)])],
    ),
    Hint(
        "pages are needed (… of them copies of shared ones) and … of … are free: free a sequence, "
        "or make the pool larger",
        lambda: paged(3),
        [lambda: paged(3, free=True), lambda: paged(4)],
    ),
    Hint(
        "pages are needed and … of … are free: free a sequence, or make the pool larger",
        lambda: allocated(3),
        [lambda: allocated(3, free=True), lambda: allocated(4)],
    ),
    Hint(
        "Attend once after each append; a larger slack lets more be taken back",
        lambda: held(1, held(1, held(2, SlidingCache(window=2, **CACHE)))).truncate(2),
        [
            lambda: held(1, held(1, held(2, SlidingCache(window=2, slack=2, **CACHE)))).truncate(2),
            lambda: [
                cache := held(2, SlidingCache(window=2, **CACHE)),
                *(held(1, cache).attend(heads(q=1)[0], Rule()) for _ in range(3)),
            ],
        ],
    ),
    Hint(
        "Pad on the right, use sinks=0, or one cache for each sequence",
        lambda: held(3, SlidingCache(window=2, sinks=1, **CACHE)).attend(
            heads()[0], Rule(starts=torch.tensor([1]))
        ),
        [
            lambda: held(3, SlidingCache(window=2, slack=2, sinks=1, **CACHE)).attend(
                heads()[0], Rule(lengths=torch.tensor([2]))
            ),
            lambda: held(3, SlidingCache(window=2, slack=2, **CACHE)).attend(
                heads()[0], Rule(starts=torch.tensor([1]))
            ),
            lambda: held(2, SlidingCache(window=2, sinks=1, **CACHE)).attend(heads(q=2)[0], Rule()),
        ],
    ),
    Hint(
        "this PyTorch has no float8_e4m3fn: use Int8Cache",
        without_fp8,
        [lambda: held(2, Int8Cache(capacity=4, **CACHE))],
    ),
    Hint(
        "Make it a module, or use plainformer.attention.attend_heads or plainformer.sdpa.sdpa",
        lambda: flash.attend(*heads(), bias=Learning()),
        [
            lambda: flash.attend(*heads(), bias=LEARNED),
            lambda: attend_heads(*heads(), bias=Learning()),
            lambda: sdpa(*heads(), bias=Learning()),
        ],
    ),
    Hint(
        "Use plainformer.attention.attend_heads",
        lambda: twice_differentiated(flash.attend),
        [lambda: twice_differentiated(attend_heads)],
    ),
    Hint(
        "tiles up to width 256 (128 before 8.0), 32 bits, from 7.5 on; use plainformer.sdpa.sdpa",
        lambda: gpu.tiles_for(512, torch.float32, (8, 0)),
        [lambda: sdpa(*heads(d=512, dtype=torch.float32))],
    ),
    Hint(
        "use plainformer.flash.attend, which finds another way",
        lambda: gpu.attend(*heads(), rule=None, scale=1.0),
        [lambda: flash.attend(*heads())],
    ),
    Hint(
        "the GPU kernel gives slopes no gradient; detach()",
        lambda: with_slopes(torch.ones(2, requires_grad=True)),
        [lambda: with_slopes(torch.ones(2, requires_grad=True).detach())],
    ),
    Hint(
        "give query, key and value four, (b, h, n, d)",
        lambda: flash.attend_in_blocks(
            *(x[0] for x in heads(b=2)), rule=Rule(lengths=torch.tensor([2, 3]))
        ),
        [lambda: flash.attend_in_blocks(*heads(b=2), rule=Rule(lengths=torch.tensor([2, 3])))],
    ),
    Hint(
        "use one of …",
        lambda: check_divides("d_model", 10, "n_heads", 3),
        [lambda: [check_divides("d_model", 10, "n_heads", n) for n in (1, 2, 5, 10)]],
    ),
    Hint(
        "pass ~mask if it is causal and nothing else, or masks.combine(masks.causal(q), …) if it "
        "hides padding, too",
        lambda: check(UPSIDE, scores()),
        [
            lambda: check(~UPSIDE, scores()),
            lambda: check(
                masks.combine(masks.causal(3), masks.padding(torch.tensor([2]), 3)), scores()
            ),
        ],
    ),
    Hint(
        "Of an additive mask (0 or -inf) take mask == 0, or pass it as bias; of a mask of 1 (may "
        "look) and 0 take mask.bool()",
        lambda: attend_heads(*heads(), FALSE_FLOAT),
        [
            lambda: attend_heads(*heads(), FALSE_FLOAT == 0),
            lambda: attend_heads(*heads(), bias=FALSE_FLOAT),
            lambda: attend_heads(*heads(), (FALSE_FLOAT == 0).int().bool()),
        ],
    ),
    Hint(
        "override allows in …",
        lambda: attend_heads(*heads(), Silent(reach=1)),
        [lambda: attend_heads(*heads(), Spoken(reach=1))],
    ),
    Hint(
        "use a cache that is not paged, or override each",
        lambda: by_pages(Rows(causal=False, ends=torch.tensor([2]))),
        [
            lambda: by_pages(Rows(causal=False, ends=torch.tensor([2])), "contiguous"),
            lambda: by_pages(Each(causal=False, ends=torch.tensor([2]))),
        ],
    ),
    Hint(
        "give this rule to encode(), and memory_mask=Rule(causal=False, starts=…, lengths=…) to "
        "decode()",
        lambda: crossed(Spoken(reach=9)),
        [
            lambda: crossed(
                Rule(causal=False, starts=torch.tensor([0]), lengths=torch.tensor([3])),
                source=Spoken(reach=9, causal=False),
            )
        ],
    ),
    Hint(
        "make them fields, with @dataclass(frozen=True, kw_only=True, eq=False) above the class",
        lambda: Marked().changed(window=2),
        [lambda: Fielded(mark=1).changed(window=2)],
    ),
    Hint(
        "fast attention knows scaled_dot and dot only; use plainformer.attention.attend_heads for "
        "others",
        lambda: sdpa(*heads(), score=cosine),
        [lambda: attend_heads(*heads(), score=cosine), lambda: sdpa(*heads(), score=dot)],
    ),
    Hint(
        "expected the same floating point for all; convert with key.to(query.dtype)",
        lambda: flash.attend(heads()[0], heads()[1].float(), heads()[2]),
        [lambda: flash.attend(heads()[0], heads()[1].float().to(heads()[0].dtype), heads()[2])],
    ),
]

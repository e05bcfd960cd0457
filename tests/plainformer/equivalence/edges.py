"""Edge cases in which a single back end may be wrong, because a row is empty or a number is large.

Inputs are multiples of a quarter, which are exact in each precision. The reference is independent
of the package: a softmax over the visible keys of each row, and zeros for a row without visible
keys.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import torch
from torch import Tensor

from plainformer.attention import Bias
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
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi
from tests.plainformer.equivalence.cells import BACKENDS, DTYPES, GRADIENTS
from tests.plainformer.equivalence.measure import BACKENDS as ATTEND
from tests.plainformer.equivalence.measure import BOUND
from tests.plainformer.tensors import normal

B, H, N, D, WINDOW = 2, 4, 6, 256, 4  # the root of the width is a power of two, so exact
ROUNDINGS = 8  # relative to the largest output; gradients may have double
GROUPS = {"MHA": 4, "GQA": 2}
FEEDINGS = ("whole", GRADIENTS, *(f"{c}, steps" for c in
            ("contiguous", "static", "sliding", "paged", "INT8", "FP8")))  # fmt: skip
SOME = torch.rand(H, N, N, generator=torch.Generator().manual_seed(2)) < 0.4
SELF = torch.eye(N, dtype=torch.bool)
FIRST = torch.arange(N) < 2


@dataclass(frozen=True)
class Case:
    """A mask and a bias in the package's form, and the equivalent mask (b, h, q, k)."""

    mask: Tensor | Rule | None
    bias: Tensor | Bias | None
    seen: Tensor
    k: int = N
    size: float = 1.0  # scale of queries and keys

    def added(self) -> Tensor:
        """Return the total bias of the scores in float64."""
        if self.bias is None:
            return torch.zeros(1, dtype=torch.float64)
        if isinstance(self.bias, Tensor):
            return self.bias.double()
        return self.bias(torch.arange(self.k - N, self.k), torch.arange(self.k)).double()


@dataclass(frozen=True)
class Edge:
    """One combination."""

    what: str
    backend: str
    heads: str
    feeding: str
    dtype: str


def rows(*numbers: int) -> Tensor:
    """Return a mask with all keys of some queries."""
    return torch.isin(torch.arange(N), torch.tensor(numbers))[:, None].expand(N, N)


def by_rule(rule: Rule | None, k: int = N, size: float = 1.0, bias: Bias | None = None) -> Case:
    """Hide keys with a rule."""
    seen = torch.ones(N, k, dtype=torch.bool) if rule is None else rule.dense(N, k)
    return Case(rule, bias, seen, k, size)


def by_mask(seen: Tensor, size: float = 1.0) -> Case:
    """Hide keys with a boolean tensor."""
    return Case(seen, None, seen, N, size)


def by_bias(hidden: Tensor, low: float = -torch.inf, mask: Tensor | None = None) -> Case:
    """Hide keys with a tensor that is added to the scores."""
    bias = (4 * normal(*hidden.shape, seed=7)).round().div(4).masked_fill(hidden, low).float()
    return Case(mask, bias, torch.ones(N, N, dtype=torch.bool) if mask is None else mask)


def by_function(hidden: Callable[[Tensor, Tensor], Tensor], rule: Rule | None = None) -> Case:
    """Hide keys with a function of positions."""

    def bias(q: Tensor, k: Tensor) -> Tensor:
        q, k = q[..., :, None], k[..., None, :]
        return ((k - q) / 4).masked_fill(hidden(q, k), -torch.inf).unsqueeze(-3)

    return by_rule(rule, bias=bias)


WHATS: dict[str, Callable[[], Case]] = {
    "−∞ in a bias": lambda: by_bias(SOME & ~SELF),
    "−∞ in a bias: rows": lambda: by_bias(SOME | rows(0, 3)),
    "−∞ in a bias: a head": lambda: by_bias((torch.arange(H) == 1)[:, None, None].expand(H, N, N)),
    "−∞ in a bias: columns": lambda: by_bias(FIRST.expand(1, 1, 1, N)),
    "−∞ in a bias: all of a sequence": lambda: by_bias(
        (torch.arange(B) == 1)[:, None, None, None].expand(B, 1, N, N)
    ),
    "−∞ in a bias, with a mask": lambda: by_bias(
        rows(1, 2) & FIRST, mask=~(rows(1, 2) & ~FIRST | rows(4))
    ),
    "−10³⁸ in a bias: rows": lambda: by_bias(rows(0, 3), -1e38),
    "−∞ in a function": lambda: by_function(lambda q, k: (k - q).abs() == 2),
    "−∞ in a function: rows": lambda: by_function(lambda q, k: (q % 3 == 1) | (k > 9)),
    "−∞ in a function, with a rule": lambda: by_function(lambda q, k: k % 3 != 0, Rule(window=2)),
    "empty rows: mask": lambda: by_mask(~(SOME | rows(1, 5))),
    "empty rows: starts": lambda: by_rule(Rule(starts=torch.tensor([N, 4]))),
    "empty rows: lengths": lambda: by_rule(Rule(lengths=torch.tensor([0, 3]))),
    "empty rows: a window of padding": lambda: by_rule(
        Rule(window=2, lengths=torch.tensor([3, N]))
    ),
    "q > k": lambda: by_rule(None, 4),
    "q > k: causal": lambda: by_rule(Rule(), 4),
    "q > k: causal and ALiBi": lambda: by_rule(Rule(), 4, bias=Alibi(H)),
    "q > k: window": lambda: by_rule(Rule(window=2), 3),
    "q > k: window on both sides": lambda: by_rule(Rule(causal=False, window=2), 3),
    "q > k: prefix": lambda: by_rule(Rule(prefix=1), 4),
    "scores of 6,000": lambda: by_rule(None, size=19.5),
    "scores of 6,000: causal": lambda: by_rule(Rule(), size=19.5),
    "scores of 6,000: mask": lambda: by_mask(~SOME | SELF, 19.5),
    "scores of 6,000: ALiBi": lambda: by_rule(Rule(), size=19.5, bias=Alibi(H)),
    "scores of 100,000": lambda: by_rule(Rule(), size=79.5),
}


@cache
def case(what: str) -> Case:
    """Return the case with a name."""
    return WHATS[what]()


def undefined(edge: Edge) -> str | None:
    """Return why a combination is undefined or not supported, or None."""
    this, cached = case(edge.what), edge.feeding.endswith("steps")
    if this.size > 1 and edge.dtype == "float32":
        return "scores are large for half precision"
    if cached and this.k != N:
        return "a cache holds its queries' keys"
    if edge.backend == "Triton" and cached:
        return "the interpreter is slow, so only one cache is tested"
    band = this.mask is None or (isinstance(this.mask, Rule) and this.mask.as_band())
    if edge.backend == "Triton" and not (band and isinstance(this.bias, Alibi | None)):
        return "the kernel does not support the mask"
    return None


def edges() -> Iterator[Edge]:
    """Yield all combinations, defined or not."""
    return (Edge(*each) for each in product(WHATS, BACKENDS, GROUPS, FEEDINGS, DTYPES))


def inputs(heads: str, k: int, size: float) -> list[Tensor]:
    """Draw queries, keys and values in float64; large ones have equal norms and two equal keys."""
    g = GROUPS[heads]
    shapes = [(B, H, N, D), (B, g, k, D), (B, g, k, D)]
    drawn = [(4 * normal(*s, seed=i)).round() / 4 for i, s in enumerate(shapes)]
    if size > 1:
        key = torch.where(drawn[1] < 0, -size, size)
        key[:, :, 2] = key[:, :, 0]
        drawn[:2] = key.repeat_interleave(H // g, 1), key
    return drawn


def truth(edge: Edge) -> tuple[Tensor, ...]:
    """Attend row by row, in float64."""
    feeding = edge.feeding if edge.feeding == "sliding, steps" else edge.feeding[-5:]
    return _truth(edge.what, edge.heads, feeding)


@cache
def _truth(what: str, heads: str, feeding: str) -> tuple[Tensor, ...]:
    this = case(what)
    given = [x.requires_grad_() for x in inputs(heads, this.k, this.size)]
    query, key, value = given
    key, value = (x.repeat_interleave(H // GROUPS[heads], 1) for x in (key, value))
    added = this.added().requires_grad_()
    seen = this.seen & (added > -torch.inf)
    if feeding.endswith("steps"):
        distance = torch.arange(N)[:, None] - torch.arange(N)
        seen = seen & (distance >= 0) & (distance < (WINDOW if "sliding" in feeding else N))
    seen, more = seen.expand(B, H, N, this.k), added.expand(B, H, N, this.k)
    output = torch.zeros(B, H, N, D, dtype=torch.float64)
    for at in product(range(B), range(H), range(N)):
        keys = seen[at].nonzero()[:, 0]
        if len(keys):
            scores = key[at[:2]][keys] @ query[at] / D**0.5 + more[at][keys]
            output[at] = scores.softmax(0) @ value[at[:2]][keys]
    if feeding != GRADIENTS[-5:]:
        return (output.detach(),)
    learned = [added] if isinstance(this.bias, Tensor) else []
    return torch.autograd.grad(output, [*given, *learned], upstream())


def upstream() -> Tensor:
    """Draw the gradient of the output."""
    return (4 * normal(B, H, N, D, seed=4)).round() / 4


def numbers(edge: Edge) -> tuple[Tensor, ...]:
    """Compute the compared tensors of an edge: the output, or all gradients."""
    this, dtype, attend = case(edge.what), getattr(torch, edge.dtype), ATTEND[edge.backend]
    given = [x.to(dtype) for x in inputs(edge.heads, this.k, this.size)]
    if edge.feeding.endswith("steps"):
        return (steps(edge, this, given),)
    if edge.feeding == "whole":
        return (attend(*given, this.mask, bias=this.bias),)
    given = [x.requires_grad_() for x in given]
    bias = this.bias.clone().requires_grad_() if isinstance(this.bias, Tensor) else this.bias
    learned = [bias] if isinstance(bias, Tensor) else []
    found = attend(*given, this.mask, bias=bias)
    return torch.autograd.grad(found, [*given, *learned], upstream().to(dtype))


def steps(edge: Edge, this: Case, given: list[Tensor]) -> Tensor:
    """Attend with a cache, one position at a time."""
    query, key, value = given
    held, parts = make_cache(edge, key), []
    for i in range(N):
        held.append(key[:, :, i : i + 1], value[:, :, i : i + 1])
        mask, bias = (cut(x, i) if isinstance(x, Tensor) else x for x in (this.mask, this.bias))
        new = query[:, :, i : i + 1]
        parts.append(held.attend(new, mask, bias=bias, backend=ATTEND[edge.backend]))
    return torch.cat(parts, 2)


def cut(whole: Tensor, i: int) -> Tensor:
    """Take the row of query ``i``, up to its own key."""
    row = whole if whole.shape[-2] == 1 else whole[..., i : i + 1, :]
    return row[..., : i + 1]


def make_cache(edge: Edge, key: Tensor) -> LayerCache:
    """Make an empty cache for an edge."""
    g, kind = GROUPS[edge.heads], edge.feeding.split(",")[0]
    sizes = {"n_kv_heads": g, "width": D, "dtype": key.dtype}
    if kind == "paged":
        pool = PagePool(n_layers=1, n_pages=2 * N, page_size=2, **sizes)
        pages = pool.allocate(2 * N)
        pool.free(pages[::2])  # the others are not contiguous
        return PagedCache(pool, 0, [PageTable(pool) for _ in range(B)])
    if kind == "contiguous":
        return ContiguousCache()
    if kind == "sliding":
        return SlidingCache(batch=B, window=WINDOW, **sizes)
    made = {"static": StaticCache, "INT8": Int8Cache, "FP8": Fp8Cache}[kind]
    return made(batch=B, capacity=N, **sizes)


def share(edge: Edge) -> float:
    """Return the largest error of an edge, as a share of the allowed error; NaN stays NaN."""
    right = truth(edge)
    errors = [(f.double() - t).abs().max() for f, t in zip(numbers(edge), right, strict=True)]
    largest = max(float(t.abs().max()) for t in right)  # some gradients are sums that cancel
    roundings = ROUNDINGS * (2 if edge.feeding == GRADIENTS else 1)
    allowed = roundings * torch.finfo(getattr(torch, edge.dtype)).eps
    lossy = BOUND.get(edge.feeding.split(",")[0], 0.0)
    return float(torch.stack(errors).max()) / (largest * max(allowed, lossy))

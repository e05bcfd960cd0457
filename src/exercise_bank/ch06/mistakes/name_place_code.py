"""Wrong ways to name the place of a norm."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

Place = Callable[[Tensor, Tensor, Tensor, Tensor], str]


def same(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-4, atol=1e-5)


def reads_only(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "post" if same(read, x) else "pre"


def sums_only(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "pre" if same(out, x + wrote) else "post"


def no_stream(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    return "pre" if same(out, x + wrote) else "sandwich"


def stream_for_sandwich(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    return "pre" if same(out, x + wrote) else "stream"


def stream_for_pre(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    return "pre" if same(out, read + wrote) else "sandwich"


def exactly(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if torch.equal(read, x):
        return "none" if torch.equal(out, x + wrote) else "post"
    if torch.equal(out, x + wrote):
        return "pre"
    return "stream" if torch.equal(out, read + wrote) else "sandwich"


def by_differences(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out - x, wrote) else "post"
    if same(out - x, wrote):
        return "pre"
    return "stream" if same(out - read, wrote) else "sandwich"


def by_differences_finely(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    """Compare differences, with the tolerances that torch.allclose has by default."""
    if torch.allclose(read, x):
        return "none" if torch.allclose(out - x, wrote) else "post"
    if torch.allclose(out - x, wrote):
        return "pre"
    return "stream" if torch.allclose(out - read, wrote) else "sandwich"


def nothing_left(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if bool((read - x == 0).all()):
        return "none" if bool((out - x == wrote).all()) else "post"
    if bool((out - x == wrote).all()):
        return "pre"
    return "stream" if bool((out - read == wrote).all()) else "sandwich"


def by_mean(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    def centred(y: Tensor) -> bool:
        return bool((y.std(dim=-1, correction=0) - 1).abs().max() < 0.25) and not same(y, x)

    if centred(read):
        return "pre" if same(out, x + wrote) else "sandwich"
    return "post" if centred(out) else "none"


def turned_round(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "pre"
    if same(out, x + wrote):
        return "post"
    return "stream" if same(out, read + wrote) else "sandwich"


def tell(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor, close: object) -> str:
    assert callable(close)
    if close(read, x):
        return "none" if close(out, x + wrote) else "post"
    if close(out, x + wrote):
        return "pre"
    return "stream" if close(out, read + wrote) else "sandwich"


def first_token(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return tell(x[:1], read[:1], wrote[:1], out[:1], same)


def anywhere(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return tell(
        x, read, wrote, out, lambda a, b: bool(torch.isclose(a, b, rtol=1e-4, atol=1e-5).any())
    )


def stream_first(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(out, read + wrote):
        return "stream"
    return tell(x, read, wrote, out, same)


def sandwich_for_post(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(out, x + wrote):
        return "none" if same(read, x) else "pre"
    return "stream" if same(out, read + wrote) else "sandwich"


def coarsely(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return tell(x, read, wrote, out, lambda a, b: torch.allclose(a, b, atol=0.3))


def by_zero_mean(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    def normed(y: Tensor) -> bool:
        return bool(y.mean(dim=-1).abs().max() < 1e-4)

    if normed(read):
        return "pre" if same(out, x + wrote) else "sandwich"
    return "post" if normed(out) else "none"


def post_by_numbers(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        mean, variance = out.mean(dim=-1), out.var(dim=-1, correction=0)
        normed = max(mean.abs().max().item(), (variance - 1).abs().max().item()) < 1e-2
        return "post" if normed else "none"
    return tell(x, read, wrote, out, same)


def exactly_without_stream(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    name = exactly(x, read, wrote, out)
    return "sandwich" if name == "stream" else name


def post_for_sandwich(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    name = tell(x, read, wrote, out, same)
    return "post" if name == "sandwich" else name


def default_tolerance(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return tell(x, read, wrote, out, torch.allclose)


def one_small_tolerance(
    x: Tensor, read: Tensor, wrote: Tensor, out: Tensor, *, atol: float = 1e-6
) -> str:
    x, read, wrote, out = (each.double() for each in (x, read, wrote, out))
    return tell(x, read, wrote, out, lambda a, b: torch.allclose(a, b, rtol=0, atol=atol))


def one_fact(
    x: Tensor, read: Tensor, wrote: Tensor, out: Tensor, *, fact: str, yes: str, no: str
) -> str:
    """Decide by one comparison: of ``read`` with x, or of ``out`` with the sum."""
    holds = same(read, x) if fact == "read" else same(out, x + wrote)
    return yes if holds else no


def by_one_fact(fact: str, yes: str, no: str) -> Place:
    """Return a function that decides by one comparison."""
    return partial(one_fact, fact=fact, yes=yes, no=no)


def renamed(
    x: Tensor,
    read: Tensor,
    wrote: Tensor,
    out: Tensor,
    *,
    names: dict[str, str],
    exact: bool = False,
) -> str:
    """Give these places the names of others."""
    found = exactly(x, read, wrote, out) if exact else tell(x, read, wrote, out, same)
    return names.get(found, found)


def renaming(names: dict[str, str], *, exact: bool = False) -> Place:
    """Return a function that gives these places the names of others."""
    return partial(renamed, names=names, exact=exact)

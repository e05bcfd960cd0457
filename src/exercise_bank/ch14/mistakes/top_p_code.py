"""Wrong answers to 14.top_p, as code."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

#: Below every logit that is kept, and above those set to minus infinity or -1e9.
SHUT_OUT = -1e8


def likeliest(logits: Tensor, k: int) -> Tensor:
    """Remove logits below the k-th largest."""
    border = logits.topk(min(k, logits.shape[-1]), dim=-1).values[:, -1:]
    return logits.masked_fill(logits < border, -torch.inf)


def reaching(logits: Tensor, p: float, *, more: int = 0) -> Tensor:
    """Remove logits beyond the share p; ``more`` extends the kept ones by this many tokens."""
    falling = logits.sort(dim=-1, descending=True).values
    shares = falling.softmax(dim=-1)
    needed = ((shares.cumsum(dim=-1) - shares < p) | (p == 1)).sum(dim=-1, keepdim=True)
    last = (needed - 1 + more).clamp(0, logits.shape[-1] - 1)
    return logits.masked_fill(logits < falling.gather(-1, last), -torch.inf)


def near_the_top(logits: Tensor, min_p: float) -> Tensor:
    """Remove tokens with less than a share of the largest probability."""
    shares = logits.softmax(dim=-1)
    return logits.masked_fill(shares < min_p * shares.amax(dim=-1, keepdim=True), -torch.inf)


def multiplied(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = reaching(likeliest(logits * temperature, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def temperature_last(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = near_the_top(reaching(likeliest(logits, k), p), min_p)
    return (logits / temperature).softmax(dim=-1)


def of_shares(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    shares = logits.softmax(dim=-1) / temperature
    shares = shares / shares.sum(dim=-1, keepdim=True)
    logits = reaching(likeliest(shares.log(), k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def softmax_of_shares(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits.softmax(dim=-1) / temperature
    logits = reaching(likeliest(logits, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def each_on_the_whole(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    inside = (likeliest(logits, k) > SHUT_OUT) & (reaching(logits, p) > SHUT_OUT)
    inside = inside & (near_the_top(logits, min_p) > SHUT_OUT)
    return logits.masked_fill(~inside, -torch.inf).softmax(dim=-1)


def min_p_first(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = likeliest(near_the_top(logits / temperature, min_p), k)
    return reaching(logits, p).softmax(dim=-1)


def without_the_crossing(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    logits = likeliest(logits / temperature, k)
    if p < 1:
        logits = reaching(logits, p, more=-1)
    return near_the_top(logits, min_p).softmax(dim=-1)


def none_may_be_left(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = likeliest(logits / temperature, k)
    falling, order = logits.sort(dim=-1, descending=True)
    outside = falling.softmax(dim=-1).cumsum(dim=-1) > p
    outside = torch.zeros_like(outside).scatter(-1, order, outside)
    return near_the_top(logits.masked_fill(outside, -torch.inf), min_p).softmax(dim=-1)


def one_too_many(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = reaching(likeliest(logits / temperature, k), p, more=1)
    return near_the_top(logits, min_p).softmax(dim=-1)


def below(shares: Tensor, least: float, best: bool) -> Tensor:
    """Return which shares are below a bound, perhaps all but the largest of each row."""
    outside = shares < least
    return outside & (shares < shares.amax(dim=-1, keepdim=True)) if best else outside


def at_least_p(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float, *,
    out: float = -torch.inf, best: bool = False,
) -> Tensor:  # fmt: skip
    logits = likeliest(logits / temperature, k)
    shares = logits.softmax(dim=-1)
    if p < 1:
        logits = logits.masked_fill(below(shares, p, best), out)
    return near_the_top(logits, min_p).softmax(dim=-1)


def p_ignored(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    return near_the_top(likeliest(logits / temperature, k), min_p).softmax(dim=-1)


def min_p_ignored(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    return reaching(likeliest(logits / temperature, k), p).softmax(dim=-1)


def min_p_absolute(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float, *,
    out: float = -torch.inf, best: bool = False,
) -> Tensor:  # fmt: skip
    logits = reaching(likeliest(logits / temperature, k), p)
    shares = logits.softmax(dim=-1)
    return logits.masked_fill(below(shares, min_p, best), out).softmax(dim=-1)


def not_renormalised(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    inside = near_the_top(reaching(likeliest(logits, k), p), min_p) > SHUT_OUT
    return logits.softmax(dim=-1) * inside


def tail_of_one_cut(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    """Assume that a running sum is below 1 before its last number."""
    logits = likeliest(logits / temperature, k)
    falling = logits.sort(dim=-1, descending=True).values
    shares = falling.softmax(dim=-1)
    needed = (shares.cumsum(dim=-1) - shares < p).sum(dim=-1, keepdim=True)
    logits = logits.masked_fill(logits < falling.gather(-1, needed - 1), -torch.inf)
    return near_the_top(logits, min_p).softmax(dim=-1)


def sorted_out(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits.sort(dim=-1, descending=True).values
    logits = reaching(likeliest(logits / temperature, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def ties_of_k_cut(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    order = logits.topk(min(k, logits.shape[-1]), dim=-1).indices
    outside = torch.ones_like(logits, dtype=torch.bool).scatter(-1, order, False)
    logits = reaching(logits.masked_fill(outside, -torch.inf), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def k_out_of_range(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    border = logits.topk(k, dim=-1).values[:, -1:]
    logits = reaching(logits.masked_fill(logits < border, -torch.inf), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def by_rank(logits: Tensor, p: float) -> Tensor:
    """Remove tokens beyond the share p in the order of the sort."""
    falling, order = logits.sort(dim=-1, descending=True, stable=True)
    shares = falling.softmax(dim=-1)
    outside = (shares.cumsum(dim=-1) - shares >= p) & (p < 1)
    outside = torch.zeros_like(outside).scatter(-1, order, outside)
    return logits.masked_fill(outside, -torch.inf)


def ties_of_p_cut(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = by_rank(likeliest(logits / temperature, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def ties_cut(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    order = logits.argsort(dim=-1, descending=True, stable=True)[:, :k]
    outside = torch.ones_like(logits, dtype=torch.bool).scatter(-1, order, False)
    logits = by_rank(logits.masked_fill(outside, -torch.inf), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def first_row_for_all(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    inside = near_the_top(reaching(likeliest(logits, k), p), min_p) > SHUT_OUT
    return logits.masked_fill(~inside[:1], -torch.inf).softmax(dim=-1)


def k_likeliest_at_least(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    logits = logits / temperature
    kept_by_p = reaching(logits, p)
    inside = (likeliest(logits, k) > SHUT_OUT) | (kept_by_p > SHUT_OUT)
    logits = logits.masked_fill(~inside, -torch.inf)
    return near_the_top(logits, min_p).softmax(dim=-1)


def more_than_min_p(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float, *, out: float = -torch.inf
) -> Tensor:
    logits = reaching(likeliest(logits / temperature, k), p)
    shares = logits.softmax(dim=-1)
    outside = shares <= min_p * shares.amax(dim=-1, keepdim=True)
    return logits.masked_fill(outside, out).softmax(dim=-1)


def min_p_without_the_temperature(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    outside = near_the_top(logits, min_p) <= SHUT_OUT
    logits = reaching(likeliest(logits / temperature, k), p)
    return logits.masked_fill(outside, -torch.inf).softmax(dim=-1)


def zeros_for_the_others(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    logits = logits / temperature
    inside = near_the_top(reaching(likeliest(logits, k), p), min_p) > SHUT_OUT
    return (logits * inside).nan_to_num(0.0).softmax(dim=-1)


def over_the_batch(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = near_the_top(reaching(likeliest(logits / temperature, k), p), min_p)
    return logits.softmax(dim=0)


def k_ignored(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    return near_the_top(reaching(logits / temperature, p), min_p).softmax(dim=-1)


def from_the_unlikeliest(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    logits = likeliest(logits / temperature, k)
    if p < 1:
        rising, order = logits.sort(dim=-1)
        shares = rising.softmax(dim=-1)
        outside = (shares.cumsum(dim=-1) - shares) >= p
        outside = torch.zeros_like(outside).scatter(-1, order, outside)
        logits = logits.masked_fill(outside, -torch.inf)
    return near_the_top(logits, min_p).softmax(dim=-1)


def evenly(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    inside = near_the_top(reaching(likeliest(logits / temperature, k), p), min_p) > SHUT_OUT
    return inside.to(logits.dtype) / inside.sum(dim=-1, keepdim=True)


def no_minus_infinity(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    outside = likeliest(logits, k) == -torch.inf
    shares = (logits - outside * torch.inf).softmax(dim=-1)
    outside = reaching(shares.log(), p) == -torch.inf
    return near_the_top(shares.log() - outside * torch.inf, min_p).softmax(dim=-1)


def mask_in_order_of_size(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    """Leave the mask of p in the order of the sort."""
    logits = likeliest(logits / temperature, k)
    shares = logits.softmax(dim=-1).sort(dim=-1, descending=True).values
    logits = logits.masked_fill(shares.cumsum(dim=-1) - shares >= p, -torch.inf)
    return near_the_top(logits, min_p).softmax(dim=-1)


def in_the_order_of_the_vocabulary(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    """Sum the shares in the order of the vocabulary."""
    logits = likeliest(logits / temperature, k)
    shares = logits.softmax(dim=-1)
    logits = logits.masked_fill(shares.cumsum(dim=-1) - shares >= p, -torch.inf)
    return near_the_top(logits, min_p).softmax(dim=-1)


def of_the_sum_of_the_batch(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    """Divide the shares for p by the sum over all rows."""
    logits = likeliest(logits / temperature, k)
    falling = logits.sort(dim=-1, descending=True).values
    shares = falling.softmax(dim=-1)
    shares = shares / shares.sum()
    inside = (shares.cumsum(dim=-1) - shares < p) | (p >= 1)
    border = falling.masked_fill(~inside, torch.inf).amin(dim=-1, keepdim=True)
    return near_the_top(logits.masked_fill(logits < border, -torch.inf), min_p).softmax(dim=-1)


def largest_of_the_batch(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    shares = reaching(likeliest(logits / temperature, k), p).softmax(dim=-1)
    shares = torch.where(shares >= min_p * shares.max(), shares, 0.0)
    return shares / shares.sum(dim=-1, keepdim=True)


def exponential_overflows(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    weights = near_the_top(reaching(likeliest(logits / temperature, k), p), min_p).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


def finitely(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Write -1e9 for minus infinity: a row without tokens is uniform instead of nan."""
    return partial(answer, out=-1e9)


def but_the_likeliest(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Keep the likeliest token, whatever its share."""
    return partial(answer, best=True)

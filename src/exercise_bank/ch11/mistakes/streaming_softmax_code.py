"""Streams of softmax that omit something on the way."""

from collections.abc import Callable

import torch
from torch import Tensor

Read = Callable[[int], tuple[Tensor, Tensor]]
Both = tuple[Tensor, Tensor]


def stream(
    read: Read,
    count: int,
    q: int,
    e: int,
    *,
    fade_sum: bool = True,
    fade_out: bool = True,
    start: float = -torch.inf,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return m, l and o; a factor may be forgotten, and m may start too high."""
    m, total, out = torch.full((q,), start), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade = torch.exp(m - safe)
        weights = torch.exp(scores - safe[:, None])
        total = (total * fade if fade_sum else total) + weights.sum(dim=1)
        out = (out * fade[:, None] if fade_out else out) + weights @ value
        m = new
    return m, total, out


def ended(m: Tensor, total: Tensor, out: Tensor) -> Both:
    return out / total.masked_fill(total == 0, 1.0)[:, None], m + total.log()


def no_rescaling(read: Read, count: int, q: int, e: int) -> Both:
    return ended(*stream(read, count, q, e, fade_sum=False, fade_out=False))


def sum_only(read: Read, count: int, q: int, e: int) -> Both:
    return ended(*stream(read, count, q, e, fade_out=False))


def values_only(read: Read, count: int, q: int, e: int) -> Both:
    return ended(*stream(read, count, q, e, fade_sum=False))


def maximum_for_lse(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e)
    return ended(m, total, out)[0], m


def log_of_total(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e)
    return ended(m, total, out)[0], total.log()


def block_maximum(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = scores.amax(dim=1)
        fade = torch.exp(m - new)
        weights = torch.exp(scores - new[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        m = new
    return ended(m, total, out)


def own_maxima(read: Read, count: int, q: int, e: int, lse: str = "right") -> Both:
    """Add exponentials that are relative to different maxima."""
    m, sums = torch.full((q,), -torch.inf), torch.full((q,), -torch.inf)
    total, out = torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = scores.amax(dim=1)
        weights = torch.exp(scores - new.masked_fill(new == -torch.inf, 0.0)[:, None])
        total, out = total + weights.sum(dim=1), out + weights @ value
        sums = torch.logaddexp(sums, scores.logsumexp(dim=1))
        m = torch.maximum(m, new) if lse == "largest" else new
    output, last = ended(m, total, out)
    return output, sums if lse == "right" else last


def mean_of_blocks(read: Read, count: int, q: int, e: int) -> Both:
    output, lse = torch.zeros(q, e), torch.full((q,), -torch.inf)
    for i in range(count):
        scores, value = read(i)
        output = output + torch.softmax(scores, dim=1) @ value / count
        lse = torch.logaddexp(lse, torch.logsumexp(scores, dim=1))
    return output, lse


def no_maximum(read: Read, count: int, q: int, e: int) -> Both:
    total, out = torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        total = total + scores.exp().sum(dim=1)
        out = out + scores.exp() @ value
    return out / total.masked_fill(total == 0, 1.0)[:, None], total.log()


def first_maximum(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    known = False
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        if not known:
            m, known = scores.amax(dim=1), True
        weights = torch.exp(scores - m[:, None])
        total = total + weights.sum(dim=1)
        out = out + weights @ value
    return ended(m, total, out)


def one_maximum(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.tensor(-torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.max())
        safe = 0.0 if new == -torch.inf else new
        fade, weights = torch.exp(m - safe), torch.exp(scores - safe)
        total, out, m = total * fade + weights.sum(dim=1), out * fade + weights @ value, new
    return ended(m, total, out)


def starts_at_zero(read: Read, count: int, q: int, e: int) -> Both:
    return ended(*stream(read, count, q, e, start=0.0))


def starts_at_zero_unguarded(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e, start=0.0)
    return out / total[:, None], m + total.log()


def divided_each_time(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(m - safe), torch.exp(scores - safe[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        out = out / total.masked_fill(total == 0, 1.0)[:, None]
        m = new
    return out, m + total.log()


def two_passes(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, _ = read(i)
        if scores.shape[1]:
            m = torch.maximum(m, scores.amax(dim=1))
    safe = m.masked_fill(m == -torch.inf, 0.0)
    for i in range(count):
        scores, value = read(i)
        weights = torch.exp(scores - safe[:, None])
        total, out = total + weights.sum(dim=1), out + weights @ value
    return ended(m, total, out)


def scores_then_values(read: Read, count: int, q: int, e: int) -> Both:
    return two_passes(lambda i: (read(i)[0], read(i)[1]), count, q, e)


def nan_for_nothing(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.zeros(q) - torch.inf, torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        fade, weights = torch.exp(m - new), torch.exp(scores - new[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        m = new
    return out / total[:, None], m + total.log()


def zero_for_nothing(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        new = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(m - new), torch.exp(scores - new[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        m = new
    return ended(m, total, out)


def not_divided(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e)
    return out, m + total.log()


def turned_round(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.zeros(q) - torch.inf, torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        safe = new.masked_fill(new == -torch.inf, 0.0)
        up = torch.where(m > -torch.inf, torch.exp(safe - m), 0.0)
        weights = torch.exp(scores - safe[:, None])
        total = total * up + weights.sum(dim=1)
        out = out * up[:, None] + weights @ value
        m = new
    return ended(m, total, out)


def weighed_by_size(read: Read, count: int, q: int, e: int, *, hidden_is_0: bool = False) -> Both:
    output, lse, keys = torch.zeros(q, e), torch.full((q,), -torch.inf), 0
    for i in range(count):
        scores, value = read(i)
        weights = torch.softmax(scores, dim=1)
        output = output + (weights.nan_to_num(0.0) if hidden_is_0 else weights) @ value * len(value)
        lse = torch.logaddexp(lse, torch.logsumexp(scores, dim=1))
        keys += len(value)
    return output / max(keys, 1), lse


def finite_for_nothing(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e)
    total = total.masked_fill(total == 0, 1.0)
    return out / total[:, None], m.clamp(min=-1e9) + total.log()


def clamped_for_nothing(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e)
    total = total.clamp(min=1e-9)
    return out / total[:, None], m.clamp(min=-1e4) + total.log()


def finite_for_hidden(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -1e9), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        scores = scores.clamp(min=-1e9)
        new = torch.maximum(m, scores.amax(dim=1))
        fade, weights = torch.exp(m - new), torch.exp(scores - new[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        m = new
    return ended(m, total, out)


def nan_at_first(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        fade, weights = torch.exp(m - new), torch.exp(scores - new[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        m = new
    return ended(m, total, out)


def divided_by_nothing(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e)
    return out / total[:, None], m + total.log()


def new_block_faded(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(m - safe), torch.exp(scores - safe[:, None])
        total = (total + weights.sum(dim=1)) * fade
        out = (out + weights @ value) * fade[:, None]
        m = new
    return ended(m, total, out)


def sum_of_blocks(read: Read, count: int, q: int, e: int) -> Both:
    output, lse = torch.zeros(q, e), torch.full((q,), -torch.inf)
    for i in range(count):
        scores, value = read(i)
        output = output + torch.softmax(scores, dim=1).nan_to_num(0.0) @ value
        lse = torch.logaddexp(lse, torch.logsumexp(scores, dim=1))
    return output, lse


def hidden_as_zero(read: Read, count: int, q: int, e: int) -> Both:
    def mended(i: int) -> tuple[Tensor, Tensor]:
        scores, value = read(i)
        return scores.nan_to_num(neginf=0.0), value

    return ended(*stream(mended, count, q, e))


def logarithm_forgotten(read: Read, count: int, q: int, e: int) -> Both:
    output, lse = ended(*stream(read, count, q, e))
    return output, lse.exp()


def axis_kept(read: Read, count: int, q: int, e: int) -> Both:
    output, lse = ended(*stream(read, count, q, e))
    return output, lse[:, None]


def maximum_of_none(read: Read, count: int, q: int, e: int) -> Both:
    def asked(i: int) -> tuple[Tensor, Tensor]:
        scores, value = read(i)
        scores.amax(dim=1)
        return scores, value

    return ended(*stream(asked, count, q, e))


def none_ends(read: Read, count: int, q: int, e: int) -> Both:
    ended_early = False

    def until_none(i: int) -> tuple[Tensor, Tensor]:
        nonlocal ended_early
        scores, value = read(i)
        ended_early = ended_early or scores.shape[1] == 0
        return (scores[:, :0], value[:0]) if ended_early else (scores, value)

    return ended(*stream(until_none, count, q, e))


def first_block_expected(read: Read, count: int, q: int, e: int) -> Both:
    first = read(0)
    return ended(*stream(lambda i: read(i) if i else first, max(count, 1), q, e))


def not_brought_along(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        top = scores.amax(dim=1)
        new = torch.maximum(m, top)
        fade = torch.exp(m - new.masked_fill(new == -torch.inf, 0.0))
        weights = torch.exp(scores - top.masked_fill(top == -torch.inf, 0.0)[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        m = new
    return ended(m, total, out)


def logarithms_added(read: Read, count: int, q: int, e: int) -> Both:
    summed = torch.zeros(q)

    def counted(i: int) -> tuple[Tensor, Tensor]:
        nonlocal summed
        scores, value = read(i)
        summed = summed + torch.logsumexp(scores, dim=1) if scores.shape[1] else summed
        return scores, value

    return ended(*stream(counted, count, q, e))[0], summed


def any_masked_skips(read: Read, count: int, q: int, e: int) -> Both:
    def kept(i: int) -> tuple[Tensor, Tensor]:
        scores, value = read(i)
        if scores.shape[1] and not (scores.amax(dim=1) > -torch.inf).all():
            return scores[:, :0], value[:0]
        return scores, value

    return ended(*stream(kept, count, q, e))

"""Code of the mistakes in 11.lazy."""

import math

import torch
from torch import Tensor

Both = tuple[Tensor, Tensor]
#: A maximum below this belongs to no key, whether it started at -inf or at -1e9.
UNSEEN = -1e8


def walk(
    scores: Tensor,
    value: Tensor,
    block: int,
    tau: float,
    *,
    at_least: bool = False,
    either_way: bool = False,
    together: bool = False,
    first_counts: bool = False,
    fade_sum: bool = True,
    fade_out: bool = True,
    only_by_tau: bool = False,
    once: bool = False,
    start_at: float = -torch.inf,
    own_maximum: bool = False,
    drop_passed: bool = False,
    guard_end: bool = True,
    clipped: bool = False,
    all_of_them: bool = False,
    frozen: bool = False,
    divide: bool = True,
) -> Both:
    """Process the blocks lazily, with one rule or another."""
    q = len(scores)
    used, total = torch.full((q,), start_at), torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        moves = top >= used + tau if at_least else top > used + tau
        if either_way:
            moves = moves | ((used - top > tau) & (top > -torch.inf))
        if together:
            moves = moves.any().expand(q) & (top > used)
        known = used > UNSEEN
        if all_of_them:
            moves = moves & ((moves & known).all() | ~known)
        if frozen:
            moves = moves & ~known
        if once:
            moves = moves & (count < 1)
        count = count + (moves & (known | first_counts)).to(torch.int64)
        new = torch.where(moves, top, used)
        if only_by_tau:
            new = torch.where(moves & known, used + tau, new)
        safe = new.masked_fill(new == -torch.inf, 0.0)
        seen_from = top.masked_fill(top == -torch.inf, 0.0) if own_maximum else safe
        exponents = part - seen_from[:, None]
        fade = torch.exp(used - safe)
        weights = torch.exp(exponents.clamp(max=0.0) if clipped else exponents)
        if drop_passed:
            weights = weights * moves[:, None]
        total = (total * fade if fade_sum else total) + weights.sum(dim=1)
        held = out * fade[:, None] if fade_out else out
        out = held + weights @ value[start : start + block]
        used = new
    if not divide:
        return out, count
    if guard_end:
        total = total.masked_fill(total == 0, 1.0)
    return out / total[:, None], count


def never_lazy(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, 0.0)


def tau_included(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, at_least=True)


def tau_and_first_sight_included(
    scores: Tensor, value: Tensor, block: int, tau: float, *, sight: bool = True
) -> Both:
    """Set the maximum from the first block, and process this block again in the loop."""
    used, count = scores[:, :block].amax(dim=1), torch.zeros(len(scores), dtype=torch.int64)
    for part in scores.split(block, dim=1):
        top = part.amax(dim=1)
        moves = (top >= used + tau) & (top > -torch.inf)
        count += moves & (sight | (used > -torch.inf))
        used = torch.where(moves, top, used)
    return walk(scores, value, block, tau)[0], count


def tau_included_by_hand(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return tau_and_first_sight_included(scores, value, block, tau, sight=False)


def falls_count(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, either_way=True)


def all_rows_together(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, together=True)


def all_move_own_counts(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    """Update every row to its newest maximum when one jumps; count those that jumped."""
    q, k = scores.shape
    used, seen = torch.full((q,), -torch.inf), torch.full((q,), -torch.inf)
    count = torch.zeros(q, dtype=torch.int64)
    for start in range(0, k, block):
        seen = torch.maximum(seen, scores[:, start : start + block].amax(dim=1))
        jumps = seen > used + tau
        count += jumps & (used > -1e6)  # with a maximum before
        if jumps.any():
            used = seen
    weights = torch.softmax(scores, dim=1).nan_to_num(0.0)
    return weights @ value, count


def first_block_counts(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, first_counts=True)


def values_kept(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, fade_out=False)


def sum_kept(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, fade_sum=False)


def only_once(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, once=True)


def by_tau(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, only_by_tau=True)


def never_rescaled(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    first = scores[:, :block].amax(dim=1, keepdim=True)
    weights = torch.exp(scores - first)
    total = weights.sum(dim=1, keepdim=True)
    return weights @ value / total, torch.zeros(len(scores), dtype=torch.int64)


def moved_but_not_rescaled(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    q = len(scores)
    m, total = torch.full((q,), -torch.inf), torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        new = torch.maximum(m, part.amax(dim=1))
        moves = new > m + tau
        count = count + (moves & (m > UNSEEN)).to(torch.int64)
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade = torch.where(moves, torch.exp(m - safe), 1.0)
        weights = torch.exp(part - safe[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        m = new
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def from_the_largest(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    q = len(scores)
    used, seen = torch.full((q,), -torch.inf), torch.full((q,), -torch.inf)
    total, out = torch.zeros(q), torch.zeros(q, value.shape[1])
    count = torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        moves = top > seen + tau
        count = count + (moves & (used > UNSEEN)).to(torch.int64)
        new = torch.where(moves, top, used)
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(used - safe), torch.exp(part - safe[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        used, seen = new, torch.maximum(seen, top)
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def from_the_last_block(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, _ = walk(scores, value, block, tau)
    tops = torch.stack([part.amax(dim=1) for part in scores.split(block, dim=1)])
    jumps = (tops[1:] > tops[:-1] + tau) & (tops[:-1] > -torch.inf)
    return output, jumps.sum(dim=0)


def nan_for_nothing(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    q = len(scores)
    used, total = torch.zeros(q) - torch.inf, torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        moves = top > used + tau
        count = count + (moves & (used > UNSEEN)).to(torch.int64)
        new = torch.where(moves, top, used)
        fade, weights = torch.exp(used - new), torch.exp(part - new[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        used = new
    return out / total[:, None], count


def key_by_key(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, 1, tau)


def all_counted_together(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return output, count.sum()


def passed_counted(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return output, len(scores.split(block, dim=1)) - 1 - count


def rest_lost(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    k = scores.shape[1] // block * block
    return walk(scores[:, :k], value[:k], block, tau)


def neither_rescaled(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, fade_sum=False, fade_out=False)


def starts_at_zero(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, start_at=0.0)


def own_maximum(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, own_maximum=True)


def passed_dropped(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, drop_passed=True)


def divided_by_nothing(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, guard_end=False)


def first_sight_counts(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    hidden, seen = (scores[:, :block] == -torch.inf).all(dim=1), (scores > -torch.inf).any(dim=1)
    return output, count + (hidden & seen)


def all_rows_count(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    q = len(scores)
    used, total = torch.full((q,), -torch.inf), torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        new = used
        if (top > used + tau).any():
            new = torch.maximum(used, top)
            count = count + (used > UNSEEN)
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(used - safe), torch.exp(part - safe[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        used = new
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def never_moved(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, frozen=True)


def clipped(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, clipped=True)


def in_twos(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau * math.log(2))


def all_must_agree(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, all_of_them=True)


def not_divided(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, divide=False)


def counted_for_each(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return output, count.sum().expand(len(scores)).clone()


def not_counted(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return output, torch.zeros_like(count)


def from_the_first(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, _ = walk(scores, value, block, tau)
    tops = torch.stack([part.amax(dim=1) for part in scores.split(block, dim=1)])
    first, count = tops[0], torch.zeros(len(scores), dtype=torch.int64)
    for top in tops[1:]:
        count = count + (top > first + tau)
    return output, count


def by_the_mean(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    means = torch.stack([part.mean(dim=1) for part in scores.split(block, dim=1)], dim=1)
    output, _ = walk(scores, value, block, tau)
    return output, walk(means, value[: means.shape[1]], 1, tau)[1]


def count_first(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return count, output

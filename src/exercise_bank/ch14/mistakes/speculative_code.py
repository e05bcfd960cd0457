"""Wrong answers to 14.speculative, as code."""

from collections.abc import Callable

import torch
from torch import Tensor

Keep = Callable[[float, float, float], bool]
Replace = Callable[[Tensor, Tensor], Tensor]


def chosen(weights: Tensor, u: float) -> int:
    """Draw by a number between 0 and 1."""
    sums = weights.cumsum(dim=0)
    return min(int((sums <= u * sums[-1]).sum()), len(weights) - 1)


def at_most_the_ratio(p: float, q: float, u: float) -> bool:
    return u * q < p


def what_is_missing(p: Tensor, q: Tensor) -> Tensor:
    return (p - q).clamp_min(0)


def a_round(
    p: Tensor,
    q: Tensor,
    guesses: list[int],
    uniform: list[float],
    keep: Keep = at_most_the_ratio,
    replace: Replace = what_is_missing,
    last: int = 0,
) -> list[int]:
    """Run a round; ``last`` moves the row of the bonus token."""
    tokens: list[int] = []
    for i, guess in enumerate(guesses):
        if not keep(float(p[i, guess]), float(q[i, guess]), uniform[i]):
            return [*tokens, chosen(replace(p[i], q[i]), uniform[-1])]
        tokens.append(guess)
    return [*tokens, chosen(p[max(len(guesses) + last, 0)], uniform[-1])]


def in_two_things(
    p: Tensor,
    q: Tensor,
    guesses: list[int],
    uniform: list[float],
    keep: Keep,
    replace: Replace,
    scaled: bool = True,
) -> list[int]:
    """Keep by another rule, and replace in another way."""
    tokens = a_round(p, q, guesses, uniform, keep, replace)
    n = len(tokens) - 1
    if scaled or n == len(guesses):
        return tokens
    sums = replace(p[n], q[n]).cumsum(dim=0)
    return [*tokens[:-1], min(int((sums <= uniform[-1]).sum()), len(sums) - 1)]


def keeps_all(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: True)


def keeps_by_p(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u < x)


def ratio_upside_down(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u * x < y)


def keeps_the_refused(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u * y > x)


def keeps_if_larger(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: x >= y)


def keeps_the_likeliest(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    tokens: list[int] = []
    for i, guess in enumerate(guesses):
        if int(p[i].argmax()) != guess:
            return [*tokens, int(p[i].argmax())]
        tokens.append(guess)
    return [*tokens, int(p[len(guesses)].argmax())]


def keeps_at_zero(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u * y <= x)


def drawn_from_p(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: x)


def drawn_from_q(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: y)


def not_clipped(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: x - y)


def absolute(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: (x - y).abs())


def other_way(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: (y - x).clamp_min(0))


def residual_not_scaled(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float], beyond: int = -1
) -> list[int]:
    """Compare with the unscaled residual; ``beyond`` is the token if its sum is too small."""
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            sums = (p[i] - q[i]).clamp_min(0).cumsum(dim=0)
            token = int((sums <= uniform[-1]).sum())
            return [*guesses[:i], token if token < p.shape[1] else beyond % p.shape[1]]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def residual_or_its_last(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    """Return the last token of the residual if its sum is too small."""
    return _residual_or(p, q, guesses, uniform, lambda rest: int(rest.nonzero()[-1]))


def residual_or_its_likeliest(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    """Return the likeliest token of the residual if its sum is too small."""
    return _residual_or(p, q, guesses, uniform, lambda rest: int(rest.argmax()))


def _residual_or(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float], last: Callable[[Tensor], int]
) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            rest = (p[i] - q[i]).clamp_min(0)
            token = int((rest.cumsum(dim=0) <= uniform[-1]).sum())
            return [*guesses[:i], token if token < p.shape[1] else last(rest)]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def residual_not_reached(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    """Raise an error if the sum of the residual is too small."""
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            sums = (p[i] - q[i]).clamp_min(0).cumsum(dim=0)
            return [*guesses[:i], int((sums > uniform[-1]).nonzero()[0])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def without_the_guess(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            weights = p[i].clone()
            weights[guess] = 0
            return [*guesses[:i], chosen(weights, uniform[-1])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def softmax_of_the_rest(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: torch.softmax(x - y, dim=0))


def likeliest_of_the_rest(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], int((p[i] - q[i]).argmax())]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def same_number_twice(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], chosen((p[i] - q[i]).clamp_min(0), uniform[i])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def bonus_of_the_row_before(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    return a_round(p, q, guesses, uniform, last=-1)


def no_bonus(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    return tokens[: max(len(guesses), 1)]


def no_bonus_ever(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform)[: len(guesses)]


def likeliest_bonus(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    return [*tokens[:-1], int(p[-1].argmax())] if len(tokens) == len(p) else tokens


def nothing_for_a_refused(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    return tokens if len(tokens) == len(p) else tokens[:-1]


def goes_on(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = []
    for i, guess in enumerate(guesses):
        kept = uniform[i] * q[i, guess] < p[i, guess]
        tokens.append(guess if kept else chosen((p[i] - q[i]).clamp_min(0), uniform[-1]))
    return [*tokens, chosen(p[len(guesses)], uniform[-1])]


def next_row(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], chosen(p[i + 1], uniform[-1])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def guess_after_all(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    refused = len(tokens) < len(p)
    return [*tokens[:-1], guesses[len(tokens) - 1], tokens[-1]] if refused else tokens


def next_number(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Draw the last token by the number after those that were used."""
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], chosen((p[i] - q[i]).clamp_min(0), uniform[i + 1])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def at_the_border(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Let a sum that equals the number end the search."""
    weights, tokens = p[len(guesses)], list(guesses)
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            weights, tokens = (p[i] - q[i]).clamp_min(0), list(guesses[:i])
            break
    sums = weights.cumsum(dim=0)
    return [*tokens, int((sums < uniform[-1] * sums[-1]).sum())]


def bonus_of_the_draft(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    if len(guesses) == 0:
        return [chosen(p[0], uniform[-1])]
    return a_round(torch.cat([p[:-1], q[-1:]]), q, guesses, uniform)


def bonus_of_the_residual(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    if len(guesses) and len(tokens) == len(p):
        return [*tokens[:-1], chosen((p[-1] - q[-1]).clamp_min(0), uniform[-1])]
    return tokens


def residual_of_the_next_row(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], chosen((p[i + 1] - q[i]).clamp_min(0), uniform[-1])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def running_product(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Compare each number with the product of all ratios so far."""
    ratio = 1.0
    for i, guess in enumerate(guesses):
        ratio *= min(1.0, float(p[i, guess] / q[i, guess]))
        if uniform[i] >= ratio:
            return [*guesses[:i], chosen((p[i] - q[i]).clamp_min(0), uniform[-1])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def nothing_without_guesses(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    return a_round(p, q, guesses, uniform) if guesses else []


def first_guess_only(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Check one guess in a round, and draw after it."""
    return a_round(p[:2], q[:1], guesses[:1], uniform)


def all_or_none(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Discard all guesses if one is refused."""
    tokens = a_round(p, q, guesses, uniform)
    if len(tokens) == len(p):
        return tokens
    return [chosen((p[0] - q[0]).clamp_min(0), uniform[-1])]


def keeps_by_the_smaller(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u < min(x, y))


def keeps_by_the_odds(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u * (x + y) < x)


def in_order_of_size(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Sort the shares before the running sum."""
    tokens, weights = list(guesses), p[len(guesses)]
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            tokens, weights = list(guesses[:i]), what_is_missing(p[i], q[i])
            break
    falling, order = weights.sort(descending=True, stable=True)
    return [*tokens, int(order[chosen(falling, uniform[-1])])]


def judged_by_the_next_row(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    return a_round(torch.cat([p[1:], p[-1:]]), q, guesses, uniform)


def bonus_after_a_refusal(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    return [*tokens, chosen(p[-1], uniform[-1])] if len(tokens) < len(p) else tokens


def refused_left_out(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Draw the last token from the row whose index is the number of guesses that pass."""
    kept = [x for i, x in enumerate(guesses) if uniform[i] * q[i, x] < p[i, x]]
    n = len(kept)
    weights = p[n] if n == len(guesses) else (p[n] - q[n]).clamp_min(0)
    return [*kept, chosen(weights, uniform[-1])]

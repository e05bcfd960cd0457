"""Wrong ways to write 05.alibi_bias."""

import math
from collections.abc import Callable

import torch
from torch import Tensor


def powers(n: int) -> list[float]:
    return [2 ** (-8 * i / n) for i in range(1, n + 1)]


def published(n_heads: int) -> list[float]:
    below = 2 ** (n_heads.bit_length() - 1)
    return powers(below) + powers(2 * below)[::2][: n_heads - below]


def taxed(slopes: list[float], q: int, k: int) -> Tensor:
    distance = (torch.arange(k - q, k)[:, None] - torch.arange(k)).abs()
    return -torch.tensor(slopes, dtype=torch.float64)[:, None, None] * distance


def plus(n_heads: int, q: int, k: int) -> Tensor:
    return -taxed(published(n_heads), q, k)


def top_left(n_heads: int, q: int, k: int) -> Tensor:
    distance = (torch.arange(q)[:, None] - torch.arange(k)).abs()
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def at_the_top_left(n_heads: int, q: int, k: int, slopes: Callable[[int], list[float]]) -> Tensor:
    """Make a bias with these slopes whose query 0 is at position 0."""
    distance = (torch.arange(q)[:, None] - torch.arange(k)).abs()
    return -torch.tensor(slopes(n_heads), dtype=torch.float64)[:, None, None] * distance


def halves(n_heads: int) -> list[float]:
    return [2.0**-n for n in range(1, n_heads + 1)]


def same_ratio_slopes(n_heads: int) -> list[float]:
    below = 2 ** (n_heads.bit_length() - 1)
    return [2 ** (-8 * i / below) for i in range(1, n_heads + 1)]


def cut_off_slopes(n_heads: int) -> list[float]:
    return powers(2 ** (n_heads - 1).bit_length())[:n_heads]


def sorted_published(n_heads: int) -> list[float]:
    return sorted(published(n_heads), reverse=True)


def nearest_power_slopes(n_heads: int) -> list[float]:
    near = 2 ** round(math.log2(n_heads))
    return (powers(near) + powers(2 * near)[::2])[:n_heads]


def nearest_power(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(nearest_power_slopes(n_heads), q, k)


def first_above_slopes(n_heads: int) -> list[float]:
    below = 2 ** (n_heads.bit_length() - 1)
    return powers(below) + powers(2 * below)[: n_heads - below]


def one_formula(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(powers(n_heads), q, k)


def same_ratio(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(same_ratio_slopes(n_heads), q, k)


def cut_off(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(cut_off_slopes(n_heads), q, k)


def sorted_slopes(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(sorted_published(n_heads), q, k)


def first_above(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(first_above_slopes(n_heads), q, k)


def no_absolute(n_heads: int, q: int, k: int) -> Tensor:
    back = torch.arange(k - q, k)[:, None] - torch.arange(k)
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * back


def from_zero(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    first = [2 ** (-8 * i / below) for i in range(below)]
    between = [2 ** (-4 * i / below) for i in range(0, 2 * below, 2)]
    return taxed(first + between[: n_heads - below], q, k)


def flat_first(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(published(n_heads)[::-1], q, k)


def second_of_each(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    return taxed(powers(below) + powers(2 * below)[1::2][: n_heads - below], q, k)


def in_float32(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(published(n_heads), q, k).float()


def halving(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(halves(n_heads), q, k)


def halving_from_2(n_heads: int, q: int, k: int) -> Tensor:
    """Start at 1/2, but give a single head 1/256, as in the example."""
    return taxed(halves(n_heads) if n_heads > 1 else [1 / 256], q, k)


def causal(n_heads: int, q: int, k: int) -> Tensor:
    ahead = torch.arange(k) > torch.arange(k - q, k)[:, None]
    return taxed(published(n_heads), q, k).masked_fill(ahead, -torch.inf)


def a_billion_ahead(n_heads: int, q: int, k: int) -> Tensor:
    return causal(n_heads, q, k).clamp(min=-1e9)


def free_ahead(n_heads: int, q: int, k: int) -> Tensor:
    ahead = torch.arange(k) > torch.arange(k - q, k)[:, None]
    return taxed(published(n_heads), q, k).masked_fill(ahead, 0.0)


def one_more(n_heads: int, q: int, k: int) -> Tensor:
    slopes = torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None]
    return taxed(published(n_heads), q, k) - slopes


def heads_last(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(published(n_heads), q, k).movedim(0, -1)


def same_for_all(n_heads: int, q: int, k: int) -> Tensor:
    return taxed([2.0**-8] * n_heads, q, k)


def between_first(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    return taxed(powers(2 * below)[::2][: n_heads - below] + powers(below), q, k)


def from_the_last_key(n_heads: int, q: int, k: int) -> Tensor:
    distance = (k - 1 - torch.arange(k)).expand(q, k)
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def squared(n_heads: int, q: int, k: int) -> Tensor:
    distance = (torch.arange(k - q, k)[:, None] - torch.arange(k)).square()
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def last_slopes_above(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    return taxed(powers(below) + powers(2 * below)[::-1][: n_heads - below], q, k)


def power_below_itself(n_heads: int, q: int, k: int) -> Tensor:
    below = 1
    while 2 * below < n_heads:
        below *= 2
    return taxed(powers(below) + powers(2 * below)[::2][: n_heads - below], q, k)


def keys_at_the_end(n_heads: int, q: int, k: int) -> Tensor:
    distance = (torch.arange(q)[:, None] - torch.arange(k - q, 2 * k - q)).abs()
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def one_place_early(n_heads: int, q: int, k: int) -> Tensor:
    distance = (torch.arange(k - q - 1, k - 1)[:, None] - torch.arange(k)).abs()
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def one_place_late(n_heads: int, q: int, k: int) -> Tensor:
    distance = (torch.arange(k - q + 1, k + 1)[:, None] - torch.arange(k)).abs()
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def by_the_exponent_alone(n_heads: int, q: int, k: int) -> Tensor:
    return taxed([2.0 ** (-8 * n) for n in range(1, n_heads + 1)], q, k)


def reciprocals(n_heads: int, q: int, k: int) -> Tensor:
    return taxed([1 / n for n in range(1, n_heads + 1)], q, k)


def queries_last(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(published(n_heads), q, k).mT

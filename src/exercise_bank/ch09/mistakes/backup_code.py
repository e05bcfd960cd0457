"""Wrong ways to find two heads that can replace each other."""

from collections.abc import Callable, Iterable
from itertools import combinations

from exercise_bank.ch09.mistakes.backup_numbers import excess

#: Functions of the losses without a pair's first head, its second, both, and none.
Number = Callable[[float, float, float, float], float]
Loss = Callable[[list[int]], float]
Pair = tuple[int, int]


def all_pairs(heads: int) -> Iterable[Pair]:
    return combinations(range(heads), 2)


def without_first(heads: int) -> Iterable[Pair]:
    return combinations(range(1, heads), 2)


def without_last(heads: int) -> Iterable[Pair]:
    return combinations(range(heads - 1), 2)


def without_ends(heads: int) -> Iterable[Pair]:
    return list(combinations(range(1, heads - 1), 2)) or [(0, 1)]


def neighbours(heads: int) -> Iterable[Pair]:
    return [(i, i + 1) for i in range(heads - 1)]


def best(
    loss: Loss,
    heads: int,
    *,
    number: Number,
    among: Callable[[int], Iterable[Pair]] = all_pairs,
) -> Pair:
    """Return the pair whose number is largest."""
    none = loss([])
    one = [loss([head]) for head in range(heads)]
    return max(among(heads), key=lambda p: number(one[p[0]], one[p[1]], loss([*p]), none))


def singles(loss: Loss, heads: int, *, largest: bool) -> Pair:
    """Return the two heads with the largest or the smallest losses alone."""
    order = sorted(range(heads), key=lambda head: loss([head]))
    first, second = sorted(order[-2:] if largest else order[:2])
    return first, second


def idle_alone(loss: Loss, heads: int, *, most: float, number: Number) -> Pair:
    """Search among heads with a loss below this alone."""
    none = loss([])
    idle = [head for head in range(heads) if loss([head]) - none < most]
    if len(idle) < 2:
        return 0, 1
    return max(
        combinations(idle, 2), key=lambda p: number(loss([p[0]]), loss([p[1]]), loss([*p]), none)
    )


def idle_alone_if_any(loss: Loss, heads: int, *, most: float, number: Number) -> Pair:
    """Search among heads with a loss below this alone, or among all if these are not two."""
    none = loss([])
    if sum(loss([head]) - none < most for head in range(heads)) < 2:
        return best(loss, heads, number=number)
    return idle_alone(loss, heads, most=most, number=number)


def idlest(loss: Loss, heads: int, *, more: int, number: Number) -> Pair:
    """Search among the half of the heads with the smallest losses alone, or some more."""
    none = loss([])
    order = sorted(range(heads), key=lambda head: loss([head]))
    few = sorted(order[: max(heads // 2 + more, 2)])
    return max(
        combinations(few, 2), key=lambda p: number(loss([p[0]]), loss([p[1]]), loss([*p]), none)
    )


def greedy(loss: Loss, heads: int, *, worst: bool) -> Pair:
    """Fix the head with the largest or smallest loss alone, then its partner of largest loss."""
    choose = max if worst else min
    first = choose(range(heads), key=lambda head: loss([head]))
    rest = [head for head in range(heads) if head != first]
    second = max(rest, key=lambda head: loss([first, head]))
    return min(first, second), max(first, second)


def only_these_left(loss: Loss, heads: int, *, number: Number) -> Pair:
    """Silence all heads but one or two."""

    def left(*kept: int) -> float:
        return loss([head for head in range(heads) if head not in kept])

    none = left()
    return max(
        combinations(range(heads), 2), key=lambda p: number(left(p[0]), left(p[1]), left(*p), none)
    )


def one_left(loss: Loss, heads: int, *, worst: bool) -> Pair:
    """Silence all heads but one, and choose the two with the largest or smallest losses."""

    def left(kept: int) -> float:
        return loss([head for head in range(heads) if head != kept])

    first, second, *_ = sorted(range(heads), key=left, reverse=worst)
    return min(first, second), max(first, second)


def first_above(loss: Loss, heads: int, *, rise: float) -> Pair:
    """Choose the first pair whose loss rises by this much."""
    none = loss([])
    return next((p for p in combinations(range(heads), 2) if loss([*p]) - none > rise), (0, 1))


def first_many_times(loss: Loss, heads: int, *, factor: float) -> Pair:
    """Choose the first pair whose rise is this many times the sum of its single rises."""
    none = loss([])
    for i, j in combinations(range(heads), 2):
        if loss([i, j]) - none > factor * (loss([i]) + loss([j]) - 2 * none):
            return i, j
    return 0, 1


def first_beyond(loss: Loss, heads: int, *, least: float) -> Pair:
    """Choose the first pair whose loss exceeds the sum of its single rises by this much."""
    none = loss([])
    for i, j in combinations(range(heads), 2):
        if loss([i, j]) + none - loss([i]) - loss([j]) > least:
            return i, j
    return 0, 1


def first_idle_and_missed(loss: Loss, heads: int, *, most: float, least: float) -> Pair:
    """Choose the first pair with small losses alone and a large one together."""
    none = loss([])
    for i, j in combinations(range(heads), 2):
        if max(loss([i]), loss([j])) - none < most and loss([i, j]) - none > least:
            return i, j
    return 0, 1


def beyond_the_usual(loss: Loss, heads: int, *, alone: int = 1, rises: bool = False) -> Pair:
    """Compare the loss without a pair with the means over all pairs of its heads.

    Args:
        loss: the box.
        heads: number of heads.
        alone: how much smaller than the number of heads each divisor of a mean is.
        rises: whether rises above the whole model are compared.
    """
    none = loss([]) if rises else 0.0
    both = {p: loss([*p]) - none for p in combinations(range(heads), 2)}

    def usual(head: int) -> float:
        return sum(x for p, x in both.items() if head in p) / (heads - alone)

    return max(both, key=lambda p: both[p] - usual(p[0]) - usual(p[1]))


def from_1(loss: Loss, heads: int) -> Pair:
    i, j = best(loss, heads, number=excess)
    return i + 1, j + 1


def one_head_twice(loss: Loss, heads: int) -> Pair:
    head = max(range(heads), key=lambda head: loss([head]))
    return head, head

"""Numbers of a pair of heads, from the losses without one, the other, both, and none."""


def without_both(one: float, other: float, both: float, none: float) -> float:
    return both


def many_times_whole(one: float, other: float, both: float, none: float) -> float:
    return both / none


def smaller_singles(one: float, other: float, both: float, none: float) -> float:
    return -max(one, other)


def beyond_worse(one: float, other: float, both: float, none: float) -> float:
    return both - max(one, other)


def times_worse(one: float, other: float, both: float, none: float) -> float:
    return both / max(one, other)


def beyond_better(one: float, other: float, both: float, none: float) -> float:
    return both - min(one, other)


def beyond_first(one: float, other: float, both: float, none: float) -> float:
    return both - one


def beyond_second(one: float, other: float, both: float, none: float) -> float:
    return both - other


def times_better(one: float, other: float, both: float, none: float) -> float:
    return both / min(one, other)


def times_better_rise(one: float, other: float, both: float, none: float) -> float:
    return (both - none) / (min(one, other) - none)


def ratio_of_losses(one: float, other: float, both: float, none: float) -> float:
    return both / (one + other)


def beyond_mean(one: float, other: float, both: float, none: float) -> float:
    return both - (one + other) / 2


def ratio_turned(one: float, other: float, both: float, none: float) -> float:
    return (one + other) / both


def alike(one: float, other: float, both: float, none: float) -> float:
    return -abs(one - other)


def near_worse(one: float, other: float, both: float, none: float) -> float:
    return -abs(both - max(one, other))


def near_first(one: float, other: float, both: float, none: float) -> float:
    return -abs(both - one)


def near_better(one: float, other: float, both: float, none: float) -> float:
    return -abs(both - min(one, other))


def smallest(one: float, other: float, both: float, none: float) -> float:
    return -both


def times_worse_rise(one: float, other: float, both: float, none: float) -> float:
    return (both - none) / (max(one, other) - none)


def beyond_product(one: float, other: float, both: float, none: float) -> float:
    return both - (one - none) * (other - none)


def ratio_to_product(one: float, other: float, both: float, none: float) -> float:
    return (both - none) / (one - none) / (other - none)


def excess_in_size(one: float, other: float, both: float, none: float) -> float:
    return abs(both - one - other + none)


def excess_squared(one: float, other: float, both: float, none: float) -> float:
    return (both - one - other + none) ** 2


def excess_turned(one: float, other: float, both: float, none: float) -> float:
    return -(both - one - other + none)


def excess(one: float, other: float, both: float, none: float) -> float:
    return both - one - other + none


def beyond_twice_worse(one: float, other: float, both: float, none: float) -> float:
    return both - 2 * max(one, other) + none


def product_beyond(one: float, other: float, both: float, none: float) -> float:
    return (both - one) * (both - other)


def rise_to_losses(one: float, other: float, both: float, none: float) -> float:
    return (both - none) / (one + other - none)

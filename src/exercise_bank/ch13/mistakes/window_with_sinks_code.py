"""Wrong answers to 13.window_with_sinks, in code."""


def ring(n: int, window: int, sinks: int, shift: int = 0, size: int = 0) -> list[int]:
    """Write the tokens into sinks and a ring, which may begin or end in a wrong place."""
    table: dict[int, int] = {}
    for t in range(n):
        table[t if t < sinks else sinks + (t - sinks + shift) % (size or window)] = t
    return [table[place] for place in sorted(table)]


def ranks(held: list[int]) -> list[int]:
    return [sum(other < t for other in held) for t in held]


def in_text_order(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = sorted(ring(n, window, sinks))
    return held, ranks(held)


def sinks_within_the_window(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, max(window - sinks, 1), sinks)
    return held, ranks(held)


def no_sinks(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    table: dict[int, int] = {}
    for t in range(n):
        table[t % (sinks + window)] = t
    held = [table[place] for place in sorted(table)]
    return held, ranks(held)


def ring_from_token_0(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks, shift=sinks)
    return held, ranks(held)


def ring_from_token_0_once_full(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    table: dict[int, int] = {}
    for t in range(n):
        table[t if t < sinks + window else sinks + t % window] = t
    held = [table[place] for place in sorted(table)]
    return held, ranks(held)


def ring_from_token_0_later(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    """Fill the ring correctly once, and then by the number of the token."""
    table: dict[int, int] = {}
    for t in range(n):
        place = t if t < sinks + window else t - window
        table[place if t < sinks + 2 * window else sinks + t % window] = t
    held = [table[place] for place in sorted(table)]
    return held, ranks(held)


def second_place_first(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    table: dict[int, int] = {}
    for t in range(n):
        table[t if t < sinks + window else sinks + (t - sinks + 1) % window] = t
    held = [table[place] for place in sorted(table)]
    return held, ranks(held)


def from_the_newest(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [len(held) - 1 - rank for rank in ranks(held)]


def one_token_more(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n + 1, window, sinks)
    return held, ranks(held)


def one_token_less(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(max(n - 1, 0), window, sinks)
    return held, ranks(held)


def lists_exchanged(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return ranks(held), held


def back_in_the_text(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [n - 1 - t for t in held]


def back_in_the_text_but_for_sinks(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [t if t < sinks else n - 1 - t for t in held]


def empty_places_too(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    empty = [-1] * (sinks + window - len(held))
    return held + empty, ranks(held) + empty


def one_place_more(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks, size=window + 1)
    return held, ranks(held)


def positions_of_the_text(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, list(held)


def place_for_position(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, list(range(len(held)))


def all_moved(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held, dropped = ring(n, window, sinks), max(0, n - sinks - window)
    return held, [t - dropped for t in held]


def only_the_window_counts(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held, start = ring(n, window, sinks), max(sinks, n - window)
    return held, [t if t < sinks else t - start for t in held]


def always_a_gap(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [t if t < sinks else t - (n - sinks - window) for t in held]


def sinks_moved_up(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held, dropped = ring(n, window, sinks), max(0, n - sinks - window)
    return held, [t + dropped if t < sinks else t for t in held]


def counted_from_one(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [rank + 1 for rank in ranks(held)]


def position_of_writing(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [min(t, sinks + window - 1) for t in held]


def position_after_the_last(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [min(t, sinks + window) for t in held]


def sinks_from_the_start(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(max(n, sinks), window, sinks)
    return held, ranks(held)


def where_each_lies(n: int, window: int, sinks: int) -> tuple[list[int], list[int]]:
    held = ring(n, window, sinks)
    return held, [held.index(t) for t in sorted(held)]

"""More ways in which 10.causal_pairs goes wrong."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from exercise_bank.skills import said


def shown(seen: Tensor, window: int | None, sinks: int) -> int:
    """Sum the visible keys of queries that would see these numbers of keys without a window."""
    recent = seen if window is None else seen.clamp(max=window)
    return int((recent + (seen - recent).clamp(max=sinks)).sum())


def unless_windowed(wrong: Callable[[int, int], int]) -> Callable[..., int]:
    """Count wrongly without a window, and rightly with one."""

    def count(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
        if window is None:
            return wrong(q, k)
        return shown(torch.arange(max(0, k - q), k) + 1, window, sinks)

    return count


def own_left_out(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    """Leave out the own position of queries whose window is not full."""
    seen = torch.arange(max(0, k - q), k) + 1
    full = torch.zeros_like(seen) if window is None else (seen > window).long()
    return shown(seen, window, sinks) - int((1 - full).sum())


def sinks_added_once(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    return shown(seen, window, 0) + (0 if window is None else sinks)


def sinks_up_to_k(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int(torch.where(seen > window, min(window + sinks, k), seen).sum())


def more_than_the_sinks(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int((seen.clamp(max=window) + sinks * (seen - window > sinks)).sum())


def as_many_as_keys(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    w = k if window is None else window
    return sum(min(n, w + sinks) for n in range(1, min(q, k) + 1))


def sinks_for_every_query(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    recent = seen if window is None else seen.clamp(max=window)
    return int(recent.sum()) + q * sinks


def sinks_with_a_window_for_every_query(
    q: int, k: int, window: int | None = None, sinks: int = 0
) -> int:
    return sinks_for_every_query(q, k, window, 0 if window is None else sinks)


def behind_all_sinks(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    recent = seen if window is None else seen.clamp(max=window)
    more = (seen - recent).clamp(max=sinks)
    return int((recent + more.masked_fill(seen <= sinks, 0)).sum())


def one_triangle(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    """Use the formula for equally many queries and keys."""
    if window is None:
        return q * k - q * (q - 1) // 2
    w = min(window, q)
    return q * w - w * (w - 1) // 2 + max(0, q - w) * sinks


def sinks_from(q: int, k: int, window: int | None = None, sinks: int = 0, gap: int = 0) -> int:
    """Start the sinks this many places too near to the query."""
    seen = torch.arange(max(0, k - q), k) + 1
    recent = seen if window is None else seen.clamp(max=window)
    before = seen - recent if window is None else seen - window + gap
    return int((recent + before.clamp(min=0, max=sinks)).sum())


def own_besides(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    """Count a window of earlier keys, and omit the query's own, if there is a window."""
    seen = torch.arange(max(0, k - q), k) + (1 if window is None else 0)
    recent = seen if window is None else seen.clamp(max=window)
    return int((recent + (seen - recent).clamp(max=sinks)).sum())


def hidden_triangle(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    """Subtract the triangle that a window hides, whatever the sign of its side."""

    def triangle(n: int) -> int:
        return n * (n + 1) // 2

    q = min(q, k)
    side = 0 if window is None else k - window - sinks
    return triangle(k) - triangle(k - q) - triangle(side) + triangle(max(0, side - q))


def negative_in_a_window(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(k - q, k) + 1
    return int((seen.clamp(min=0) if window is None else seen.clamp(max=window + sinks)).sum())


def placed(
    q: int, k: int, window: int | None = None, sinks: int = 0,
    shift: int = 0, fewer: int = 0, beyond: bool = False, wider: int = 1, most: int | None = None,
) -> int:  # fmt: skip
    """Count with queries in other places, a wider window or fewer sinks."""
    w = k if window is None else wider * window
    count = (q if beyond else min(q, k)) - fewer
    rows = range(max(0, k - q + shift), max(0, k - q + shift) + count)
    sinks = sinks if most is None else min(most, sinks)
    return sum(min(p + 1, w) + min(sinks, max(0, p + 1 - w)) for p in rows)


def one_less(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    return shown(seen, None if window is None else window - 1, sinks)


def mask_of_all_pairs(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    if q * k > 2**36:
        raise RuntimeError("what PyTorch raises where a mask does not fit into memory")
    return shown(torch.arange(max(0, k - q), k) + 1, window, sinks)


MORE = (
    said(
        "one-less",
        one_less,
        "A window of w shows w - 1 keys.",
        "Your window shows one key less than it should: the query's own position is one of its "
        "w, and not taken off.",
        "Which keys are in a window of 1?",
        "The oldest key in the window is w - 1 positions back.",
    ),
    said(
        "mask-of-all-pairs",
        mask_of_all_pairs,
        "To count pairs, one makes the mask.",
        "For a million keys you make a tensor too large for any memory, such as a mask of all "
        "pairs. Count the visible keys of each query without listing pairs.",
        "To how many keys does the query at position p attend?",
        "Add up one number for each query.",
        kind="form",
    ),
    said(
        "more-than-the-sinks",
        more_than_the_sinks,
        "Sinks count from where more positions than sinks lie before the window.",
        "You add no sinks until more positions lie before the window than there are sinks. Each "
        "sink counts as soon as it lies before the window.",
        "With a window of 1 and one sink, which keys does position 1 see?",
        "For each query, add min(sinks, positions before the window).",
    ),
    said(
        "queries-beyond-the-keys",
        partial(placed, beyond=True),
        "Every query has a position from 0 on.",
        "With more queries than keys you place the first query at position 0, so the last ones "
        "come after the last key. The queries are the last of the positions: the first ones "
        "come before all keys, and no key is visible to them.",
        "With q = 3 and k = 2, which position has the last query?",
        "The positions that count begin at k - q, or at 0 if that is negative, and end at k - 1.",
    ),
    said(
        "first-query-left-out",
        partial(placed, shift=1, fewer=1),
        "The queries begin behind position k - q.",
        "You leave out the first query. With as many queries as keys it is at position 0 and "
        "its own key is visible to it.",
        "With q = 1 and k = 1, how many pairs are there?",
        "The positions of the queries are k - q to k - 1, both included.",
    ),
    said(
        "queries-one-too-early",
        partial(placed, shift=-1),
        "The last query comes before the last key.",
        "With more keys than queries, each of your queries is one position too early. The "
        "last query is at the last position, k - 1.",
        "With q = 1 and k = 2, how many keys are visible?",
        "The positions of the queries are k - q to k - 1, both included.",
    ),
    said(
        "twice-the-window",
        partial(placed, wider=2),
        "A window reaches so far to each side.",
        "Your window is twice as long as it should be. A window of w shows the w newest of the "
        "keys up to the query, and no others.",
        "Which keys are in a window of 1?",
        "At most w keys of the window count for each query.",
    ),
    said(
        "one-sink",
        partial(placed, most=1),
        "There is one sink.",
        "Your count is the same for every number of sinks above 0. Each of the first `sinks` "
        "positions is a sink.",
        "A query is far from the start. How many keys does it see with window 3 and 2 sinks?",
        "Add as many sinks as lie before the window, and not 1.",
    ),
    said(
        "sink-one-late",
        partial(sinks_from, gap=-1),
        "A sink comes back once the window has left it by more than one place.",
        "At the first query whose window has left a sink behind, you do not count this sink: "
        "yours comes back one query too late.",
        "The window is 2. Which is the first query whose window does not hold position 0?",
        "At position p a window of w begins at p - w + 1, so p - w + 1 keys lie before it.",
    ),
    said(
        "sink-one-early",
        partial(sinks_from, gap=1),
        "A key at the edge of the window has left it.",
        "You count the oldest key of the window a second time where it is a sink: your sinks "
        "come back one query too early.",
        "The window is 2. Which is the first query whose window does not hold position 0?",
        "At position p a window of w begins at p - w + 1, so p - w + 1 keys lie before it.",
    ),
    said(
        "earlier-keys-in-the-window",
        own_besides,
        "A window holds the keys before the query.",
        "With a window you leave out the query's own position. It is the newest of "
        "the w keys in the window.",
        "Which keys are in a window of 1?",
        "At position p there are p + 1 keys to choose from, the own one among them.",
    ),
    said(
        "sinks-for-every-query",
        sinks_for_every_query,
        "All sinks are visible to each query, besides its window.",
        "You add all sinks to each query. Some lie within its window and are counted already, and "
        "some lie after an early query.",
        "With window 2 and one sink, how many keys are visible at position 1?",
        "Count only those sinks that lie before the window begins.",
        variants=(sinks_with_a_window_for_every_query,),
    ),
    said(
        "behind-all-sinks",
        behind_all_sinks,
        "Sinks are visible to queries after all of them.",
        "You give sinks only to queries behind all of them. A sink is visible to every query at "
        "its position or after it.",
        "With window 1 and two sinks, which keys are visible at position 1?",
        "Each sink is compared with the query by itself.",
    ),
    said(
        "one-formula-for-all",
        one_triangle,
        "One triangle is cut off.",
        "Your formula cuts off one triangle, whatever q, k, window and sinks are. With more "
        "queries than keys nothing is visible to some of them, and with fewer the first of them "
        "is far from the start.",
        "How many keys are visible at position p?",
        "Add up one number for each query.",
    ),
    said(
        "hidden-triangle-below-0",
        hidden_triangle,
        "A window always hides a triangle of pairs.",
        "You take off the pairs that window and sinks hide, even if they hide none. With a window "
        "longer than the text, the side of your triangle is negative.",
        "A text of 3 keys has a window of 8. How many pairs are hidden?",
        "The side of a triangle is 0 or more.",
    ),
    said(
        "negative-positions-in-a-window",
        negative_in_a_window,
        "Queries before the first key matter without a window only.",
        "With more queries than keys and a window, you add a negative number for some queries. "
        "Nothing is visible to a query before the first key, with or without a window.",
        "There are 6 queries and 4 keys. At which position is the first query?",
        "Count 0 or more for each query.",
    ),
)

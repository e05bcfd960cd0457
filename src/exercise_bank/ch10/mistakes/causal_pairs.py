"""How 10.causal_pairs goes wrong."""

from functools import partial

import torch

from exercise_bank.ch10.mistakes.causal_pairs_more import (
    as_many_as_keys,
    own_left_out,
    shown,
    sinks_added_once,
    sinks_up_to_k,
    unless_windowed,
)
from exercise_bank.skills import said


def first_queries(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return shown((torch.arange(q) + 1).clamp(max=k), window, sinks)


def only_earlier(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return shown(torch.arange(max(0, k - q), k), window, sinks)


def all_pairs(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return q * k if window is None else q * min(k, window + sinks)


def half(q: int, k: int, window: int | None = None, sinks: int = 0) -> float:
    if window is None:
        return q * k / 2
    return shown(torch.arange(max(0, k - q), k) + 1, window, sinks)


def unclamped(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return shown(torch.arange(k - q, k) + 1, window, sinks)


def one_more(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    return shown(seen, None if window is None else window + 1, sinks)


def full_rows(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    beyond = (seen - window).clamp(min=0, max=sinks)
    return int((window + beyond).sum())


def both_ways(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    positions = torch.arange(max(0, k - q), k)
    if window is None:
        return int((positions + 1).sum())
    low, high = (positions - window + 1).clamp(min=0), (positions + window - 1).clamp(max=k - 1)
    return int((high - low + 1 + low.clamp(max=sinks)).sum())


def counted_twice(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    recent = seen if window is None else seen.clamp(max=window)
    return int((recent + seen.clamp(max=sinks)).sum())


def always_visible(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    start = torch.zeros_like(seen) if window is None else (seen - window).clamp(min=0)
    ahead = (min(sinks, k) - seen).clamp(min=0)
    return int((seen - start + start.clamp(max=sinks) + ahead).sum())


def within_the_window(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int(seen.clamp(max=max(window, sinks)).sum())


def no_sinks(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return shown(torch.arange(max(0, k - q), k) + 1, window, 0)


def one_row_of_sinks(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    return shown(seen, window, 0) + (0 if window is None else min(sinks, max(0, k - window)))


def no_window(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return int((torch.arange(max(0, k - q), k) + 1).sum())


def half_rounded_down(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return int(half(q, k, window, sinks))


def every_position(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return shown(torch.arange(k) + 1, window, sinks)


def full_windows(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    if window is not None:
        return q * min(k, window + sinks)
    return int((torch.arange(max(0, k - q), k) + 1).sum())


def overlapping(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    return counted_twice(q, k, window, 0 if window is None else sinks)


def added_to_each(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    return int(seen.sum() if window is None else (seen.clamp(max=window) + sinks).sum())


def all_or_none(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int((seen.clamp(max=window) + sinks * (seen - window >= sinks)).sum())


def all_once_full(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int(torch.where(seen > window, window + seen.clamp(max=sinks), seen).sum())


def all_once_just_full(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int(torch.where(seen >= window, window + seen.clamp(max=sinks), seen).sum())


def every_sink_once_full(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int(torch.where(seen > window, window + sinks, seen).sum())


def every_sink_once_just_full(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    seen = torch.arange(max(0, k - q), k) + 1
    if window is None:
        return int(seen.sum())
    return int(torch.where(seen >= window, window + sinks, seen).sum())


def no_sinks_if_all_full(
    q: int, k: int, window: int | None = None, sinks: int = 0, more: int = 0
) -> int:
    full = window is not None and k - q + more >= window
    return shown(torch.arange(max(0, k - q), k) + 1, window, 0 if full else sinks)


def no_sinks_if_last(q: int, k: int, window: int | None = None, sinks: int = 0) -> int:
    """Omit the sinks if the queries are the last of more keys."""
    seen = torch.arange(max(0, k - q), k) + 1
    return shown(seen, window, sinks if q >= k else 0)


MISCONCEPTIONS = (
    said(
        "first-queries",
        first_queries,
        "Query 0 is at position 0.",
        "You place query 0 at the first key. The queries are the last q of the k positions, so "
        "a single query attends to all keys.",
        "A cache holds 8 keys and a ninth token arrives. To how many keys does its query attend?",
        "Query 0 is at position k - q.",
        variants=(
            as_many_as_keys,
            unless_windowed(first_queries),
            unless_windowed(lambda q, k: q * (q + 1) // 2),
        ),
    ),
    said(
        "only-earlier",
        only_earlier,
        "A query attends only to earlier tokens.",
        "Your queries do not attend to their own position. It is visible to each of them.",
        "How many pairs has a text of one token?",
        "A query at position p attends to the keys 0 to p, which are p + 1.",
        variants=(unless_windowed(only_earlier), own_left_out),
    ),
    said(
        "all-pairs",
        all_pairs,
        "A causal mask does not change the count.",
        "Without a window you return q · k, every pair there is. With a causal mask a query "
        "does not attend to later keys.",
        "To how many keys does the query of the first position attend?",
        "The numbers of visible keys differ from query to query. Sum them.",
        variants=(unless_windowed(lambda q, k: q * k),),
    ),
    said(
        "half",
        half,
        "A causal mask leaves half of the pairs.",
        "Without a window you return half of q · k. That is near the truth for long squares only: "
        "the diagonal stays visible, and with q < k far more than half does.",
        "How many pairs has a text of one token?",
        "Write the number of visible keys for each query of a 3 × 3 square, and of 1 × 9.",
    ),
    said(
        "unclamped",
        unclamped,
        "Every query has a position among the keys.",
        "With more queries than keys you subtract pairs: you count a negative number of keys "
        "for the first queries. They are before the first key and attend to nothing.",
        "To how many keys does query 0 attend if q = 5 and k = 2?",
        "Leave out the queries before position 0.",
        variants=(unless_windowed(unclamped),),
    ),
    said(
        "one-more",
        one_more,
        "A window of w reaches w positions back.",
        "Your window shows one key more than it should: its w positions include the query's own.",
        "Which keys are in a window of 1?",
        "The oldest key in the window is w - 1 positions back.",
    ),
    said(
        "full-rows",
        full_rows,
        "Every query has a whole window.",
        "You give every query the whole window of keys. The first ones have fewer keys before "
        "them than the window is long.",
        "To how many keys does the query at position 0 attend with a window of 4?",
        "A query at position p attends to at most p + 1 keys.",
    ),
    said(
        "both-ways",
        both_ways,
        "A window reaches to both sides.",
        "Your window includes keys after the query, as if there were no causal mask.",
        "Which is the newest key that a query attends to?",
        "The window ends at the query's own position.",
    ),
    said(
        "counted-twice",
        counted_twice,
        "Sinks come on top of the window.",
        "You count sinks that lie inside the window a second time. Each pair counts once.",
        "A query at position 1 with a window of 2 and one sink: which keys does it see?",
        "Only sinks that the window has left behind add to the count.",
    ),
    said(
        "always-visible",
        always_visible,
        "Everybody sees the sinks.",
        "You let queries look at sinks that come after them. A sink stays visible outside the "
        "window, but the causal mask still applies.",
        "To how many keys does the query at position 0 attend, whatever the number of sinks?",
        "A query at position p attends to at most p + 1 keys.",
    ),
    said(
        "within-the-window",
        within_the_window,
        "The sinks take the place of keys in the window.",
        "Your sinks take the place of keys in the window: a late query attends to the same "
        "number of keys with sinks and without. Here the window keeps its length, and the sinks "
        "are added to it.",
        "A query far from the start attends to w recent keys. Which others are visible?",
        "Add the sinks that lie before the window.",
    ),
    said(
        "no-sinks",
        no_sinks,
        "Sinks change nothing.",
        "Your count does not depend on the number of sinks.",
        "Which of your arguments is not used?",
        "The first keys remain visible to a query after the window has left them behind.",
    ),
    said(
        "one-row-of-sinks",
        one_row_of_sinks,
        "The sinks are counted once.",
        "You add the sinks once. Each query that is far enough from them sees them, and each "
        "of these is a pair.",
        "Two queries look at the same sink. How many pairs is that?",
        "Count the sinks within the sum over queries.",
        variants=(sinks_added_once,),
    ),
    said(
        "no-window",
        no_window,
        "A window does not change the count.",
        "Your count does not depend on the window.",
        "Which of your arguments is not used?",
        "A query at position p sees p + 1 keys, or the window where that is less.",
    ),
    said(
        "half-rounded-down",
        half_rounded_down,
        "A causal mask leaves half of the pairs.",
        "Without a window you return half of q · k, rounded down. That is near the truth for long "
        "squares only: the diagonal stays visible, and with q < k far more than half does.",
        "How many pairs has a text of one token?",
        "Write the number of visible keys for each query of a 3 × 3 square, and of 1 × 9.",
    ),
    said(
        "every-position",
        every_position,
        "Every position asks.",
        "Your count does not depend on q: you let all k positions ask. Only the last q of them do; "
        "the others are keys alone.",
        "A cache holds 8 keys, a ninth token comes. How many queries are there?",
        "Sum over q positions, of which the last is k - 1.",
    ),
    said(
        "full-windows",
        full_windows,
        "Every query has a whole window.",
        "With a window you return q times the same number. The first queries have fewer keys "
        "before them, and those before the first key attend to nothing.",
        "To how many keys does the query at position 0 attend with a window of 4?",
        "A query at position p attends to at most p + 1 keys.",
    ),
    said(
        "overlapping",
        overlapping,
        "Sinks come on top of the window.",
        "You add sinks that the window shows already. Each pair counts once.",
        "A query at position 1 with a window of 2 and one sink: which keys does it see?",
        "Only sinks that the window has left behind add to the count.",
    ),
    said(
        "added-to-each",
        added_to_each,
        "The sinks are all added to every window.",
        "You add all sinks to each query. For the first queries some sinks are inside the "
        "window, and some are still to come.",
        "To how many keys does the query at position 0 attend, whatever the number of sinks?",
        "Only sinks that the window has left behind add to the count.",
    ),
    said(
        "all-or-none",
        all_or_none,
        "Sinks count from where the window has left all of them.",
        "Your sinks are missing where the window has left some of them behind and still shows the "
        "others.",
        "A query at position 3 has a window of 2. Which of three sinks does it see besides?",
        "For each query, count the sinks that lie before its window: none, some or all.",
    ),
    said(
        "all-once-full",
        all_once_full,
        "The sinks are added to every full window.",
        "For queries with a full window you also add sinks that do not lie before it: they are "
        "inside it, or even after the query. Each pair counts once.",
        "A query at position 2 has a window of 2 and two sinks. How many keys are there for it?",
        "For each query, count only the sinks that lie before its window.",
        variants=(
            all_once_just_full,
            every_sink_once_full,
            every_sink_once_just_full,
            sinks_up_to_k,
        ),
    ),
    said(
        "no-sinks-if-all-full",
        no_sinks_if_all_full,
        "With full windows the count is q times the window.",
        "If the window of every query is full, your count has no sinks. The sinks before those "
        "windows are visible as well.",
        "A query at position 8 has a window of 3 and four sinks. Which keys are visible to it?",
        "Add the sinks before the window in the short formula, too.",
        variants=(partial(no_sinks_if_all_full, more=1),),
    ),
    said(
        "no-sinks-if-last",
        no_sinks_if_last,
        "Sinks belong to a text that is read from its start.",
        "With fewer queries than keys your count has no sinks. The first keys are visible to "
        "the last queries as well.",
        "A query at position 8 has a window of 3 and four sinks. Which keys are visible to it?",
        "Count the sinks for each query, wherever the first one is.",
    ),
)

"""More ways in which 10.causal_pairs goes wrong."""

import torch

from exercise_bank.skills import said


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
    """Use the formula of as many queries as keys."""
    if window is None:
        return q * k - q * (q - 1) // 2
    w = min(window, q)
    return q * w - w * (w - 1) // 2 + max(0, q - w) * sinks


MORE = (
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
)

"""Answers to 13.find_fault with one mistake."""

from collections.abc import Callable

import torch
from torch import Tensor

Decoder = Callable[[Tensor, Tensor, Tensor, list[int], int | None], Tensor]


def differs(box: Decoder, sizes: list[int], window: int | None = None, *, size: int = 4) -> bool:
    """Compare a decoder with attention, on values that are far apart."""
    n = sum(sizes)
    query, key = torch.zeros(n, size), torch.zeros(n, size)
    value = torch.arange(1.0, n + 1)[:, None] ** 2
    back = torch.arange(n)[:, None] - torch.arange(n)
    mask = ((back >= 0) & (back < (window or n))).float()
    right = mask @ value / mask.sum(dim=1, keepdim=True)
    return not torch.allclose(box(query, key, value, sizes, window), right)


def judged(
    box: Decoder,
    first: list[int] | None = None,
    steps: list[int] | None = None,
    prompt: list[int] | None = None,
    chunk: list[int] | None = None,
    window: list[int] | None = None,
    long: list[int] | None = None,
    *,
    width: int = 3,
) -> str:
    """Test a decoder in six ways, each of which can be left out."""
    if first and differs(box, first):
        return "first key"
    if steps and differs(box, steps):
        return "top left"
    if prompt and differs(box, prompt):
        return "stale pointer"
    if chunk and differs(box, chunk):
        return "sees ahead"
    if window and differs(box, window, width):
        return "window + 1"
    if long and differs(box, long, width):
        return "drops early"
    return "none"


def always_none(box: Decoder) -> str:
    return "none"


def prefill_only(box: Decoder) -> str:
    return judged(box, [5], [5], [5], [5], [5], [5])


def single_steps_only(box: Decoder) -> str:
    ones = [1] * 5
    return judged(box, [1], ones, ones, ones, ones, ones)


def no_chunk_after_the_first(box: Decoder) -> str:
    return judged(box, [5], [1] * 5, [3, 1, 1], None, [1] * 5, [5])


def short_text(box: Decoder) -> str:
    return judged(box, [3], [1] * 3, [2, 1], [1, 2], [1] * 3, [3], width=3)


def short_prefill(box: Decoder) -> str:
    return judged(box, [5], [1] * 5, [3, 1, 1], [1, 4], [1] * 5, [3, 1, 1])


def windows_exchanged(box: Decoder) -> str:
    found = judged(box, [5], [1] * 5, [3, 1, 1], [1, 4], [1] * 5, [5])
    swap = {"window + 1": "drops early", "drops early": "window + 1"}
    return swap.get(found, found)


def any_window_fault(box: Decoder) -> str:
    return judged(box, [5], [1] * 5, [3, 1, 1], [1, 4], [5])


def equal_values(box: Decoder) -> str:
    def right(sizes: list[int], window: int | None = None) -> bool:
        n = sum(sizes)
        output = box(torch.zeros(n, 2), torch.zeros(n, 2), torch.ones(n, 1), sizes, window)
        return torch.allclose(output, torch.ones(n, 1))

    if not right([5]):
        return "first key"
    if not right([1] * 5):
        return "top left"
    if not right([3, 1, 1]):
        return "stale pointer"
    if not right([1, 4]):
        return "sees ahead"
    if not right([1] * 5, 3):
        return "window + 1"
    return "none" if right([5], 3) else "drops early"


def pointer_for_mask(box: Decoder) -> str:
    return judged(box, [5], [3, 1, 1], [1] * 5, [1, 4], [1] * 5, [5])


def chunk_for_pointer(box: Decoder) -> str:
    return judged(box, [5], [1] * 5, [1, 4], [3, 1, 1], [1] * 5, [5])


def ahead_for_pointer(box: Decoder) -> str:
    if differs(box, [5]) or differs(box, [1] * 5):
        return "first key" if differs(box, [5]) else "top left"
    if differs(box, [3, 2]):
        return "sees ahead"
    return judged(box, window=[1] * 5, long=[5])


def steps_with_a_window_first(box: Decoder) -> str:
    if differs(box, [1] * 5, 3):
        return "window + 1"
    return judged(box, [5], [1] * 5, [3, 1, 1], [1, 4], None, [5])


def long_prefill_first(box: Decoder) -> str:
    found = judged(box, [5], [1] * 5, [3, 1, 1], [1, 4], [5])
    return "drops early" if found == "window + 1" else found


def last_row_only(box: Decoder) -> str:
    def last(
        query: Tensor, key: Tensor, value: Tensor, sizes: list[int], window: int | None
    ) -> Tensor:
        n = len(query)
        right = torch.stack(
            [value[max(0, t + 1 - (window or n)) : t + 1].mean(0) for t in range(n)]
        )
        right[-1] = box(query, key, value, sizes, window)[-1]
        return right

    return judged(last, [5], [1] * 5, [3, 1, 1], [1, 4], [1] * 5, [5])


def steps_before_prefill(box: Decoder) -> str:
    found = judged(box, None, [1] * 5, [3, 1, 1], [1, 4], [1] * 5, [5])
    return "first key" if found == "none" and differs(box, [5]) else found


def always_first_key(box: Decoder) -> str:
    return "first key"


def always_top_left(box: Decoder) -> str:
    return "top left"


def renamed(box: Decoder, instead: tuple[tuple[str, str], ...]) -> str:
    found = judged(box, [5], [1] * 5, [3, 1, 1], [1, 4], [1] * 5, [5])
    return dict(instead).get(found, found)


def good_or_bad(box: Decoder) -> str:
    found = judged(box, [5], [1] * 5, [3, 1, 1], [1, 4], [1] * 5, [5])
    return "none" if found == "none" else "stale pointer"

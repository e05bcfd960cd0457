"""Answers to 11.find_fault with one mistake."""

from collections.abc import Callable

import torch
from torch import Tensor

Box = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]


def fits(box: Box, rows: list[list[float]], block: int) -> tuple[bool, bool]:
    scores = torch.tensor(rows, dtype=torch.float64)
    value = torch.arange(scores.shape[1], dtype=torch.float64)[:, None].cos() + 3
    output, lse = box(scores, value, block)
    weights = torch.softmax(scores, dim=1)
    return torch.allclose(output, weights @ value), torch.allclose(lse, scores.logsumexp(dim=1))


def judged(
    box: Box,
    rising: list[list[float]] | None = None,
    ragged: list[list[float]] | None = None,
    large: list[list[float]] | None = None,
    masked: list[list[float]] | None = None,
    apart: list[list[float]] | None = None,
    *,
    one_block: bool = False,
    lse_decides: bool = True,
) -> str:
    """Test a box in five ways, each of which can be left out."""
    block = 2 if one_block else 1
    if rising:
        output, lse = fits(box, rising, block)
        if not output or (lse_decides and not lse):
            return "sum kept" if not (lse and lse_decides) else "values kept"
    if ragged and not all(fits(box, ragged, 2)):
        return "last block lost"
    if large and not all(fits(box, large, block)):
        return "no maximum"
    if masked and not all(fits(box, masked, block)):
        return "empty block"
    if apart and not all(fits(box, apart, block)):
        return "one maximum"
    return "none"


def always_none(box: Box) -> str:
    return "none"


def falling_only(box: Box) -> str:
    return judged(box, [[3.0, 2.0, 1.0]], [[3.0, 2.0, 1.0]], [[1000.0, 999.0]],
                  [[1.0, -torch.inf]], [[0.0], [1000.0]])  # fmt: skip


def masked_last(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], [[0.0, 0.0, 0.0]], [[1000.0, 1000.0]],
                  [[0.0, -torch.inf]], [[0.0], [1000.0]])  # fmt: skip


def blocks_that_fit(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], None, [[1000.0, 1000.0]],
                  [[-torch.inf, 0.0]], [[0.0], [1000.0]])  # fmt: skip


def small_scores(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], [[0.0, 0.0, 0.0]], [[3.0, 4.0]],
                  [[-torch.inf, 0.0]], [[0.0], [5.0]])  # fmt: skip


def large_but_held(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], [[0.0, 0.0, 0.0]], [[50.0, 49.0]],
                  [[-torch.inf, 0.0]], [[0.0], [1000.0]])  # fmt: skip


def rising_and_large(box: Box) -> str:
    return judged(box, [[0.0, 1000.0]], [[0.0, 0.0, 0.0]], [[1000.0, 1000.0]],
                  [[-torch.inf, 0.0]], [[0.0], [1000.0]])  # fmt: skip


def one_row(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], [[0.0, 0.0, 0.0]], [[1000.0, 1000.0]], [[-torch.inf, 0.0]])


def output_only(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], [[0.0, 1.0, 2.0]], [[1000.0, 1000.0]],
                  [[-torch.inf, 0.0]], [[0.0], [1000.0]], lse_decides=False)  # fmt: skip


def names_swapped(box: Box) -> str:
    swap = {"sum kept": "values kept", "values kept": "sum kept"}
    found = masked_and_all(box)
    return swap.get(found, found)


def masked_and_all(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], [[0.0, 0.0, 0.0]], [[1000.0, 1000.0]],
                  [[-torch.inf, 0.0]], [[0.0], [1000.0]])  # fmt: skip


def one_block(box: Box) -> str:
    return judged(box, [[0.0, 2.0]], None, [[1000.0, 1000.0]],
                  [[-torch.inf, 0.0]], [[0.0], [1000.0]], one_block=True)  # fmt: skip


def any_nan(box: Box) -> str:
    found = masked_and_all(box)
    return "no maximum" if found in ("empty block", "one maximum") else found


def good_or_bad(box: Box) -> str:
    return "none" if masked_and_all(box) == "none" else "no maximum"


def falling_sums(box: Box) -> str:
    return judged(box, [[3.0, 2.0, 1.0]], [[3.0, 2.0, 1.0]], [[1000.0, 999.0]],
                  [[-torch.inf, 0.0]], [[0.0], [1000.0]])  # fmt: skip


def nan_is_empty(box: Box) -> str:
    return "empty block" if (found := masked_and_all(box)) == "no maximum" else found


def reference_empty(box: Box, after: tuple[str, ...] = ()) -> str:
    """Test for an empty block by a row of -inf alone, after testing for other faults."""
    if (found := masked_and_all(box)) in after:
        return found
    scores, value = torch.tensor([[-torch.inf, -torch.inf]]), torch.ones(2, 1)
    right = torch.softmax(scores, dim=1) @ value
    return masked_and_all(box) if torch.allclose(box(scores, value, 1)[0], right) else "empty block"


def two_rows_first(box: Box) -> str:
    return "one maximum" if (found := masked_and_all(box)) == "empty block" else found


def lse_only(box: Box) -> str:
    return "none" if (found := masked_and_all(box)) == "values kept" else found


def rising_and_short(box: Box) -> str:
    if not all(fits(box, [[0.0, 1.0, 2.0]], 2)):
        return "last block lost"
    return masked_and_all(box)


def always_sum(box: Box) -> str:
    return "none" if masked_and_all(box) == "none" else "sum kept"


def large_and_rising(box: Box) -> str:
    return "no maximum" if not all(fits(box, [[500.0, 501.0, 499.0]], 1)) else masked_and_all(box)


def values_for_both(box: Box) -> str:
    return "values kept" if (found := masked_and_all(box)) == "sum kept" else found


def renamed(box: Box, instead: tuple[tuple[str, str], ...]) -> str:
    found = masked_and_all(box)
    return dict(instead).get(found, found)

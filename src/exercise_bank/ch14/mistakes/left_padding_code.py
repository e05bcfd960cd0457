"""Wrong answers to 14.left_padding, as code."""

import torch
from torch import Tensor

Three = tuple[Tensor, Tensor, Tensor]


def places(real: Tensor) -> Tensor:
    return (real.cumsum(dim=1) - 1).masked_fill(~real, 0)


def causal(real: Tensor) -> Tensor:
    n = real.shape[1]
    return torch.ones(n, n, dtype=torch.bool).tril().expand(len(real), n, n).clone()


def itself(real: Tensor) -> Tensor:
    return torch.eye(real.shape[1], dtype=torch.bool)


def sees(real: Tensor) -> Tensor:
    return causal(real) & real[:, :, None] & real[:, None, :] | itself(real)


def last(real: Tensor) -> Tensor:
    return (torch.arange(real.shape[1]) * real).amax(dim=1)


def by_column(real: Tensor) -> Three:
    columns = torch.arange(real.shape[1]).expand(real.shape).clone()
    return columns, sees(real), last(real)


def columns_of_the_real(real: Tensor) -> Three:
    columns = torch.arange(real.shape[1]) * real
    return columns, sees(real), last(real)


def from_one(real: Tensor) -> Three:
    return real.cumsum(dim=1) * real, sees(real), last(real)


def from_the_first(real: Tensor) -> Three:
    start = real.long().argmax(dim=1, keepdim=True)
    positions = (torch.arange(real.shape[1]) - start) * real
    return positions, sees(real), last(real)


def from_the_first_for_all(real: Tensor) -> Three:
    """Give refused guesses the position of their column, too."""
    start = real.long().argmax(dim=1, keepdim=True)
    positions = (torch.arange(real.shape[1]) - start).clamp_min(0)
    return positions, sees(real), last(real)


def others_repeat(real: Tensor) -> Three:
    return (real.cumsum(dim=1) - 1).clamp_min(0), sees(real), last(real)


def others_minus_one(real: Tensor) -> Three:
    return places(real).masked_fill(~real, -1), sees(real), last(real)


def others_one(real: Tensor) -> Three:
    return places(real).masked_fill(~real, 1), sees(real), last(real)


def all_others_taken_off(real: Tensor) -> Three:
    columns = torch.arange(real.shape[1])
    positions = (columns - (~real).sum(dim=1, keepdim=True)).clamp_min(0)
    return positions, sees(real), last(real)


def not_itself(real: Tensor) -> Three:
    return places(real), sees(real) & ~itself(real), last(real)


def causal_only(real: Tensor) -> Three:
    return places(real), causal(real), last(real)


def left_only(real: Tensor) -> Three:
    after_the_start = real.cumsum(dim=1) > 0
    mask = causal(real) & after_the_start[:, None, :] & after_the_start[:, :, None] | itself(real)
    return places(real), mask, last(real)


def sees_ahead(real: Tensor) -> Three:
    return places(real), real[:, :, None] & real[:, None, :] | itself(real), last(real)


def turned_round(real: Tensor) -> Three:
    return places(real), ~sees(real), last(real)


def empty_rows(real: Tensor) -> Three:
    return places(real), causal(real) & real[:, :, None] & real[:, None, :], last(real)


def others_look_back(real: Tensor) -> Three:
    return places(real), causal(real) & real[:, None, :] | itself(real), last(real)


def others_look_back_and_may_be_empty(real: Tensor) -> Three:
    return places(real), causal(real) & real[:, None, :], last(real)


def queries_only(real: Tensor) -> Three:
    return places(real), causal(real) & real[:, :, None] | itself(real), last(real)


def anti_causal(real: Tensor) -> Three:
    return places(real), sees(real).mT.clone(), last(real)


def last_column(real: Tensor) -> Three:
    b, n = real.shape
    return places(real), sees(real), torch.full((b,), n - 1)


def one_behind_if_any(real: Tensor) -> Three:
    return places(real), sees(real), (last(real) + 1).clamp_max(real.shape[1] - 1)


def from_the_right(real: Tensor) -> Three:
    return places(real), sees(real), real.shape[1] - 1 - last(real)


def below_zero(real: Tensor) -> Three:
    return places(real), sees(real), last(real) - real.shape[1]


def mask_of_numbers(real: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return places(real), sees(real).float(), last(real)


def mask_to_add(real: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return places(real), torch.zeros(()).where(sees(real), -torch.inf), last(real)


def as_on_the_right(real: Tensor) -> Three:
    return places(real), sees(real), real.sum(dim=1) - 1


def first_real(real: Tensor) -> Three:
    return places(real), sees(real), real.long().argmax(dim=1)


def one_behind(real: Tensor) -> Three:
    return places(real), sees(real), last(real) + 1


def last_before_the_first_refused(real: Tensor) -> Three:
    read = []
    for row in real.tolist():
        t = row.index(True)
        while t + 1 < len(row) and row[t + 1]:
            t += 1
        read.append(t)
    return places(real), sees(real), torch.tensor(read)


def largest_position(real: Tensor) -> Three:
    return places(real), sees(real), places(real).argmax(dim=1)


def start_and_count(real: Tensor) -> Three:
    start = real.long().argmax(dim=1)
    return places(real), sees(real), start + real.sum(dim=1) - 1


def tokens_not_themselves(real: Tensor) -> Three:
    mask = sees(real) & ~itself(real) | itself(real) & ~real[:, :, None]
    return places(real), mask, last(real)


def all_from_one(real: Tensor) -> Three:
    """Count positions and columns from 1."""
    return real.cumsum(dim=1) * real, sees(real), last(real) + 1


def all_ones_for_the_others(real: Tensor) -> Three:
    return places(real), sees(real) | ~real[:, :, None], last(real)


def others_look_back_at_all(real: Tensor) -> Three:
    return places(real), sees(real) | causal(real) & ~real[:, :, None], last(real)


def others_see_the_first_column(real: Tensor) -> Three:
    mask = causal(real) & real[:, :, None] & real[:, None, :]
    mask[:, :, 0] |= ~real
    return places(real), mask, last(real)


def begun_again(real: Tensor) -> Three:
    """Restart the count from 0 after refused guesses."""
    positions = torch.zeros_like(real, dtype=torch.long)
    for t in range(1, real.shape[1]):
        positions[:, t] = (positions[:, t - 1] + 1) * real[:, t] * real[:, t - 1]
    return positions, sees(real), last(real)


def one_column_for_all(real: Tensor) -> Three:
    return places(real), sees(real), last(real).amax().expand(len(real)).clone()

"""Wrong answers to 14.log_probability, as code."""

import math

import torch
from torch import Tensor

Two = tuple[Tensor, Tensor]


def both(said: Tensor, counts: Tensor) -> Two:
    """Sum the values that count, and divide by their number."""
    total = torch.where(counts, said, 0.0).sum(dim=1)
    return total, total / counts.sum(dim=1).clamp_min(1)


def given(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the log-probability of each token but the first (b, n - 1)."""
    logs = torch.log_softmax(logits[:, :-1], dim=-1)
    return logs.gather(-1, tokens[:, 1:, None])[..., 0]


def between(real: Tensor) -> Tensor:
    """Return which predictions are made at a token and about a token."""
    return real[:, 1:] & real[:, :-1]


def not_shifted(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits, dim=-1)
    return both(logs.gather(-1, tokens[..., None])[..., 0], real)


def not_shifted_without_the_first(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits[:, 1:], dim=-1)
    return both(logs.gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def shifted_the_other_way(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits[:, 1:], dim=-1)
    return both(logs.gather(-1, tokens[:, :-1, None])[..., 0], between(real))


def raw_logits(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(logits[:, :-1].gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def probabilities_added(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens).exp(), between(real))


def not_a_logarithm(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    total, mean = both(given(logits, tokens), between(real))
    return total.exp(), mean.exp()


def in_bits(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens) / math.log(2), between(real))


def a_loss(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(-given(logits, tokens), between(real))


def over_positions(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits[:, :-1], dim=1)
    return both(logs.gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def over_all_positions(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits, dim=1)[:, :-1]
    return both(logs.gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def padding_added(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    """Sum all columns, and divide by the number of those that count."""
    total = given(logits, tokens).sum(dim=1)
    return total, total / between(real).sum(dim=1).clamp_min(1)


def padding_counted(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    said = given(logits, tokens)
    return both(said, torch.ones_like(said, dtype=torch.bool))


def at_padding(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens), real[:, 1:])


def about_padding(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens), real[:, :-1])


def times_zero(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    total = (given(logits, tokens) * counts).sum(dim=1)
    return total, total / counts.sum(dim=1).clamp_min(1)


def over_all_columns(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    total, _ = both(given(logits, tokens), between(real))
    return total, total / (real.shape[1] - 1)


def over_all_tokens(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    total, _ = both(given(logits, tokens), between(real))
    return total, total / real.sum(dim=1)


def over_the_batch(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    total, _ = both(given(logits, tokens), counts)
    return total, total.sum() / counts.sum().clamp_min(1) * torch.ones_like(total)


def divided_by_nothing(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    total, _ = both(given(logits, tokens), counts)
    return total, total / counts.sum(dim=1)


def the_mean_twice(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    _, mean = both(given(logits, tokens), between(real))
    return mean, mean


def perplexity(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    total, mean = both(given(logits, tokens), between(real))
    return total, (-mean).exp()


def log_of_the_mean(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    total, _ = both(given(logits, tokens), counts)
    _, mean = both(given(logits, tokens).exp(), counts)
    return total, torch.where(counts.any(dim=1), mean, 1.0).log()


def filled_with_infinity(
    logits: Tensor, tokens: Tensor, real: Tensor, filler: float = -torch.inf
) -> Two:
    counts = between(real)
    total = given(logits, tokens).masked_fill(~counts, filler).sum(dim=1)
    return total, total / counts.sum(dim=1).clamp_min(1)


def filled_with_a_large_number(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return filled_with_infinity(logits, tokens, real, filler=-1e9)


def as_on_the_right(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    """Use the first columns of each row as its text."""
    length = real.sum(dim=1, keepdim=True)
    return both(given(logits, tokens), torch.arange(1, real.shape[1]) < length)


def as_on_the_left(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    """Use the last columns of each row as its text."""
    n = real.shape[1]
    return both(given(logits, tokens), torch.arange(1, n) > n - real.sum(dim=1, keepdim=True))


def a_token_too_few(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    counts[:, 1:] &= real[:, :-2]
    counts[:, 0] = False
    return both(given(logits, tokens), counts)


def likeliest(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(torch.log_softmax(logits[:, :-1], dim=-1).amax(dim=-1), between(real))


def looked_up(logs: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(logs[:, :-1].gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def exponential_overflows(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    weights = logits.exp()
    return looked_up((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens, real)


def sum_overflows(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    """Subtract the logarithm of a plain sum of exponentials."""
    return looked_up(logits - logits.exp().sum(dim=-1, keepdim=True).log(), tokens, real)


def sum_overflows_late(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return sum_overflows(logits.double(), tokens, real)


def log_of_a_share(logits: Tensor, tokens: Tensor, real: Tensor, floor: float = 0.0) -> Two:
    return looked_up((logits.softmax(dim=-1) + floor).log(), tokens, real)

"""Ways, most of them wrong, to decide which tokens are copied and to sum up."""

import torch
from torch import Tensor


def own(logits: Tensor) -> Tensor:
    return logits.diagonal(dim1=-2, dim2=-1)


def copied(logits: Tensor) -> Tensor:
    """Return which tokens are copied, (h, v)."""
    same = torch.eye(logits.shape[-1], dtype=torch.bool)
    return own(logits) > logits.masked_fill(same, -torch.inf).amax(dim=-1)


def largest_of_row(logits: Tensor) -> Tensor:
    return logits.argmax(dim=-1) == torch.arange(logits.shape[-1])


def largest_or_equal(logits: Tensor) -> Tensor:
    return own(logits) >= logits.amax(dim=-1)


def last_when_sorted(logits: Tensor) -> Tensor:
    return logits.sort(dim=-1).indices[..., -1] == torch.arange(logits.shape[-1])


def largest_of_column(logits: Tensor) -> Tensor:
    return logits.argmax(dim=-2) == torch.arange(logits.shape[-1])


def column_or_equal(logits: Tensor) -> Tensor:
    return own(logits) >= logits.amax(dim=-2)


def largest_in_size(logits: Tensor) -> Tensor:
    return logits.abs().argmax(dim=-1) == torch.arange(logits.shape[-1])


def smallest_of_row(logits: Tensor) -> Tensor:
    return logits.argmin(dim=-1) == torch.arange(logits.shape[-1])


def in_first_2(logits: Tensor) -> Tensor:
    return rank(logits) < 2


def in_first_3(logits: Tensor) -> Tensor:
    return rank(logits) < 3


def in_first_5(logits: Tensor) -> Tensor:
    return rank(logits) < 5


def positive(logits: Tensor) -> Tensor:
    return own(logits) > 0


def above_mean(logits: Tensor) -> Tensor:
    return own(logits) > logits.mean(dim=-1)


def above_median(logits: Tensor) -> Tensor:
    return own(logits) > logits.median(dim=-1).values


def probability(logits: Tensor) -> Tensor:
    return own(logits.softmax(dim=-1))


def probability_in_column(logits: Tensor) -> Tensor:
    return own(logits.softmax(dim=-2))


def above_chance(logits: Tensor) -> Tensor:
    return probability(logits) > 1 / logits.shape[-1]


def above_half(logits: Tensor) -> Tensor:
    return probability(logits) > 0.5


def above_zero_and_others(logits: Tensor) -> Tensor:
    """Set the diagonal to 0 before computing the largest of the others."""
    same = torch.eye(logits.shape[-1], dtype=logits.dtype)
    return own(logits) > (logits * (1 - same)).amax(dim=-1)


def positive_and_copied(logits: Tensor) -> Tensor:
    return positive(logits) & copied(logits)


def above_other_heads(logits: Tensor) -> Tensor:
    return own(logits) >= own(logits).amax(dim=0)


def copied_best(logits: Tensor) -> Tensor:
    return copied(logits) & above_other_heads(logits)


def largest_of_head(logits: Tensor) -> Tensor:
    return own(logits) >= logits.amax(dim=(-2, -1))[:, None]


def largest_of_all(logits: Tensor) -> Tensor:
    return own(logits) >= logits.amax()


def as_they_are(logits: Tensor) -> Tensor:
    return logits


def positive_eigenvalues(logits: Tensor) -> Tensor:
    return torch.linalg.eigvals(logits.double()).real > 0


def rank(logits: Tensor) -> Tensor:
    """Return how many logits are larger than a token's own, (h, v)."""
    return (logits > own(logits)[..., None]).double().sum(dim=-1)


def reciprocal_rank(logits: Tensor) -> Tensor:
    return 1 / (rank(logits) + 1)


def rank_from_1(logits: Tensor) -> Tensor:
    return rank(logits) + 1


def share_below(logits: Tensor) -> Tensor:
    return 1 - rank(logits) / (logits.shape[-1] - 1)


def share_not_above(logits: Tensor) -> Tensor:
    return 1 - rank(logits) / logits.shape[-1]


def never(logits: Tensor) -> Tensor:
    return own(logits) > logits.amax(dim=-1)


def mean_of_tokens(hits: Tensor) -> Tensor:
    return hits.double().mean(dim=-1)


def sum_of_tokens(hits: Tensor) -> Tensor:
    return hits.double().sum(dim=-1)


def whole_sum(hits: Tensor) -> Tensor:
    return hits.sum(dim=-1)


def over_the_others(hits: Tensor) -> Tensor:
    return hits.double().sum(dim=-1) / (hits.shape[-1] - 1)


def over_all_numbers(hits: Tensor) -> Tensor:
    return hits.double().sum(dim=-1) / hits.numel()


def over_pairs(hits: Tensor) -> Tensor:
    return hits.double().sum(dim=-1) / hits.shape[-1] ** 2


def over_heads(hits: Tensor) -> Tensor:
    return hits.double().sum(dim=-1) / len(hits)


def percent(hits: Tensor) -> Tensor:
    return hits.double().mean(dim=-1) * 100


def without_chance(hits: Tensor) -> Tensor:
    return hits.double().mean(dim=-1) - 1 / hits.shape[-1]


def rest(hits: Tensor) -> Tensor:
    return 1 - hits.double().mean(dim=-1)


def by_token(hits: Tensor) -> Tensor:
    return hits.double()


def mean_of_heads(hits: Tensor) -> Tensor:
    return hits.double().mean(dim=0)


def mean_of_all(hits: Tensor) -> Tensor:
    return hits.double().mean()


def mean_for_each(hits: Tensor) -> Tensor:
    return hits.double().mean().expand(len(hits))


def sum_of_heads(hits: Tensor) -> Tensor:
    return hits.double().sum() / hits.shape[-1]


def of_the_first(hits: Tensor) -> Tensor:
    return hits[0].double().mean().expand(len(hits))


def of_the_last(hits: Tensor) -> Tensor:
    return hits[-1].double().mean().expand(len(hits))


def the_first_alone(hits: Tensor) -> Tensor:
    return hits[:1].double().mean(dim=-1)


def one_number(hits: Tensor) -> Tensor:
    return hits[0].double().mean()


def eigenvalues(logits: Tensor) -> Tensor:
    """Sum eigenvalues, as a share of their sizes."""
    found = torch.linalg.eigvals(logits.double())
    return found.real.sum(dim=-1) / found.abs().sum(dim=-1)

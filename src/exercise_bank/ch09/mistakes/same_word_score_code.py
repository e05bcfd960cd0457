"""Wrong ways to score heads that attend to earlier copies."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Tensor


def _same(tokens: Tensor) -> Tensor:
    return tokens[:, :, None] == tokens[:, None, :]


def _mean(weights: Tensor, cells: Tensor, counted: Tensor) -> Tensor:
    return (weights * cells[:, None]).sum(dim=(0, 2, 3)) / counted.sum().clamp_min(1)


def heads_averaged(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    score = _mean(weights, cells, cells.any(dim=-1))
    return score.mean().expand(len(score)).clone()


def itself_too(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril()
    return _mean(weights, cells, cells.any(dim=-1))


def itself_where_it_came_back(weights: Tensor, tokens: Tensor) -> Tensor:
    return _mean(weights, _same(tokens).tril(), _same(tokens).tril(-1).any(dim=-1))


def later_too(weights: Tensor, tokens: Tensor) -> Tensor:
    n = tokens.shape[1]
    cells = _same(tokens) & ~torch.eye(n, dtype=torch.bool)
    return _mean(weights, cells, cells.any(dim=-1))


def later_of_repeats(weights: Tensor, tokens: Tensor) -> Tensor:
    others = _same(tokens) & ~torch.eye(tokens.shape[1], dtype=torch.bool)
    came_back = _same(tokens).tril(-1).any(dim=-1)
    return _mean(weights, others & came_back[..., None], came_back)


def latest_only(weights: Tensor, tokens: Tensor) -> Tensor:
    n = tokens.shape[1]
    cells = _same(tokens).tril(-1)
    latest = torch.where(cells, torch.arange(n), -1).amax(dim=-1)
    picked = (torch.arange(n) == latest[..., None]) & cells
    return _mean(weights, picked, cells.any(dim=-1))


def one_later(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    moved = torch.zeros_like(cells)
    moved[..., 1:] = cells[..., :-1]
    return _mean(weights, moved, cells.any(dim=-1))


def over_all_queries(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return _mean(weights, cells, torch.ones_like(cells[..., 0]))


def over_all_but_the_first(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return _mean(weights, cells, torch.ones_like(cells[:, 1:, 0]))


def latest_over_all_but_the_first(weights: Tensor, tokens: Tensor) -> Tensor:
    places = torch.arange(tokens.shape[1])
    latest = torch.where(_same(tokens).tril(-1), places, -1).amax(dim=-1)
    cells = places == latest[..., None]
    return _mean(weights, cells, torch.ones_like(cells[:, 1:, 0]))


def of_each_over_all_queries(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return (weights * cells[:, None]).sum(dim=(2, 3)).mean(dim=0) / tokens.shape[1]


def over_the_batch(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return _mean(weights, cells, torch.ones_like(cells[:, 0, 0]))


def over_words_that_repeat(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    second = cells.sum(dim=-1) == 1
    return _mean(weights, cells, second)


def over_all_pairs(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return _mean(weights, cells, cells)


def turned(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return _mean(weights.transpose(-2, -1), cells, cells.any(dim=-1))


def _of_each_sequence(weights: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Return each sequence's own mean (b, h), and its number of queries."""
    cells = _same(tokens).tril(-1)
    counts = cells.any(dim=-1).sum(dim=-1)
    return (weights * cells[:, None]).sum(dim=(2, 3)) / counts[:, None].clamp_min(1), counts


def mean_of_sequences(weights: Tensor, tokens: Tensor) -> Tensor:
    return _of_each_sequence(weights, tokens)[0].mean(dim=0)


def mean_of_those_with_repeats(weights: Tensor, tokens: Tensor) -> Tensor:
    each, counts = _of_each_sequence(weights, tokens)
    return each.sum(dim=0) / counts.count_nonzero().clamp_min(1)


def mean_of_sequences_or_nan(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    counts = cells.any(dim=-1).sum(dim=-1)
    return ((weights * cells[:, None]).sum(dim=(2, 3)) / counts[:, None]).mean(dim=0)


def mean_of_copies(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    copies = cells.sum(dim=-1).clamp_min(1)[:, None, :, None]
    return _mean(weights / copies, cells, cells.any(dim=-1))


def sum_not_mean(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return (weights * cells[:, None]).sum(dim=(0, 2, 3))


def largest_copy(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    best = (weights * cells[:, None]).amax(dim=-1).sum(dim=(0, 2))
    return best / cells.any(dim=-1).sum().clamp_min(1)


def zero_is_filler(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1) & (tokens > 0)[:, None, :]
    return _mean(weights, cells, cells.any(dim=-1))


def nan_for_nothing(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    return (weights * cells[:, None]).sum(dim=(0, 2, 3)) / cells.any(dim=-1).sum()


def across_sequences(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = (tokens[:, :, None] == tokens[:1, None, :]).tril(-1)
    return _mean(weights, cells, cells.any(dim=-1))


def first_only(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    first = cells & (cells.cumsum(dim=-1) == 1)
    return _mean(weights, first, cells.any(dim=-1))


def _has_a_copy(tokens: Tensor) -> Tensor:
    return (_same(tokens) & ~torch.eye(tokens.shape[1], dtype=torch.bool)).any(dim=-1)


def first_of_a_word_counted(weights: Tensor, tokens: Tensor) -> Tensor:
    return _mean(weights, _same(tokens).tril(-1), _has_a_copy(tokens))


def first_counted_and_latest_only(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    latest = torch.where(cells, torch.arange(tokens.shape[1]), -1).amax(dim=-1)
    picked = (torch.arange(tokens.shape[1]) == latest[..., None]) & cells
    return _mean(weights, picked, _has_a_copy(tokens))


def first_counted_and_itself(weights: Tensor, tokens: Tensor) -> Tensor:
    return _mean(weights, _same(tokens).tril(), _has_a_copy(tokens))


def latest_over_all_queries(weights: Tensor, tokens: Tensor) -> Tensor:
    places = torch.arange(tokens.shape[1])
    latest = torch.where(_same(tokens).tril(-1), places, -1).amax(dim=-1)
    return _mean(weights, places == latest[..., None], torch.ones_like(tokens))


def first_over_all_queries(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens).tril(-1)
    first = cells & (cells.cumsum(dim=-1) == 1)
    return _mean(weights, first, torch.ones_like(tokens))


def itself_over_all_queries(weights: Tensor, tokens: Tensor) -> Tensor:
    cells = _same(tokens) & ~torch.eye(tokens.shape[1], dtype=torch.bool)
    return _mean(weights, cells, torch.ones_like(tokens))

"""Decoding with split keys that goes wrong in one place."""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor

Ask = Callable[[int, int, int], tuple[Tensor, Tensor]]
Both = tuple[Tensor, Tensor]


def merged(outputs: list[Tensor], lses: list[Tensor]) -> Both:
    lse = torch.logsumexp(torch.stack(lses), dim=0)
    shares = torch.exp(torch.stack(lses) - lse.masked_fill(lse == -torch.inf, 0.0))
    return (shares[..., None] * torch.stack(outputs)).sum(dim=0), lse


def asked(ask: Ask, k: int, size: int, workers: int) -> tuple[list[Tensor], list[Tensor]]:
    starts = range(0, k, size)
    found = [ask(i % workers, start, min(start + size, k)) for i, start in enumerate(starts)]
    return [output for output, _ in found], [lse for _, lse in found]


def mean_of_outputs(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    return torch.stack(outputs).mean(dim=0), merged(outputs, lses)[1]


def weighted_by_length(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    lengths = [min(start + size, k) - start for start in range(0, k, size)]
    mixed = torch.stack([n * x for n, x in zip(lengths, outputs, strict=True)]).sum(dim=0) / k
    return mixed, merged(outputs, lses)[1]


def softmax_not_shared(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    stacked = torch.stack(lses)
    weights = stacked / stacked.sum(dim=0)
    return (weights[..., None] * torch.stack(outputs)).sum(dim=0), merged(outputs, lses)[1]


def outputs_added(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    return torch.stack(outputs).sum(dim=0), merged(outputs, lses)[1]


def no_maximum(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    sums = torch.stack(lses).exp()
    total = sums.sum(dim=0)
    mixed = (sums[..., None] * torch.stack(outputs)).sum(dim=0)
    return mixed / total.masked_fill(total == 0, 1.0)[:, None], total.log()


def nan_for_nothing(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    weights = torch.softmax(torch.stack(lses), dim=0)
    return (weights[..., None] * torch.stack(outputs)).sum(dim=0), merged(outputs, lses)[1]


def largest_lse(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    return merged(outputs, lses)[0], torch.stack(lses).amax(dim=0)


def lses_added(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    return merged(outputs, lses)[0], torch.stack(lses).sum(dim=0)


def short_part_lost(ask: Ask, k: int, size: int, workers: int) -> Both:
    whole = k // size * size
    return merged(*asked(ask, whole or k, size, workers))


def heads_axis(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    weights = torch.softmax(torch.stack(lses), dim=1).nan_to_num(0.0)
    return (weights[..., None] * torch.stack(outputs)).sum(dim=0), merged(outputs, lses)[1]


def not_divided(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    top = torch.stack(lses).amax(dim=0)
    weights = torch.exp(torch.stack(lses) - top.masked_fill(top == -torch.inf, 0.0))
    return (weights[..., None] * torch.stack(outputs)).sum(dim=0), merged(outputs, lses)[1]


def one_maximum(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    top = torch.stack(lses).amax()
    top = top.masked_fill(top == -torch.inf, 0.0)
    sums = torch.exp(torch.stack(lses) - top)
    total = sums.sum(dim=0)
    mixed = (sums[..., None] * torch.stack(outputs)).sum(dim=0)
    return mixed / total.masked_fill(total == 0, 1.0)[:, None], top + total.log()


def nan_made_zero(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    sums = torch.stack(lses).exp()
    total = sums.sum(dim=0)
    mixed = (sums[..., None] * torch.stack(outputs)).sum(dim=0) / total[:, None]
    return mixed.nan_to_num(0.0), total.log()


def part_for_each(ask: Ask, k: int, size: int, workers: int) -> Both:
    found = [ask(i, i * size, min(i * size + size, k)) for i in range(workers) if i * size < k]
    return merged([x for x, _ in found], [x for _, x in found])


def as_many_as_workers(ask: Ask, k: int, size: int, workers: int) -> Both:
    each = -(-k // workers)
    found = [ask(i, j, min(j + each, k)) for i, j in enumerate(range(0, k, each))]
    return merged([x for x, _ in found], [x for _, x in found])


def part_i_to_worker_i(ask: Ask, k: int, size: int, workers: int) -> Both:
    return merged(*asked(ask, k, size, k))


def workers_from_1(ask: Ask, k: int, size: int, workers: int) -> Both:
    return merged(*asked(lambda i, *part: ask(i + 1, *part), k, size, workers))


def past_the_end(ask: Ask, k: int, size: int, workers: int) -> Both:
    found = [ask(i % workers, j, j + size) for i, j in enumerate(range(0, k, size))]
    return merged([x for x, _ in found], [x for _, x in found])


def evened_out(ask: Ask, k: int, size: int, workers: int) -> Both:
    return merged(*asked(ask, k, -(-k // -(-k // size)), workers))


def worker_after_worker(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    order = sorted(range(len(lses)), key=lambda i: i % workers)
    return merged([outputs[i] for i in order], [lses[i] for i in order])


def rest_to_the_last(ask: Ask, k: int, size: int, workers: int) -> Both:
    starts = range(0, k, size)
    each = max(1, len(starts) // workers)
    who = [min(i // each, workers - 1) for i in range(len(starts))]
    found = [ask(i, j, min(j + size, k)) for i, j in zip(who, starts, strict=True)]
    return merged([x for x, _ in found], [x for _, x in found])


def one_each_and_the_rest(ask: Ask, k: int, size: int, workers: int) -> Both:
    starts = range(0, k, size)
    found = [ask(min(i, workers - 1), j, min(j + size, k)) for i, j in enumerate(starts)]
    return merged([x for x, _ in found], [x for _, x in found])


def even_parts(ask: Ask, k: int, size: int, workers: int) -> Both:
    count = -(-k // size)
    count = -(-count // workers) * workers
    edges = [k * i // count for i in range(count + 1)]
    found = [
        ask(i % workers, a, b) for i, (a, b) in enumerate(pairwise(edges))
        if a < b
    ]  # fmt: skip
    return merged([x for x, _ in found], [x for _, x in found])


def shorter_for_many(ask: Ask, k: int, size: int, workers: int) -> Both:
    return merged(*asked(ask, k, min(size, -(-k // workers)), workers))


def by_worker(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    own = [merged(outputs[i::workers], lses[i::workers]) for i in range(min(workers, len(lses)))]
    return merged([x for x, _ in own], [x for _, x in own])


def one_works(ask: Ask, k: int, size: int, workers: int) -> Both:
    return merged(*asked(ask, k, size, 1))


def from_the_end(ask: Ask, k: int, size: int, workers: int) -> Both:
    ends = range(k, 0, -size)
    found = [ask(i % workers, max(end - size, 0), end) for i, end in enumerate(ends)]
    return merged([x for x, _ in found], [x for _, x in found])


def one_lse(ask: Ask, k: int, size: int, workers: int) -> Both:
    outputs, lses = asked(ask, k, size, workers)
    stacked = torch.stack(lses).mean(dim=1, keepdim=True).expand(-1, len(lses[0]))
    return merged(outputs, list(stacked))[0], merged(outputs, lses)[1]

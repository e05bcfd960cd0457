"""Exercise 09.induction_score: the weight on what followed the last time."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch09.maps import causal, words
from plaincourse.bank.ch09.mistakes.induction_score import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def one_repeat(g: Generator) -> list[Inputs]:
    tokens = torch.tensor([[3, 5, 3]]), torch.tensor([[7, 1, 2, 7]]), torch.tensor([[4, 9, 2, 9]])
    return [{"weights": causal(g, 1, 1, t.shape[1], t.shape[1]), "tokens": t} for t in tokens]


def several_occurrences(g: Generator) -> list[Inputs]:
    tokens = torch.tensor([[1, 2, 1, 3, 1]]), torch.tensor([[6, 6, 6, 6, 2]])
    return [{"weights": causal(g, 1, 2, 5, 5), "tokens": t} for t in tokens]


def many_queries(g: Generator) -> list[Inputs]:
    return [
        {"weights": causal(g, 1, 3, n, n), "tokens": words(g, 1, n, v)}
        for n, v in ((6, 4), (9, 3), (11, 6))
    ]


def batches(g: Generator) -> list[Inputs]:
    uneven = torch.tensor([[1, 2, 3, 4, 1], [5, 5, 6, 5, 6], [1, 2, 3, 4, 5]])
    return [
        {"weights": causal(g, 3, 2, 5, 5), "tokens": uneven},
        {"weights": causal(g, 4, 3, 8, 8), "tokens": words(g, 4, 8, 6)},
    ]


def nothing_repeated(g: Generator) -> list[Inputs]:
    return [
        {"weights": causal(g, 1, 2, 4, 4), "tokens": torch.tensor([[0, 1, 2, 3]])},
        {"weights": causal(g, 2, 3, 3, 3), "tokens": torch.tensor([[2, 1, 0], [5, 6, 7]])},
        {"weights": causal(g, 1, 2, 4, 4), "tokens": torch.tensor([[0, 1, 2, 1]])},
    ]


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """Look up each query's last occurrence, and average the weight on what followed."""
    total, count = weights.new_zeros(weights.shape[1]), 0
    for b, row in enumerate(tokens.tolist()):
        for i, word in enumerate(row):
            earlier = [j for j in range(i) if row[j] == word]
            if earlier:
                total += weights[b, :, i, earlier[-1] + 1]
                count += 1
    return total / max(count, 1)


def by_a_dictionary(weights: Tensor, tokens: Tensor) -> Tensor:
    found = []
    for b in range(len(tokens)):
        last: dict[int, int] = {}
        for i, word in enumerate(tokens[b].tolist()):
            if word in last:
                found.append(weights[b, :, i, last[word] + 1])
            last[word] = i
    if not found:
        return weights.new_zeros(weights.shape[1])
    return torch.stack(found).mean(dim=0)


def all_at_once(weights: Tensor, tokens: Tensor) -> Tensor:
    n = tokens.shape[1]
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)
    latest = torch.where(same, torch.arange(n), -1).amax(dim=-1)
    counted = latest >= 0
    target = (latest + 1)[:, None, :, None].expand(-1, weights.shape[1], -1, 1)
    picked = weights.gather(-1, target.clamp(0, n - 1))[..., 0] * counted[:, None]
    total: Tensor = picked.sum(dim=(0, 2)) / counted.sum().clamp_min(1)
    return total


TASK = Exercise(
    id="09.induction_score",
    title="A score for induction",
    level="medium",
    minutes=15,
    concepts=("induction-heads", "trained-induction-head", "attention-maps"),
    reference=induction_score,
    rungs=(
        Rung(name="one word comes back", points=1.0, draw=one_repeat),
        Rung(name="the latest occurrence counts", points=1.0, draw=several_occurrences),
        Rung(name="queries with a past are averaged", points=1.0, draw=many_queries),
        Rung(name="all queries of a batch count alike", points=1.0, draw=batches),
        Rung(name="no word comes back, or only once", points=1.0, draw=nothing_repeated),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="a dictionary of last places", answer=by_a_dictionary),
        Alternative(name="all at once with gather", answer=all_at_once),
    ),
    hints=(
        "At which key should a head look that wants to say what follows *sing*?",
        "For query i: find the largest j < i with the same word. The key is j + 1.",
        "Add up weights[b, :, i, j + 1] over all such queries of all sequences, and divide by "
        "their number, or by 1 if there are none.",
    ),
    axes="h",
    equivalents={
        "induction_score: line 3: tolist() dropped": "tensors of one number compare as numbers do",
        "induction_score: line 9: count and 1 swapped in max(count, 1)": "a maximum has no order",
    },
)

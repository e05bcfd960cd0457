"""Exercise 09.same_word_score: a score for a kind of head that the chapter does not have."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch09.maps import both_ways, words
from plaincourse.bank.ch09.mistakes.same_word_score import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def one_repeat(g: Generator) -> list[Inputs]:
    tokens = torch.tensor([[3, 3]]), torch.tensor([[7, 1, 7]]), torch.tensor([[4, 9, 2, 9]])
    return [{"weights": both_ways(g, 1, 1, t.shape[1], t.shape[1]), "tokens": t} for t in tokens]


def several_occurrences(g: Generator) -> list[Inputs]:
    tokens = torch.tensor([[1, 2, 1, 3, 1]]), torch.tensor([[6, 6, 6, 6, 2]])
    return [{"weights": both_ways(g, 1, 2, 5, 5), "tokens": t} for t in tokens]


def many_queries(g: Generator) -> list[Inputs]:
    return [
        {"weights": both_ways(g, 1, 3, n, n), "tokens": words(g, 1, n, v)}
        for n, v in ((6, 4), (9, 3), (11, 6))
    ]


def batches(g: Generator) -> list[Inputs]:
    uneven = torch.tensor([[1, 2, 3, 4, 1], [5, 5, 6, 5, 6], [1, 2, 3, 4, 5]])
    return [
        {"weights": both_ways(g, 3, 2, 5, 5), "tokens": uneven},
        {"weights": both_ways(g, 4, 3, 8, 8), "tokens": words(g, 4, 8, 6)},
    ]


def nothing_repeated(g: Generator) -> list[Inputs]:
    return [
        {"weights": both_ways(g, 1, 2, 4, 4), "tokens": torch.tensor([[0, 1, 2, 3]])},
        {"weights": both_ways(g, 2, 3, 3, 3), "tokens": torch.tensor([[2, 1, 0], [5, 6, 7]])},
        {"weights": both_ways(g, 1, 2, 4, 4), "tokens": torch.tensor([[0, 1, 2, 1]])},
    ]


def same_word_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """Add up the weight on earlier occurrences, and average over the queries that have one."""
    same = tokens[:, :, None] == tokens[:, None, :]
    earlier = same.tril(-1)
    counted = earlier.any(dim=-1).sum()
    return (weights * earlier[:, None]).sum(dim=(0, 2, 3)) / counted.clamp_min(1)


def in_loops(weights: Tensor, tokens: Tensor) -> Tensor:
    total, count = weights.new_zeros(weights.shape[1]), 0
    for b, row in enumerate(tokens.tolist()):
        for i, word in enumerate(row):
            places = [j for j in range(i) if row[j] == word]
            total = total + weights[b, :, i, places].sum(dim=-1)
            count += bool(places)
    return total / max(count, 1)


def by_einsum(weights: Tensor, tokens: Tensor) -> Tensor:
    hot = torch.nn.functional.one_hot(tokens).to(weights.dtype)
    earlier = torch.einsum("biv,bjv->bij", hot, hot).tril(-1)
    count = max(int((earlier.sum(dim=-1) > 0).sum()), 1)
    return torch.einsum("bhij,bij->h", weights, earlier) / count


TASK = Exercise(
    id="09.same_word_score",
    title="A score for a new kind of head",
    level="medium",
    minutes=15,
    concepts=("attention-maps", "local-heads", "delimiter-heads"),
    reference=same_word_score,
    rungs=(
        Rung(name="one word comes back", points=1.0, draw=one_repeat),
        Rung(name="all earlier occurrences count", points=1.0, draw=several_occurrences),
        Rung(name="queries with a past are averaged", points=1.0, draw=many_queries),
        Rung(name="all queries of a batch count alike", points=1.0, draw=batches),
        Rung(name="no word comes back, or only once", points=1.0, draw=nothing_repeated),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="loops", answer=in_loops),
        Alternative(name="one-hot and einsum", answer=by_einsum),
    ),
    hints=(
        "Write down, for the words 6 6 2 6, which cells of the map count.",
        "tokens[:, :, None] == tokens[:, None, :] marks equal words. Which of these cells lie "
        "before the query?",
        "Keep what lies strictly below the diagonal, add up the weights there for each head, and "
        "divide by the number of queries that have at least one such cell.",
    ),
    axes="h",
    equivalents=dict.fromkeys(
        (
            "same_word_score: line 4: -1 becomes -2 in dim=-1",
            "same_word_score: line 4: the minus of -1 dropped",
        ),
        "of n equal words, n - 1 have an earlier one and n - 1 a later one",
    ),
)

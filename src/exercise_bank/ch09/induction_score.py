"""Exercise 09.induction_score: the weight on the token after the previous occurrence."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch09.maps import causal, led_in, words
from exercise_bank.ch09.mistakes.induction_score import MISCONCEPTIONS
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED


def drawn(weights: Tensor, *rows: list[int]) -> Inputs:
    return {"weights": weights, "tokens": torch.tensor(rows)}


def one_repeat(g: Generator) -> list[Inputs]:
    rows = [3, 5, 3], [7, 1, 2, 7], [4, 0, 2, 0]
    return [drawn(causal(g, 1, 3, len(row), len(row)), row) for row in rows]


def several_occurrences(g: Generator) -> list[Inputs]:
    rows = [1, 2, 1, 3, 1], [0, 6, 0, 0, 2]
    return [drawn(causal(g, 1, 4, 5, 5), row) for row in rows]


def even_maps(g: Generator) -> list[Inputs]:
    """Draw maps with equal weights on all earlier keys: the choice of occurrence has no effect."""
    rows = [1, 2, 1, 3, 4], [5, 4, 4, 5, 7, 0], [2, 0, 0]
    longer = [led_in(g, row)[0] for row in rows]
    return [drawn(even(1, 2, len(row)), row) for row in longer]


def even_batches(g: Generator) -> list[Inputs]:
    three = led_in(g, [1, 2, 3, 4, 1], [5, 5, 6, 8, 6], [1, 2, 3, 4, 5])
    two = led_in(g, [0, 1, 2], [0, 0, 3])
    return [drawn(even(3, 2, len(three[0])), *three), drawn(even(2, 1, len(two[0])), *two)]


def none_or_once(g: Generator) -> list[Inputs]:
    return [
        drawn(causal(g, 1, 2, 4, 4), [0, 1, 2, 3]),
        drawn(causal(g, 2, 3, 3, 3), [2, 1, 0], [5, 6, 7]),
        drawn(even(1, 2, 4), [0, 1, 2, 1]),
    ]


def even(b: int, h: int, n: int) -> Tensor:
    rows = torch.ones(n, n, dtype=torch.float64).tril()
    return (rows / rows.sum(-1, keepdim=True)).expand(b, h, n, n).clone()


def whole(g: Generator) -> list[Inputs]:
    example = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.1, 0.7, 0.2]]
    sizes = ((1, 3, 9, 3), (4, 3, 8, 6), (2, 2, 11, 5))
    return [
        drawn(torch.tensor(example, dtype=torch.float64)[None, None], [8, 5, 8]),
        *({"weights": causal(g, b, h, n, n), "tokens": words(g, b, n, v)} for b, h, n, v in sizes),
    ]


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """Find each query's last occurrence, and average the weight on the token after it."""
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


def from_the_back(weights: Tensor, tokens: Tensor) -> Tensor:
    b, h, n, _ = weights.shape
    hits = []
    for i in range(n):
        open_ = torch.ones(b, dtype=torch.bool)
        for j in reversed(range(i)):
            now = open_ & (tokens[:, j] == tokens[:, i])
            hits.append(weights[now, :, i, j + 1])
            open_ &= ~now
    every = torch.cat([weights.new_empty(0, h), *hits])
    return every.mean(0) if len(every) else torch.zeros(h)


TASK = Exercise(
    id="09.induction_score",
    title="A score for induction",
    level="medium",
    minutes=15,
    concepts=("induction-heads", "trained-induction-head", "attention-maps"),
    reference=induction_score,
    rungs=(
        Rung(
            name="the key after the earlier occurrence",
            points=1.0,
            idea="the key after the last occurrence",
            draw=in_single(one_repeat),
            law=in_proportion(
                induction_score,
                "only the weight on the token after the earlier occurrence is added",
            ),
            compare=False,
        ),
        Rung(
            name="the latest of several occurrences counts",
            points=1.0,
            idea="the key after the last occurrence",
            draw=in_single(several_occurrences),
            law=in_proportion(
                induction_score,
                "the weight on the token after the latest occurrence counts, and no other",
            ),
            compare=False,
        ),
        Rung(
            name="the mean is over the queries whose token occurred before",
            points=0.75,
            idea="a mean over repeated words",
            draw=in_single(even_maps),
        ),
        Rung(
            name="all queries of a batch count alike",
            points=0.75,
            idea="a mean over repeated words",
            draw=in_single(even_batches),
        ),
        Rung(
            name="no token of the batch is repeated, or only one",
            points=0.5,
            draw=in_single(none_or_once),
        ),
        Rung(name="all of it, in float32 and float64", points=1.0, draw=both_types(whole)),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="a dictionary of last places", answer=by_a_dictionary),
        Alternative(name="all at once with gather", answer=all_at_once),
        Alternative(name="backwards from each query", answer=from_the_back),
    ),
    hints=(
        "To predict the word that follows *sing*, which key should a head attend to?",
        "For query i: find the largest j < i with the same word. The key is j + 1.",
        "Add up the weights of query i on key j + 1 over all such queries of all sequences, "
        "and divide by their number, or by 1 if there are none.",
    ),
    axes="h",
    precision=SUMMED,
    equivalents={
        "induction_score: line 3: tolist() dropped": "tensors of one number compare as numbers do",
        "induction_score: line 9: count and 1 swapped in max(count, 1)": "a maximum has no order",
    },
)

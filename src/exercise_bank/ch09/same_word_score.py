"""Exercise 09.same_word_score: a score for a kind of head that is new to the chapter."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Generator, Tensor

from exercise_bank.ch09.maps import both_ways, causal, led_in, words
from exercise_bank.ch09.mistakes.same_word_score import MISCONCEPTIONS
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED


def drawn(weights: Tensor, *rows: list[int]) -> Inputs:
    return {"weights": weights, "tokens": torch.tensor(rows)}


def one_repeat(g: Generator) -> list[Inputs]:
    rows = [3, 3], [7, 1, 7], [4, 0, 2, 0]
    return [drawn(causal(g, 1, 3, len(row), len(row)), row) for row in rows]


def several_occurrences(g: Generator) -> list[Inputs]:
    rows = [1, 2, 1, 3, 1], [0, 0, 0, 0, 2]
    return [drawn(causal(g, 1, 4, 5, 5), row) for row in rows]


def looking_ahead(g: Generator) -> list[Inputs]:
    rows = [5, 1, 5], [1, 2, 1, 2], [6, 6, 4, 6]
    return [drawn(both_ways(g, 1, 4, len(row), len(row)), row) for row in rows]


def even(b: int, h: int, n: int) -> Tensor:
    return torch.full((b, h, n, n), 1 / n, dtype=torch.float64)


def even_maps(g: Generator) -> list[Inputs]:
    """Draw maps with equal weights, and words with one or several earlier occurrences."""
    rows = [1, 2, 1, 3, 4], [5, 4, 4, 5, 7, 0], [2, 0, 0], [3, 1, 3, 3]
    longer = [led_in(g, row)[0] for row in rows]
    return [drawn(even(1, 2, len(row)), row) for row in longer]


def even_batches(g: Generator) -> list[Inputs]:
    three = led_in(g, [1, 2, 3, 4, 1], [5, 5, 6, 8, 6], [1, 2, 3, 4, 5])
    two = led_in(g, [0, 1, 2], [0, 0, 3])
    return [drawn(uneven(3, 2, len(three[0])), *three), drawn(uneven(2, 1, len(two[0])), *two)]


def uneven(b: int, h: int, n: int) -> Tensor:
    """Build maps whose later queries spread over more keys, as causal maps do."""
    rows = torch.ones(n, n, dtype=torch.float64).tril()
    return (rows / rows.sum(-1, keepdim=True)).expand(b, h, n, n).clone()


def none_or_once(g: Generator) -> list[Inputs]:
    return [
        drawn(both_ways(g, 1, 2, 4, 4), [0, 1, 2, 3]),
        drawn(both_ways(g, 2, 3, 3, 3), [2, 1, 0], [5, 6, 7]),
        drawn(even(1, 2, 4), [0, 1, 2, 1]),
    ]


def whole(g: Generator) -> list[Inputs]:
    example = [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2], [0.3, 0.4, 0.3]]
    sizes = ((1, 3, 9, 3), (4, 3, 8, 6), (2, 2, 11, 5))
    return [
        drawn(torch.tensor(example, dtype=torch.float64)[None, None], [8, 8, 8]),
        *(
            {"weights": both_ways(g, b, h, n, n), "tokens": words(g, b, n, v)}
            for b, h, n, v in sizes
        ),
    ]


def same_word_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """Sum the weight on earlier occurrences, and average over the queries that have one."""
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


def head_by_head(weights: Tensor, tokens: Tensor) -> Tensor:
    scores = []
    for maps in weights.unbind(1):
        found = [
            maps[b, i, :i][row[:i] == row[i]].sum()
            for b, row in enumerate(tokens)
            for i in range(len(row))
            if (row[:i] == row[i]).any()
        ]
        scores.append(torch.stack(found).mean() if found else torch.zeros(()).to(maps))
    return torch.stack(scores)


TASK = Exercise(
    id="09.same_word_score",
    title="A score for a new kind of head",
    level="medium",
    minutes=15,
    concepts=("attention-maps", "local-heads", "delimiter-heads"),
    extra=True,
    reference=same_word_score,
    rungs=(
        Rung(
            name="the weight on the earlier occurrence",
            points=0.75,
            idea="all earlier occurrences count",
            draw=in_single(one_repeat),
            law=in_proportion(
                same_word_score, "the weights on earlier occurrences must be added, and no others"
            ),
            compare=False,
        ),
        Rung(
            name="all earlier occurrences together",
            points=0.75,
            idea="all earlier occurrences count",
            draw=in_single(several_occurrences),
            law=in_proportion(
                same_word_score, "the weights on all earlier occurrences must be added"
            ),
            compare=False,
        ),
        Rung(
            name="maps with weight on later keys: later occurrences do not count",
            points=0.5,
            idea="all earlier occurrences count",
            draw=in_single(looking_ahead),
            law=in_proportion(
                same_word_score,
                "the weights on later occurrences and on the query itself must be left out",
            ),
            compare=False,
        ),
        Rung(
            name="a mean over the queries whose token occurred before",
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
        Alternative(name="loops", answer=in_loops),
        Alternative(name="one-hot and einsum", answer=by_einsum),
        Alternative(name="head by head", answer=head_by_head),
    ),
    hints=(
        "Write down, for the words 6 6 2 6, which cells of the map count.",
        "Comparing the tokens as a column with the tokens as a row marks equal words. Which of"
        " these cells lie before the query?",
        "Keep what lies strictly below the diagonal, add up the weights there for each head, and "
        "divide by the number of queries that have at least one such cell.",
    ),
    axes="h",
    precision=SUMMED,
    equivalents=dict.fromkeys(
        (
            "same_word_score: line 4: -1 becomes -2 in dim=-1",
            "same_word_score: line 4: the minus of -1 dropped",
        ),
        "of n equal words, n - 1 have an earlier one and n - 1 a later one",
    ),
)

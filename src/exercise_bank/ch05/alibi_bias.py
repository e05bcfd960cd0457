"""Exercise 05.alibi_bias: a bias that falls with distance, for any number of heads."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch05.mistakes.alibi_bias import MISCONCEPTIONS
from exercise_bank.draws import more
from exercise_bank.skills import sides_of
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import FINE

DISTANCE = "a tax on distance"
SLOPES = "each head has its own slope"
PLACES = "queries are the last positions"


def sizes(g: Generator, *triples: tuple[int, int, int]) -> list[Inputs]:
    """Make inputs of these sizes; hidden ones have equally many further queries and keys."""
    by = [more(g) for _ in triples]
    return [
        {"n_heads": h, "q": q + n, "k": k + n} for (h, q, k), n in zip(triples, by, strict=True)
    ]


def one_head(g: Generator) -> list[Inputs]:
    return sizes(g, (1, 2, 2), (1, 4, 4))


def powers_of_two(g: Generator) -> list[Inputs]:
    return sizes(g, (2, 1, 2), (8, 1, 2), (16, 1, 2), (4, 2, 2))


def last_queries(g: Generator) -> list[Inputs]:
    return sizes(g, (1, 1, 4), (1, 2, 5), (1, 3, 9))


def any_number(g: Generator) -> list[Inputs]:
    drawn = int(torch.randint(17, 31, (), generator=g))
    return sizes(g, (3, 1, 2), (6, 1, 2), (12, 2, 2), (drawn, 1, 2))


def whole(g: Generator) -> list[Inputs]:
    drawn = int(torch.randint(9, 15, (), generator=g))
    return sizes(g, (1, 1, 3), (2, 3, 3), (3, 2, 5), (8, 3, 9), (drawn, 4, 4))


def slopes(inputs: Inputs, bias: Tensor) -> Tensor:
    """Return the slope of each head, without its sign."""
    return bias.abs().flatten(1).amax(dim=-1)


def distances(inputs: Inputs, bias: Tensor) -> Tensor:
    """Return the size of the entries up to each query's position, relative to the largest one."""
    sizes = bias.abs().tril(inputs["k"] - inputs["q"])
    return sizes / sizes.max().clamp_min(1e-300)


def signs(inputs: Inputs, bias: Tensor) -> Tensor:
    return bias.sign()


def slopes_of(n_heads: int) -> list[float]:
    below = 1
    while 2 * below <= n_heads:
        below *= 2
    even = [2 ** (-8 * n / below) for n in range(1, below + 1)]
    between = [2 ** (-4 * n / below) for n in range(1, 2 * below, 2)]
    return even + between[: n_heads - below]


def alibi_bias(n_heads: int, q: int, k: int) -> Tensor:
    """Return minus slope times distance, (h, q, k); the queries are the last q positions."""
    below = 2 ** (n_heads.bit_length() - 1)
    even = [2 ** (-8 * n / below) for n in range(1, below + 1)]
    between = [2 ** (-4 * n / below) for n in range(1, 2 * below, 2)]
    slopes = torch.tensor(even + between[: n_heads - below], dtype=torch.float64)
    distance = (torch.arange(k - q, k)[:, None] - torch.arange(k)).abs()
    return -slopes[:, None, None] * distance


def in_loops(n_heads: int, q: int, k: int) -> Tensor:
    bias = torch.zeros(n_heads, q, k, dtype=torch.float64)
    for head, slope in enumerate(slopes_of(n_heads)):
        for i in range(q):
            for j in range(k):
                bias[head, i, j] = -slope * abs(i + k - q - j)
    return bias


def as_published(n_heads: int, q: int, k: int) -> Tensor:
    def slopes(n: int) -> list[float]:
        power = 2 ** (n.bit_length() - 1)
        if power == n:
            start = 2 ** (-8 / n)
            return [start ** (i + 1) for i in range(n)]
        return slopes(power) + slopes(2 * power)[0::2][: n - power]

    whole = (torch.arange(k)[:, None] - torch.arange(k)).abs()[k - q :]
    return torch.einsum("h,qk->hqk", -torch.tensor(slopes(n_heads)).double(), whole.double())


def by_gaps(n_heads: int, q: int, k: int) -> Tensor:
    slopes = torch.tensor(slopes_of(n_heads), dtype=torch.float64)
    rows = torch.arange(q, dtype=torch.float64)[:, None] + (k - q)
    columns = torch.arange(k, dtype=torch.float64)[None]
    far = torch.maximum(rows, columns) - torch.minimum(rows, columns)
    return torch.stack([far * -slope for slope in slopes])


side = sides_of(alibi_bias, in_full=True)

TASK = Exercise(
    id="05.alibi_bias",
    title="A tax on distance",
    level="medium",
    minutes=12,
    concepts=("alibi", "alibi-slopes"),
    reference=alibi_bias,
    rungs=(
        side(
            "distance is penalised, in both directions", 1.0, one_head, signs, "the signs", DISTANCE
        ),
        side(
            "a slope for each head, for 2, 4, 8 and 16 heads",
            1.0,
            powers_of_two,
            slopes,
            "the size of the slope of each head",
            SLOPES,
        ),
        side(
            "slopes for any number of heads",
            1.25,
            any_number,
            slopes,
            "the size of the slope of each head",
            SLOPES,
        ),
        side(
            "the queries are the last positions",
            1.0,
            last_queries,
            distances,
            "the sizes up to each query's own position, in shares of the largest",
            PLACES,
        ),
        Rung(name="all of it, in float64 and no other dtype", points=0.75, draw=whole, dtype=True),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in loops", answer=in_loops),
        Alternative(name="as published", answer=as_published),
        Alternative(name="the larger less the smaller", answer=by_gaps),
    ),
    hints=(
        "What are the slopes of four heads, and what is the distance of query 0 to key 0 when "
        "q = 1 and k = 5?",
        "Split the task in two: first a list of h slopes, then a matrix of q × k distances.",
        "For 6 heads: the 4 slopes of 4 heads, then the first and the third of 8. The query of "
        "row i is at position i + k − q.",
    ),
    precision=FINE,
    equivalents={
        "alibi_bias: line 4: 2 becomes 3 in 2 * below": "the slice drops the superfluous slopes",
        "alibi_bias: line 6: - torch.arange(k) has its sides swapped": "a distance has no sign",
    },
)

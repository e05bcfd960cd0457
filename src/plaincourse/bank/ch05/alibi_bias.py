"""Exercise 05.alibi_bias: the tax on distance, for any number of heads."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch05.mistakes.alibi_bias import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def sizes(*triples: tuple[int, int, int]) -> list[Inputs]:
    return [{"n_heads": h, "q": q, "k": k} for h, q, k in triples]


def one_head(g: Generator) -> list[Inputs]:
    return sizes((1, 2, 2), (1, 4, 4))


def powers_of_two(g: Generator) -> list[Inputs]:
    return sizes((2, 3, 3), (8, 4, 4), (16, 2, 2))


def last_queries(g: Generator) -> list[Inputs]:
    return sizes((1, 1, 4), (2, 2, 5), (8, 3, 9))


def any_number(g: Generator) -> list[Inputs]:
    drawn = int(torch.randint(17, 31, (), generator=g))
    return sizes((3, 3, 3), (6, 2, 2), (12, 4, 4), (drawn, 2, 5))


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


TASK = Exercise(
    id="05.alibi_bias",
    title="A tax on distance",
    level="medium",
    minutes=14,
    concepts=("alibi", "alibi-slopes"),
    reference=alibi_bias,
    rungs=(
        Rung(name="one head pays for distance", points=1.0, draw=one_head),
        Rung(name="a slope for each head", points=1.0, draw=powers_of_two),
        Rung(name="the queries are the last positions", points=1.5, draw=last_queries),
        Rung(name="any number of heads", points=1.5, draw=any_number),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in loops", answer=in_loops),
        Alternative(name="as published", answer=as_published),
    ),
    hints=(
        "What are the slopes of four heads, and what is the distance of query 0 to key 0 when "
        "q = 1 and k = 5?",
        "Do the two halves of the task one after the other: a list of h slopes, and a matrix of "
        "q × k distances.",
        "For 6 heads: the 4 slopes of 4 heads, then the first and the third of 8. The query of "
        "row i stands at position i + k − q.",
    ),
    rtol=1e-5,
    atol=1e-8,
    equivalents={
        "alibi_bias: line 5: dtype=torch.float64 dropped in torch.tensor(…)": "fewer digits serve",
        "alibi_bias: line 4: 2 becomes 3 in 2 * below": "what is too many is cut off",
        "alibi_bias: line 6: - torch.arange(k) has its sides swapped": "a distance has no sign",
    },
)

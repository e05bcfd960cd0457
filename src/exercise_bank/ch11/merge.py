"""Exercise 11.merge: two summaries of disjoint keys become the summary of both."""

import math

import torch
from torch import Generator, Tensor

from exercise_bank.ch11.mistakes.merge import MISCONCEPTIONS
from exercise_bank.draws import in_float64, single
from exercise_bank.parts import parts
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

Summary = tuple[Tensor, Tensor, Tensor]


def two(g: Generator, q: int, e: int, m_a: list[float], m_b: list[float]) -> Inputs:
    """Draw two summaries with these maxima; an empty one has a maximum of -inf."""
    drawn: dict[str, Tensor] = {}
    for name, maxima in (("a", m_a), ("b", m_b)):
        m = torch.tensor(maxima)
        seen = (m > -torch.inf).float()
        drawn[f"m_{name}"] = m
        drawn[f"l_{name}"] = (1 + single(g, q).abs()) * seen
        drawn[f"o_{name}"] = (1 + 2 * single(g, q, e).abs()) * seen[:, None]
    return drawn


def apart(g: Generator, q: int, e: int, by: float = 2.0) -> Inputs:
    """Draw two summaries whose maxima differ by a few units, with a and b in turn the larger."""
    m_a = (by * single(g, q)).tolist()
    steps = (0.5 + torch.rand(q, generator=g).double() * by).tolist()
    return two(
        g, q, e, m_a, [m + s * (-1) ** i for i, (m, s) in enumerate(zip(m_a, steps, strict=True))]
    )


def one_row(g: Generator) -> list[Inputs]:
    drawn = two(g, 1, 1, [1.0], [0.0]), two(g, 1, 2, [-1.5], [0.5]), two(g, 1, 3, [2.0], [2.0])
    return [shown(), *drawn, apart(g, 1, 4)]


def shown() -> Inputs:
    """Make the summaries of the example."""
    one = torch.ones(1)
    of_b = {"m_b": math.log(2) * one, "l_b": one, "o_b": torch.tensor([[40.0]])}
    return {"m_a": 0 * one, "l_a": one.clone(), "o_a": torch.tensor([[10.0]]), **of_b}


def several_rows(g: Generator) -> list[Inputs]:
    return [apart(g, 2, 3), apart(g, 3, 3), apart(g, 5, 2), apart(g, 4, 1, by=5.0)]


def large_scores(g: Generator) -> list[Inputs]:
    return [
        two(g, 1, 2, [1000.0], [1001.0]),
        two(g, 2, 3, [-2000.0, 900.0], [-2001.0, -900.0]),
        two(g, 2, 2, [1500.0, 800.0], [1498.5, 0.0]),
    ]


def one_side_empty(g: Generator) -> list[Inputs]:
    nothing = -torch.inf
    return [
        two(g, 1, 2, [1.0], [nothing]),
        two(g, 1, 2, [nothing], [-2.0]),
        two(g, 3, 2, [nothing, 1.0, -1.0], [0.5, nothing, 1.0]),
    ]


def both_empty(g: Generator) -> list[Inputs]:
    nothing = -torch.inf
    return [
        two(g, 1, 2, [nothing], [nothing]),
        two(g, 3, 2, [nothing, 1.0, nothing], [nothing, 2.0, nothing]),
    ]


def merge(m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor) -> Summary:
    """Return (m, l, o) of the keys of both blocks together."""
    m = torch.maximum(m_a, m_b)
    anchor = m.masked_fill(m == -torch.inf, 0.0)
    fade_a, fade_b = torch.exp(m_a - anchor), torch.exp(m_b - anchor)
    total = l_a * fade_a + l_b * fade_b
    return m, total, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def stacked(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    maxima = torch.stack([m_a, m_b])
    m = maxima.amax(dim=0)
    fades = torch.where(maxima > -torch.inf, (maxima - m).exp(), 0.0)
    total = (fades * torch.stack([l_a, l_b])).sum(dim=0)
    return m, total, torch.einsum("nq,nqe->qe", fades, torch.stack([o_a, o_b]))


def row_by_row(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, total, out = m_a.clone(), l_a.clone(), o_a.clone()
    for i in range(len(m_a)):
        if m_b[i] == -math.inf:
            continue
        if m_b[i] > m_a[i]:
            fade = math.exp(m_a[i] - m_b[i])
            m[i], total[i], out[i] = m_b[i], l_a[i] * fade + l_b[i], o_a[i] * fade + o_b[i]
        else:
            fade = math.exp(m_b[i] - m_a[i])
            total[i], out[i] = l_a[i] + l_b[i] * fade, o_a[i] + o_b[i] * fade
    return m, total, out


def through_lse(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.maximum(m_a, m_b)
    lse = torch.logaddexp(m_a + l_a.log(), m_b + l_b.log())
    total = torch.nan_to_num(torch.exp(lse - m))
    gap = torch.exp(-torch.nan_to_num(m_a - m_b, posinf=torch.inf, neginf=-torch.inf).abs())
    smaller_is_a = (m_a < m_b)[:, None]
    large, small = torch.where(smaller_is_a, o_b, o_a), torch.where(smaller_is_a, o_a, o_b)
    return m, total, large + gap[:, None] * small


def right(inputs: Inputs) -> Summary:
    return merge(**inputs)


NAMES = ("m", "l", "o")
M, SUM, VALUES = (parts(right, NAMES, i) for i in range(3))
ALL = parts(right, NAMES)

TASK = Exercise(
    id="11.merge",
    title="Merge two blocks",
    level="warm-up",
    minutes=7,
    concepts=("merging-blocks", "rescaling"),
    reference=merge,
    rungs=(
        Rung(
            name="m is the larger maximum of each row",
            points=0.5,
            idea="the larger maximum",
            draw=lambda g: one_row(g) + several_rows(g),
            law=M,
            compare=False,
        ),
        Rung(
            name="one row: l is the sum of both, relative to the new maximum",
            points=1.0,
            idea="sums are rescaled as the maximum grows",
            draw=one_row,
            law=SUM,
            compare=False,
        ),
        Rung(
            name="one row: o is rescaled as l is",
            points=1.0,
            idea="sums are rescaled as the maximum grows",
            draw=one_row,
            law=VALUES,
            compare=False,
        ),
        Rung(
            name="each row is rescaled by itself",
            points=1.0,
            idea="each row by itself",
            draw=several_rows,
            law=ALL,
            compare=False,
        ),
        Rung(
            name="large scores do no harm, in float64",
            points=0.5,
            draw=lambda g: [in_float64(each) for each in large_scores(g)],
            law=ALL,
            compare=False,
        ),
        Rung(name="one block is empty", points=0.5, draw=one_side_empty, law=ALL, compare=False),
        Rung(
            name="neither block saw anything", points=0.5, draw=both_empty, law=ALL, compare=False
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="both stacked", answer=stacked),
        Alternative(name="row by row", answer=row_by_row),
        Alternative(name="through the log-sum-exp", answer=through_lse),
    ),
    hints=(
        "l_a counts in units of exp(m_a). How many units of exp(m) is one of these?",
        "Each of l_a and o_a is to be multiplied by the exponential of a difference that is never "
        "positive.",
        "If both maxima are -inf the difference is nan. Which finite number can replace m "
        "there, so that both factors become 0?",
    ),
    equivalents={
        "merge: line 2: m_a and m_b swapped in torch.maximum(m_a, m_b)": "a maximum has no order",
        **dict.fromkeys(
            (
                "merge: line 3: 0.0 becomes -1.0 in m.masked_fill(m == -torch.inf, 0.0)",
                "merge: line 3: 0.0 becomes 1.0 in m.masked_fill(m == -torch.inf, 0.0)",
            ),
            "exp(-inf) is 0 relative to any finite number",
        ),
    },
)

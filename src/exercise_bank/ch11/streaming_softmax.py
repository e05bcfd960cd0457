"""Exercise 11.streaming_softmax: softmax times values, from blocks that can be read only once."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch11.mistakes.streaming_softmax import MISCONCEPTIONS
from exercise_bank.draws import single, spread
from exercise_bank.parts import parts
from exercise_bank.skills import Draw, through
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

Read = Callable[[int], tuple[Tensor, Tensor]]
NOTHING = -torch.inf


def row(g: Generator, *scores: list[float], e: int = 2) -> Inputs:
    """Draw one query whose blocks have about these scores, and values that are far apart."""
    moved = [torch.tensor([s]) + (200 * single(g, 1, len(s))).round() / 1024 for s in scores]
    return {
        "blocks": [(s, spread(g, e, s.shape[1]).mT.contiguous().float()) for s in moved],
        "q": 1,
        "e": e,
    }


def rows(g: Generator, q: int, e: int, *sizes: int, size: float = 2.0) -> Inputs:
    """Draw blocks of these sizes for several queries."""
    blocks = [(size * single(g, q, n), single(g, n, e)) for n in sizes]
    return {"blocks": blocks, "q": q, "e": e}


def hidden(inputs: Inputs, *where: tuple[int, int]) -> Inputs:
    """Hide whole blocks from queries: pairs of a query and a block."""
    for query, block in where:
        inputs["blocks"][block][0][query] = NOTHING
    return inputs


def raised(inputs: Inputs, by: list[list[float]]) -> Inputs:
    """Add a number for each block (rows) and query (columns) to the scores.

    The results are multiples of 1/1024, which are exact in float32.
    """
    added = torch.tensor(by)
    blocks = [
        (((s + a[:, None]) * 1024).round() / 1024, v)
        for (s, v), a in zip(inputs["blocks"], added, strict=True)
    ]
    return {**inputs, "blocks": blocks}


def in_doubles(draw: Draw) -> Draw:
    """Draw the same in float64."""

    def again(g: Generator) -> list[Inputs]:
        return [
            {**drawn, "blocks": [(s.double(), v.double()) for s, v in drawn["blocks"]]}
            for drawn in draw(g)
        ]

    return again


def one_block(g: Generator) -> list[Inputs]:
    return [row(g, [1.0, 0.0]), row(g, [0.0, 2.0, -1.0], e=3)]


def shown() -> Inputs:
    """Make the blocks of the example."""
    first = torch.tensor([[0.0]]), torch.tensor([[10.0]])
    second = torch.tensor([[math.log(2), 0.0]]), torch.tensor([[40.0], [30.0]])
    return {"blocks": [first, second], "q": 1, "e": 1}


def rising(g: Generator) -> list[Inputs]:
    return [
        shown(),
        row(g, [0.0], [2.0]),
        row(g, [1.0, 0.0], [2.0, 3.0]),
        row(g, [0.0, 1.0], [3.0], [5.0, 2.0]),
        row(g, [0.0], [3.0], [1.0], [4.0], [2.0], e=3),
    ]


def falling(g: Generator) -> list[Inputs]:
    return [row(g, [2.0], [0.0]), row(g, [5.0, 1.0], [3.0], [0.0, 2.0], e=3)]


def several_rows(g: Generator) -> list[Inputs]:
    far = raised(rows(g, 3, 3, 3, 2), [[0.0, 120.0, -120.0], [1.0, 122.0, -119.0]])
    return [rows(g, 2, 3, 2, 2), rows(g, 3, 3, 3, 3), rows(g, 5, 2, 1, 4, 2), far]


def uneven(g: Generator) -> list[Inputs]:
    return [rows(g, 2, 2, 3, 0, 1), rows(g, 2, 3, 0, 2, 5), rows(g, 3, 1, 7, 1, 1, 4)]


def large(g: Generator) -> list[Inputs]:
    return [
        raised(rows(g, 1, 2, 2, 2), [[1000.0], [1001.0]]),
        raised(rows(g, 2, 2, 2, 1, 3), [[-1000.0, 0.0], [-1001.0, 900.0], [-999.0, 10.0]]),
        raised(rows(g, 2, 3, 2, 2), [[1500.0, -800.0], [-1500.0, 800.0]]),
        row(g, [-900.0, 900.0], [0.0, 900.0]),
    ]


def nothing_yet(g: Generator) -> list[Inputs]:
    return [
        hidden(rows(g, 1, 2, 2, 2), (0, 0)),
        hidden(rows(g, 1, 2, 1, 2), (0, 1)),
        hidden(rows(g, 3, 2, 2, 3, 1), (0, 0), (1, 1), (2, 0), (2, 1)),
        hidden(raised(rows(g, 2, 2, 2, 2), [[0.0, 0.0], [-120.0, -115.0]]), (0, 0), (1, 0)),
        hidden(raised(rows(g, 2, 2, 2, 1), [[0.0, 130.0], [1.0, 131.0]]), (0, 0)),
        row(g, [2.0, NOTHING, 1.0], [NOTHING, 3.0, NOTHING]),
    ]


def nothing_at_all(g: Generator) -> list[Inputs]:
    return [
        hidden(rows(g, 1, 2, 2), (0, 0)),
        hidden(rows(g, 3, 2, 2, 1), (1, 0), (1, 1), (2, 0)),
        {"blocks": [], "q": 2, "e": 3},
    ]


def stream(answer: Any, inputs: Inputs) -> Any:
    """Call an answer with blocks that can be read once; a second reading is a bare LookupError."""
    blocks, passed = inputs["blocks"], set[int]()

    def read(i: int) -> tuple[Tensor, Tensor]:
        if i in passed:
            raise LookupError(f"block {i} has passed: each block is read once")
        scores, value = blocks[i]
        passed.add(i)
        return scores.clone(), value.clone()

    return answer(read=read, count=len(blocks), q=inputs["q"], e=inputs["e"])


def streaming_softmax(read: Read, count: int, q: int, e: int) -> tuple[Tensor, Tensor]:
    """Return the output (q, e) and the log-sum-exp (q,) of all blocks together."""
    m = torch.full((q,), -torch.inf)
    total, out = torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if scores.shape[1] == 0:
            continue
        new = torch.maximum(m, scores.amax(dim=1))
        anchor = new.masked_fill(new == -torch.inf, 0.0)
        fade = torch.exp(m - anchor)
        weights = torch.exp(scores - anchor[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value
        m = new
    return out / total.masked_fill(total == 0, 1.0)[:, None], m + total.log()


def by_outputs(read: Read, count: int, q: int, e: int) -> tuple[Tensor, Tensor]:
    output, lse = torch.zeros(q, e), torch.full((q,), -torch.inf)
    for i in range(count):
        scores, value = read(i)
        block = torch.logsumexp(scores, dim=-1)
        both = torch.logaddexp(lse, block)
        shift = torch.where(both.isinf(), torch.zeros_like(both), both)
        weights = (scores - shift.unsqueeze(-1)).exp()
        output = output * (lse - shift).exp().unsqueeze(-1) + weights @ value
        lse = both
    return output, lse


def key_by_key(read: Read, count: int, q: int, e: int) -> tuple[Tensor, Tensor]:
    most = torch.full((q, 1), -torch.inf, dtype=torch.float64)
    sums = torch.zeros(q, e + 1, dtype=torch.float64)
    for i in range(count):
        scores, value = read(i)
        for j in range(len(value)):
            s = scores[:, j : j + 1]
            held = torch.ones(e + 1, dtype=torch.float64)
            held[:e] = value[j]
            new = torch.maximum(most, s)
            sums = torch.where(new > most, sums * torch.exp(most - new), sums)
            sums = sums + torch.where(s > -torch.inf, torch.exp(s - new), 0.0) * held
            most = new
    total = sums[:, e:]
    return sums[:, :e] / torch.where(total > 0, total, 1.0), (most + torch.log(total))[:, 0]


def by_parts(read: Read, count: int, q: int, e: int) -> tuple[Tensor, Tensor]:
    m, held, out = torch.full((q,), -torch.inf), torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        if not scores.numel():
            continue
        top = scores.max(dim=1).values
        safe = torch.nan_to_num(top, neginf=0.0)
        part = (scores - safe[:, None]).exp()
        new = torch.maximum(m, top)
        ours = torch.nan_to_num(torch.exp(m - new))
        theirs = torch.nan_to_num(torch.exp(top - new))
        held = held * ours + part.sum(1) * theirs
        out = out * ours[:, None] + torch.einsum("qk,ke->qe", part, value) * theirs[:, None]
        m = new
    return torch.nan_to_num(out / held[:, None]), m + held.log()


def right(inputs: Inputs) -> tuple[Tensor, Tensor]:
    both: tuple[Tensor, Tensor] = stream(streaming_softmax, inputs)
    return both


def in_one_axis(inputs: Inputs, answer: Any) -> Any:
    """Return a log-sum-exp (q, 1) as one of shape (q,)."""
    if isinstance(answer, (tuple, list)) and len(answer) == 2:
        output, lse = answer
        if isinstance(lse, Tensor) and lse.shape == (inputs["q"], 1):
            return output, lse[:, 0]
    return answer


def shapes(inputs: Inputs, answer: Any) -> str | None:
    """Report a log-sum-exp that is not one number for each query."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return f"return a tuple of 2: {', '.join(NAMES)}"
    shape = tuple(getattr(answer[1], "shape", ()))
    if shape != (inputs["q"],):
        return f"your log-sum-exp has shape {shape}; expected ({inputs['q']},)"
    return None


NAMES = ("output", "log-sum-exp")
OUTPUT = parts(right, NAMES, 0)
LSE, BOTH = (through(in_one_axis, parts(right, NAMES, *only)) for only in ((1,), ()))

TASK = Exercise(
    id="11.streaming_softmax",
    title="Softmax over a stream",
    level="medium",
    minutes=13,
    concepts=("streaming-recurrence", "rescaling", "log-sum-exp", "online-exactness"),
    reference=streaming_softmax,
    call=stream,
    rungs=(
        Rung(
            name="one block is attention as before",
            points=0.25,
            draw=one_block,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="a larger maximum rescales what was gathered",
            points=0.75,
            idea="what was gathered is rescaled",
            draw=rising,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="a smaller one does not",
            points=0.25,
            idea="what was gathered is rescaled",
            draw=falling,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="the log-sum-exp of all blocks",
            points=1.75,
            idea="the log-sum-exp",
            draw=lambda g: rising(g) + falling(g),
            law=LSE,
            compare=False,
        ),
        Rung(
            name="the log-sum-exp has shape (q,)",
            points=0.25,
            draw=lambda g: [*falling(g), rows(g, 2, 3, 2, 2)],
            law=shapes,
            compare=False,
        ),
        Rung(
            name="each row has its own maximum, far above 0 or far below",
            points=0.5,
            idea="the maximum so far, row by row",
            draw=several_rows,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="blocks of any size, without keys too",
            points=0.25,
            draw=uneven,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="large scores do no harm, in float64",
            points=1.0,
            idea="the maximum so far, row by row",
            draw=in_doubles(large),
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="scores of -inf, here and there or in a whole block",
            points=0.75,
            draw=nothing_yet,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="a row whose keys are all masked",
            points=0.25,
            draw=nothing_at_all,
            law=BOTH,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="finished outputs and their log-sum-exp", answer=by_outputs),
        Alternative(name="key by key", answer=key_by_key),
        Alternative(name="each block's own summary, then merged", answer=by_parts),
    ),
    hints=(
        "After half of the blocks, which three things do you have to keep for each row?",
        "By which factor must l and o be multiplied when m grows from 1 to 3, before the new "
        "block is added? And if m stays?",
        "Start with m = -inf, l = 0, o = 0. Where the new m is -inf, put 0 in its place in the "
        "exponents; at the end, divide by 1 where l is 0.",
    ),
    equivalents={
        "streaming_softmax: line 3: torch.zeros becomes ones": (
            "the first factor is exp(-inf) = 0, whatever it multiplies"
        ),
        "streaming_softmax: line 8: m and scores.amax(dim=1) swapped in "
        "torch.maximum(m, scores.amax(dim=1))": "a maximum has no order",
        **dict.fromkeys(
            (
                "streaming_softmax: line 9: 0.0 becomes -1.0 in "
                "new.masked_fill(new == -torch.inf, 0.0)",
                "streaming_softmax: line 9: 0.0 becomes 1.0 in "
                "new.masked_fill(new == -torch.inf, 0.0)",
            ),
            "exp(-inf) is 0 relative to any finite number",
        ),
        "streaming_softmax: line 15: 1.0 becomes 2.0 in total.masked_fill(total == 0, 1.0)": (
            "the dividend is 0 there"
        ),
    },
    forbid=("plainformer", "cat", "concat", "concatenate", "stack", "hstack", "vstack", "pad"),
)

"""Exercise 11.sink: one more element in the denominator of a finished attention."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch11.mistakes.sink import MISCONCEPTIONS
from exercise_bank.draws import in_float64, single
from exercise_bank.parts import parts
from exercise_bank.skills import in_proportion
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung
from plaincourse.exercise.precision import SUMMED, USUAL

NOTHING = -torch.inf


def finished(g: Generator, b: int, h: int, q: int, e: int, size: float = 1.0) -> Inputs:
    """Draw an output, its log-sum-exp and a logit for each head."""
    return {
        "output": 2 + single(g, b, h, q, e),
        "lse": size * single(g, b, h, q),
        "logit": size * single(g, h),
    }


def at(inputs: Inputs, lse: list[float], logit: list[float]) -> Inputs:
    """Return inputs with given numbers: per query the same in all heads, and per head."""
    output = inputs["output"]
    rows = torch.tensor(lse, dtype=output.dtype).expand(output.shape[:-1]).clone()
    return {"output": output, "lse": rows, "logit": torch.tensor(logit, dtype=output.dtype)}


def shown(logit: float) -> Inputs:
    """Make the example."""
    output, lse = torch.full((1, 1, 1, 1), 8.0), torch.zeros(1, 1, 1)
    return {"output": output, "lse": lse, "logit": torch.tensor([logit])}


def one_query(g: Generator) -> list[Inputs]:
    drawn = [finished(g, 1, 1, 1, e, size=1.5) for e in (1, 2, 3)]
    return [shown(math.log(3)), at(finished(g, 1, 1, 1, 2), [1.0], [1.0]), *drawn]


def below(g: Generator, b: int, h: int, q: int, e: int) -> Inputs:
    """Draw a logit above 0 for each head, and log-sum-exps below 0."""
    drawn = finished(g, b, h, q, e)
    return {**drawn, "lse": -drawn["lse"].abs(), "logit": 0.25 + drawn["logit"].abs()}


def one_query_below(g: Generator) -> list[Inputs]:
    return [shown(math.log(3)), *(below(g, 1, 1, 1, e) for e in (2, 3, 4))]


def several_below(g: Generator) -> list[Inputs]:
    return [below(g, 1, 1, 1, 1), below(g, 1, 1, 2, 3), below(g, 2, 3, 3, 2)]


def several_queries(g: Generator) -> list[Inputs]:
    return [finished(g, 1, 1, 2, 2), finished(g, 2, 1, 3, 3), finished(g, 3, 1, 4, 2)]


def several_heads(g: Generator) -> list[Inputs]:
    return [finished(g, 1, 2, 2, 2), finished(g, 3, 3, 3, 3), finished(g, 2, 4, 1, 3)]


def a_hundred(g: Generator) -> list[Inputs]:
    small = finished(g, 1, 1, 2, 2), finished(g, 2, 2, 2, 3)
    return [
        shown(100.0),
        at(finished(g, 1, 1, 1, 1), [0.0], [100.0]),
        at(small[0], [98.0, 100.0], [100.0]),
        at(small[1], [100.5, 3.0], [100.0, -100.0]),
        at(in_float64(finished(g, 1, 2, 3, 2)), [1000.0, 1040.0, -1000.0], [1050.0, -1100.0]),
    ]


def saw_nothing(g: Generator) -> list[Inputs]:
    drawn = at(finished(g, 1, 1, 1, 2), [NOTHING], [0.5]), finished(g, 2, 2, 3, 2)
    return [{**each, "output": 0 * each["output"]} for each in drawn[:1]] + [blinded(drawn[1])]


def blinded(inputs: Inputs) -> Inputs:
    """Mask all keys of the second query of the first head: its output is 0, as in the course."""
    output, lse = inputs["output"].clone(), inputs["lse"].clone()
    output[:, 0, 1], lse[:, 0, 1] = 0, NOTHING
    return {**inputs, "output": output, "lse": lse}


def switched_off(g: Generator) -> list[Inputs]:
    seen = at(finished(g, 1, 1, 2, 2), [1.0, -2.0], [NOTHING])
    both = blinded(at(finished(g, 1, 2, 3, 2), [0.0, 1.0, 2.0], [NOTHING, 1.0]))
    return [seen, both]


def sink(output: Tensor, lse: Tensor, logit: Tensor) -> tuple[Tensor, Tensor]:
    """Return the output (b, h, q, e) and the log-sum-exp (b, h, q) with the sink among the keys."""
    both = torch.logaddexp(lse, logit[:, None])
    anchor = both.masked_fill(both == -torch.inf, 0.0)
    return output * torch.exp(lse - anchor)[..., None], both


def by_sigmoid(output: Tensor, lse: Tensor, logit: Tensor) -> tuple[Tensor, Tensor]:
    mine = logit.reshape(1, -1, 1).expand_as(lse)
    share = torch.where(lse > -torch.inf, torch.sigmoid(lse - mine), torch.zeros_like(lse))
    largest = torch.maximum(lse, mine)
    gap = torch.where(largest > -torch.inf, -(lse - mine).abs(), -torch.inf)
    return output * share.unsqueeze(-1), largest + torch.log1p(gap.exp())


def as_a_merge(output: Tensor, lse: Tensor, logit: Tensor) -> tuple[Tensor, Tensor]:
    lses = torch.stack([lse, logit[None, :, None].expand_as(lse)])
    m = lses.amax(dim=0)
    parts = torch.exp(lses - torch.nan_to_num(m, neginf=0.0))
    total = parts.sum(dim=0)
    kept = parts[0] / torch.where(total > 0, total, 1.0)
    return torch.einsum("bhq,bhqe->bhqe", kept, output), m + total.log()


def head_by_head(output: Tensor, lse: Tensor, logit: Tensor) -> tuple[Tensor, Tensor]:
    new, sums = output.clone(), lse.clone()
    for h in range(len(logit)):
        sums[:, h] = torch.logsumexp(torch.stack([lse[:, h], logit[h].expand_as(lse[:, h])]), dim=0)
        share = (lse[:, h] - sums[:, h]).exp().nan_to_num(0.0)
        new[:, h] = output[:, h] * share[..., None]
    return new, sums


def right(inputs: Inputs) -> tuple[Tensor, Tensor]:
    return sink(**inputs)


NAMES = ("output", "log-sum-exp")
OUTPUT, LSE, BOTH = parts(right, NAMES, 0), parts(right, NAMES, 1), parts(right, NAMES)
ALONG = in_proportion(lambda output, lse, logit: output, "The sink's value is 0: it turns no row")


def two_tensors(inputs: Inputs, answer: Any) -> str | None:
    """Report an answer that is not an output and a log-sum-exp of the shapes of the inputs."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return f"return a tuple of 2: {', '.join(NAMES)}"
    for name, given, got in zip(NAMES, (inputs["output"], inputs["lse"]), answer, strict=True):
        shape = tuple(got.shape) if isinstance(got, Tensor) else type(got).__name__
        if shape != tuple(given.shape):
            return f"your {name} is {shape}; expected a tensor of shape {tuple(given.shape)}"
    return None


def shrinks(inputs: Inputs, answer: Any) -> str | None:
    """Report a row that has changed direction, or has not become shorter."""
    said = two_tensors(inputs, answer) or ALONG(inputs, answer[0])
    if said:
        return said
    before, after = (x.detach().double().norm(dim=-1) for x in (inputs["output"], answer[0]))
    if (after < (1 - 1e-6) * before).all():
        return None
    return (
        "the sink takes a share, so each row of the output becomes shorter: yours had length "
        f"{before.flatten()[0]:.4g} and has {after.flatten()[0]:.4g}"
    )


def belong_together(inputs: Inputs, answer: Any) -> str | None:
    """Report a log-sum-exp that did not grow, or an output with another divisor."""
    said = two_tensors(inputs, answer)
    if said:
        return said
    output, lse, new = (x.detach().double() for x in (inputs["output"], inputs["lse"], answer[1]))
    if not (new > lse + 1e-6).all():
        return "one more element makes every log-sum-exp larger; yours did not grow everywhere"
    wanted = output * torch.exp(lse - new)[..., None]
    said = difference(wanted, answer[0].detach().double(), SUMMED, dtype="any")
    return said and f"by your own log-sum-exp, {said}"


def among(chosen: Callable[[Inputs], Tensor]) -> Law:
    """Make a law about both results in the chosen rows alone, which broadcast to (b, h, q)."""

    def law(inputs: Inputs, answer: Any) -> str | None:
        said = two_tensors(inputs, answer)
        if said:
            return said
        rows = chosen(inputs).expand_as(inputs["lse"])
        for name, want, got in zip(NAMES, right(inputs), answer, strict=True):
            skip = ~rows if name == NAMES[1] else ~rows[..., None]
            one, other = (x.detach().masked_fill(skip, 0.0) for x in (want, got))
            said = difference(one, other, USUAL, dtype="kind")
            if said:
                return said.replace("your output", f"your {name}", 1)
        return None

    return law


SAW_NOTHING = among(lambda inputs: inputs["lse"] == NOTHING)
NO_SINK = among(lambda inputs: inputs["logit"][:, None] == NOTHING)

TASK = Exercise(
    id="11.sink",
    title="A learned sink",
    level="medium",
    minutes=9,
    concepts=("log-sum-exp", "merging-blocks"),
    reference=sink,
    rungs=(
        Rung(
            name="one query: each row of the output shrinks and keeps its direction",
            points=0.5,
            idea="the sink takes a share",
            draw=one_query_below,
            law=shrinks,
            compare=False,
        ),
        Rung(
            name="one query: the output shrinks to its share",
            points=0.5,
            idea="the sink takes a share",
            draw=one_query,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="one query: the log-sum-exp grows",
            points=0.75,
            idea="the log-sum-exp grows",
            draw=one_query,
            law=LSE,
            compare=False,
        ),
        Rung(
            name="the output is divided by the denominator whose logarithm is returned",
            points=0.75,
            idea="the sink takes a share",
            draw=several_below,
            law=belong_together,
            compare=False,
        ),
        Rung(
            name="each query keeps its own share",
            points=0.25,
            idea="the sink takes a share",
            draw=several_queries,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="each head has its own logit, in the output",
            points=0.75,
            idea="a logit for each head",
            draw=several_heads,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="each head has its own logit, in the log-sum-exp",
            points=0.75,
            idea="a logit for each head",
            draw=several_heads,
            law=LSE,
            compare=False,
        ),
        Rung(
            name="a logit of 100 in float32, or of 1000 in float64",
            points=0.25,
            draw=a_hundred,
            law=BOTH,
            compare=False,
        ),
        Rung(
            name="a row without keys",
            points=0.25,
            draw=saw_nothing,
            law=SAW_NOTHING,
            compare=False,
        ),
        Rung(
            name="a logit of -inf switches the sink off",
            points=0.25,
            draw=switched_off,
            law=NO_SINK,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by a sigmoid", answer=by_sigmoid),
        Alternative(name="as a merge of two blocks", answer=as_a_merge),
        Alternative(name="head by head", answer=head_by_head),
    ),
    hints=(
        "The sink is a block with one key. What are its log-sum-exp and its output?",
        "The denominator was exp(lse). What is it now, and which share of it belongs to the real "
        "keys?",
        "Write that share with one exponential of a difference that is never positive. Where the "
        "new log-sum-exp is -inf, subtract 0 instead.",
    ),
    axes="b h q e",
    equivalents={
        "sink: line 2: lse and logit[:, None] swapped in torch.logaddexp(lse, logit[:, None])": (
            "a sum has no order"
        ),
        **dict.fromkeys(
            (
                "sink: line 3: 0.0 becomes -1.0 in both.masked_fill(both == -torch.inf, 0.0)",
                "sink: line 3: 0.0 becomes 1.0 in both.masked_fill(both == -torch.inf, 0.0)",
            ),
            "exp(-inf) is 0 relative to any finite number",
        ),
    },
)

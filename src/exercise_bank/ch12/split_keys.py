"""Exercise 12.split_keys: one query, many workers, and bits that do not depend on their number."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch12.mistakes.split_keys import MISCONCEPTIONS
from exercise_bank.ch12.workers import Ask, Run, Workers
from exercise_bank.draws import normal, stretched
from exercise_bank.parts import parts
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import EXACT

Both = tuple[Tensor, Tensor]
NAMES = ("output", "log-sum-exp")


def step(
    g: Generator,
    h: int,
    k: int,
    e: int,
    size: int,
    workers: tuple[int, ...] = (1,),
    *,
    lift: float = 0.0,
) -> Inputs:
    """Draw the scores and values of one decoding step; ``lift`` raises later keys' scores."""
    raised = lift * torch.linspace(0, 1, k, dtype=torch.float64)
    return {
        "scores": 1.5 * normal(g, h, k) + raised,
        "value": 2 + normal(g, k, e),
        "size": size,
        "workers": list(workers),
    }


def hidden(inputs: Inputs, *keys: tuple[int, int]) -> Inputs:
    """Hide keys from a first one to before a last one."""
    for start, stop in keys:
        inputs["scores"][:, start:stop] = -torch.inf
    return inputs


def two_parts(g: Generator) -> list[Inputs]:
    return [step(g, 1, 2, 1, 1), step(g, 2, 6, 3, 3), step(g, 3, 8, 3, 4, lift=3.0)]


def shown() -> Inputs:
    """Make the example."""
    scores, value = torch.tensor([[0.5, 0.5, 2.0]]).log(), torch.tensor([[10.0], [10.0], [40.0]])
    return {"scores": scores, "value": value, "size": 2, "workers": [2]}


def several(g: Generator) -> list[Inputs]:
    return [
        shown(),
        step(g, 1, 3, 2, 2),
        step(g, 2, 17, 3, 4, (3,)),
        step(g, 3, 5, 2, 9, (2,)),
        step(g, 4, 40, 4, 16, (2,), lift=-6.0),
    ]


def crowds(g: Generator) -> list[Inputs]:
    a, b, c, d, e = stretched(g, 12, 50, 9, 99, 64, most=8)
    return [
        step(g, 2, a, 4, 4, (1, 2)),
        step(g, 2, b, 4, 8, (1, 3, 5)),
        step(g, 2, c, 4, 4, (1, 2)),
        step(g, 4, d, 4, 7, (2, 8, 1, 20)),
        step(g, 3, e, 5, 16, (8, 2)),
    ]


def far(g: Generator) -> list[Inputs]:
    apart = step(g, 2, 6, 2, 3)
    apart["scores"][0] += 2000.0
    return [
        step(g, 1, 4, 2, 2, lift=2000.0),
        apart,
        step(g, 2, 9, 3, 2, (2,), lift=-3000.0),
        {**(inputs := step(g, 2, 6, 2, 3)), "scores": inputs["scores"] + 1500.0},
    ]


def nothing(g: Generator) -> list[Inputs]:
    return [
        hidden(step(g, 1, 4, 2, 2), (0, 2)),
        hidden(step(g, 2, 10, 3, 3, (2,)), (3, 6), (9, 10)),
        hidden(step(g, 2, 5, 2, 2), (0, 5)),
    ]


def serve(answer: Any, inputs: Inputs) -> list[Run]:
    """Let an answer serve the same step with each number of workers in turn."""
    runs = []
    workers = Workers(inputs["scores"], inputs["value"], inputs["size"])
    for count in inputs["workers"]:
        jobs: list[tuple[int, int, int]] = []
        k, size = len(inputs["value"]), inputs["size"]
        result = answer(ask=workers.taking(count, jobs), k=k, size=size, workers=count)
        runs.append((result, jobs))
    return runs


def split_keys(ask: Ask, k: int, size: int, workers: int) -> Both:
    """Return the output (h, e) and the log-sum-exp (h,) of all keys."""
    starts = range(0, k, size)
    found = [ask(i % workers, start, min(start + size, k)) for i, start in enumerate(starts)]
    outputs = torch.stack([output for output, _ in found])
    lses = torch.stack([lse for _, lse in found])
    lse = torch.logsumexp(lses, dim=0)
    shares = torch.exp(lses - lse.masked_fill(lse == -torch.inf, 0.0))
    return (shares[..., None] * outputs).sum(dim=0), lse


def one_after_another(ask: Ask, k: int, size: int, workers: int) -> Both:
    output, lse = ask(0, 0, min(size, k))
    for i in range(1, -(-k // size)):
        more, its_lse = ask(i % workers, i * size, min(i * size + size, k))
        both = torch.logaddexp(lse, its_lse)
        safe = torch.where(both.isinf(), torch.zeros_like(both), both)
        output = output * (lse - safe).exp()[:, None] + more * (its_lse - safe).exp()[:, None]
        lse = both
    return output, lse


def in_long_turns(ask: Ask, k: int, size: int, workers: int) -> Both:
    count = (k + size - 1) // size
    each = (count + workers - 1) // workers
    outputs, lses = [], []
    for i in range(count):
        output, lse = ask(i // each, size * i, min(size * (i + 1), k))
        outputs.append(output)
        lses.append(lse)
    stacked = torch.stack(lses, dim=1)
    top = torch.nan_to_num(stacked.amax(dim=1, keepdim=True), neginf=0.0)
    weights = torch.exp(stacked - top)
    total = weights.sum(dim=1)
    mixed = torch.einsum("hn,nhe->he", weights, torch.stack(outputs))
    safe = torch.where(total > 0, total, 1.0)
    return mixed / safe[:, None], top[:, 0] + total.log()


def first(which: int) -> Any:
    """Make a law about the first run's output or log-sum-exp."""

    def right(inputs: Inputs) -> Both:
        both: Both = serve(split_keys, inputs)[0][0]
        return both

    law = parts(right, NAMES, which)
    return lambda inputs, runs: law(inputs, runs[0][0])


OUTPUT, LSE = first(0), first(1)


def both(inputs: Inputs, runs: list[Run]) -> str | None:
    said: str | None = OUTPUT(inputs, runs) or LSE(inputs, runs)
    return said


def cuts(inputs: Inputs, runs: list[Run]) -> str | None:
    """Report a part of the keys that was wrongly requested or left out."""
    k, size = len(inputs["value"]), inputs["size"]
    wanted = [(start, min(start + size, k)) for start in range(0, k, size)]
    for count, (_, jobs) in zip(inputs["workers"], runs, strict=True):
        asked = sorted((start, stop) for _, start, stop in jobs)
        if asked != wanted:
            return (
                f"{k} keys in parts of {size} are {_listed(wanted)}; with {count} "
                f"worker{'s' * (count > 1)} you ask for {_listed(asked)}"
            )
    return None


def _listed(parts: list[tuple[int, int]]) -> str:
    shown = [f"{start}:{stop}" for start, stop in parts[:6]]
    return ", ".join(shown) + (", ..." if len(parts) > 6 else "")


def shared(inputs: Inputs, runs: list[Run]) -> str | None:
    """Report a worker with more than its share of parts, or a run that reads only some keys."""
    missing = cuts(inputs, runs)
    for count, (_, jobs) in zip(inputs["workers"], runs, strict=True):
        load = [sum(worker == i for worker, _, _ in jobs) for i in range(count)]
        share = -(-len(jobs) // count)
        if max(load) > share:
            return (
                f"{len(jobs)} parts for {count} workers are at most {share} each; of yours one has "
                f"{max(load)}"
            )
    return missing if any(not jobs for _, jobs in runs) else None


def same_bits(inputs: Inputs, runs: list[Run]) -> str | None:
    """Report a wrong answer, or bits that depend on the number of workers."""
    said = both(inputs, runs)
    if said:
        return said
    for place, name in enumerate(NAMES):
        if any(not torch.equal(runs[0][0][place], run[0][place]) for run in runs):
            return (
                f"your {name} has other bits with another number of workers; the numbers of "
                f"workers were {', '.join(map(str, inputs['workers']))}"
            )
    return None


TASK = Exercise(
    id="12.split_keys",
    title="One query, many workers",
    level="medium",
    minutes=10,
    concepts=("flash-forward",),
    extra=True,
    reference=split_keys,
    call=serve,
    precision=EXACT,  # bits are the subject of the task; the laws contain the tolerances
    rungs=(
        Rung(
            name="two parts are merged by their log-sum-exps",
            points=0.25,
            idea="parts merged by log-sum-exp",
            draw=two_parts,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="the log-sum-exp of all keys",
            points=0.25,
            idea="parts merged by log-sum-exp",
            draw=lambda g: two_parts(g) + several(g),
            law=LSE,
            compare=False,
        ),
        Rung(
            name="several parts, the last one short",
            points=0.25,
            idea="parts merged by log-sum-exp",
            draw=several,
            law=OUTPUT,
            compare=False,
        ),
        Rung(
            name="the cuts do not depend on the workers",
            points=0.25,
            idea="the same bits for any workers",
            draw=crowds,
            law=cuts,
            compare=False,
        ),
        Rung(
            name="the same bits with any number of workers",
            points=2.0,
            idea="the same bits for any workers",
            draw=crowds,
            law=same_bits,
            compare=False,
        ),
        Rung(
            name="no worker has more than a fair share",
            points=2.0,
            idea="a fair share for each worker",
            draw=crowds,
            law=shared,
            compare=False,
        ),
        Rung(name="large scores do no harm", points=0.75, draw=far, law=both, compare=False),
        Rung(
            name="parts in which nothing may be looked at",
            points=0.25,
            draw=nothing,
            law=both,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="one part after another", answer=one_after_another),
        Alternative(name="each worker a run of parts", answer=in_long_turns),
    ),
    hints=(
        "A finished output is an average. What do you have to know of each part to average two "
        "averages?",
        "exp(lse) is the sum of a part's exponentials. Which share of the whole sum has each part? "
        "Write it with one exponential of a difference.",
        "Sums of the same numbers in another order, or in other brackets, have other bits. What in "
        "your cuts and in your order of merging depends on the number of workers?",
    ),
    equivalents={
        "split_keys: line 3: start + size and k swapped in min(start + size, k)": (
            "the smaller of two numbers has no order"
        ),
        "split_keys: line 7: lse becomes lses in lse == -torch.inf": (
            "a part without keys has share 0, seen from any finite number"
        ),
        **dict.fromkeys(
            (
                "split_keys: line 7: 0.0 becomes -1.0 in lse.masked_fill(lse == -torch.inf, 0.0)",
                "split_keys: line 7: 0.0 becomes 1.0 in lse.masked_fill(lse == -torch.inf, 0.0)",
            ),
            "exp(-inf) is 0 seen from any finite number",
        ),
    },
)

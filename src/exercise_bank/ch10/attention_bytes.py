"""Exercise 10.attention_bytes: FLOPs, bytes and intensity of attention in four kernels."""

from typing import Any

import torch
from torch import Generator

from exercise_bank.ch10.mistakes.attention_bytes import MISCONCEPTIONS
from exercise_bank.ch10.mistakes.attention_bytes_more import MORE
from exercise_bank.ch10.parts import number, ratio
from exercise_bank.draws import some
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung
from plaincourse.exercise.precision import COUNTED

Counts = tuple[int, int, float]


def sizes(
    q: int, k: int, d: int, e: int, h: int = 1, kv: int = 1, b: int = 1, itemsize: int = 4
) -> Inputs:
    """Return the sizes of an attention, one head in float32 by default."""
    return {"q": q, "k": k, "d": d, "e": e, "h": h, "kv": kv, "b": b, "itemsize": itemsize}


def one_head(g: Generator) -> list[Inputs]:
    found = [sizes(1, 1, 1, 1), sizes(2, 3, 1, 1), sizes(2, 3, 2, 2)]
    found += [sizes(1, 7, 3, 3), sizes(5, 2, 4, 4)]
    for _ in range(3):
        q, k, d = (some(g, 3, 39) for _ in range(3))
        found.append(sizes(q, k, d, d))
    return found


def all_sizes(g: Generator) -> list[Inputs]:
    """Draw one head of such different sizes that counts of one are wrong for another."""
    found = one_head(g)
    for _ in range(5):
        q, k, d = (some(g, 3, 399) for _ in range(3))
        found.append(sizes(q, k, d, d))
    return found


def other_values(g: Generator) -> list[Inputs]:
    found = [sizes(2, 3, 1, 4), sizes(3, 2, 5, 1)]
    return found + [sizes(*(some(g, 3, 29) for _ in range(4))) for _ in range(2)]


def heads_of_their_own(g: Generator) -> list[Inputs]:
    found = [sizes(2, 3, 2, 2, h=3, kv=3)]
    for _ in range(2):
        (q, k, d), h = (some(g, 3, 29) for _ in range(3)), some(g, 2, 8)
        found.append(sizes(q, k, d, d, h=h, kv=h))
    return found


def groups(g: Generator) -> list[Inputs]:
    found = [sizes(1, 3, 2, 2, h=2, kv=1), sizes(2, 3, 4, 4, h=6, kv=2)]
    for _ in range(2):
        (q, k, d), kv = (some(g, 3, 29) for _ in range(3)), some(g, 2, 4)
        found.append(sizes(q, k, d, d, h=kv * some(g, 2, 4), kv=kv))
    return found


def batches(g: Generator) -> list[Inputs]:
    found = [sizes(1, 2, 3, 3, b=2)]
    for _ in range(2):
        q, k, d, b = (some(g, 2, 19) for _ in range(4))
        found.append(sizes(q, k, d, d, b=b))
    return found


def itemsizes(g: Generator) -> list[Inputs]:
    found = [sizes(2, 3, 1, 1, itemsize=size) for size in (2, 1, 8)]
    q, k, d = (some(g, 3, 29) for _ in range(3))
    return [*found, sizes(q, k, d, d, itemsize=2)]


def everything(g: Generator) -> list[Inputs]:
    found = [sizes(3, 5, 2, 4, h=6, kv=3, b=2, itemsize=2)]
    for _ in range(3):
        q, k, d, e, b = (some(g, 2, 29) for _ in range(5))
        kv = some(g, 2, 4)
        found.append(sizes(q, k, d, e, h=kv * some(g, 2, 4), kv=kv, b=b, itemsize=2))
    return found


def attention_bytes(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    """Return FLOPs, bytes, and FLOPs for each byte."""
    scores = b * h * q * k
    flops = 2 * scores * d + scores + b * h * q * (5 * k - 2) + 2 * scores * e
    numbers = b * h * q * (d + e) + b * kv * k * (d + e) + 6 * scores
    return flops, numbers * itemsize, flops / (numbers * itemsize)


def step_by_step(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    steps = {
        "scores": (2 * q * k * d * h, h * q * d + kv * k * d + h * q * k),
        "scale": (h * q * k, 2 * h * q * k),
        "softmax": (h * q * ((k - 1) + k + k + (k - 1) + k), 2 * h * q * k),
        "average": (2 * q * k * e * h, h * q * k + kv * k * e + h * q * e),
    }
    flops = b * sum(each for each, _ in steps.values())
    nbytes = b * itemsize * sum(each for _, each in steps.values())
    return flops, nbytes, flops / nbytes


def on_meta_tensors(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    shapes = [(b, h, q, d), (b, kv, k, d), (b, kv, k, e), (b, h, q, e)] + 6 * [(b, h, q, k)]
    numbers = sum(torch.empty(shape, device="meta").numel() for shape in shapes)
    rows = torch.empty(b, h, q, device="meta").numel()
    flops = rows * (2 * d * k + k + 5 * k - 2 + 2 * e * k)
    return flops, itemsize * numbers, flops / (itemsize * numbers)


def group_by_group(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = numbers = 0
    for _ in range(b):
        for _ in range(kv):
            numbers += k * d + k * e
            for _ in range(h // kv):
                flops += 2 * q * k * (d + e) + 6 * q * k - 2 * q
                numbers += q * d + q * e + 6 * q * k
    return flops, numbers * itemsize, flops / (numbers * itemsize)


def right(inputs: Inputs) -> Counts:
    return attention_bytes(**inputs)


def flops_of(inputs: Inputs, answer: Any) -> float:
    return float(answer[0])


def bytes_of(inputs: Inputs, answer: Any) -> float:
    return float(answer[1])


FLOPS = number(right, 0, "number of FLOPs")
BYTES = number(right, 1, "number of bytes")
INTENSITY = ratio(flops_of, bytes_of, 2, "intensity", "your FLOPs over your bytes")
WITHIN = ratio(flops_of, bytes_of, 2, "intensity", "your FLOPs over your bytes", near=1e-2)


def counts(inputs: Inputs, answer: Any) -> str | None:
    """Report wrong FLOPs or bytes."""
    return FLOPS(inputs, answer) or BYTES(inputs, answer)


def all_three(inputs: Inputs, answer: Any) -> str | None:
    """Report wrong FLOPs, bytes or intensity, with a tolerance of a hundredth."""
    return counts(inputs, answer) or WITHIN(inputs, answer)


def of_counts(law: Law) -> Law:
    """Make a law of the intensity pass only if at least one count is near, within a half."""

    def near(inputs: Inputs, answer: Any) -> str | None:
        said = law(inputs, answer)
        if said or any(
            2 / 3 <= float(answer[i]) / wanted <= 3 / 2
            for i, wanted in enumerate(right(inputs)[:2])
        ):
            return said
        return "both of your counts are far from right, so their quotient says nothing"

    return near


TASK = Exercise(
    id="10.attention_bytes",
    title="Count attention",
    level="warm-up",
    minutes=10,
    concepts=("quadratic-memory", "arithmetic-intensity"),
    reference=attention_bytes,
    rungs=(
        Rung(
            name="one head: FLOPs of the four kernels",
            points=0.75,
            idea="the work of four kernels",
            draw=one_head,
            law=FLOPS,
            compare=False,
        ),
        Rung(
            name="one head: bytes of the four kernels",
            points=0.75,
            idea="the work of four kernels",
            draw=one_head,
            law=BYTES,
            compare=False,
        ),
        Rung(
            name="the intensity is the quotient of your two counts, within a hundredth",
            points=1.25,
            idea="FLOPs for each byte",
            draw=all_sizes,
            law=of_counts(WITHIN),
            compare=False,
        ),
        Rung(
            name="the quotient is not rounded",
            points=0.25,
            draw=all_sizes,
            law=of_counts(INTENSITY),
            compare=False,
        ),
        Rung(
            name="values of another width: FLOPs",
            points=0.25,
            draw=other_values,
            law=FLOPS,
            compare=False,
        ),
        Rung(
            name="several heads, each with its own keys: bytes",
            points=0.25,
            draw=heads_of_their_own,
            law=BYTES,
            compare=False,
        ),
        Rung(
            name="heads that share keys: FLOPs and bytes",
            points=1.5,
            idea="shared keys are read once",
            draw=groups,
            law=counts,
            compare=False,
        ),
        Rung(name="several sequences: bytes", points=0.25, draw=batches, law=BYTES, compare=False),
        Rung(
            name="numbers of 1, 2 and 8 bytes: bytes",
            points=0.25,
            draw=itemsizes,
            law=BYTES,
            compare=False,
        ),
        Rung(
            name="everything at once",
            points=0.5,
            draw=everything,
            law=all_three,
            compare=False,
        ),
    ),
    precision=COUNTED,
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="step by step", answer=step_by_step),
        Alternative(name="on tensors without memory", answer=on_meta_tensors),
        Alternative(name="group by group", answer=group_by_group),
    ),
    hints=(
        "Write one line for each kernel: its inputs, its result, and the FLOPs for one number "
        "of the result.",
        "Queries, scores and outputs exist once for each of the h heads, keys and values once for "
        "each of the kv key/value heads. Which of your terms contain kv?",
        "Scores of q × k pass through memory after the first kernel, after the second and after "
        "the third, each time out and in again. How many times is that?",
    ),
)

"""Exercise 02.attention: the whole of scaled dot-product attention."""

import math

import torch
from torch import Generator, Tensor

from exercise_bank.ch02.mistakes.attention import MISCONCEPTIONS
from exercise_bank.ch02.mistakes.attention_more import MORE
from exercise_bank.draws import Shape, in_float32, normal, single, spread, triple, within_the_values
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED
from plainformer.attention import attend

#: Each query's largest score in draws that hide the scale. exp(88.7) is about the maximum of
#: float32.
LARGEST = 75.0


def thrice(
    g: Generator, q: int, k: int, d: int, e: int, batch: Shape = (), *, size: float = 1.5
) -> Inputs:
    return in_float32(triple(g, q, k, d, e, batch, size=size))


def one_token(g: Generator) -> list[Inputs]:
    return [thrice(g, 1, 1, 2, 2), thrice(g, 1, 1, 4, 3)]


def equal_keys(g: Generator) -> list[Inputs]:
    inputs: list[Inputs] = []
    for q, k, d, e in ((1, 2, 2, 2), (3, 3, 3, 3), (2, 4, 3, 5)):
        key = single(g, 1, d).expand(k, d).clone()
        inputs.append({"query": single(g, q, d), "key": key, "value": single(g, k, e)})
    return inputs


def own_values(g: Generator) -> list[Inputs]:
    """Draw keys of width 1 that are their own values: √d is 1."""
    drawn = [thrice(g, *sizes) for sizes in ((2, 2, 1, 1), (3, 2, 1, 1), (2, 5, 1, 1))]
    return [{**inputs, "value": inputs["key"].clone()} for inputs in drawn]


def sharp(g: Generator, q: int, k: int, d: int, e: int, batch: Shape = ()) -> Inputs:
    """Draw scores so far apart that each weight is 0 or 1, whatever the divisor.

    None is so large that its exponential would overflow.
    """
    while True:
        inputs = thrice(g, 200, k, d, e, batch)
        scores = inputs["query"] @ inputs["key"].mT
        size = LARGEST / scores.abs().amax(dim=-1, keepdim=True)
        first, second = (size * scores).topk(2, dim=-1).values.unbind(-1)
        apart = first - second > 12 * d
        if (apart.sum(dim=-1) >= q).all():
            places = apart.float().argsort(dim=-1, descending=True, stable=True)[..., :q, None]
            return {**inputs, "query": torch.take_along_dim(size * inputs["query"], places, -2)}


def sharp_matrices(g: Generator) -> list[Inputs]:
    return [sharp(g, *sizes) for sizes in ((2, 2, 2, 1), (1, 3, 4, 2), (3, 2, 2, 4), (4, 3, 5, 2))]


def sharp_batches(g: Generator) -> list[Inputs]:
    return [
        sharp(g, 2, 2, 2, 2, batch=(2,)),
        sharp(g, 3, 3, 3, 3, batch=(3,)),
        sharp(g, 2, 3, 4, 5, batch=(2, 2)),
    ]


def one_query(g: Generator) -> list[Inputs]:
    sizes = ((2, 4, 1), (3, 9, 2), (5, 7, 4), (4, 4, 4))
    batch = [scored(g, 3, 5, 2) for _ in range(2)]
    together = {name: torch.stack([each[name] for each in batch]) for name in batch[0]}
    return [in_float32(each) for each in (*(scored(g, *size) for size in sizes), together)]


def awkward(g: Generator) -> list[Inputs]:
    example = {
        "query": torch.tensor([[math.log(3.0)]]),
        "key": torch.tensor([[0.0], [1.0]]),
        "value": torch.tensor([[0.0, 4.0], [8.0, 4.0]]),
    }
    return [
        example,
        thrice(g, 2, 3, 5, 3),
        thrice(g, 3, 3, 3, 3),
        thrice(g, 7, 3, 5, 1),
        thrice(g, 2, 2, 2, 2, batch=(2, 2)),
        thrice(g, 2, 5, 1, 4, batch=(3, 3)),
        thrice(g, 4, 3, 16, 7, batch=(1, 2)),
        triple(g, 3, 4, 6, 5, (2,), size=1.5),
    ]


def large(g: Generator) -> list[Inputs]:
    return [thrice(g, 2, 3, 5, 3, size=30.0), thrice(g, 3, 2, 4, 2, (2,), size=60.0)]


def scored(g: Generator, k: int, d: int, e: int) -> Inputs:
    """Draw one query, keys whose scores are a few units apart, and values that are far apart."""
    query = normal(g, 1, d).sign()
    steps = torch.linspace(-1, 1, k, dtype=torch.float64)[:, None]
    key = (steps + 0.2 * normal(g, k, 1).clamp(-1, 1)) * query
    return {"query": query, "key": key, "value": spread(g, e, k, step=3.0).mT.contiguous()}


def functional(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch.nn.functional.softmax(query @ key.mT / query.size(-1) ** 0.5, dim=-1) @ value


def einsum(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = torch.einsum("...qd,...kd->...qk", query / math.sqrt(query.shape[-1]), key)
    return torch.einsum("...qk,...ke->...qe", scores.softmax(dim=-1), value)


def divided_last(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return (powers @ value) / powers.sum(dim=-1, keepdim=True)


def one_query_at_a_time(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    outputs = []
    for i in range(query.shape[-2]):
        scores = (key * query[..., i : i + 1, :]).sum(dim=-1) / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores, dim=-1)
        outputs.append((weights.unsqueeze(-1) * value).sum(dim=-2))
    return torch.stack(outputs, dim=-2)


TASK = Exercise(
    id="02.attention",
    title="Scaled dot-product attention",
    level="medium",
    minutes=10,
    concepts=("matrix-form", "shapes", "convex-combination", "value-width", "query-length"),
    reference=attend,
    rungs=(
        Rung(
            name="one token gives back its value",
            points=0.25,
            idea="weights average the values",
            draw=one_token,
            law=within_the_values,
        ),
        Rung(
            name="equal keys give the plain average of the values",
            points=0.5,
            idea="weights average the values",
            draw=equal_keys,
            law=within_the_values,
        ),
        Rung(
            name="keys of width 1 that are their own values: √d is 1",
            points=0.75,
            idea="queries meet keys",
            draw=own_values,
            law=within_the_values,
        ),
        Rung(
            name="each query finds its best key, so sharply that √d makes no difference",
            points=1.0,
            idea="queries meet keys",
            draw=sharp_matrices,
            law=within_the_values,
        ),
        Rung(
            name="the same with any axes in front",
            points=0.75,
            idea="queries meet keys",
            draw=sharp_batches,
            law=within_the_values,
        ),
        Rung(
            name="one query, keys of several widths",
            points=1.25,
            idea="scores are divided by √d",
            draw=one_query,
            law=within_the_values,
        ),
        Rung(
            name="the whole, at awkward sizes, and in float64",
            points=1.0,
            draw=awkward,
            law=within_the_values,
        ),
        Rung(
            name="large scores do no harm",
            points=0.5,
            draw=large,
            law=within_the_values,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="functional softmax", answer=functional),
        Alternative(name="einsum, the query scaled first", answer=einsum),
        Alternative(name="the sum divided out last", answer=divided_last),
        Alternative(name="one query at a time", answer=one_query_at_a_time),
    ),
    hints=(
        "If all keys match a query equally well, what should the query get?",
        "Four steps: score, scale, softmax, average. Which two tensors meet in the last one?",
        "You have weights of shape (…, q, k). Which of key and value has the width that the output "
        "must have, and which axis of it do the weights sum over?",
    ),
    precision=SUMMED,
    forbid=("scaled_dot_product_attention", "MultiheadAttention", "plainformer"),
    equivalents={
        "attention: line 2: query becomes key in query.shape": "queries and keys have one width",
        "attention: line 3: -2 and -1 swapped in key.transpose(-2, -1)": (
            "two axes may be named in either order"
        ),
    },
)

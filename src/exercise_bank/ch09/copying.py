"""Exercise 09.copying: the share of the tokens that each head copies, from its weights."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch09.heads import clear, of_the_storyteller, tricky, with_logits
from exercise_bank.ch09.mistakes.copying import MISCONCEPTIONS
from exercise_bank.draws import stretched
from exercise_bank.skills import both_types, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

LARGEST = "its own logit against all others"
CIRCUIT = "the OV circuit"
HEADS = "a share for each head"


def compared(g: Generator) -> list[Inputs]:
    """Draw one head that doubles its input, so that only the comparison can be wrong."""
    drawn: list[Inputs] = []
    for v, m in ((9, 9), (8, 10), (11, 12)):
        v, m = stretched(g, v, m)
        m = max(v, m)
        drawn.append(with_logits(g, tricky(g, 1, v), m, m, bare="both"))
    return drawn


def through_one_head(g: Generator) -> list[Inputs]:
    """Draw one head with clear comparisons; in some draws all axes have one size."""
    drawn: list[Inputs] = []
    for v in (6, 7, 9):
        n = stretched(g, v)[0]
        drawn.append(with_logits(g, clear(g, 1, n), n, n))
        m, e = stretched(g, n + 3, n + 1, most=1)
        drawn.append(with_logits(g, clear(g, 1, n), m, e))
    return drawn


def several_heads(g: Generator) -> list[Inputs]:
    drawn: list[Inputs] = []
    for h, v, m in ((2, 6, 7), (3, 8, 8), (4, 9, 12)):
        v, m = stretched(g, v, m)
        m = max(v, m)
        drawn.append(with_logits(g, clear(g, h, v), m, m, bare="output"))
    return drawn


def shown() -> Inputs:
    """Make the example: an identity head, and one that swaps two features."""
    points = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    same = torch.eye(2)
    return {
        "embedding": points,
        "to_value": torch.stack([same, same]),
        "to_output": torch.stack([same, same.flip(0)]),
        "unembedding": points.T.contiguous(),
    }


def whole(g: Generator) -> list[Inputs]:
    drawn: list[Inputs] = [shown()]
    for h, v, m, e in ((2, 9, 11, 10), (3, 8, 8, 8), (7, 7, 7, 7)):
        v, m, e = stretched(g, v, m, e) if h < 7 else (v, m, e)
        drawn.append(with_logits(g, tricky(g, h, v), max(m, v), max(e, v)))
    return drawn


def ties(g: Generator) -> list[Inputs]:
    """Draw a silent head and one that copies, and tokens with equal embeddings.

    The numbers are whole, so that ties are exact.
    """
    n = stretched(g, 4)[0]
    one = torch.eye(n, dtype=torch.float64)
    beside = torch.stack([one, one])
    silent: Inputs = {
        "embedding": one,
        "to_value": beside,
        "to_output": torch.stack([one, 0 * one]),
        "unembedding": 2 * one,
    }
    twins = torch.cat([one, one[-1:]])
    alike: Inputs = {
        "embedding": twins,
        "to_value": beside,
        "to_output": torch.stack([one, 3 * one]),
        "unembedding": twins.T.contiguous(),
    }
    return [silent, alike]


def of_a_trained_model(g: Generator) -> list[Inputs]:
    return [of_the_storyteller(g)]


def copying(embedding: Tensor, to_value: Tensor, to_output: Tensor, unembedding: Tensor) -> Tensor:
    """Compare each token's own logit with the largest of the others."""
    logits = embedding @ to_value @ to_output @ unembedding
    own = logits.diagonal(dim1=-2, dim2=-1)
    same = torch.eye(len(embedding), dtype=torch.bool)
    others = logits.masked_fill(same, -torch.inf).amax(dim=-1)
    return (own > others).double().mean(dim=1)


def in_loops(embedding: Tensor, to_value: Tensor, to_output: Tensor, unembedding: Tensor) -> Tensor:
    shares = []
    for head in range(len(to_value)):
        circuit = to_value[head] @ to_output[head]
        count = 0
        for token, x in enumerate(embedding):
            logits = (x @ circuit @ unembedding).tolist()
            count += sum(logit >= logits[token] for logit in logits) == 1
        shares.append(count / len(embedding))
    return torch.tensor(shares)


def by_einsum(
    embedding: Tensor, to_value: Tensor, to_output: Tensor, unembedding: Tensor
) -> Tensor:
    written = torch.einsum("vm,hme,hen->hvn", embedding, to_value, to_output)
    first, second = (written @ unembedding).topk(2, dim=-1).values.unbind(dim=-1)
    place = (written @ unembedding).argmax(dim=-1)
    hits = (place == torch.arange(len(embedding))) & (first > second)
    return hits.double().mean(dim=1)


TASK = Exercise(
    id="09.copying",
    title="Which heads copy",
    level="medium",
    minutes=12,
    concepts=("trained-induction-head", "induction-heads"),
    reference=copying,
    rungs=(
        Rung(
            name="a head that doubles its input: comparing the logits",
            points=1.0,
            idea=LARGEST,
            draw=in_single(compared),
        ),
        Rung(
            name="one head, whose copied tokens are far ahead of all others",
            points=1.0,
            idea=CIRCUIT,
            draw=in_single(through_one_head),
        ),
        Rung(
            name="several heads, whose output matrices leave the values as they are",
            points=0.5,
            idea=HEADS,
            draw=in_single(several_heads),
        ),
        Rung(name="all of it, in float32 and float64", points=0.75, draw=both_types(whole)),
        Rung(name="a silent head, and two tokens that are alike", points=0.25, draw=ties),
        Rung(name="the storyteller's second layer", points=0.5, draw=in_single(of_a_trained_model)),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in loops", answer=in_loops),
        Alternative(name="by einsum and the two largest", answer=by_einsum),
    ),
    hints=(
        "Follow one token: what does the head read, what does it write, and which logits follow?",
        "For each head there is a matrix of logits, with a row for each token that is read and a "
        "column for each token that can be predicted. Where in it are the own logits?",
        "The product of all four matrices, in the order in which a token meets them, has the "
        "shape (h, v, v). Compare its diagonal with the largest of the other numbers in the "
        "same row, and average over rows.",
    ),
    axes="h",
)

"""Exercise 02.SelfAttention: attention with learned projections."""

import math

import torch
from torch import Generator, Tensor, nn

from exercise_bank.ch02.mistakes.self_attention import MISCONCEPTIONS
from exercise_bank.ch02.self_attention_check import (
    COUNTS,
    LENGTHS,
    gradients_arrive,
    observe,
    right_parameters,
)
from exercise_bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.attention import attend

ROLES = "three roles of one x"
AXES = "attention along the last two axes"
TRAINED = "what training reaches"


def one_token(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 2, 2, 2), draw(g, 1, 3, 2, 4)]


def two_projections(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 2, 2, 2), draw(g, 3, 3, 3, 3), draw(g, 3, 5, 4, 2)]


def awkward(g: Generator) -> list[Inputs]:
    return [
        draw(g, 3, 3, 3, 3, 3),
        draw(g, 2, 5, 1, 4, 2),
        draw(g, 5, 4, 7, 3, 1),
        draw(g, 1, 3, 5, 1, 4),
        draw(g, 3, 4, 4, 4, 2, 3),
        draw(g, 3, 6, 4, 5, 2),
        draw(g, 2, 2, 2, 2, 1, 2),
    ]


def parameters(g: Generator) -> list[Inputs]:
    return [
        draw(g, 2, 2, 2, 2, read=COUNTS),
        draw(g, 2, 5, 3, 4, read=COUNTS),
        draw(g, 3, 6, 4, 5, 2, read=COUNTS),
    ]


def gradients(g: Generator) -> list[Inputs]:
    return [
        draw(g, 2, 2, 2, 2, read=LENGTHS),
        draw(g, 4, 5, 3, 2, 2, read=LENGTHS),
    ]


def draw(g: Generator, q: int, m: int, d: int, e: int, *batch: int, read: str = "") -> Inputs:
    """Draw tokens and the three weights, in the layout of nn.Linear.weight: (out, in)."""
    drawn: Inputs = {
        "x": 1.2 * normal(g, *batch, q, m),
        "W_query": normal(g, d, m),
        "W_key": normal(g, d, m),
        "W_value": normal(g, e, m),
    }
    return {**drawn, "read": read} if read else drawn


class Reference(nn.Module):
    """Attend from a sequence to itself, through three learned projections."""

    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return attend(self.query(x), self.key(x), self.value(x))


class QueryScaledFirst(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.scale = d**-0.5
        self.query = nn.Linear(d_model, d, False)
        self.key = nn.Linear(d_model, d, False)
        self.value = nn.Linear(d_model, e, False)

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.einsum("...qd,...kd->...qk", self.scale * self.query(x), self.key(x))
        return torch.einsum("...qk,...ke->...qe", scores.softmax(-1), self.value(x))


class ValueProjectedLast(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.d = d
        self.value = nn.Linear(d_model, e, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.query = nn.Linear(d_model, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).mT / math.sqrt(self.d)
        out: Tensor = self.value(torch.softmax(scores, dim=-1) @ x)
        return out


class ByFunctional(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query, self.key = (nn.Linear(d_model, d, bias=False) for _ in range(2))
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        layers = (self.query, self.key, self.value)
        query, key, value = (nn.functional.linear(x, layer.weight) for layer in layers)
        weights = nn.functional.softmax(query @ key.mT / key.size(-1) ** 0.5, dim=-1)
        return weights @ value


class BareParameters(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.randn(d_model, d))
        self.key = nn.Parameter(torch.randn(d_model, d))
        self.value = nn.Parameter(torch.randn(d_model, e))

    def forward(self, x: Tensor) -> Tensor:
        scores = (x @ self.query) @ (x @ self.key).mT / math.sqrt(self.key.shape[-1])
        out: Tensor = torch.softmax(scores, dim=-1) @ (x @ self.value)
        return out


TASK = Exercise(
    id="02.SelfAttention",
    title="Self-attention with learned projections",
    level="hard",
    minutes=20,
    extra=True,
    concepts=("self-attention-module", "implement-torch", "value-width", "sqrt-d-variance"),
    reference=Reference,
    call=observe,
    rungs=(
        Rung(
            name="one token gives back its projected value", points=0.5, draw=one_token, idea=ROLES
        ),
        Rung(
            name="weights come from projected queries and keys",
            points=1.0,
            draw=two_projections,
            idea=ROLES,
        ),
        Rung(name="any batch axes, at awkward sizes", points=2.0, draw=awkward, idea=AXES),
        Rung(
            name="the module has three weights of its own and nothing else to train",
            points=0.5,
            draw=parameters,
            law=right_parameters,
        ),
        Rung(
            name="gradients reach all three projections",
            points=2.0,
            idea=TRAINED,
            draw=gradients,
            law=gradients_arrive,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="parameters without layers", answer=BareParameters),
        Alternative(name="einsum, the query scaled first", answer=QueryScaledFirst),
        Alternative(name="the value projected last", answer=ValueProjectedLast),
        Alternative(name="functional calls", answer=ByFunctional),
    ),
    hints=(
        "In self-attention all three of query, key and value come from x. What makes them differ?",
        "Three layers are made in __init__ and called in forward; their outputs are attended as "
        "in 02.attention. From which width to which does each of the three lead?",
        "Your three layers should be nn.Linear without a bias. After projecting, whose width "
        "is the number under the root: that of x or that of query?",
    ),
    forbid=("scaled_dot_product_attention", "MultiheadAttention", "plainformer"),
    equivalents={
        "SelfAttention.forward: line 11: -2 and -1 swapped in key.transpose(-2, -1)": (
            "two axes may be named in either order"
        ),
        "SelfAttention.forward: line 11: query becomes key in query.shape": (
            "queries and keys have one width"
        ),
    },
)

"""Exercise 06.layer_norm_rows: LayerNorm, each token by itself."""

from typing import Any

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from exercise_bank.ch06.mistakes.layer_norm_rows import MISCONCEPTIONS
from exercise_bank.draws import normal, spread
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

EACH = "each token by itself"
SPREAD = "mean 0 and variance 1"
LEARNED = "first the gain, then the shift"


def draw(g: Generator, *shape: int, eps: float = 1e-5, plain: bool = False) -> dict[str, Any]:
    m = shape[-1]
    return {
        "x": 1.5 + 2 * normal(g, *shape),
        "gain": torch.ones(m, dtype=torch.float64) if plain else 1 + normal(g, m),
        "shift": torch.zeros(m, dtype=torch.float64) if plain else normal(g, m),
        "eps": eps,
    }


def token(*numbers: float, eps: float) -> Inputs:
    x = torch.tensor([numbers], dtype=torch.float64)
    return {"x": x, "gain": torch.ones_like(x[0]), "shift": torch.zeros_like(x[0]), "eps": eps}


def tokens(g: Generator) -> list[Inputs]:
    """Draw tokens with different means, as many as features and more, in a batch and alone."""
    shapes = ((1, 3), (2, 2), (3, 3), (4, 5), (3, 3, 3), (2, 1, 4))
    drawn = [draw(g, *shape, plain=True, eps=1e-12) for shape in shapes]
    drawn[0]["x"] = drawn[0]["x"] + 9  # far from 0 on one side
    return [*drawn]


def alone(g: Generator) -> list[Inputs]:
    """Draw single tokens, one of mean 0, with an eps too small to matter."""
    rows = (0.75 + spread(g, m, step=2.0) for m in (2, 3, 5))
    return [token(-3.0, 3.0, eps=1e-9), *(token(*row.tolist(), eps=1e-9) for row in rows)]


def eps_alone(g: Generator) -> list[Inputs]:
    """Draw tokens of zeros, and some whose variance is negligible compared with eps."""
    quiet = [1e-3 * normal(g, 1, m) for m in (2, 5)]
    return [
        token(0.0, 0.0, 0.0, eps=0.1),
        *(token(*(x - x.mean())[0].tolist(), eps=eps)
          for x, eps in zip(quiet, (4.0, 0.01), strict=True)),
    ]  # fmt: skip


def learned(g: Generator) -> list[Inputs]:
    """Draw tokens of +1 and -1, which a norm only scales; one gain is 0, another negative."""
    ones = torch.tensor([[1.0, -1.0], [-1.0, 1.0]], dtype=torch.float64)
    drawn: list[Inputs] = []
    for m in (2, 4, 2):
        each = {
            **draw(g, 1, m),
            "x": ones.repeat(m // 2, m // 2),
            "shift": 0 * ones[0].repeat(m // 2),
        }
        drawn.append(each)
    drawn[1]["gain"][1:3] = torch.tensor([0.0, -2.0])
    return drawn


def shifted(g: Generator) -> list[Inputs]:
    """Draw gains of 0, so that only the shift remains."""
    drawn = (draw(g, 4, 2), draw(g, 2, 3))
    return [{**each, "gain": torch.zeros_like(each["gain"])} for each in drawn]


def examples() -> list[Inputs]:
    first = token(1.0, 3.0, eps=3.0)
    two, moved = torch.tensor([[2.0, 2.0], [0.0, 1.0]], dtype=torch.float64)
    return [first, {**first, "gain": two, "shift": moved}]


def whole(g: Generator) -> list[Inputs]:
    flat = draw(g, 2, 3, eps=0.1)
    flat["x"][0] = 4.0
    shapes = ((3, 3, 3), (2, 1, 4, 5), (7,))
    return [*examples(), flat, *(draw(g, *shape, eps=0.5) for shape in shapes)]


def layer_norm_rows(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    """Return x with each token at mean 0 and variance 1, times gain, plus shift."""
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * gain + shift


def by_var(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return torch.rsqrt(variance + eps) * (x - mean) * gain + shift


def by_squares(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    m = x.shape[-1]
    mean = x.sum(-1)[..., None] / m
    variance = (x * x).sum(-1)[..., None] / m - mean * mean
    return (x - mean) * gain / (variance + eps) ** 0.5 + shift


def as_rms(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return F.rms_norm(centred, centred.shape[-1:], eps=eps) * gain + shift


def token_by_token(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    out = []
    for row in x.reshape(-1, x.shape[-1]):
        spread = (row.std(correction=0) ** 2 + eps).sqrt()
        out.append(torch.addcmul(shift, (row - row.mean()) / spread, gain))
    return torch.stack(out).reshape(x.shape)


by_itself = in_proportion(
    layer_norm_rows,
    "each token, taken alone, is brought to the same mean and the same size",
    rows=False,
)
by_gain = in_proportion(layer_norm_rows, "each feature is multiplied by its own gain", rows=False)

TASK = Exercise(
    id="06.layer_norm_rows",
    title="LayerNorm",
    level="warm-up",
    minutes=10,
    concepts=("layer-norm",),
    reference=layer_norm_rows,
    rungs=(
        Rung(
            name="tokens side by side: each has its own mean and its own spread",
            points=0.75,
            draw=in_single(tokens),
            law=by_itself,
            compare=False,
            idea=EACH,
        ),
        Rung(
            name="a single token gets mean 0 and variance 1",
            points=0.75,
            draw=in_single(alone),
            idea=SPREAD,
        ),
        Rung(name="an eps far above the variance", points=0.25, draw=in_single(eps_alone)),
        Rung(
            name="each feature has its own gain",
            points=0.25,
            draw=in_single(learned),
            law=by_gain,
            compare=False,
            idea=LEARNED,
        ),
        Rung(
            name="a gain of 0 leaves the shift, and nothing else",
            points=0.75,
            draw=in_single(shifted),
            idea=LEARNED,
        ),
        Rung(
            name="all of it, any axes in front, in float32 and float64",
            points=0.25,
            draw=both_types(whole),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="var_mean and rsqrt", answer=by_var),
        Alternative(name="mean of squares less square of mean", answer=by_squares),
        Alternative(name="RMSNorm of the centred token", answer=as_rms),
        Alternative(name="token by token", answer=token_by_token),
    ),
    hints=(
        "Which numbers enter the mean of one token, and what shape must the means have so that you "
        "can subtract them from x?",
        "There are three steps: centre, divide by the root of a variance that includes eps, and "
        "apply gain and shift. Is the sum of squares in the variance divided by m or by m - 1?",
        "Square the centred numbers and average them over the last axis. In the formula of the "
        "chapter, is eps inside the root or outside?",
    ),
    forbid=("layer_norm", "LayerNorm", "native_layer_norm", "plainformer"),
    precision=SUMMED,
)

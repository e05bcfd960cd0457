"""Exercise 06.layer_norm_rows: LayerNorm, each token by itself."""

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from plaincourse.bank.ch06.mistakes.layer_norm_rows import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, *shape: int, eps: float = 1e-5, plain: bool = False) -> Inputs:
    m = shape[-1]
    return {
        "x": 1.5 + 2 * normal(g, *shape),
        "gain": torch.ones(m, dtype=torch.float64) if plain else 1 + normal(g, m),
        "shift": torch.zeros(m, dtype=torch.float64) if plain else normal(g, m),
        "eps": eps,
    }


def one_token(g: Generator) -> list[Inputs]:
    return [draw(g, 1, m, eps=1e-9, plain=True) for m in (2, 3, 5)]


def large_eps(g: Generator) -> list[Inputs]:
    quiet = {**draw(g, 1, 4, eps=1e-3, plain=True), "x": 0.01 * normal(g, 1, 4)}
    return [draw(g, 1, 2, eps=1.0, plain=True), draw(g, 1, 5, eps=4.0, plain=True), quiet]


def constant_token(g: Generator) -> list[Inputs]:
    flat = torch.full((2, 3), 4.0, dtype=torch.float64)
    flat[1] = torch.tensor([1.0, 2.0, 6.0])
    return [{**draw(g, 2, 3, eps=0.1, plain=True), "x": flat}]


def several_tokens(g: Generator) -> list[Inputs]:
    return [draw(g, q, m, plain=True) for q, m in ((2, 2), (3, 3), (4, 5))]


def learned(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 3), draw(g, 4, 2)]


def leading_axes(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 3, 3, eps=0.5), draw(g, 2, 1, 4, 5), draw(g, 7)]


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


TASK = Exercise(
    id="06.layer_norm_rows",
    title="LayerNorm",
    level="warm-up",
    minutes=10,
    concepts=("layer-norm",),
    reference=layer_norm_rows,
    rungs=(
        Rung(name="one token gets mean 0 and variance 1", points=0.5, draw=one_token),
        Rung(name="a large eps stands where it should", points=0.5, draw=large_eps),
        Rung(name="a token of equal numbers does no harm", points=0.5, draw=constant_token),
        Rung(name="each token is normalised by itself", points=0.5, draw=several_tokens),
        Rung(name="gain and shift belong to features", points=0.5, draw=learned),
        Rung(name="any axes in front", points=0.5, draw=leading_axes),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="var_mean and rsqrt", answer=by_var),
        Alternative(name="mean of squares less square of mean", answer=by_squares),
        Alternative(name="RMSNorm of the centred token", answer=as_rms),
    ),
    hints=(
        "Which numbers does one token's mean run over, and what shape must it have to be taken "
        "away from x?",
        "Three steps: centre, divide by the root of a variance with eps in it, then the learned "
        "part. What is the variance divided by: m or m - 1?",
        "Square the centred numbers and average them over the last axis. Where in the formula of "
        "the chapter does eps stand: inside the root or outside?",
    ),
    forbid=("layer_norm", "LayerNorm", "native_layer_norm", "plainformer"),
)

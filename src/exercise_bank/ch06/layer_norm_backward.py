"""Exercise 06.layer_norm_backward: the gradient through LayerNorm, derived."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch06.mistakes.layer_norm_backward import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

BY_MEAN = (
    "this gradient has a mean and no part along y. The mean of x moves with x_i, so the mean of "
    "the gradient drops out of the result"
)
BY_VARIANCE = (
    "this gradient has mean 0 and a part along y. The variance moves with x_i, so the part along y "
    "drops out of the result"
)

SPREAD = "divided by the spread, with eps in it"
MEAN = "the path through the mean"
VARIANCE = "the path through the variance"


def draw(g: Generator, *shape: int, eps: float = 1e-9, size: float = 2.0) -> Inputs:
    return {
        "x": 1 + size * normal(g, *shape),
        "gradient": 1 + normal(g, *shape),
        "eps": eps,
    }


def freed(inputs: Inputs, *, of_mean: bool = False, of_y: bool = False) -> Inputs:
    """Remove from a gradient its mean, its part along y, or both."""
    x, gradient = inputs["x"], inputs["gradient"]
    gradient = gradient - gradient.mean(-1, keepdim=True) if of_mean else gradient
    if of_y:
        y = x - x.mean(-1, keepdim=True)
        y = y / y.square().sum(-1, keepdim=True).sqrt()
        gradient = gradient - y * (gradient * y).sum(-1, keepdim=True)
    return {**inputs, "gradient": gradient}


def spread_alone(g: Generator) -> list[Inputs]:
    """Draw gradients to which neither indirect path contributes."""
    return [freed(draw(g, 1, m, size=s), of_mean=True, of_y=True) for m, s in ((3, 4), (5, 0.5))]


def mean_alone(g: Generator) -> list[Inputs]:
    """Draw gradients without a part along y."""
    shapes = ((1, 3), (1, 4), (2, 3), (3, 5))
    return [freed(draw(g, *shape), of_y=True) for shape in shapes]


def variance_alone(g: Generator) -> list[Inputs]:
    """Draw gradients of mean 0."""
    return [freed(draw(g, 1, m), of_mean=True) for m in (3, 4, 7)]


def one_token(g: Generator) -> list[Inputs]:
    return [draw(g, 1, m) for m in (3, 4, 7)]


def examples() -> list[Inputs]:
    x, gradient = torch.tensor([[[1.0, 3.0]], [[0.0, 8.0]]], dtype=torch.float64)
    return [{"x": x, "gradient": gradient, "eps": 3.0}]


def large_eps(g: Generator) -> list[Inputs]:
    quiet = draw(g, 1, 3, eps=0.5, size=0.1)
    return [*examples(), draw(g, 1, 2, eps=1.0), draw(g, 1, 5, eps=3.0), quiet]


def several_tokens(g: Generator) -> list[Inputs]:
    flat = draw(g, 2, 3, eps=0.5)
    flat["x"][0] = 0.0
    drawn = [draw(g, *shape) for shape in ((2, 3), (3, 3), (3, 3, 3), (2, 1, 4, 5), (6,))]
    return [*drawn, flat]


def layer_norm_backward(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    """Return dL/dx, given dL/dy for y = LayerNorm(x) without gain and shift."""
    centred = x - x.mean(dim=-1, keepdim=True)
    spread = torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    y = centred / spread
    along_mean = gradient.mean(dim=-1, keepdim=True)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - along_mean - y * along_y) / spread


def by_jacobian(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    m = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    spread = (x.var(-1, keepdim=True, correction=0) + eps).sqrt()
    y = centred / spread
    centring = torch.eye(m, dtype=x.dtype) - 1 / m
    jacobian = (centring - y[..., :, None] * y[..., None, :] / m) / spread[..., None]
    return torch.einsum("...i,...ij->...j", gradient, jacobian)


def step_by_step(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    m = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred**2).mean(-1, keepdim=True) + eps
    to_centred = gradient * variance**-0.5
    to_variance = -0.5 * (gradient * centred).sum(-1, keepdim=True) * variance**-1.5
    to_centred = to_centred + to_variance * 2 * centred / m
    return to_centred - to_centred.mean(-1, keepdim=True)


def token_by_token(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    out = []
    for row, g in zip(x.reshape(-1, x.shape[-1]), gradient.reshape(-1, x.shape[-1]), strict=True):
        centred = row - row.mean()
        spread = (centred.dot(centred) / len(row) + eps) ** 0.5
        pulled = centred.dot(g) / len(row) / spread**2
        out.append((g - g.mean() - pulled * centred) / spread)
    return torch.stack(out).reshape(x.shape)


TASK = Exercise(
    id="06.layer_norm_backward",
    title="The gradient through LayerNorm",
    level="hard",
    minutes=25,
    concepts=("layer-norm", "gradients-at-depth", "post-norm"),
    extra=True,
    reference=layer_norm_backward,
    rungs=(
        Rung(
            name="a gradient without a mean and without a part along y is divided by the spread",
            points=1.0,
            draw=in_single(spread_alone),
            idea=SPREAD,
        ),
        Rung(
            name="the path through the mean, up to a factor",
            points=1.5,
            draw=in_single(mean_alone),
            law=in_proportion(layer_norm_backward, BY_MEAN),
            compare=False,
            idea=MEAN,
        ),
        Rung(
            name="the path through the variance, up to a factor",
            points=1.25,
            draw=in_single(variance_alone),
            law=in_proportion(layer_norm_backward, BY_VARIANCE),
            compare=False,
            idea=VARIANCE,
        ),
        Rung(name="one token, all three together", points=0.5, draw=in_single(one_token)),
        Rung(
            name="a large eps, in every use of the spread",
            points=1.75,
            draw=in_single(large_eps),
            idea=SPREAD,
        ),
        Rung(
            name="each token by itself, any axes in front, in float32 and float64",
            points=1.0,
            draw=both_types(several_tokens),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="the whole Jacobian", answer=by_jacobian),
        Alternative(name="step by step through the graph", answer=step_by_step),
        Alternative(name="token by token", answer=token_by_token),
    ),
    hints=(
        "x_i changes the output y_j directly and through two other quantities. Which are they?",
        "They are the mean and the variance. What is the derivative of each with respect to x_i?",
        "Each of these paths is a sum over j, and so becomes an average over the features of "
        "gradient, or of gradient times y. LayerNorm does not change if you add a number to all of "
        "x, so your result must sum to 0 over the features. Does it?",
    ),
    forbid=("autograd", "backward", "grad", "jacobian", "vjp", "layer_norm", "plainformer"),
    equivalents={
        "layer_norm_backward: line 2: - x.mean(dim=-1, keepdim=True) has its sides swapped": (
            "y changes its sign, and the result contains it twice"
        ),
    },
    precision=SUMMED,
)

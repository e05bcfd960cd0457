"""Exercise 06.layer_norm_backward: the gradient through LayerNorm, derived."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch06.mistakes.layer_norm_backward import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, *shape: int, eps: float = 1e-6, size: float = 2.0) -> Inputs:
    return {
        "x": 1 + size * normal(g, *shape),
        "gradient": 1 + normal(g, *shape),
        "eps": eps,
    }


def even(g: Generator) -> list[Inputs]:
    flat = torch.ones(1, 4, dtype=torch.float64)
    one = draw(g, 1, 4)
    return [{**one, "gradient": 3 * flat}, {**draw(g, 1, 3), "gradient": flat[:, :3]}, one]


def one_token(g: Generator) -> list[Inputs]:
    return [draw(g, 1, m) for m in (3, 4, 7)]


def large_eps(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 2, eps=1.0), draw(g, 1, 5, eps=3.0), draw(g, 1, 3, eps=0.5, size=0.1)]


def several_tokens(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 2, eps=0.3), draw(g, 3, 3), draw(g, 4, 6, eps=1.0)]


def leading_axes(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 3, 3, eps=0.2), draw(g, 2, 1, 4, 5), draw(g, 6, eps=0.7)]


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
    reference=layer_norm_backward,
    rungs=(
        Rung(name="an even gradient has no effect", points=1.0, draw=even),
        Rung(name="one token is right", points=2.0, draw=one_token),
        Rung(name="a large eps is derived with the rest", points=2.0, draw=large_eps),
        Rung(name="each token by itself", points=1.0, draw=several_tokens),
        Rung(name="any axes in front", points=1.0, draw=leading_axes),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="the whole Jacobian", answer=by_jacobian),
        Alternative(name="step by step through the graph", answer=step_by_step),
        Alternative(name="token by token", answer=token_by_token),
    ),
    hints=(
        "By how many ways does x_i reach the output y_j? Directly, and twice by detour.",
        "The detours are the mean and the variance. What is the derivative of each by x_i?",
        "Each detour becomes a sum over j, so in the end an average over the features of "
        "gradient, or of gradient times y. Does your result sum to 0 over the features, as the "
        "blindness to a common shift demands?",
    ),
    forbid=("autograd", "backward", "grad", "jacobian", "vjp", "layer_norm", "plainformer"),
    equivalents={
        "layer_norm_backward: line 2: - x.mean(dim=-1, keepdim=True) has its sides swapped": (
            "y turns its sign, and stands in the result twice"
        ),
    },
)

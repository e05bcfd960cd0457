"""Gradients through LayerNorm with a slip in them, as students write them."""

import torch
from torch import Tensor


def parts(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(dim=-1, keepdim=True)
    spread = torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    return centred / spread, spread


def only_spread(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return gradient / spread


def no_mean_term(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    return (gradient - y * (gradient * y).mean(dim=-1, keepdim=True)) / spread


def no_variance_term(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return (gradient - gradient.mean(dim=-1, keepdim=True)) / spread


def sums_for_means(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = (gradient * y).sum(dim=-1, keepdim=True)
    return (gradient - gradient.sum(dim=-1, keepdim=True) - y * along_y) / spread


def no_division(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, _ = parts(x, eps)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y


def plus_for_minus(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) + y * along_y) / spread


def with_centred(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    centred = y * spread
    along = (gradient * centred).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - centred * along) / spread


def eps_dropped(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, 0.0)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def over_tokens(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean() - y * along_y) / spread


def diagonal(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    return gradient * (1 - (1 + y.square()) / x.shape[-1]) / spread


def by_variance(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return no_division(x, gradient, eps) / spread.square()


def unbiased(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    spread = torch.sqrt(x.var(dim=-1, keepdim=True) + eps)
    y = (x - x.mean(dim=-1, keepdim=True)) / spread
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def twice_the_variance(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along_y = 2 * (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def over_axis_0(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=0, keepdim=True)
    spread = torch.sqrt(centred.square().mean(dim=0, keepdim=True) + eps)
    y = centred / spread
    along_y = (gradient * y).mean(dim=0, keepdim=True)
    return (gradient - gradient.mean(dim=0, keepdim=True) - y * along_y) / spread


def eps_in_y_only(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    spread = x.std(dim=-1, keepdim=True, correction=0)
    return no_division(x, gradient, eps) / spread


def eps_left_out_along_y(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    along = centred * (gradient * centred).mean(dim=-1, keepdim=True) / variance
    return (gradient - gradient.mean(dim=-1, keepdim=True) - along) / torch.sqrt(variance + eps)


def eps_left_out_of_the_variance(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    direct = (gradient - gradient.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + eps)
    return direct - centred * (gradient * centred).mean(dim=-1, keepdim=True) / variance**1.5


def eps_left_out_of_one_y(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    bare, _ = parts(x, 0.0)
    along = bare * (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - along) / spread


def multiplied(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    _, spread = parts(x, eps)
    return no_division(x, gradient, eps) * spread


def forward(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return parts(x, eps)[0] * gradient


def eps_outside(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    spread = centred.square().mean(dim=-1, keepdim=True).sqrt() + eps
    y = centred / spread
    along_y = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - gradient.mean(dim=-1, keepdim=True) - y * along_y) / spread


def combined(x: Tensor, gradient: Tensor, eps: float, *, mean: float = 1, y: float = 1) -> Tensor:
    """Return the gradient with these factors before the mean and before the part along y."""
    unit, spread = parts(x, eps)
    along_y = (gradient * unit).mean(dim=-1, keepdim=True)
    taken = mean * gradient.mean(dim=-1, keepdim=True) + y * unit * along_y
    return (gradient - taken) / spread


def no_mean_and_a_sum(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=0, y=x.shape[-1])


def no_mean_and_plus(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=0, y=-1)


def no_mean_and_twice(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=0, y=2)


def no_mean_and_centred(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    y, spread = parts(x, eps)
    along = (gradient * y).mean(dim=-1, keepdim=True)
    return (gradient - y * along * spread.square()) / spread


def sum_for_the_mean(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, mean=x.shape[-1])


def sum_along_y(x: Tensor, gradient: Tensor, eps: float) -> Tensor:
    return combined(x, gradient, eps, y=x.shape[-1])


def along(x: Tensor, gradient: Tensor, eps: float, part: str) -> Tensor:
    """Use a wrong part along y: the mean's sign flipped too, x for y, no y, or half of it."""
    y, spread = parts(x, eps)
    mean, mixed = gradient.mean(-1, keepdim=True), (gradient * y).mean(-1, keepdim=True)
    by = {"added": y * mixed + 2 * mean, "x": -x * mixed, "no y": -mixed, "half": -y * mixed / 2}
    return (gradient - mean + by[part]) / spread

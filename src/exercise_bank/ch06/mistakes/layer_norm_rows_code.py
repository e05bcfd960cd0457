"""Wrong ways to write 06.layer_norm_rows."""

import torch
from torch import Tensor


def no_eps(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / centred.square().mean(dim=-1, keepdim=True).sqrt() * gain + shift


def eps_outside(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (torch.sqrt(variance) + eps) * gain + shift


def unbiased(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    variance = x.var(dim=-1, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + eps) * gain + shift


def no_root(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + eps) * gain + shift


def over_tokens(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=0, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=0, keepdim=True) + eps) * gain + shift


def over_axis_1(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=1, keepdim=True) + eps) * gain + shift


def over_everything(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean()
    return centred / torch.sqrt(centred.square().mean() + eps) * gain + shift


def not_centred(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) * gain + shift


def no_gain(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)


def shift_first(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    y = centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    return (y + shift) * gain


def no_shift(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return no_gain(x, gain, shift, eps) * gain


def shift_alone(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return no_gain(x, gain, shift, eps) + shift


def about_zero(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) * gain + shift


def clamped(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True).clamp_min(eps)
    return centred / torch.sqrt(variance) * gain + shift


def mean_distance(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.abs().mean(dim=-1, keepdim=True) + eps) * gain + shift


def one_plus_gain(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return no_gain(x, gain, shift, eps) * (1 + gain) + shift


def summed_squares(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().sum(dim=-1, keepdim=True) + eps) * gain + shift


def over_sequence(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    axes = tuple(range(1, x.ndim)) or (0,)
    centred = x - x.mean(dim=axes, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=axes, keepdim=True) + eps) * gain + shift


def over_two_axes(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    axes = tuple(range(max(-2, -x.ndim), 0))
    centred = x - x.mean(dim=axes, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=axes, keepdim=True) + eps) * gain + shift


def mean_left_in(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return x / torch.sqrt(x.var(dim=-1, keepdim=True, correction=0) + eps) * gain + shift


def mean_left_in_unbiased(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return x / torch.sqrt(x.var(dim=-1, keepdim=True) + eps) * gain + shift


def eps_of_its_own(
    x: Tensor, gain: Tensor, shift: Tensor, eps: float, *, own: float = 1e-5
) -> Tensor:
    return standardised(x, own) * gain + shift


def divided_by_the_gain(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x, eps) / gain + shift


def shift_subtracted(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x, eps) * gain - shift


def eps_squared(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x, eps**2) * gain + shift


def standardised(x: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)


def no_root_unbiased(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    variance = x.var(dim=-1, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance + eps) * gain + shift


def one_mean(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    spread = torch.sqrt(x.var(dim=-1, keepdim=True, correction=0) + eps)
    return (x - x.mean()) / spread * gain + shift


def one_spread(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(x.var(correction=0) + eps) * gain + shift


def one_spread_of_centred(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean() + eps) * gain + shift


def gain_first(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return standardised(x * gain, eps) + shift


def no_brackets(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, correction=0)
    return x - mean / torch.sqrt(variance + eps) * gain + shift

"""Wrong ways to fold a norm into the next layer."""

from torch import Tensor

Two = tuple[Tensor, Tensor]


def rows_scaled(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return gain[:, None] * weight, bias + weight @ shift


def written_into(
    gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    bias = bias + weight @ shift
    weight *= gain
    return weight, bias


def shift_added(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return weight * gain, bias + shift


def shift_twice_scaled(
    gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    weight = weight * gain
    return weight, bias + weight @ shift


def shift_forgotten(
    gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    return weight * gain, bias


def gain_forgotten(
    gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    return weight, bias + weight @ shift


def divided(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return weight / gain, bias + weight @ shift


def bias_replaced(
    gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    return weight * gain, weight @ shift


def subtracted(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return weight * gain, bias - weight @ shift


def mean_gain(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return weight * gain.mean(), bias + weight @ shift


def upright(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + shift @ weight


def bias_scaled(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + gain * (weight @ shift)


def bias_first(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return bias + weight @ shift, weight * gain


def gain_added(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight + gain, bias + weight @ shift


def one_plus(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * (1 + gain), bias + weight @ shift


def shift_in_weight(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain + shift, bias


def bias_through(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias * gain + weight @ shift


def shift_averaged(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + weight.sum(dim=1) * shift.mean()


def mean_of_shift(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + shift.mean()


def entry_times_shift(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + weight.sum(dim=1) * shift.sum()


def shift_summed(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + shift.sum()


def all_rows_summed(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + (weight * shift).sum()


def all_rows_averaged(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + (weight @ shift).mean()


def columns_summed(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + (weight * shift).sum(dim=0)


def row_means(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + (weight * shift).mean(dim=1)


def shift_divided(
    gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    return weight * gain, bias + weight @ (shift / gain)


def reshaped(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias + shift @ weight.reshape(len(gain), len(bias))


def weight_transposed(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return (weight * gain).mT, bias + weight @ shift


def bias_as_column(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, (bias + weight @ shift)[:, None]


def weight_summed(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight @ gain, bias + weight @ shift


def bias_times_mean_gain(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, bias * gain.mean() + weight @ shift


def bias_all_times_mean_gain(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight * gain, (bias + weight @ shift) * gain.mean()


def nothing_folded(gain: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Two:
    return weight, bias

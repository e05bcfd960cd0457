"""Wrong code for the exercise on quantised keys and values."""

import torch
from torch import Tensor


def stored(
    key: Tensor, value: Tensor, key_axes: list[int], value_axes: list[int], top: float = 127
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Quantise with scales that lie along these axes."""
    found = []
    for x, axes in ((key, key_axes), (value, value_axes)):
        scale = x.abs().amax(dim=axes, keepdim=True) / top
        scale = scale.masked_fill(scale == 0, 1.0)
        found += [(x / scale).round().to(torch.int32).to(torch.int8), scale]
    return found[0], found[1], found[2], found[3]


def both_per_token(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [3], [3])


def small_for_zero(
    key: Tensor, value: Tensor, least: float = 1e-6
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Take a small scale for one of zeros."""
    found = []
    for x, axis in ((key, 2), (value, 3)):
        scale = x.abs().amax(dim=axis, keepdim=True) / 127
        scale = scale.masked_fill(scale < least, 1.0)
        found += [(x / scale).round().to(torch.int8), scale]
    return found[0], found[1], found[2], found[3]


def both_per_channel(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [2], [2])


def axes_exchanged(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [3], [2])


def one_scale(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [0, 1, 2, 3], [0, 1, 2, 3])


def one_per_head(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [2, 3], [2, 3])


def sequences_share(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [0, 2], [0, 3])


def sequences_share_for_keys(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    codes, scale = sequences_share(key, value)[:2]
    return codes, scale.expand(len(key), -1, -1, -1).clone(), *stored(key, value, [2], [3])[2:]


def heads_share_one(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [0, 1, 2], [0, 1, 3])


def heads_share_for_keys(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [1, 2], [3])


def heads_share_for_values(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [2], [1, 3])


def heads_of_a_sequence_share(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [1, 2], [1, 3])


def heads_share(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    found = []
    for x, axes in ((key, [0, 1, 2]), (value, [0, 1, 3])):
        scale = x.abs().amax(dim=axes, keepdim=True) / 127
        scale = scale.masked_fill(scale == 0, 1.0).expand(*x.shape[:2], -1, -1).clone()
        found += [(x / scale).round().to(torch.int8), scale]
    return found[0], found[1], found[2], found[3]


def one_scale_repeated(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_codes, key_scale, value_codes, value_scale = one_scale(key, value)
    key_scale = key_scale.expand_as(key[:, :, :1]).clone()
    return key_codes, key_scale, value_codes, value_scale.expand_as(value[..., :1]).clone()


def one_per_head_repeated(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_codes, key_scale, value_codes, value_scale = one_per_head(key, value)
    key_scale = key_scale.expand_as(key[:, :, :1]).clone()
    return key_codes, key_scale, value_codes, value_scale.expand_as(value[..., :1]).clone()


def keys_per_head_repeated(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return *one_per_head_repeated(key, value)[:2], *stored(key, value, [2], [3])[2:]


def cut_off(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    _, key_scale, _, value_scale = stored(key, value, [2], [3])
    return (
        (key / key_scale).to(torch.int8), key_scale,
        (value / value_scale).to(torch.int8), value_scale,
    )  # fmt: skip


def rounded_down(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    _, key_scale, _, value_scale = stored(key, value, [2], [3])
    return (
        (key / key_scale).floor().to(torch.int8), key_scale,
        (value / value_scale).floor().to(torch.int8), value_scale,
    )  # fmt: skip


def largest_for_scale(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_codes, key_scale, value_codes, value_scale = stored(key, value, [2], [3])
    return key_codes, 127 * key_scale, value_codes, 127 * value_scale


def codes_then_scales(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_codes, key_scale, value_codes, value_scale = stored(key, value, [2], [3])
    return key_codes, value_codes, key_scale, value_scale


def by_128(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [2], [3], top=128)


def by_128_clamped(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    found = []
    for x, axis in ((key, 2), (value, 3)):
        scale = x.abs().amax(dim=axis, keepdim=True) / 128
        scale = scale.masked_fill(scale == 0, 1.0)
        found += [(x / scale).round().clamp(-128, 127).to(torch.int8), scale]
    return found[0], found[1], found[2], found[3]


def by_255(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return stored(key, value, [2], [3], top=255)


def half_the_range_by_254(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    found = []
    for x, axis in ((key, 2), (value, 3)):
        half = (x.amax(dim=axis, keepdim=True) - x.amin(dim=axis, keepdim=True)) / 2
        scale = (half / 127).masked_fill(half == 0, 1.0)
        found += [(x / scale).round().to(torch.int32).to(torch.int8), scale]
    return found[0], found[1], found[2], found[3]


def without_abs(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    found = []
    for x, axis in ((key, 2), (value, 3)):
        scale = x.amax(dim=axis, keepdim=True) / 127
        scale = scale.masked_fill(scale == 0, 1.0)
        found += [(x / scale).round().clamp(-127, 127).to(torch.int8), scale]
    return found[0], found[1], found[2], found[3]


def half_the_range(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    found = []
    for x, axis in ((key, 2), (value, 3)):
        scale = (x.amax(dim=axis, keepdim=True) - x.amin(dim=axis, keepdim=True)) / 255
        scale = scale.masked_fill(scale == 0, 1.0)
        found += [(x / scale).round().clamp(-127, 127).to(torch.int8), scale]
    return found[0], found[1], found[2], found[3]


def least_scale(
    key: Tensor, value: Tensor, least: float = 1e-8, of: str = "the scale"
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Take a tiny number for the scale of zeros, or for the largest of them."""
    largest = key.abs().amax(dim=2, keepdim=True), value.abs().amax(dim=3, keepdim=True)
    if of == "the largest":
        key_scale, value_scale = (x.clamp_min(least) / 127 for x in largest)
    elif of == "added":
        key_scale, value_scale = (x / 127 + least for x in largest)
    else:
        key_scale, value_scale = ((x / 127).clamp_min(least) for x in largest)
    return (
        torch.round(key / key_scale).to(torch.int8), key_scale,
        torch.round(value / value_scale).to(torch.int8), value_scale,
    )  # fmt: skip


def zero_scales(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_scale = key.abs().amax(dim=2, keepdim=True) / 127
    value_scale = value.abs().amax(dim=3, keepdim=True) / 127
    return (
        (key / key_scale).nan_to_num(0.0).round().to(torch.int8), key_scale,
        (value / value_scale).nan_to_num(0.0).round().to(torch.int8), value_scale,
    )  # fmt: skip


def codes_in_floats(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    _, key_scale, _, value_scale = stored(key, value, [2], [3])
    return (key / key_scale).round(), key_scale, (value / value_scale).round(), value_scale


def read_back_already(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_codes, key_scale, value_codes, value_scale = stored(key, value, [2], [3])
    return key_codes * key_scale, key_scale, value_codes * value_scale, value_scale


def inverse_scales(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_codes, key_scale, value_codes, value_scale = stored(key, value, [2], [3])
    return key_codes, 1 / key_scale, value_codes, 1 / value_scale


def axis_lost(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    key_codes, key_scale, value_codes, value_scale = stored(key, value, [2], [3])
    return key_codes, key_scale.squeeze(2), value_codes, value_scale.squeeze(3)

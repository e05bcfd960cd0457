"""Wrong ways to write 05.rotate_part."""

import torch
from torch import Tensor


def angles_of(positions: Tensor, width: int, planes: int) -> Tensor:
    return positions[:, None] * 10_000.0 ** (-2 * torch.arange(planes).double() / width)


def turned(x: Tensor, angles: Tensor, rotated: int) -> Tensor:
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., : rotated // 2], x[..., rotated // 2 : rotated]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., rotated:]], dim=-1)


def in_pairs(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0:rotated:2], x[..., 1:rotated:2]
    part = torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
    return torch.cat([part, x[..., rotated:]], dim=-1)


def frequencies_of_the_width(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, x.shape[-1], rotated // 2), rotated)


def everything(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    d = x.shape[-1] // 2 * 2
    return turned(x, angles_of(positions, d, d // 2), d)


def backwards(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, -angles_of(positions, rotated, rotated // 2), rotated)


def counts_rows(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    rows = torch.arange(x.shape[-2])
    return turned(x, angles_of(rows, rotated, rotated // 2), rotated)


def half_exponent(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, 2 * rotated, rotated // 2), rotated)


def last_part(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    rest = x.shape[-1] - rotated
    part = turned(x[..., rest:], angles_of(positions, rotated, rotated // 2), rotated)
    return torch.cat([x[..., :rest], part], dim=-1)


def mixed_tables(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2).repeat_interleave(2, dim=-1)
    part = x[..., :rotated]
    first, second = part.chunk(2, dim=-1)
    part = part * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()
    return torch.cat([part, x[..., rotated:]], dim=-1)


def swapped(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2)
    cos, sin = angles.sin(), angles.cos()
    a, b = x[..., : rotated // 2], x[..., rotated // 2 : rotated]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., rotated:]], dim=-1)


def rest_dropped(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, rotated, rotated // 2), rotated)[..., :rotated]


def two_minuses(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., : rotated // 2], x[..., rotated // 2 : rotated]
    return torch.cat([a * cos - b * sin, b * cos - a * sin, x[..., rotated:]], dim=-1)


def rest_in_front(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    out = turned(x, angles_of(positions, rotated, rotated // 2), rotated)
    return torch.cat([out[..., rotated:], out[..., :rotated]], dim=-1)


def whole_positions(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions.long(), rotated, rotated // 2), rotated)


def planes_from_one(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2) * 10_000.0 ** (-2 / rotated)
    return turned(x, angles, rotated)


def half_the_width(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    width = x.shape[-1] // 2
    if width < rotated:
        return turned(x, angles_of(positions, rotated, rotated // 2), rotated)
    angles = angles_of(positions, rotated, rotated // 2)
    a, b = x[..., : rotated // 2], x[..., width : width + rotated // 2]
    out = x.clone()
    out[..., : rotated // 2] = a * angles.cos() - b * angles.sin()
    out[..., width : width + rotated // 2] = b * angles.cos() + a * angles.sin()
    return out


def one_speed(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = positions[:, None] * torch.ones(rotated // 2, dtype=torch.float64)
    return turned(x, angles, rotated)


def rest_set_to_0(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return torch.cat([rest_dropped(x, positions, rotated), 0 * x[..., rotated:]], dim=-1)


def to_the_last_plane(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    planes = rotated // 2
    exponent = torch.arange(planes).double() / max(planes - 1, 1)
    return turned(x, positions[:, None] * 10_000.0**-exponent, rotated)


def rising(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, -rotated, rotated // 2), rotated)


def in_pairs_with(angles: Tensor, x: Tensor, rotated: int) -> Tensor:
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0:rotated:2], x[..., 1:rotated:2]
    part = torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
    return torch.cat([part, x[..., rotated:]], dim=-1)


def pairs_and_half_exponent(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return in_pairs_with(angles_of(positions, 2 * rotated, rotated // 2), x, rotated)


def pairs_and_width(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return in_pairs_with(angles_of(positions, x.shape[-1], rotated // 2), x, rotated)


def pairs_to_halves(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    out = in_pairs(x, positions, rotated)
    return torch.cat([out[..., 0:rotated:2], out[..., 1:rotated:2], out[..., rotated:]], dim=-1)


def halves_to_pairs(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    out = turned(x, angles_of(positions, rotated, rotated // 2), rotated)
    part = torch.stack([out[..., : rotated // 2], out[..., rotated // 2 : rotated]], dim=-1)
    return torch.cat([part.flatten(-2), out[..., rotated:]], dim=-1)


def exponent_doubled(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    planes = torch.arange(0, rotated, 2).double()
    return turned(x, positions[:, None] * 10_000.0 ** (-2 * planes / rotated), rotated)


def slowest_first(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, rotated, rotated // 2).flip(-1), rotated)


def one_position_on(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions + 1, rotated, rotated // 2), rotated)


def first_half_overwritten(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles, half = angles_of(positions, rotated, rotated // 2), rotated // 2
    a, b = x[..., :half], x[..., half:rotated]
    a = a * angles.cos() - b * angles.sin()
    b = b * angles.cos() + a * angles.sin()
    return torch.cat([a, b, x[..., rotated:]], dim=-1)


def no_minus(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles, half = angles_of(positions, rotated, rotated // 2), rotated // 2
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:rotated]
    return torch.cat([a * cos + b * sin, b * cos + a * sin, x[..., rotated:]], dim=-1)


def partner_at_the_end(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles, half = angles_of(positions, rotated, rotated // 2), rotated // 2
    a, b, out = x[..., :half], x[..., -half:], x.clone()
    out[..., :half] = a * angles.cos() - b * angles.sin()
    out[..., -half:] = b * angles.cos() + a * angles.sin()
    return out


def half_the_width_by_part(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles, half = angles_of(positions, rotated, rotated // 2), rotated // 2
    middle = x.shape[-1] // 2
    a, b, out = x[..., :half], x[..., middle : middle + half], x.clone()
    out[..., :half] = a * angles.cos() - b * angles.sin()
    out[..., middle : middle + half] = b * angles.cos() + a * angles.sin()
    return out


def exponents_rounded_down(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    frequencies = [10_000.0 ** (-2 * r // rotated) for r in range(rotated // 2)]
    angles = positions[:, None] * torch.tensor(frequencies, dtype=torch.float64)
    return turned(x, angles, rotated)

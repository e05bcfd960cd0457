"""Code of the mistakes in 11.merge."""

import torch
from torch import Tensor

Summary = tuple[Tensor, Tensor, Tensor]


def fades(m_a: Tensor, m_b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    m = torch.maximum(m_a, m_b)
    anchor = m.masked_fill(m == -torch.inf, 0.0)
    return m, torch.exp(m_a - anchor), torch.exp(m_b - anchor)


def no_fading(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    return torch.maximum(m_a, m_b), l_a + l_b, o_a + o_b


def b_is_newer(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade, _ = fades(m_a, m_b)
    return m, l_a * fade + l_b, o_a * fade[:, None] + o_b


def turned_round(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.maximum(m_a, m_b)
    anchor = m.masked_fill(m == -torch.inf, 0.0)
    up_a, up_b = torch.exp(anchor - m_a), torch.exp(anchor - m_b)
    return m, l_a * up_a + l_b * up_b, o_a * up_a[:, None] + o_b * up_b[:, None]


def maxima_added(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    _, fade_a, fade_b = fades(m_a, m_b)
    both = l_a * fade_a + l_b * fade_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]
    return m_a + m_b, *both


def halved(m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    out = (o_a * fade_a[:, None] + o_b * fade_b[:, None]) / 2
    return m, l_a * fade_a + l_b * fade_b, out


def both_halved(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, total, out = halved(m_a, l_a, o_a, m_b, l_b, o_b)
    return m, total / 2, out


def values_not_faded(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a * fade_a + l_b * fade_b, o_a + o_b


def sum_not_faded(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a + l_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def finished(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    total = l_a * fade_a + l_b * fade_b
    out = o_a * fade_a[:, None] + o_b * fade_b[:, None]
    return m, total, out / total.masked_fill(total == 0, 1.0)[:, None]


def weighted_twice(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    part_a, part_b = l_a * fade_a, l_b * fade_b
    return m, part_a + part_b, o_a * part_a[:, None] + o_b * part_b[:, None]


def nan_for_nothing(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.maximum(m_a, m_b)
    fade_a, fade_b = torch.exp(m_a - m), torch.exp(m_b - m)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def zero_for_nothing(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    out = o_a * fade_a[:, None] + o_b * fade_b[:, None]
    return m.masked_fill(m == -torch.inf, 0.0), l_a * fade_a + l_b * fade_b, out


def either_empties(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    total = l_a * fade_a + l_b * fade_b
    out = o_a * fade_a[:, None] + o_b * fade_b[:, None]
    empty = (m_a == -torch.inf) | (m_b == -torch.inf)
    return m, total.masked_fill(empty, 0.0), out.masked_fill(empty[:, None], 0.0)


def any_empty(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor, sides: str = "ab"
) -> Summary:
    """Return the other block if a block is empty for some query."""
    if "a" in sides and (m_a == -torch.inf).any():
        return m_b.clone(), l_b.clone(), o_b.clone()
    if "b" in sides and (m_b == -torch.inf).any():
        return m_a.clone(), l_a.clone(), o_a.clone()
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def one_maximum(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    largest = torch.maximum(m_a, m_b).max()
    m = largest.expand(len(m_a)).clone()
    anchor = 0.0 if largest == -torch.inf else largest
    fade_a, fade_b = torch.exp(m_a - anchor), torch.exp(m_b - anchor)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def from_zero(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.maximum(m_a, m_b)
    anchor = m.masked_fill(m == -torch.inf, 0.0)
    part_a, part_b = torch.exp(m_a), torch.exp(m_b)
    total = (l_a * part_a + l_b * part_b) / torch.exp(anchor)
    out = (o_a * part_a[:, None] + o_b * part_b[:, None]) / torch.exp(anchor)[:, None]
    return m, total, out


def along_the_width(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a + o_b * fade_b


def a_is_older(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, _, fade = fades(m_a, m_b)
    return m, l_a + l_b * fade, o_a + o_b * fade[:, None]


def sum_of_a_is_older(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade = fades(m_a, m_b)
    return m, l_a + l_b * fade, o_a * fade_a[:, None] + o_b * fade[:, None]


def values_of_a_are_older(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade = fades(m_a, m_b)
    return m, l_a * fade_a + l_b * fade, o_a + o_b * fade[:, None]


def factors_swapped(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a * fade_b + l_b * fade_a, o_a * fade_b[:, None] + o_b * fade_a[:, None]


def smaller_maximum(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.minimum(m_a, m_b)
    safe = m.masked_fill(m == -torch.inf, 0.0)
    up_a, up_b = torch.exp(m_a - safe), torch.exp(m_b - safe)
    return m, l_a * up_a + l_b * up_b, o_a * up_a[:, None] + o_b * up_b[:, None]


def newest_maximum(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    fade = torch.nan_to_num(torch.exp(m_a - m_b))
    return m_b.clone(), l_a * fade + l_b, o_a * fade[:, None] + o_b


def finite_for_nothing(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m_a, m_b = m_a.clamp(min=-1e9), m_b.clamp(min=-1e9)
    m, fade_a, fade_b = fades(m_a, m_b)
    total = l_a * fade_a + l_b * fade_b
    return m, total, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def means_averaged(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    part_a, part_b = l_a * fade_a, l_b * fade_b
    total = part_a + part_b
    out = o_a * part_a[:, None] + o_b * part_b[:, None]
    return m, total, out / total.masked_fill(total == 0, 1.0)[:, None]


def lse_for_maximum(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.logaddexp(m_a, m_b)
    safe = m.masked_fill(m == -torch.inf, 0.0)
    fade_a, fade_b = torch.exp(m_a - safe), torch.exp(m_b - safe)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def seen_from_zero(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    part_a, part_b = torch.exp(m_a), torch.exp(m_b)
    out = o_a * part_a[:, None] + o_b * part_b[:, None]
    return torch.maximum(m_a, m_b), l_a * part_a + l_b * part_b, out


def asked_of_all(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    if (m_a == -torch.inf).all():
        return m_b.clone(), l_b.clone(), o_b.clone()
    if (m_b == -torch.inf).all():
        return m_a.clone(), l_a.clone(), o_a.clone()
    return nan_for_nothing(m_a, l_a, o_a, m_b, l_b, o_b)


def larger_only(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    a = m_a >= m_b
    return torch.maximum(m_a, m_b), torch.where(a, l_a, l_b), torch.where(a[:, None], o_a, o_b)


def shares_for_factors(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    shares = torch.softmax(torch.stack([m_a, m_b]), dim=0).nan_to_num(0.0)
    out = o_a * shares[0, :, None] + o_b * shares[1, :, None]
    return torch.maximum(m_a, m_b), l_a * shares[0] + l_b * shares[1], out

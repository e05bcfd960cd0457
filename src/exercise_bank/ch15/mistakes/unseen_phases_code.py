"""Wrong answers to 15.unseen_phases, as students write them."""

import math

import torch
from torch import Tensor

Two = tuple[list[int], list[int]]


def numbers(mask: Tensor) -> list[int]:
    return mask.nonzero().flatten().tolist()


def judged(frequencies: Tensor, last: Tensor, edge: Tensor, angle: Tensor) -> Two:
    """Judge by the angle that decides on turns, the end of the arc, and the tested angle."""
    slow = last < 2 * math.pi
    return numbers(slow), numbers(slow & (angle % (2 * math.pi) > edge))


def one_too_many(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * trained
    return judged(frequencies, last, last, frequencies * distance)


def turns_one_too_many(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = frequencies * trained < 2 * math.pi
    last = frequencies * (trained - 1)
    unseen = (frequencies * distance) % (2 * math.pi) > last
    return numbers(slow), numbers(unseen)


def arc_one_too_long(frequencies: Tensor, trained: int, distance: int) -> Two:
    last, edge = frequencies * (trained - 1), frequencies * trained
    return judged(frequencies, last, edge, frequencies * distance)


def exactly_one_is_slow(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    unseen = (frequencies * distance) % (2 * math.pi) > last
    return numbers(last <= 2 * math.pi), numbers(unseen)


def longest_is_new(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    slow = last < 2 * math.pi
    return numbers(slow), numbers(slow & ((frequencies * distance) % (2 * math.pi) >= last))


def fast_for_slow(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    unseen = (frequencies * distance) % (2 * math.pi) > last
    return numbers(last >= 2 * math.pi), numbers(unseen)


def half_a_turn(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    slow = last < math.pi
    return numbers(slow), numbers(slow & ((frequencies * distance) % (2 * math.pi) > last))


def half_turns(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    slow = last < math.pi
    return numbers(slow), numbers(slow & ((frequencies * distance) % math.pi > last))


def back_after_half_a_turn(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    unseen = (frequencies * distance) % math.pi > last
    return numbers(last < 2 * math.pi), numbers(unseen)


def taken_for_wavelengths(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = frequencies > trained - 1
    return numbers(slow), numbers(slow & (distance % frequencies > trained - 1))


def taken_for_turns(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    return numbers(last < 1), numbers((frequencies * distance) % 1 > last)


def in_degrees(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    return numbers(last < 360), numbers((frequencies * distance) % 360 > last)


def every_slow_one(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = numbers(frequencies * (trained - 1) < 2 * math.pi)
    return slow, slow if distance > trained - 1 else []


def always_every_slow_one(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = numbers(frequencies * (trained - 1) < 2 * math.pi)
    return slow, list(slow)


def every_plane(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    return numbers(last < 2 * math.pi), numbers(frequencies * distance > last)


def still_not_round(frequencies: Tensor, trained: int, distance: int) -> Two:
    last, angle = frequencies * (trained - 1), frequencies * distance
    unseen = (angle > last) & (angle < 2 * math.pi)
    return numbers(last < 2 * math.pi), numbers(unseen)


def points_alone(frequencies: Tensor, trained: int, distance: int) -> Two:
    """Count only the angles at whole distances as seen."""
    slow = frequencies * (trained - 1) < 2 * math.pi
    turns = frequencies * distance / (2 * math.pi)
    seen = frequencies[:, None] * torch.arange(trained) / (2 * math.pi)
    apart = (seen - (turns % 1)[:, None]).abs().amin(dim=1)
    return numbers(slow), numbers(slow & (apart > 1e-9))


def round_by_now(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = frequencies * (trained - 1) < 2 * math.pi
    return numbers(slow), numbers(slow & (frequencies * distance >= 2 * math.pi))


def beyond_a_turn(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = frequencies * (trained - 1) < 2 * math.pi
    return numbers(slow), numbers(slow & (frequencies * distance > 2 * math.pi))


def seen_both_ways(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    angle = (frequencies * distance) % (2 * math.pi)
    unseen = torch.minimum(angle, 2 * math.pi - angle) > last
    return numbers(last < math.pi), numbers(unseen)


def cosines_compared(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    less = (frequencies * distance).cos() < last.cos() - 1e-9
    return numbers(last < 2 * math.pi), numbers(less & (last < 2 * math.pi))


def cosines_of_all(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    less = (frequencies * distance).cos() < last.cos() - 1e-9
    return numbers(last < 2 * math.pi), numbers(less)


def cosine_and_sine_apart(frequencies: Tensor, trained: int, distance: int) -> Two:
    seen = frequencies * torch.arange(trained)[:, None]
    slow = frequencies * (trained - 1) < 2 * math.pi
    unseen = torch.zeros_like(slow)
    for part in (torch.cos, torch.sin):
        low, high = part(seen).amin(dim=0), part(seen).amax(dim=0)
        here = part(frequencies * distance)
        unseen |= (here < low - 1e-9) | (here > high + 1e-9)
    return numbers(slow), numbers(slow & unseen)


def exact_angles_only(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = frequencies * (trained - 1) < 2 * math.pi
    seen = (frequencies * torch.arange(trained)[:, None]) % (2 * math.pi)
    angle = (frequencies * distance) % (2 * math.pi)
    unseen = ((seen - angle).abs() > 1e-9).all(dim=0)
    return numbers(slow), numbers(unseen)


def mirrored(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    angle = (frequencies * distance) % (2 * math.pi)
    unseen = torch.minimum(angle, 2 * math.pi - angle) > last
    return numbers(last < 2 * math.pi), numbers(unseen)


def beyond_the_slowest(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    angle = (frequencies * distance) % (2 * math.pi)
    slow = last < 2 * math.pi
    return numbers(slow), numbers(slow & (angle > last.min()))


def by_the_excess(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    angle = (frequencies * max(0, distance - trained)) % (2 * math.pi)
    return numbers(last < 2 * math.pi), numbers((last < 2 * math.pi) & (angle > last))


def by_the_excess_over_the_longest(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    angle = (frequencies * max(0, distance - trained + 1)) % (2 * math.pi)
    return numbers(last < 2 * math.pi), numbers((last < 2 * math.pi) & (angle > last))


def slow_at_the_distance(frequencies: Tensor, trained: int, distance: int) -> Two:
    angle = frequencies * distance
    unseen = angle % (2 * math.pi) > frequencies * (trained - 1)
    return numbers(angle < 2 * math.pi), numbers(unseen)


def folded_arc(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    unseen = (frequencies * distance) % (2 * math.pi) > last % (2 * math.pi)
    return numbers(last < 2 * math.pi), numbers(unseen)


def swapped(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    unseen = (frequencies * distance) % (2 * math.pi) > last
    return numbers(unseen), numbers(last < 2 * math.pi)


def seen_for_unseen(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    seen = (frequencies * distance) % (2 * math.pi) <= last
    return numbers(last < 2 * math.pi), numbers(seen)


def counted_from_one(frequencies: Tensor, trained: int, distance: int) -> Two:
    last = frequencies * (trained - 1)
    unseen = (frequencies * distance) % (2 * math.pi) > last
    return [i + 1 for i in numbers(last < 2 * math.pi)], [i + 1 for i in numbers(unseen)]


def one_too_many_and_no_wrap(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow = numbers(frequencies * trained < 2 * math.pi)
    return slow, slow if distance >= trained else []


def masks(frequencies: Tensor, trained: int, distance: int) -> tuple[Tensor, Tensor]:
    last = frequencies * (trained - 1)
    return last < 2 * math.pi, (frequencies * distance) % (2 * math.pi) > last


def wavelength_at_least(frequencies: Tensor, trained: int, distance: int) -> Two:
    waves = 2 * math.pi / frequencies
    slow = waves > trained - 1e-9
    return numbers(slow), numbers(slow & (distance % waves > trained - 1))


def rest_at_least(frequencies: Tensor, trained: int, distance: int) -> Two:
    waves = 2 * math.pi / frequencies
    return numbers(waves > trained - 1), numbers(distance % waves > trained - 1e-9)


def both_at_least(frequencies: Tensor, trained: int, distance: int) -> Two:
    waves = 2 * math.pi / frequencies
    return numbers(waves > trained - 1e-9), numbers(distance % waves > trained - 1e-9)


def waves_rounded(frequencies: Tensor, trained: int, distance: int) -> Two:
    waves = (2 * math.pi / frequencies).round()
    slow = waves > trained - 1
    return numbers(slow), numbers(slow & (distance % waves > trained - 1))


def waves_rounded_down(frequencies: Tensor, trained: int, distance: int) -> Two:
    waves = (2 * math.pi / frequencies).floor()
    slow = waves > trained - 1
    return numbers(slow), numbers(slow & (distance % waves > trained - 1))


def waves_rounded_up(frequencies: Tensor, trained: int, distance: int) -> Two:
    waves = (2 * math.pi / frequencies).ceil()
    slow = waves > trained - 1
    return numbers(slow), numbers(slow & (distance % waves > trained - 1))


def one_turn_off(frequencies: Tensor, trained: int, distance: int) -> Two:
    last, angle = frequencies * (trained - 1), frequencies * distance
    slow, turn = last < 2 * math.pi, 2 * math.pi
    return numbers(slow), numbers(slow & (torch.where(angle >= turn, angle - turn, angle) > last))

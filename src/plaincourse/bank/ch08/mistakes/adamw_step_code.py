"""Steps of AdamW that are wrong in one place."""

from torch import Tensor

State = tuple[Tensor, Tensor, Tensor]


def no_correction(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (square.sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def only_mean_corrected(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9**t) / (square.sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def only_square_corrected(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / ((square / (1 - 0.95**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def no_root(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9**t) / (square / (1 - 0.95**t) + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def delta_inside(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9**t) / (square / (1 - 0.95**t) + 1e-8).sqrt()
    return weight - rate * decay * weight - rate * step, mean, square


def coupled(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    gradient = gradient + decay * weight
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9**t) / ((square / (1 - 0.95**t)).sqrt() + 1e-8)
    return weight - rate * step, mean, square


def decay_without_rate(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9**t) / ((square / (1 - 0.95**t)).sqrt() + 1e-8)
    return weight - decay * weight - rate * step, mean, square


def hands_on_corrected(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    mean, square = mean / (1 - 0.9**t), square / (1 - 0.95**t)
    return weight - rate * decay * weight - rate * mean / (square.sqrt() + 1e-8), mean, square


def averages_swapped(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.95 * mean + 0.05 * gradient
    square = 0.9 * square + 0.1 * gradient**2
    step = mean / (1 - 0.95**t) / ((square / (1 - 0.9**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def first_power(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9) / ((square / (1 - 0.95)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def ascends(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * gradient**2
    step = mean / (1 - 0.9**t) / ((square / (1 - 0.95**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight + rate * step, mean, square

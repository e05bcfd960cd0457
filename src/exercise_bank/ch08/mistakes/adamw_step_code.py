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


def raw_gradient(
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
    step = gradient / ((square / (1 - 0.95**t)).sqrt() + 1e-8)
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


def decay_divided(
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
    step = mean / (1 - 0.9**t) + decay * weight
    return weight - rate * step / ((square / (1 - 0.95**t)).sqrt() + 1e-8), mean, square


def decay_divided_before_correction(
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
    step = (mean + decay * weight) / (1 - 0.9**t)
    return weight - rate * step / ((square / (1 - 0.95**t)).sqrt() + 1e-8), mean, square


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


def corrections_swapped(
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
    step = mean / (1 - 0.95**t) / ((square / (1 - 0.9**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def corrected_behind_the_root(
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
    step = mean / (1 - 0.9**t) / (square.sqrt() / (1 - 0.95**t) + 1e-8)
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


def old_averages(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    size = (square / (1 - 0.95**t)).sqrt() + 1e-8
    new = weight - rate * decay * weight - rate * mean / (1 - 0.9**t) / size
    return new, 0.9 * mean + 0.1 * gradient, 0.95 * square + 0.05 * gradient**2


def textbook_beta(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    step = mean / (1 - 0.9**t) / ((square / (1 - 0.999**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def decay_behind(
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
    return (weight - rate * step) * (1 - rate * decay), mean, square


def square_of_mean(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.95 * square + 0.05 * mean**2
    step = mean / (1 - 0.9**t) / ((square / (1 - 0.95**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def no_decay(
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
    return weight - rate * step, mean, square


def one_step_more(
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
    step = mean / (1 - 0.9 ** (t + 1)) / ((square / (1 - 0.95 ** (t + 1))).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def shares_swapped(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    mean = 0.1 * mean + 0.9 * gradient
    square = 0.05 * square + 0.95 * gradient**2
    step = mean / (1 - 0.1**t) / ((square / (1 - 0.05**t)).sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square


def decay_added(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    return no_decay(weight * (1 + rate * decay), gradient, mean, square, t, rate, decay)


def half_of_the_decay(
    weight: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    t: int,
    rate: float,
    decay: float,
) -> State:
    return no_decay(weight * (1 - rate * decay / 2), gradient, mean, square, t, rate, decay)


def delta_before_the_correction(
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
    factor = (1 - 0.95**t) ** 0.5 / (1 - 0.9**t)
    step = factor * mean / (square.sqrt() + 1e-8)
    return weight - rate * decay * weight - rate * step, mean, square

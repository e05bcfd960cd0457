"""The closed boxes of 07.name_the_box, rung by rung."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch07 import boxes
from exercise_bank.draws import normal
from plaincourse.exercise import Inputs

Open = tuple[boxes.Box, Tensor]


def opened(g: Generator, n: int, *masks: list[Tensor]) -> list[Open]:
    return [(boxes.stack(g, 4, each), normal(g, n, 4)) for each in masks]


def shown(g: Generator, n: int, *masks: list[Tensor]) -> list[Inputs]:
    return [boxes.shut(*each) for each in opened(g, n, *masks)]


def two_plain(g: Generator) -> list[Inputs]:
    plain = shown(g, 3, [boxes.everything(3)], [boxes.triangle(3)])
    deep = opened(g, 5, [boxes.triangle(5)] * 2, [boxes.everything(5)] * 2)
    sums = boxes.shut(lambda x: x.cumsum(dim=-2), torch.tensor([[1.0], [2.0], [4.0]]))
    return [sums, *plain, *(boxes.shut(boxes.narrow(box), x) for box, x in deep)]


def open_beginnings(g: Generator) -> list[Inputs]:
    """Draw prefixes of each length, and an encoder."""
    masks = [[boxes.opened(5, first)] for first in (2, 4, 3, 5)]
    return shown(g, 5, *masks) + shown(g, 3, [boxes.opened(3, 2)])


def limits(g: Generator) -> list[Inputs]:
    ends = shown(g, 5, [boxes.opened(5, 1)], [boxes.opened(5, 5)])
    of_two = shown(g, 2, [boxes.triangle(2)], [boxes.everything(2)], [boxes.itself(2)])
    [(box, x)] = opened(g, 4, [boxes.triangle(4)])
    x[1] = 0
    return [*ends, *of_two, boxes.shut(box, x)]


def strangers(g: Generator) -> list[Inputs]:
    n = 5
    squares = boxes.shut(lambda x: x * x, torch.tensor([[1.0], [2.0], [4.0]]))
    masks = [boxes.itself(n)], [boxes.window(n, 2)], [boxes.triangle(n).mT], [boxes.triangle(n)]
    return [squares, *shown(g, n, *masks, [boxes.opened(n, 3)])]


def one_cell(g: Generator) -> list[Inputs]:
    """Draw tables with one cell more or less than an encoder or a decoder, and these two.

    If an output does not depend on its own input, the box has no residual stream.
    """
    n = 6
    own = boxes.triangle(n)
    own[3, 3] = False
    without = [
        boxes.shut(boxes.averages(g, 4, mask), normal(g, n, 4))
        for mask in (boxes.blind(n, 2, 2), own)
    ]
    return without + shown(
        g,
        n,
        [boxes.peeking(n, 2, 4)],
        [boxes.peeking(n, 1, 2)],
        [boxes.blind(n, 4, 1)],
        [boxes.everything(n)],
        [boxes.peeking(n, 0, 5)],
        [boxes.triangle(n)],
    )


def through_layers(g: Generator) -> list[Inputs]:
    n = 5
    (first, x), (second, y) = opened(g, n, [boxes.triangle(n)], [boxes.opened(n, 2)])
    blind = [boxes.shut(boxes.blind_to(first, 0), x), boxes.shut(boxes.blind_to(second, -1), y)]
    return blind + shown(
        g,
        n,
        [boxes.window(n, 2)] * 4,
        [boxes.window(n, 2)] * 2,
        [boxes.opened(n, 3), boxes.triangle(n)],
        [boxes.itself(n), boxes.everything(n)],
        [boxes.triangle(n), boxes.everything(n), boxes.triangle(n)],
    )


def faint_moves(g: Generator) -> list[Inputs]:
    n = 4
    masks = [boxes.everything(n)], [boxes.triangle(n)], [boxes.opened(n, 2)]
    return [boxes.shut(boxes.faint(box), x) for box, x in opened(g, n, *masks)]


def through_norms(g: Generator) -> list[Inputs]:
    """Draw all three architectures after a norm that removes a shift of its input, or its size.

    The numbers are sixteenths, so that a shift or a doubling leaves no rounding in the last digits.
    """
    drawn: list[Inputs] = []
    for n, centre in ((5, True), (4, False)):
        masks = [boxes.everything(n)], [boxes.triangle(n)], [boxes.opened(n, 2)]
        for box, x in opened(g, n, *masks):
            drawn.append(boxes.shut(boxes.normed(box, centre=centre), (16 * x).round() / 16))
    single = opened(g, 4, [boxes.opened(4, 2)], [boxes.window(4, 2)])
    drawn += [boxes.shut(box, x.float()) for box, x in single]
    return drawn

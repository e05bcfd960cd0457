"""Exercise 05.padded_positions: where the tokens of a padded batch stand."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch05.mistakes.padded_positions import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def in_front(k: int, *fillers: int) -> Inputs:
    """Return a mask with so many fillers before the real tokens of each sequence."""
    return {"mask": torch.arange(k) >= torch.tensor(fillers)[:, None]}


def one_filler(g: Generator) -> list[Inputs]:
    return [in_front(2, 1), in_front(3, 1), in_front(5, 1)]


def each_its_own(g: Generator) -> list[Inputs]:
    drawn = [int(n) for n in torch.randint(0, 7, (4,), generator=g)]
    return [in_front(3, 1, 0), in_front(5, 0, 3, 1), in_front(7, *drawn, 5)]


def anywhere(g: Generator) -> list[Inputs]:
    holes = torch.rand(4, 9, generator=g) < 0.6
    holes[:, 0] = torch.tensor([True, False, True, False])
    return [
        {"mask": ~in_front(4, 2)["mask"]},
        {"mask": torch.tensor([[True, True, False], [False, False, False]])},
        {"mask": holes},
    ]


def padded_positions(mask: Tensor) -> Tensor:
    """Count the real tokens up to each, from 0; fillers get 0."""
    return (mask.cumsum(dim=-1) - 1) * mask


def in_a_loop(mask: Tensor) -> Tensor:
    positions = torch.zeros(mask.shape, dtype=torch.long)
    for row, seen in zip(positions, mask, strict=True):
        row[seen] = torch.arange(int(seen.sum()))
    return positions


def fillers_taken_off(mask: Tensor) -> Tensor:
    place = torch.arange(mask.shape[-1])
    before = torch.cumsum(~mask, dim=-1)
    return torch.where(mask, place - before, torch.zeros_like(before))


TASK = Exercise(
    id="05.padded_positions",
    title="Positions in a padded batch",
    level="warm-up",
    minutes=8,
    concepts=("learned-positions",),
    reference=padded_positions,
    rungs=(
        Rung(name="one filler in front", points=1.0, draw=one_filler),
        Rung(name="each sequence has its own number of fillers", points=1.0, draw=each_its_own),
        Rung(name="fillers get 0, wherever they stand", points=1.0, draw=anywhere),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in a loop", answer=in_a_loop),
        Alternative(name="fillers taken off", answer=fillers_taken_off),
    ),
    hints=(
        "Which position should the first real token of a sequence have, whatever stands before it?",
        "The position of a real token is the number of real tokens before it.",
        "A running sum over the mask counts real tokens up to and including each. What is left is "
        "to start at 0 and to see to the fillers.",
    ),
    equivalents={
        "padded_positions: line 2: the minus of -1 dropped": "the last of two axes is axis 1",
    },
)

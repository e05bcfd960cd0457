"""Exercise 05.padded_positions: the positions of tokens in a padded batch."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch05.mistakes.padded_positions import MISCONCEPTIONS
from exercise_bank.skills import rung, sides_of
from plaincourse.exercise import Alternative, Exercise, Inputs

COUNT = "real tokens are counted"
START = "each sequence starts at 0"
FILLERS = "a filler gets 0"


def in_front(k: int, *fillers: int) -> Inputs:
    """Return a mask with these numbers of fillers before the real tokens of each sequence."""
    return {"mask": torch.arange(k) >= torch.tensor(fillers)[:, None]}


def fillers_in_front(g: Generator) -> list[Inputs]:
    """Draw sequences of at least two real tokens, each with its own number of fillers in front.

    Lengths and fillers depend on the seed, so that positions for another seed are rarely right.
    """
    drawn = []
    for rows, shortest in enumerate((3, 4, 6, 8), start=1):
        k = shortest + int(torch.randint(0, 5, (), generator=g))
        fillers = torch.randint(0, k - 1, (rows,), generator=g)
        fillers[-1] = fillers[-1].clamp(min=1)
        drawn.append(in_front(k, *fillers.tolist()))
    return drawn


def anywhere(g: Generator) -> list[Inputs]:
    """Draw fillers after and between tokens, and sequences of fillers only and of one token."""
    holes = torch.rand(4, 9, generator=g) < 0.6
    holes[:, 0] = torch.tensor([True, False, True, False])
    return [
        in_front(4, 2, 0),
        {"mask": ~in_front(4, 2)["mask"]},
        {"mask": torch.tensor([[True, True, False], [False, False, False]])},
        {"mask": torch.tensor([[True]])},
        {"mask": torch.tensor([[False, True, False, True, True]])},
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


def token_by_token(mask: Tensor) -> Tensor:
    rows = []
    for sequence in mask.tolist():
        seen, row = 0, []
        for real in sequence:
            row.append(seen if real else 0)
            seen += real
        rows.append(row)
    return torch.tensor(rows)


def by_step(inputs: Inputs, positions: Tensor) -> Tensor:
    """Return the difference between each real token's position and that of the one before it."""
    steps: Tensor = positions.diff(dim=-1)
    return steps[inputs["mask"][:, :-1]]


def at_the_start(inputs: Inputs, positions: Tensor) -> Tensor:
    """Return the first and the last real position of each sequence."""
    mask = inputs["mask"]
    first = mask.int().argmax(dim=-1, keepdim=True)
    return torch.cat([positions.gather(-1, first), positions[:, -1:]], dim=-1)


def on_fillers(inputs: Inputs, positions: Tensor) -> Tensor:
    """Return the positions of fillers, and whether real tokens have different ones."""
    mask = inputs["mask"]
    return torch.cat([positions[~mask], (positions[mask].diff() != 0).any()[None].double()])


def themselves(inputs: Inputs, positions: Tensor) -> Tensor:
    return positions


def whole_numbers(inputs: Inputs, positions: object) -> str | None:
    """Report positions of a floating or boolean dtype."""
    if not isinstance(positions, Tensor):
        return f"expected a tensor; yours is a {type(positions).__name__}"
    if positions.is_floating_point() or positions.dtype == torch.bool:
        return f"a table is indexed by whole numbers; the dtype of yours is {positions.dtype}"
    if torch.iinfo(positions.dtype).max < inputs["mask"].shape[-1]:
        most = torch.iinfo(positions.dtype).max
        return f"your dtype, {positions.dtype}, ends at {most}, and positions here go on beyond it"
    return None


def short_and_long(g: Generator) -> list[Inputs]:
    """Draw fillers in front, a few and more than 8 bits can count."""
    return [*fillers_in_front(g), in_front(270, 3)]


side = sides_of(padded_positions, in_full=True)

TASK = Exercise(
    id="05.padded_positions",
    title="Positions in a padded batch",
    level="warm-up",
    minutes=8,
    concepts=("learned-positions",),
    reference=padded_positions,
    rungs=(
        side(
            "behind fillers in front, real tokens go up by 1",
            0.75,
            fillers_in_front,
            by_step,
            "from real token to real token",
            COUNT,
        ),
        side(
            "behind fillers in front, the first real token gets 0",
            0.5,
            fillers_in_front,
            at_the_start,
            "first and last real position of each sequence",
            START,
        ),
        side(
            "fillers in front get 0, and real tokens not all the same",
            0.5,
            fillers_in_front,
            on_fillers,
            "what fillers get, and then whether (1) real tokens have several positions",
            FILLERS,
        ),
        side("fillers in any place", 1.0, anywhere, themselves, "positions", COUNT),
        rung("positions are whole numbers, of any size", 0.25, short_and_long, whole_numbers),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in a loop", answer=in_a_loop),
        Alternative(name="fillers taken off", answer=fillers_taken_off),
        Alternative(name="token by token", answer=token_by_token),
    ),
    hints=(
        "Which position should the first real token of a sequence get, however many fillers are in "
        "front of it?",
        "The position of a real token is the number of real tokens before it.",
        "A running sum over the mask counts real tokens up to and including each. The count still "
        "has to start at 0, and fillers still have to get 0.",
    ),
    equivalents={
        "padded_positions: line 2: the minus of -1 dropped": "the last of two axes is axis 1",
    },
)

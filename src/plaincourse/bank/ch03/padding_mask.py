"""Exercise 03.padding_mask: hiding what only fills up the batch."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch03.mistakes.padding_mask import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.masks import padding


def one_full_sequence(g: Generator) -> list[Inputs]:
    return [{"lengths": torch.tensor([1]), "k": 1}, {"lengths": torch.tensor([3]), "k": 3}]


def one_padded_sequence(g: Generator) -> list[Inputs]:
    return [{"lengths": torch.tensor([1]), "k": 2}, {"lengths": torch.tensor([2]), "k": 5}]


def a_ragged_batch(g: Generator) -> list[Inputs]:
    drawn = torch.randint(1, 7, (4,), generator=g)
    return [
        {"lengths": torch.tensor([2, 1]), "k": 2},
        {"lengths": torch.tensor([1, 3, 2]), "k": 3},
        {"lengths": drawn, "k": 7},
    ]


def longer_than_the_longest(g: Generator) -> list[Inputs]:
    return [{"lengths": torch.tensor([1, 2]), "k": 4}, {"lengths": torch.tensor([0, 3]), "k": 5}]


def hides_the_padding(inputs: Inputs, mask: Tensor) -> str | None:
    """Say which sequence shows the wrong number of keys."""
    b, k = len(inputs["lengths"]), inputs["k"]
    if mask.dtype != torch.bool:
        return f"a mask is boolean, True = may look; yours has dtype {mask.dtype}"
    if mask.shape != (b, 1, 1, k):
        return (
            f"the shape is (b, 1, 1, k) = {(b, 1, 1, k)}, which broadcasts over heads and queries; "
            f"yours is {tuple(mask.shape)}"
        )
    for row, length in enumerate(inputs["lengths"].tolist()):
        if mask[row].sum() != length:
            return (
                f"sequence {row} has {length} real tokens; your mask shows {int(mask[row].sum())}"
            )
    return None


def with_none(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) < lengths[:, None])[:, None, None, :]


def with_view(lengths: Tensor, k: int) -> Tensor:
    return (lengths.view(-1, 1, 1, 1) > torch.arange(k)).view(len(lengths), 1, 1, k)


def sequence_by_sequence(lengths: Tensor, k: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, 1, k, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        mask[row, 0, 0, :length] = True
    return mask


TASK = Exercise(
    id="03.padding_mask",
    title="Hide the padding",
    level="easy",
    minutes=8,
    concepts=("padding-mask", "mask-broadcasting"),
    reference=padding,
    rungs=(
        Rung(
            name="no padding, nothing hidden",
            points=0.5,
            draw=one_full_sequence,
            law=hides_the_padding,
        ),
        Rung(
            name="one sequence with padding behind it",
            points=1.0,
            draw=one_padded_sequence,
            law=hides_the_padding,
        ),
        Rung(
            name="a batch of unequal lengths",
            points=1.0,
            draw=a_ragged_batch,
            law=hides_the_padding,
        ),
        Rung(
            name="the batch is padded beyond its longest sequence",
            points=0.5,
            draw=longer_than_the_longest,
            law=hides_the_padding,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="indexing with None", answer=with_none),
        Alternative(name="views", answer=with_view),
        Alternative(name="sequence by sequence", answer=sequence_by_sequence),
    ),
    hints=(
        "For a sequence of 2 tokens padded to 5, which of the 5 keys may be looked at?",
        "arange(k) has shape (k,), lengths[:, None] has shape (b, 1). What does comparing them "
        "give?",
        "Compare, which gives (b, k); then put in the axes for heads and queries with "
        "[:, None, None, :].",
    ),
)

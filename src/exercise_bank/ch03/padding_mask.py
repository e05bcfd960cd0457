"""Exercise 03.padding_mask: hide the filler of a batch."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch03.laws import form, sees
from exercise_bank.ch03.mistakes.padding_mask import MISCONCEPTIONS
from exercise_bank.ch03.mistakes.padding_mask_more import MORE
from exercise_bank.draws import more
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.masks import padding


def longer(g: Generator, lengths: list[int], k: int) -> Inputs:
    """Make a batch; in hidden inputs each sequence and the mask are longer by the same number."""
    by = more(g, 4)
    return {"lengths": torch.tensor(lengths) + by, "k": k + by}


def ragged(g: Generator) -> list[Inputs]:
    """Draw batches whose longest sequence fills all places."""
    drawn = torch.randint(1, 7, (4,), generator=g)
    drawn[int(torch.randint(4, (), generator=g))] = 7
    return [
        longer(g, [1, 3], 3),
        longer(g, [2, 5, 4], 5),
        {"lengths": drawn, "k": 7},
    ]


def longer_than_the_longest(g: Generator) -> list[Inputs]:
    drawn = torch.randint(1, 6, (3,), generator=g)
    return [
        {"lengths": torch.tensor([1, 2]), "k": 4},
        {"lengths": torch.tensor([0, 3]), "k": 5},
        {"lengths": drawn, "k": 7},
    ]


def everything(g: Generator) -> list[Inputs]:
    batches: list[tuple[list[int], int]] = [
        ([3, 1], 3), ([1], 1), ([3], 3), ([1], 2), ([2], 5), ([2, 1], 2), ([1, 3, 2], 3),
    ]  # fmt: skip
    return [longer(g, lengths, k) for lengths, k in batches]


def right(inputs: Inputs) -> Tensor:
    return with_none(**inputs)


def off_the_border(inputs: Inputs) -> Tensor:
    """Mark all places but the first one after each sequence."""
    return (torch.arange(inputs["k"]) != inputs["lengths"][:, None])[:, None, None, :]


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
    extra=True,
    reference=padding,
    rungs=(
        Rung(
            name="a boolean mask of shape (b, 1, 1, k), neither all True nor all False",
            points=0.5,
            draw=ragged,
            law=form(right),
            compare=False,
        ),
        Rung(
            name="tokens and padding differ, whichever is True, but for the first place of padding",
            points=0.75,
            idea="real tokens are seen",
            draw=ragged,
            law=sees(right, only=off_the_border, either=True),
            compare=False,
        ),
        Rung(
            name="the real tokens are open, in any type, even if axes of size 1 are missing",
            points=0.75,
            idea="real tokens are seen",
            draw=ragged,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="the same where the batch is padded beyond its longest sequence",
            points=0.5,
            idea="as many places as k says",
            draw=longer_than_the_longest,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="the whole, at any sizes",
            points=0.5,
            draw=everything,
            law=sees(right),
            compare=False,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="indexing with None", answer=with_none),
        Alternative(name="views", answer=with_view),
        Alternative(name="sequence by sequence", answer=sequence_by_sequence),
    ),
    hints=(
        "For a sequence of 2 tokens padded to 5, which of the 5 keys may be looked at?",
        "The positions of the keys have shape (k,), and the lengths as a column have shape (b,"
        " 1). What does comparing them give?",
        "Compare, which gives (b, k); then index with None at the places of the heads and of "
        "the queries.",
    ),
)

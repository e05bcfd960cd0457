"""Exercise 03.generation_mask: causal, padded on the left, fewer queries than keys."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch03.mistakes.generation_mask import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def without_padding(g: Generator) -> list[Inputs]:
    return [
        {"lengths": torch.tensor([2]), "q": 2, "k": 2},
        {"lengths": torch.tensor([4, 4, 4]), "q": 4, "k": 4},
    ]


def one_query(g: Generator) -> list[Inputs]:
    drawn = torch.randint(1, 6, (3,), generator=g)
    return [
        {"lengths": torch.tensor([1]), "q": 1, "k": 2},
        {"lengths": torch.tensor([3, 2]), "q": 1, "k": 3},
        {"lengths": drawn, "q": 1, "k": 6},
    ]


def whole_prompts(g: Generator) -> list[Inputs]:
    drawn = torch.randint(1, 8, (4,), generator=g)
    return [
        {"lengths": torch.tensor([1]), "q": 3, "k": 3},
        {"lengths": torch.tensor([2, 3]), "q": 3, "k": 3},
        {"lengths": drawn, "q": 8, "k": 8},
    ]


def with_a_cache(g: Generator) -> list[Inputs]:
    return [
        {"lengths": torch.tensor([4, 2]), "q": 2, "k": 4},
        {"lengths": torch.tensor([1, 5, 3]), "q": 3, "k": 5},
        {"lengths": torch.tensor([0, 2]), "q": 1, "k": 3},
    ]


def shows_as_many_as_it_may(inputs: Inputs, mask: Tensor) -> str | None:
    """Say what is wrong with the form of a mask, or which row shows the wrong number of keys."""
    b, q, k = len(inputs["lengths"]), inputs["q"], inputs["k"]
    if mask.dtype != torch.bool:
        return f"a mask is boolean, True = may look; yours has dtype {mask.dtype}"
    if mask.shape != (b, 1, q, k):
        return (
            f"the shape is (b, 1, q, k) = {(b, 1, q, k)}: it differs between sequences and "
            f"queries, and heads share it; yours is {tuple(mask.shape)}"
        )
    right = generation_mask(**inputs)
    for row in range(b):
        wanted, found = (x[row, 0].sum(-1).tolist() for x in (right, mask))
        if wanted != found:
            length = int(inputs["lengths"][row])
            return (
                f"sequence {row} has {length} tokens at the end of {k} places: its {q} queries see "
                f"{wanted} keys; in yours {found}"
            )
    return None


def generation_mask(lengths: Tensor, q: int, k: int) -> Tensor:
    """Open real keys that are not later than the query."""
    key = torch.arange(k)
    query = torch.arange(k - q, k)[:, None]
    real = key >= k - lengths[:, None]
    return (key <= query) & real[:, None, None, :]


def two_masks(lengths: Tensor, q: int, k: int) -> Tensor:
    causal = torch.ones(q, k, dtype=torch.bool).tril(k - q)
    padding = torch.stack([torch.arange(k) >= k - n for n in lengths])
    return causal[None, None] & padding.view(len(lengths), 1, 1, k)


def sequence_by_sequence(lengths: Tensor, q: int, k: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, q, k, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        for i in range(q):
            mask[row, 0, i, k - length : k - q + i + 1] = True
    return mask


TASK = Exercise(
    id="03.generation_mask",
    title="A mask for writing on",
    level="hard",
    minutes=18,
    concepts=("combined-mask", "padding-mask", "mask-broadcasting", "causal-mask"),
    reference=generation_mask,
    rungs=(
        Rung(
            name="without padding it is the causal mask",
            points=1.0,
            draw=without_padding,
            law=shows_as_many_as_it_may,
        ),
        Rung(
            name="one new token sees all that is real",
            points=1.5,
            draw=one_query,
            law=shows_as_many_as_it_may,
        ),
        Rung(
            name="whole prompts, padded on the left",
            points=1.5,
            draw=whole_prompts,
            law=shows_as_many_as_it_may,
        ),
        Rung(
            name="a few new tokens, and a cache",
            points=1.0,
            draw=with_a_cache,
            law=shows_as_many_as_it_may,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="two masks", answer=two_masks),
        Alternative(name="sequence by sequence", answer=sequence_by_sequence),
    ),
    hints=(
        "Three places, a sequence of 2 tokens: at which positions do the tokens stand?",
        "Two conditions, each a comparison of positions. Which of them knows the sequence, and "
        "which knows the query?",
        "The condition on keys has the axes (b, k), the causal one (q, k). Where must the missing "
        "axes go, so that both give (b, 1, q, k)?",
    ),
)

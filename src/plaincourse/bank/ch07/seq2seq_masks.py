"""Exercise 07.seq2seq_masks: the three masks of an encoder–decoder, from padded tokens."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch07.mistakes.seq2seq_masks import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

NAMES = ("encoder", "decoder", "cross")
PAD = 0


def tokens(g: Generator, lengths: list[int], width: int, *, left: bool = False) -> Tensor:
    """Draw tokens from 1 to 9, padded with 0."""
    drawn = torch.randint(1, 10, (len(lengths), width), generator=g)
    place = torch.arange(width)
    real = place < torch.tensor(lengths)[:, None]
    return torch.where(real.flip(-1) if left else real, drawn, PAD)


def pair(g: Generator, source: list[int], target: list[int], **options: bool) -> Inputs:
    return {
        "source": tokens(g, source, max(source), **options),
        "target": tokens(g, target, max(target), **options),
        "pad": PAD,
    }


def no_padding(g: Generator) -> list[Inputs]:
    return [pair(g, [1], [1]), pair(g, [2], [3]), pair(g, [4, 4], [3, 3])]


def padded_source(g: Generator) -> list[Inputs]:
    return [
        {**pair(g, [3, 1], [3, 3])},
        {**pair(g, [2, 4, 1], [4, 4, 4])},
        {**pair(g, [5, 2], [3, 3])},
    ]


def padded_target(g: Generator) -> list[Inputs]:
    return [pair(g, [3, 3], [3, 1]), pair(g, [2, 2, 2], [2, 4, 1])]


def both_ragged(g: Generator) -> list[Inputs]:
    return [pair(g, [4, 2], [2, 5]), pair(g, [1, 6, 3], [4, 2, 3])]


def padded_left(g: Generator) -> list[Inputs]:
    return [pair(g, [3, 2], [3, 2], left=True), pair(g, [4, 1, 2], [2, 5, 3], left=True)]


def other_pad(g: Generator) -> list[Inputs]:
    drawn = pair(g, [4, 2], [2, 3])
    swap = {name: torch.where(drawn[name] == PAD, 7, drawn[name] % 7) for name in list(drawn)[:2]}
    return [{**swap, "pad": 7}]


def who_may_look(inputs: Inputs, masks: object) -> str | None:
    """Say which mask has the wrong shape, type or cell."""
    if not isinstance(masks, (tuple, list)) or len(masks) != 3:
        return "return three masks: encoder, decoder, cross"
    b, k = inputs["source"].shape
    q = inputs["target"].shape[1]
    shapes = ((b, 1, k, k), (b, 1, q, q), (b, 1, q, k))
    for name, mask, shape in zip(NAMES, masks, shapes, strict=True):
        if not isinstance(mask, Tensor) or tuple(mask.shape) != shape:
            found = tuple(mask.shape) if isinstance(mask, Tensor) else type(mask).__name__
            return f"the {name} mask has shape {shape}; yours is {found}"
        if mask.dtype != torch.bool:
            return f"the {name} mask is boolean; yours is {mask.dtype}"
    for name, mask, right in zip(NAMES, masks, seq2seq_masks(**inputs), strict=True):
        wrong = (mask != right).nonzero()
        if len(wrong):
            place = wrong[0].tolist()
            says = "may not" if mask[tuple(place)] else "may"
            row, column = place[2], place[3]
            return (
                f"{name} mask, sequence {place[0]}: query {row} {says} look at key {column}; "
                f"yours says otherwise, in {len(wrong)} cells in all"
            )
    return None


def seq2seq_masks(source: Tensor, target: Tensor, pad: int) -> tuple[Tensor, Tensor, Tensor]:
    """Hide padding as keys, and the target's future."""
    k, q = source.shape[1], target.shape[1]
    real_source = (source != pad)[:, None, None, :]
    real_target = (target != pad)[:, None, None, :]
    causal = torch.ones(q, q, dtype=torch.bool).tril()
    encoder = real_source.expand(-1, 1, k, k)
    cross = real_source.expand(-1, 1, q, k)
    return encoder, real_target & causal, cross


def by_loops(source: Tensor, target: Tensor, pad: int) -> tuple[Tensor, Tensor, Tensor]:
    (b, k), q = source.shape, target.shape[1]
    encoder, cross = torch.zeros(b, 1, k, k) > 1, torch.zeros(b, 1, q, k) > 1
    decoder = torch.zeros(b, 1, q, q) > 1
    for n in range(b):
        for j in range(k):
            encoder[n, 0, :, j] = cross[n, 0, :, j] = bool(source[n, j] != pad)
        for i in range(q):
            for j in range(i + 1):
                decoder[n, 0, i, j] = bool(target[n, j] != pad)
    return encoder, decoder, cross


def by_comparing(source: Tensor, target: Tensor, pad: int) -> tuple[Tensor, Tensor, Tensor]:
    def open_to(count: int, keys: Tensor) -> Tensor:
        return keys.ne(pad)[:, None, None].repeat(1, 1, count, 1)

    place = torch.arange(target.shape[1])
    causal = place[:, None] >= place
    own = open_to(target.shape[1], target).logical_and(causal)
    return open_to(source.shape[1], source), own, open_to(target.shape[1], source)


TASK = Exercise(
    id="07.seq2seq_masks",
    title="The three masks of an encoder–decoder",
    level="medium",
    minutes=15,
    concepts=("masks-of-each-stack", "decoder-cross-attention", "decoder-stack", "encoder-stack"),
    reference=seq2seq_masks,
    rungs=(
        Rung(name="without padding", points=1.0, draw=no_padding, law=who_may_look),
        Rung(name="padding of the source", points=1.0, draw=padded_source, law=who_may_look),
        Rung(name="padding of the target", points=1.0, draw=padded_target, law=who_may_look),
        Rung(name="both ragged", points=1.0, draw=both_ragged, law=who_may_look),
        Rung(name="padding on the left", points=0.5, draw=padded_left, law=who_may_look),
        Rung(name="another padding token", points=0.5, draw=other_pad, law=who_may_look),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="cell by cell", answer=by_loops),
        Alternative(name="by comparing positions", answer=by_comparing),
    ),
    hints=(
        "For each of the three attentions: whose tokens are the queries, whose are the keys?",
        "Padding is hidden as a key, whatever the query is. Which of the three is causal?",
        "(source != pad) has shape (b, k). Which two axes must be put in, and which then grows?",
    ),
    axes="b 1 q k",
    equivalents={},
)

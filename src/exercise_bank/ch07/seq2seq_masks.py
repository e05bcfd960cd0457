"""Exercise 07.seq2seq_masks: the three masks of an encoder–decoder, from padded tokens."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch07.mistakes.seq2seq_masks import MISCONCEPTIONS
from exercise_bank.draws import more
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung

NAMES = ("encoder", "decoder", "cross")
PAD = 0
PADDING = "padding is hidden as a key"
CAUSAL = "the decoder sees nothing later"
CROSS = "one row a target token, one column a source token"


def tokens(g: Generator, lengths: list[int], width: int, *, left: bool = False) -> Tensor:
    """Draw tokens from 1 to 9, padded with 0."""
    drawn = torch.randint(1, 10, (len(lengths), width), generator=g)
    place = torch.arange(width)
    real = place < torch.tensor(lengths)[:, None]
    return torch.where(real.flip(-1) if left else real, drawn, PAD)


def longer(g: Generator, lengths: list[int]) -> list[int]:
    """Return the lengths; in hidden inputs each is longer by one number, if it is not 0."""
    by = more(g)
    return [length + by if length else 0 for length in lengths]


def pair(g: Generator, source: list[int], target: list[int], **options: bool) -> Inputs:
    source, target = (longer(g, lengths) for lengths in (source, target))
    return {
        "source": tokens(g, source, max(source), **options),
        "target": tokens(g, target, max(target), **options),
        "pad": PAD,
    }


def no_padding(g: Generator) -> list[Inputs]:
    return [pair(g, [1], [1]), pair(g, [2], [3]), pair(g, [4, 4], [3, 3])]


def ragged_source(g: Generator) -> list[Inputs]:
    plain = pair(g, [3, 1], [3, 3]), pair(g, [2, 4, 1], [2, 2, 2]), pair(g, [3, 0], [2, 2])
    return [*plain, pair(g, [4, 2], [3, 3], left=True), pair(g, [4, 2], [2, 3])]


def ragged_target(g: Generator) -> list[Inputs]:
    plain = pair(g, [3, 3], [3, 1]), pair(g, [2, 2, 2], [2, 4, 1])
    return [*plain, pair(g, [3, 2], [3, 2], left=True), pair(g, [4, 2], [2, 3])]


def whole(g: Generator) -> list[Inputs]:
    example = {"source": torch.tensor([[5, 6, 0]]), "target": torch.tensor([[7, 8]]), "pad": 0}
    left = pair(g, [4, 1, 2], [2, 5, 3], left=True)
    small = other_pad(pair(g, [2, 1], [2, 1]))
    return [
        example,
        small,
        pair(g, [4, 2], [2, 5]),
        pair(g, [1, 6, 3], [4, 2, 3]),
        left,
        other_pad(left),
    ]


def other_pad(drawn: Inputs) -> Inputs:
    """Pad with 7, so that 0 is an ordinary token."""
    swap = {name: torch.where(drawn[name] == PAD, 7, drawn[name] % 7) for name in list(drawn)[:2]}
    return {**swap, "pad": 7}


def of_shape(inputs: Inputs, masks: object) -> str | None:
    """Report a mask with the wrong shape or type."""
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
    return None


def about(number: int) -> Law:
    """Make a law about one of the three masks, cell by cell."""

    def law(inputs: Inputs, masks: object) -> str | None:
        if not isinstance(masks, (tuple, list)) or len(masks) != 3:
            return "return three masks: encoder, decoder, cross"
        mask, right, name = masks[number], seq2seq_masks(**inputs)[number], NAMES[number]
        if not isinstance(mask, Tensor) or mask.ndim > 4:
            return f"the {name} mask is a tensor with four axes"
        try:
            mask = torch.broadcast_to(mask, right.shape)
        except RuntimeError:
            return f"the {name} mask has shape {tuple(right.shape)}; yours is {tuple(mask.shape)}"
        wrong = (mask.bool() != right).nonzero()
        if not len(wrong):
            return None
        b, _, row, column = wrong[0].tolist()
        wanted = bool(right[b, 0, row, column])
        cells = f"{len(wrong)} cells differ" if len(wrong) > 1 else "this cell alone differs"
        return (
            f"{name} mask, sequence {b}: query {row}, key {column} should be {wanted} and is "
            f"{not wanted} in yours; {cells}"
        )

    return law


def all_three(inputs: Inputs, masks: object) -> str | None:
    laws = (of_shape, about(0), about(1), about(2))
    return next((said for law in laws if (said := law(inputs, masks))), None)


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
        rung("the encoder's mask", 1.0, ragged_source, about(0), PADDING),
        rung(
            "the decoder's mask without padding: no later keys", 1.0, no_padding, about(1), CAUSAL
        ),
        rung("the decoder's mask with padding", 0.75, ragged_target, about(1), PADDING),
        rung("the cross-attention's mask", 1.25, ragged_source, about(2), CROSS),
        Rung(
            name="all three, any pad, on either side: cells, shapes and booleans",
            points=1.0,
            draw=whole,
            law=all_three,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="cell by cell", answer=by_loops),
        Alternative(name="by comparing positions", answer=by_comparing),
    ),
    hints=(
        "For each of the three attentions: which tokens are the queries, and which are the keys?",
        "Padding is hidden as a key, whatever the query is. Which of the three is causal?",
        "(source != pad) has shape (b, k). Which two axes do you have to add, and which of them "
        "must be expanded?",
    ),
    axes="b 1 q k",
)

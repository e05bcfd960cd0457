"""Does the writer of an encoder–decoder look where the letter stands that it needs?

Chapter 07's words: six letters that read the same from both ends, one of them missing. Where the
hole is in the first half, its letter stands in the second, at the mirrored place.
"""

import torch
from torch.nn import functional as F

from experiments.record import Experiment
from plainformer.looking import recorded
from plainformer.models import Config, EncoderDecoder

HOLE, START = 8, 9
CONFIG = Config(
    vocabulary=11, d_model=32, n_layers=1, n_heads=2, d_ff=64, context=40,
    positions="learned", norm="layer", feedforward="relu", bias=True, tied=False,
)  # fmt: skip


def with_holes(
    count: int, generator: torch.Generator, *, first_half: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Make mirror words, and the same with one hole, or now and then with two mirrored ones."""
    half = torch.randint(8, (count, 3), generator=generator)
    words = torch.cat([half, half.flip(-1)], dim=-1)
    row = torch.arange(count)
    place = torch.randint(3 if first_half else 6, (count,), generator=generator)
    second = (torch.rand(count, generator=generator) < 0.25) & (not first_half)
    source = words.clone()
    source[row, place] = HOLE
    source[row[second], 5 - place[second]] = HOLE
    return words, source


def shifted(words: torch.Tensor) -> torch.Tensor:
    """Put the start token in front and leave the last letter out."""
    start = torch.full((len(words), 1), START)
    return torch.cat([start, words[:, :-1]], dim=1)


def losses(logits: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Return the loss of each letter."""
    return F.cross_entropy(logits.transpose(1, 2), words, reduction="none")


def measure(*, seed: int, steps: int, mixes: bool) -> dict[str, float]:
    """Train a writer; say how much of its cross-attention falls where the letter stands.

    ``mixes`` is whether the tokens of the reader may look at each other.
    """
    torch.manual_seed(seed)
    model = EncoderDecoder(CONFIG)
    for weight in [p for p in model.parameters() if p.ndim == 2]:
        weight.data *= 8  # the package's start suits a width of several hundred
    seen = torch.ones(6, 6, dtype=torch.bool) if mixes else torch.eye(6, dtype=torch.bool)
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(steps):
        words, source = with_holes(64, generator)
        logits = model.decode(shifted(words), model.encode(source, mask=seen))
        optimiser.zero_grad()
        losses(logits, words)[source == HOLE].mean().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return tested(model, seen)


@torch.no_grad()
def tested(model: EncoderDecoder, seen: torch.Tensor) -> dict[str, float]:
    """Take holes of the first half: where the writer looks, and what it loses if it may not."""
    words, source = with_holes(2000, torch.Generator().manual_seed(99), first_half=True)
    hidden = source == HOLE
    row, hole = torch.arange(len(source)), hidden.int().argmax(dim=1)
    memory = model.encode(source, mask=seen)
    with recorded(model) as calls:
        logits = model.decode(shifted(words), memory)
    call = calls.names.index("decoder.blocks.0.cross_attention")
    weights = calls.weights[call].mean(dim=1)[row, hole]
    others = torch.ones(len(source), 1, 1, 6, dtype=torch.bool)
    others[row, 0, 0, 5 - hole] = False
    without = model.decode(shifted(words), memory, memory_mask=others)
    return {
        "loss": losses(logits, words)[hidden].mean().item(),
        "loss without the mirrored place": losses(without, words)[hidden].mean().item(),
        "weight on the mirrored place": weights[row, 5 - hole].mean().item(),
        "weight on the hole": weights[row, hole].mean().item(),
    }


EXPERIMENT = Experiment(
    file=__file__,
    question="Does a writer look where its letter stands, or wherever the reader carried it?",
    measure=measure,
    variants={
        "each token sees itself": {"mixes": False},
        "each token sees all": {"mixes": True},
    },
    steps=300,
    seeds=tuple(range(10)),
)

if __name__ == "__main__":
    EXPERIMENT.main()

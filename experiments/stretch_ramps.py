"""Ramp, factor and temperature changed one at a time, on five storytellers that read 512 words."""

import math
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from experiments.record import Experiment
from experiments.stretch_the_storyteller import DEPTHS, TRAINED
from plainformer.attention import attend_heads, attention_weights
from plainformer.lab.needles import hide
from plainformer.lab.storyteller import BALLADS, Recipe, train
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder
from plainformer.positions import Llama3, NTKAware, YaRN
from plainformer.positions.rotary_scaling import Scaling
from plainformer.sparse import select

LONG, LATE = 512, 256  # copied words are measured from word 256 on
NEEDLES = 12  # at each depth
TEMPERATURE = 0.1 * math.log(LONG / TRAINED) + 1  # a, which depends on the length alone
RAMPS: dict[str, Scaling] = {
    "NTK-aware, 8": NTKAware(factor=8),
    "NTK-aware, 16": NTKAware(factor=16),
    "YaRN's ramp, 8": YaRN(factor=8, context=TRAINED),
    "YaRN's ramp, 16": YaRN(factor=16, context=TRAINED),
    "by turns, 8": Llama3(factor=8, context=TRAINED),
    "by turns, 16": Llama3(factor=16, context=TRAINED),
}
KEYS = 16  # keys that a query attends to, of up to 512


def longer(model: Decoder, *, window: int | None = None) -> Decoder:
    """Return a copy of ``model`` that reads ``LONG`` words, and how far back it attends."""
    copy = Decoder(Config.from_dict(model.config.to_dict() | {"context": LONG, "window": window}))
    copy.load_state_dict(model.state_dict())
    return copy.eval()


def stretched(model: Decoder, scaling: Scaling, magnitude: float) -> Decoder:
    """Return a copy with the frequencies of a scaling, and queries and keys times a magnitude."""
    copy = longer(model)
    rotary = copy.blocks[0].attention.rotary  # type: ignore[union-attr]  # all layers share it
    rotary.frequencies = scaling.scale(rotary.frequencies, 1)
    rotary.scaling = YaRN(factor=1, context=TRAINED, attention_factor=magnitude)
    return copy


def selecting(model: Decoder) -> Decoder:
    """Let each query of ``model`` attend to the keys with the most weight, all heads together."""
    for block in model.blocks:
        block.attention.backend = attend_to_the_best  # type: ignore[union-attr]
    return model


def attend_to_the_best(
    query: Tensor, key: Tensor, value: Tensor, mask: Rule, *, score: Any, bias: None
) -> Tensor:
    """Attend to ``KEYS`` keys, the same for all heads, chosen by a perfect indexer."""
    seen = mask.dense(query.shape[-2], key.shape[-2], device=query.device)
    weights = attention_weights(query, key, seen, score=score, bias=bias)
    kept = select(weights.sum(dim=1, keepdim=True), KEYS, seen)
    return attend_heads(query, key, value, kept, score=score)


@cache
def hidden(depth: float, count: int) -> tuple[Tensor, Tensor]:
    """Return texts with a needle, and the answers."""
    texts, _, answers = hide(BALLADS, LONG, depth, count=count)
    return texts, answers


@cache
def ballads(count: int) -> tuple[Tensor, Tensor]:
    """Return ballads, and True at the words that follow by copying alone."""
    drawn = BALLADS.sample(count, LONG + 1, seed=2_000)
    copied = [torch.from_numpy(BALLADS.copied(row)[1:]) for row in drawn]
    return torch.from_numpy(drawn), torch.stack(copied)


@torch.no_grad()
def look(model: Decoder) -> dict[str, Any]:
    """Return the share of needles found by depth, and the mean loss of late copied words."""
    found = []
    for depth in DEPTHS:
        texts, answers = hidden(depth, NEEDLES)
        found.append((model(texts)[:, -1].argmax(dim=-1) == answers).double().mean().item())
    words, copied = ballads(NEEDLES)
    lost = F.cross_entropy(model(words[:, :-1]).mT, words[:, 1:], reduction="none")
    late = lost[:, LATE:][copied[:, LATE:]].mean().item()
    return {"needles": found, "copied": late}


def measure(*, seed: int, steps: int) -> dict[str, Any]:
    """Train a storyteller; return what it finds in 512 words, in each setting."""
    model, _ = train(Recipe(steps=steps, seed=seed, looks=()))
    made: dict[str, Decoder] = {f"window of {TRAINED}": longer(model, window=TRAINED)}
    for magnitude, end in ((1.0, ""), (TEMPERATURE, ", sharper")):
        for name, scaling in RAMPS.items():
            made[f"{name}{end}"] = stretched(model, scaling, magnitude)
        chosen = stretched(model, RAMPS["by turns, 8"], magnitude)
        made[f"by turns, 8, {KEYS} keys{end}"] = selecting(chosen)
    return {f"{name}: {what}": x for name, m in made.items() for what, x in look(m).items()}


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Which of ramp, factor and temperature decides how many needles a storyteller of 64 words "
        "finds in 512? Against it: no ramp is needed, because a window of 64 words, or a selection "
        "of a few keys, does as well."
    ),
    measure=measure,
    variants={"storyteller": {}},
    steps=1_800,
    seeds=(1, 4, 5, 6, 7),  # those with which the storyteller has learned to copy by then
)

if __name__ == "__main__":
    EXPERIMENT.main()

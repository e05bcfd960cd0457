"""Each plane's share of the score that trained RoPE readers give to a line, by its age."""

from typing import Any

import torch
from torch import Tensor, nn

from experiments.record import Experiment
from experiments.trained_length import LENGTHS, SCHEMES, accuracy, train
from plainformer.attention import attend_heads
from plainformer.lab.diaries import diaries

TRAINED, PLANES = 16, 4
# Ages at which plane 1 is stopped: about where its share of the score is lowest (25), on the way
# back up (40), and at the end of its first turn (62), before which no angle repeats.
LATER = (25, 40, 62)


@torch.no_grad()
def score_by_plane(model: Any) -> Tensor:
    """Return the score of "where is the dog?" for a line about the dog, by head, plane and age.

    The planes of (heads, planes, 129) sum to the whole score of a head.
    """
    layer, offsets = model.attention, torch.arange(129)
    h = layer.n_heads
    query = layer.query(model.embed(torch.tensor([16]))).view(1, h, 1, -1)
    key = layer.key(model.embed(torch.arange(4))).mean(dim=0).view(1, h, 1, -1)
    products = layer.rotary(query.expand(-1, -1, 129, -1), offsets) * key / key.shape[-1] ** 0.5
    first, second = products[0].chunk(2, dim=-1)  # the two components of each plane
    by_plane: Tensor = (first + second).mT
    return by_plane


class StoppedPlane(nn.Module):
    """A trained reader with one plane that keeps its angle from some age on."""

    def __init__(self, model: Any, plane: int, age: int = TRAINED) -> None:
        super().__init__()
        self.model, self.plane, self.age = model, plane, age

    def forward(self, words: Tensor) -> Tensor:
        """Return a score for each answer."""
        model, layer = self.model, self.model.attention
        x, h = model.embed(words), self.model.attention.n_heads
        query, key, value = (
            part.unflatten(-1, (h, -1)).transpose(1, 2)
            for part in (layer.query(x[:, -1:]), layer.key(x), layer.value(x))
        )
        age = torch.arange(words.shape[1]).flip(0)
        # Only the offset counts: the query stays as it is, and each key is turned back by its age.
        free = layer.rotary(key, -age)
        stopped = layer.rotary(key, -age.clamp(max=self.age))
        of_plane = torch.arange(2 * PLANES) % PLANES == self.plane
        out = attend_heads(query, torch.where(of_plane, stopped, free), value)
        out = layer.output(out.transpose(1, 2).flatten(-2))
        scores: Tensor = model.outer(model.inner(out[:, 0]).relu())
        return scores


def measure(*, seed: int, steps: int) -> dict[str, Any]:
    """Train once; return the score by plane, and the accuracy with each plane stopped."""
    model = SCHEMES["RoPE"](4)
    for _ in train(model, diaries, stops={steps}):
        pass
    by_head = score_by_plane(model)
    of_plane_1 = by_head[:, 1, :63]  # one turn
    strongest = (of_plane_1.amax(dim=1) - of_plane_1.amin(dim=1)).argmax()
    return {
        "score": by_head.mean(dim=0).tolist(),
        "lowest age of the strongest head": int(of_plane_1[strongest].argmin()),
        "right": [accuracy(model, diaries, n) for n in LENGTHS],
        "stopped": [
            [accuracy(StoppedPlane(model, plane), diaries, n) for n in LENGTHS]
            for plane in range(PLANES)
        ],
        "stopped later": [
            [accuracy(StoppedPlane(model, 1, age), diaries, n) for n in LENGTHS] for age in LATER
        ],
    }


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Which plane makes a trained RoPE reader fail beyond its trained length? "
        "Against it: no single plane does, so stopping any one at the trained offsets helps alike. "
        "Stopping it later tells how much of the failure comes from new angles up to its lowest "
        "share, how much from those on the way back up, and how much from repetition."
    ),
    measure=measure,
    variants={"RoPE": {}},
    steps=2000,
)

if __name__ == "__main__":
    EXPERIMENT.main()

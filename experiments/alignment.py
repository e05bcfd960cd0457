"""Where translators look that get every word right, and which axis their softmax runs over."""

from typing import Any

import torch
from torch import Tensor, nn

from experiments.record import Experiment
from plainformer import MultiHeadAttention
from plainformer.lab.endings import five_facts, sentences

EARLY = 300


class Translator(nn.Module):
    """Five places of an English sentence each ask for their word."""

    def __init__(self, h: int, m: int = 32, **options: Any) -> None:
        super().__init__()
        self.stem, self.ending = nn.Embedding(13, m), nn.Embedding(3, m)
        self.place = nn.Parameter(torch.randn(5, m))
        self.layer = MultiHeadAttention(d_model=m, n_heads=h, **options)
        self.read = nn.Linear(m, 13)

    def forward(self, stem: Tensor, ending: Tensor, places: slice = slice(None)) -> Tensor:
        """Return a score for each answer."""
        words = self.stem(stem) + self.ending(ending)
        asking = self.place[places].expand(len(words), -1, -1)
        return self.read(self.layer(asking, words))

    def weights(self, stem: Tensor, ending: Tensor) -> Tensor:
        """Return the weights (n, 5, 5), a mean over heads."""
        words = self.stem(stem) + self.ending(ending)
        asking = self.place.expand(len(words), -1, -1)
        query = self.layer.query(asking).unflatten(-1, (self.layer.n_heads, -1)).transpose(1, 2)
        key, _ = self.layer.keys_values(words)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return scores.softmax(dim=-1).mean(dim=1)


def over_the_target(
    query: Tensor, key: Tensor, value: Tensor, mask: Any = None, *, score: Any, bias: Any = None
) -> Tensor:
    """Attend with the softmax over the queries."""
    return torch.softmax(score(query, key), dim=-2) @ value


@torch.no_grad()
def looked_at(model: Translator) -> dict[str, float]:
    """Return what is right, together and place by place, and how well the weights point."""
    with torch.random.fork_rng():
        torch.manual_seed(99)
        stem, ending, order, facts = sentences(2000)
    true = order.argsort(dim=1)
    together = model(stem, ending).argmax(dim=-1)
    places = [model(stem, ending, slice(i, i + 1)) for i in range(5)]
    alone = torch.cat(places, dim=1).argmax(dim=-1)
    weights = model.weights(stem, ending)
    return {
        "right": (together == facts).all(dim=-1).double().mean().item(),
        "alone": (alone == facts).all(dim=-1).double().mean().item(),
        "on_true": weights.gather(2, true[..., None]).mean().item(),
        "largest_true": (weights.argmax(dim=-1) == true).double().mean().item(),
    }


def measure(*, seed: int, steps: int, h: int, target: bool = False) -> dict[str, Any]:
    """Train a translator; return what it gets right and where it looks, early and late."""
    model = Translator(h, **({"backend": over_the_target} if target else {}))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    found: dict[str, Any] = {}
    for step in range(1, steps + 1):
        inputs, answer = five_facts(64)
        loss = nn.functional.cross_entropy(model(*inputs).flatten(0, -2), answer.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step == min(EARLY, steps):
            found["early"] = looked_at(model)["right"]
    late = looked_at(model)
    if target:  # the weights measured are those of a softmax over the source
        late = {name: late[name] for name in ("right", "alone")}
    return found | late


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Do translators that get every word right look at the word that they translate, with one "
        "head and with 32, and does softmax over the target train? Against it: right words "
        "need right weights."
    ),
    measure=measure,
    variants={
        "1 head": {"h": 1},
        "32 heads": {"h": 32},
        "over the target": {"h": 1, "target": True},
    },
    steps=1000,
)

if __name__ == "__main__":
    EXPERIMENT.main()

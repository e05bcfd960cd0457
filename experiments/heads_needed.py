"""How many heads five facts need, and how many one fine match bears."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from experiments.record import Experiment
from plainformer import MultiHeadAttention
from plainformer.attention import attend
from plainformer.lab.endings import five_facts, two_nouns

EARLY = 300


class Plain(nn.Module):
    """One query asks who and whom; keys hold endings, values hold stems."""

    def __init__(self, h: int, m: int = 32) -> None:
        super().__init__()
        self.h = h
        self.query = nn.Parameter(torch.randn(1, 1, m))
        self.key, self.value = nn.Embedding(3, m), nn.Embedding(13, m)
        self.read = nn.Linear(m, 2 * 13)

    def forward(self, stem: Tensor, ending: Tensor) -> Tensor:
        """Return a score for each answer."""
        query = self.query.expand(len(stem), 1, -1)
        parts = (query, self.key(ending), self.value(stem))
        split = (x.unflatten(-1, (self.h, -1)).transpose(1, 2) for x in parts)
        heads = attend(*split).transpose(1, 2).flatten(2)
        return self.read(heads).view(-1, 2, 13)


class Asking(nn.Module):
    """One query asks for several facts, through a layer of the package."""

    def __init__(self, h: int, facts: int = 5, m: int = 32, g: int | None = None) -> None:
        super().__init__()
        self.stem, self.ending = nn.Embedding(13, m), nn.Embedding(3, m)
        self.query = nn.Parameter(torch.randn(m))
        self.layer = MultiHeadAttention(d_model=m, n_heads=h, n_kv_heads=g)
        self.read, self.facts = nn.Linear(m, facts * 13), facts

    def forward(self, stem: Tensor, ending: Tensor) -> Tensor:
        """Return a score for each answer."""
        words = self.stem(stem) + self.ending(ending)
        found = self.layer(self.query.expand(len(words), 1, -1), words)
        return self.read(found).view(-1, self.facts, 13)


class Finding(nn.Module):
    """A query gives a name and wants the mark that stands with it."""

    def __init__(self, h: int, m: int = 32) -> None:
        super().__init__()
        self.name, self.mark = nn.Embedding(24, m), nn.Embedding(4, m)
        self.layer = MultiHeadAttention(d_model=m, n_heads=h)
        self.read = nn.Linear(m, 4)

    def forward(self, asked: Tensor, name: Tensor, mark: Tensor) -> Tensor:
        """Return a score for each answer."""
        memory = self.name(name) + self.mark(mark)
        return self.read(self.layer(self.name(asked)[:, None], memory))


def one_name(n: int) -> tuple[tuple[Tensor, ...], Tensor]:
    """Draw lists of six of 24 names, each with one of four marks, and ask for a mark."""
    name = torch.rand(n, 24).argsort(dim=1)[:, :6]
    mark, at = torch.randint(4, (n, 6)), torch.randint(6, (n, 1))
    return (name.gather(1, at)[:, 0], name, mark), mark.gather(1, at)


TASKS: dict[str, tuple[Callable[..., nn.Module], Callable[[int], Any]]] = {
    "plain": (Plain, two_nouns),
    "two facts": (lambda h: Asking(h, facts=2), two_nouns),
    "five facts": (Asking, five_facts),
    "one name": (Finding, one_name),
}


@torch.no_grad()
def right(model: nn.Module, draw: Callable[[int], Any]) -> Tensor:
    """Say which answers are right (n, facts), on always the same inputs."""
    with torch.random.fork_rng():
        torch.manual_seed(99)
        inputs, answer = draw(2000)
    return model(*inputs).argmax(dim=-1) == answer


def whole(model: nn.Module, draw: Callable[[int], Any]) -> float:
    return right(model, draw).all(dim=-1).double().mean().item()


@torch.no_grad()
def without(model: nn.Module, heads: list[int], draw: Callable[[int], Any]) -> Tensor:
    """Return which answers are right with the blocks of some heads in W_O set to zero."""
    weight = model.layer.output.weight
    kept = weight.clone()
    weight.view(weight.shape[0], model.layer.n_heads, -1)[:, heads] = 0
    found = right(model, draw)
    weight.copy_(kept)
    return found


def ablated(model: nn.Module, draw: Callable[[int], Any]) -> dict[str, Any]:
    """Return what is lost of each fact without each head, and without all the idle ones."""
    n = model.layer.n_heads
    kept = [without(model, [r], draw).double().mean(dim=0) for r in range(n)]
    idle = [r for r in range(n) if kept[r].min() > 0.99]
    together = without(model, idle, draw).all(dim=-1).double().mean().item()
    lost = [(1 - each).tolist() for each in kept] if n <= 4 else []
    return {"lost": lost, "idle": len(idle), "without_idle": together}


def measure(*, seed: int, steps: int, task: str, **settings: Any) -> dict[str, Any]:
    """Train once; return the share of inputs with all answers right, early and late."""
    make, draw = TASKS[task]
    model = make(**settings)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    early = 0.0
    for step in range(1, steps + 1):
        inputs, answer = draw(64)
        loss = nn.functional.cross_entropy(model(*inputs).flatten(0, -2), answer.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step == EARLY:
            early = whole(model, draw)
    found = {"early": early, "right": whole(model, draw)}
    return found | (ablated(model, draw) if task == "five facts" else {})


HEADS = (1, 2, 4, 32)
EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "At width 32, does it take one, two, four or 32 heads to read five facts with one query, "
        "and is a name found among six as well? Against it: one head codes all in one average."
    ),
    measure=measure,
    variants={
        **{f"plain, h = {h}": {"task": "plain", "h": h} for h in (1, 2)},
        "two facts, h = 1": {"task": "two facts", "h": 1},
        **{f"five facts, h = {h}": {"task": "five facts", "h": h} for h in HEADS},
        "five facts, h = 4, g = 1": {"task": "five facts", "h": 4, "g": 1},
        **{f"one name, h = {h}": {"task": "one name", "h": h} for h in HEADS},
    },
    steps=1000,
)

if __name__ == "__main__":
    EXPERIMENT.main()

"""Four position schemes, trained on diaries of up to 16 lines, asked about up to 256."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from experiments.record import Experiment
from plainformer import MultiHeadAttention
from plainformer.lab.diaries import WORDS, diaries
from plainformer.positions import Alibi, Learned, Rotary, Sinusoidal

LENGTHS = (8, 16, 24, 32, 64, 128, 256)
EARLY = 400
Task = Callable[[int, int], tuple[Tensor, Tensor]]


class Reader(nn.Module):
    """One attention layer with a place for each of the three doors; the last word asks."""

    def __init__(self, h: int = 4, *, add: Any = None, turn: Any = None, bias: Any = None) -> None:
        super().__init__()
        self.add, self.bias, self.embed = add, bias, nn.Embedding(WORDS, 32)
        self.attention = MultiHeadAttention(d_model=32, n_heads=h, rotary=turn)
        self.inner, self.outer = nn.Linear(32, 64), nn.Linear(64, 16)

    def forward(self, words: Tensor) -> Tensor:
        """Return a score for each answer."""
        x = self.embed(words)
        if self.add is not None:
            x = x + self.add(torch.arange(words.shape[1]))
        end = torch.tensor([words.shape[1] - 1])
        out = self.attention(x[:, -1:], x, positions=end, bias=self.bias)
        return self.outer(self.inner(out[:, 0]).relu())


SCHEMES: dict[str, Callable[[int], Reader]] = {
    "none": lambda h: Reader(h),
    "sinusoidal": lambda h: Reader(h, add=Sinusoidal(32)),
    "learned": lambda h: Reader(h, add=Learned(257, 32)),
    "RoPE": lambda h: Reader(h, turn=Rotary(32 // h)),
    "ALiBi": lambda h: Reader(h, bias=Alibi(h)),
}


def train(model: nn.Module, task: Task, *, stops: Collection[int]) -> Iterator[int]:
    """Train on texts of 4 to 16 words; stop to be looked at after so many steps."""
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    for step in range(1, max(stops) + 1):
        words, answer = task(int(torch.randint(4, 17, ())), 64)
        loss = nn.functional.cross_entropy(model(words), answer)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step in stops:
            yield step


@torch.no_grad()
def accuracy(model: nn.Module, task: Task, n: int) -> float:
    """Return the share of right answers about 500 texts of n words, always the same."""
    with torch.random.fork_rng():
        torch.manual_seed(n)
        words, answer = task(n, 500)
    return (model(words).argmax(dim=-1) == answer).double().mean().item()


@torch.no_grad()
def score_by_offset(model: Any) -> list[float]:
    """Return the score of "where is the dog?" for a line about the dog, by its age."""
    layer, offsets = model.attention, torch.arange(129)
    h = layer.n_heads
    query = layer.query(model.embed(torch.tensor([16]))).view(h, 1, -1)
    key = layer.key(model.embed(torch.arange(4))).mean(dim=0).view(h, -1, 1)
    turned = layer.rotary(query.expand(1, -1, 129, -1), offsets)
    scores: Tensor = (turned @ key)[0, :, :, 0].mean(dim=0) / key.shape[1] ** 0.5
    return scores.tolist()


def measure(*, seed: int, steps: int, scheme: str) -> dict[str, Any]:
    """Train once; return the accuracy at each length, early and late, and RoPE's score by age."""
    model = SCHEMES[scheme](4)
    found: dict[str, Any] = {}
    for step in train(model, diaries, stops={min(EARLY, steps), steps}):
        now: dict[str, Any] = {"right": [accuracy(model, diaries, n) for n in LENGTHS]}
        if scheme == "RoPE":
            now["score"] = score_by_offset(model)
        if step == min(EARLY, steps):
            found |= {f"early_{name}": value for name, value in now.items()}
        if step == steps:
            found |= now
    return found


EXPERIMENT = Experiment(
    file=__file__,
    question=(
        "Trained on diaries of 4 to 16 lines, which position scheme still answers at 256? "
        "Against it: longer training lets other schemes catch up, or loses the one that did."
    ),
    measure=measure,
    variants={name: {"scheme": name} for name in SCHEMES},
    steps=2000,
)

if __name__ == "__main__":
    EXPERIMENT.main()

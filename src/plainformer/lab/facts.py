"""Thirty-two facts in two tokens, and stacks of blocks that learn them.

A question is a relation and a country; the answer is predicted at the country. The answers are
random, so they can only be learned by heart.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from plainformer.blocks import Block, PostNorm, PreNorm, SandwichNorm, Sublayer, deepnorm
from plainformer.feedforward import FeedForward, GatedFeedForward
from plainformer.models.initial import PASSES, WRITES
from plainformer.multihead import MultiHeadAttention
from plainformer.norms import LayerNorm, RMSNorm

RELATIONS, COUNTRIES, ANSWERS = 4, 8, 16
QUESTIONS = torch.cartesian_prod(
    torch.arange(RELATIONS), torch.arange(RELATIONS, RELATIONS + COUNTRIES)
)
ANSWER = torch.randint(0, ANSWERS, (len(QUESTIONS),), generator=torch.Generator().manual_seed(0))


class NoSum(nn.Module):
    """Replace the stream by the sublayer's output for its norm: a block without a residual.

    Args:
        width: model width m.

    Cost: one norm.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = LayerNorm(width)

    def forward(self, x: Float[Tensor, "b q m"], sublayer: Sublayer) -> Float[Tensor, "b q m"]:
        """Return the output of ``sublayer`` for the norm of ``x``."""
        y: Tensor = sublayer(self.norm(x))
        return y


class Bare(nn.Module):
    """Replace the stream by the sublayer's output: a block without a residual or a norm.

    Cost: the cost of the sublayer.
    """

    def forward(self, x: Float[Tensor, "b q m"], sublayer: Sublayer) -> Float[Tensor, "b q m"]:
        """Return the output of ``sublayer``."""
        return sublayer(x)


class NoNorm(nn.Module):
    """Add the sublayer's output for the stream itself: a block without a norm.

    Cost: one addition.
    """

    def forward(self, x: Float[Tensor, "b q m"], sublayer: Sublayer) -> Float[Tensor, "b q m"]:
        """Return the sum of ``x`` and the output of ``sublayer`` for it."""
        return x + sublayer(x)


def _wrapper(place: str, layers: int, m: int) -> Callable[[], nn.Module]:
    alpha, _ = deepnorm(encoder_layers=0, decoder_layers=layers)["decoder"]
    known: dict[str, Callable[[], nn.Module]] = {
        "post": partial(PostNorm, LayerNorm, m),
        "pre": partial(PreNorm, LayerNorm, m),
        "sandwich": partial(SandwichNorm, LayerNorm, m),
        "deep": partial(PostNorm, LayerNorm, m, alpha=alpha),
        "no sum": partial(NoSum, m),
        "no norm": NoNorm,
        "bare": Bare,
        "llama": partial(PreNorm, RMSNorm, m),
    }
    if place not in known:
        raise ValueError(f"place={place!r}: expected one of {sorted(known)}")
    return known[place]


def stack(
    place: str, layers: int, *, m: int = 32, h: int = 4, gain: float = 1.0, scaled: bool = False
) -> nn.ModuleList:
    r"""Draw the blocks of a stack, all matrices by Xavier's rule.

    Args:
        place: placement of the norms: "post", "pre", "sandwich", "deep" (DeepNorm, with its smaller
            weights), or "llama" for pre-norm with RMSNorm and SwiGLU. "no norm" leaves out the
            norm, "no sum" the residual, and "bare" both.
        layers: number of blocks N.
        m: model width.
        h: number of heads.
        gain: factor of all matrices.
        scaled: whether the matrices that write to the stream begin smaller by :math:`1/\sqrt{2N}`.

    Raises:
        ValueError: ``place`` is unknown.
    """
    wrapper = _wrapper(place, layers, m)
    feedforward = GatedFeedForward if place == "llama" else FeedForward
    blocks = nn.ModuleList(
        Block(
            attention=MultiHeadAttention(d_model=m, n_heads=h),
            feedforward=feedforward(d_model=m),
            residual=wrapper,
        )
        for _ in range(layers)
    )
    _, beta = deepnorm(encoder_layers=0, decoder_layers=layers)["decoder"]
    for name, weight in blocks.named_parameters():
        if weight.ndim == 2:
            nn.init.xavier_normal_(weight, gain=gain)
            if place == "deep" and name.endswith(PASSES):
                weight.data *= beta
            if scaled and name.endswith(WRITES):
                weight.data /= math.sqrt(2 * layers)
    return blocks


class Facts(nn.Module):
    """Read a question's two tokens and score the answers.

    Args:
        place: as in :func:`stack`.
        layers: number of blocks.
        seed: seed of the weights.
        m: model width.
        gain: factor of the matrices of the blocks.

    Cost: the cost of its blocks.
    """

    def __init__(
        self, place: str, layers: int, seed: int, *, m: int = 32, gain: float = 1.0
    ) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.embedding = nn.Embedding(RELATIONS + COUNTRIES, m)
        self.blocks = stack(place, layers, m=m, gain=gain)
        # If the stream itself passes through the norms, the norm of the last block sets its scale.
        final = RMSNorm if place == "llama" else LayerNorm
        self.norm = nn.Identity() if place in ("post", "deep") else final(m)
        self.output = nn.Linear(m, ANSWERS, bias=False)
        nn.init.xavier_normal_(self.output.weight)

    def forward(self, questions: Int[Tensor, "b q"]) -> Float[Tensor, "b v"]:
        """Return the score of each answer to ``questions``."""
        x = self.embedding(questions)
        for block in self.blocks:
            x = block(x)
        scores: Tensor = self.output(self.norm(x[:, -1]))
        return scores

    def loss(self) -> Float[Tensor, ""]:
        """Return the mean loss over all the facts, in nats."""
        return F.cross_entropy(self(QUESTIONS), ANSWER)


def floor() -> float:
    """Return the loss of a model that knows only how often each answer occurs."""
    shares = ANSWER.bincount(minlength=ANSWERS) / len(ANSWER)
    return float(torch.special.entr(shares).sum())


def first_over_last(model: Facts) -> float:
    """Return the gradient of the first block's last matrix over that of the last block's.

    Args:
        model: a model with gradients.
    """
    grads = [
        weight.grad
        for name, weight in model.named_parameters()
        if name.endswith("feedforward.down.weight") and weight.grad is not None
    ]
    return float(grads[0].norm() / grads[-1].norm())


def training(
    model: Facts, *, rate: float, warmup: int = 0, steps: int
) -> Iterator[Float[Tensor, ""]]:
    """Train on all facts at every step with Adam.

    Args:
        model: the model, changed in place.
        rate: learning rate.
        warmup: steps over which the rate rises to ``rate``.
        steps: number of steps.

    Yields:
        The loss of each step, after the gradients are computed and before the weights change.

    Cost: a forward and a backward pass a step.
    """
    optimiser = torch.optim.Adam(model.parameters(), fused=True)
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate * min(1.0, (step + 1) / max(1, warmup))
        loss = model.loss()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        yield loss.detach()
        optimiser.step()


def branches(model: Facts) -> tuple[float, float]:
    """Measure how sublayers scale their output and the gradient, as means over all of them.

    Args:
        model: the model.

    Returns:
        The variance of a sublayer's output, and its factor for the squared length of a random
        gradient in the backward pass, which is its sum of squared derivatives divided by the width.
    """
    wrote, passed = [], []

    def measured(sublayer: Sublayer, read: Tensor) -> Tensor:
        read = read.detach().requires_grad_()
        update = sublayer(read)
        above = torch.randn_like(update)
        (below,) = torch.autograd.grad(update, read, above)
        wrote.append(update.square().mean().item())
        passed.append((below.square().sum() / above.square().sum()).item())
        return update.detach()

    x: Tensor = model.embedding(QUESTIONS)
    for block in model.blocks:
        assert isinstance(block, Block)
        x = block.attention_residual(x, partial(measured, block.attention))
        x = block.feedforward_residual(x, partial(measured, block.feedforward))
    return sum(wrote) / len(wrote), sum(passed) / len(passed)

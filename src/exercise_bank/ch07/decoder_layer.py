"""Exercise 07.decoder_layer: the three sums of a decoder's layer, from functions."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch07.layers import always, as_it_is, attention, feed_forward, norm
from exercise_bank.ch07.mistakes.decoder_layer import MISCONCEPTIONS
from exercise_bank.draws import normal, stretched
from exercise_bank.skills import both_types, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

SUMS = "the stream is kept, branch after branch"
READS = "what a branch reads"
MASKS = "each attention has its own mask"
BRANCHES = ("self_attention", "cross_attention", "feed_forward")


def layer(
    g: Generator,
    q: int,
    k: int,
    m: int,
    *,
    active: Sequence[str] = BRANCHES,
    norms: bool = True,
    hidden: int = 0,
    causal: bool = False,
) -> dict[str, Any]:
    """Draw a layer in which inactive branches return zeros.

    Args:
        g: the generator.
        q: length of the target.
        k: length of the memory.
        m: width.
        active: the branches that compute something.
        norms: whether there are norms, or identity functions in their place.
        hidden: number of padding vectors at the end of the memory.
        causal: whether the mask of the target is causal, or open.
    """
    made: dict[str, Callable[..., Tensor]] = {name: attention(g, m) for name in BRANCHES[:2]}
    made[BRANCHES[2]] = feed_forward(g, m)
    nothing = always(torch.zeros(q, m, dtype=torch.float64))
    open_to_all = torch.ones(q, q, dtype=torch.bool)
    return {
        "x": normal(g, q, m),
        "memory": normal(g, k, m),
        "causal": open_to_all.tril() if causal else open_to_all,
        "real": torch.arange(k)[None] < k - hidden,
        "norms": [norm(g, m) if norms else as_it_is for _ in range(3)],
        **{name: made[name] if name in active else nothing for name in BRANCHES},
    }


def sums(g: Generator) -> list[Inputs]:
    """Draw branches whose output does not depend on their input."""
    drawn: list[Inputs] = []
    for q, k, m in ((1, 1, 2), (3, 2, 3), (2, 4, 5)):
        q, k, m = stretched(g, q, k, m)
        outputs = {name: always(normal(g, q, m)) for name in BRANCHES}
        drawn.append({**layer(g, q, k, m), **outputs})
    return drawn


def one_branch(g: Generator) -> list[Inputs]:
    """Draw layers with norms in which one branch is active, and masks that are open."""
    return [
        layer(g, *stretched(g, q, k, m), active=(name,))
        for name in BRANCHES
        for q, k, m in ((2, 2, 3), (3, 4, 4))
    ]


def masked(g: Generator) -> list[Inputs]:
    """Draw layers without norms in which one attention is active."""
    drawn: list[Inputs] = []
    for name in BRANCHES[:2]:
        n, m = stretched(g, 3, 2)
        drawn.append(layer(g, n, n, m, active=(name,), norms=False, hidden=1, causal=True))
    q, k, m = stretched(g, 2, 4, 3)
    wide = layer(g, q, k + 3, m, active=BRANCHES[1:2], norms=False, hidden=2, causal=True)
    return [*drawn, wide]


def in_a_row(g: Generator) -> list[Inputs]:
    """Draw layers without norms, whose masks are open and whose branches are all active."""
    return [layer(g, *stretched(g, *sizes), norms=False) for sizes in ((2, 2, 2), (3, 4, 3))]


def shown() -> Inputs:
    """Make the example."""

    def sum_of_both(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        return queries + keys

    def times(factor: int) -> Callable[[Tensor], Tensor]:
        return lambda y: factor * y

    return {
        "x": torch.tensor([[1.0]]),
        "memory": torch.tensor([[7.0]]),
        "causal": torch.ones(1, 1, dtype=torch.bool),
        "real": torch.ones(1, 1, dtype=torch.bool),
        "norms": [times(2), times(3), times(5)],
        "self_attention": sum_of_both,
        "cross_attention": sum_of_both,
        "feed_forward": times(1),
    }


def whole(g: Generator) -> list[Inputs]:
    sizes = [stretched(g, *each) for each in ((3, 3, 3), (2, 5, 4), (4, 3, 2))]
    return [shown(), *(layer(g, *each, hidden=1, causal=True) for each in sizes)]


def decoder_layer(
    x: Tensor,
    memory: Tensor,
    causal: Tensor,
    real: Tensor,
    norms: list[Callable[..., Tensor]],
    self_attention: Callable[..., Tensor],
    cross_attention: Callable[..., Tensor],
    feed_forward: Callable[..., Tensor],
) -> Tensor:
    """Add three branches to the stream, each of which reads a norm of it."""
    y = norms[0](x)
    x = x + self_attention(y, y, causal)
    x = x + cross_attention(norms[1](x), memory, real)
    return x + feed_forward(norms[2](x))


def by_a_loop(
    x: Tensor,
    memory: Tensor,
    causal: Tensor,
    real: Tensor,
    norms: list[Callable[..., Tensor]],
    self_attention: Callable[..., Tensor],
    cross_attention: Callable[..., Tensor],
    feed_forward: Callable[..., Tensor],
) -> Tensor:
    branches = (
        lambda y: self_attention(y, y, causal),
        lambda y: cross_attention(y, memory, real),
        feed_forward,
    )
    for normalise, branch in zip(norms, branches, strict=True):
        x = torch.add(x, branch(normalise(x)))
    return x


def sum_of_four(x: Tensor, memory: Tensor, causal: Tensor, real: Tensor, **parts: Any) -> Tensor:
    first, second, third = parts["norms"]
    read = first(x)
    own = parts["self_attention"](read, read, causal.expand(len(x), len(x)))
    seen = real.expand(len(x), len(memory))
    asked = parts["cross_attention"](second(x + own), memory, seen)
    return torch.stack([x, own, asked, parts["feed_forward"](third(x + own + asked))]).sum(dim=0)


TASK = Exercise(
    id="07.decoder_layer",
    title="A layer that reads the memory",
    level="medium",
    minutes=10,
    concepts=(
        "decoder-stack",
        "masks-of-each-stack",
        "decoder-cross-attention",
        "sublayer-order",
    ),
    reference=decoder_layer,
    rungs=(
        Rung(
            name="three sums: the output of each branch is added to the stream",
            points=0.75,
            draw=in_single(sums),
            idea=SUMS,
        ),
        Rung(
            name="one branch alone has the right input, with open masks",
            points=0.75,
            draw=in_single(one_branch),
            idea=READS,
        ),
        Rung(
            name="masks, for one attention alone, without norms",
            points=1.0,
            draw=in_single(masked),
            idea=MASKS,
        ),
        Rung(
            name="the three branches in turn, without norms",
            points=0.75,
            draw=in_single(in_a_row),
            idea=SUMS,
        ),
        Rung(name="all of it, in float32 and float64", points=0.75, draw=both_types(whole)),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by a loop", answer=by_a_loop),
        Alternative(name="a sum of four", answer=sum_of_four),
    ),
    hints=(
        "How many sums does a layer of a decoder have, and what is the first term of each?",
        "For each branch: which function makes its input, and from which tensor? Two of them need "
        "a mask as well.",
        "In cross-attention, the stream gives the queries, and the memory the keys and values. "
        "Which of the two has the encoder already normalised?",
    ),
    precision=SUMMED,
    equivalents=dict.fromkeys(
        (
            "decoder_layer: line 4: x + cross_attention(no … s[1](x), memory, real) becomes "
            "x.add_(…)",
            "decoder_layer: line 5: x + feed_forward(norms[2](x)) becomes "
            "x.add_(feed_forward(norms[2](x)))",
        ),
        "after the first sum the stream is a tensor of the answer's own",
    ),
)

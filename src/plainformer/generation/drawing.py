"""From probabilities to a token: one uniform number decides, and nothing else does."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor


def pick(probabilities: Float[Tensor, "b v"], uniform: Float[Tensor, " b"]) -> Int[Tensor, " b"]:
    """Return the token in whose share of the line from 0 to 1 the uniform number falls.

    A pure function: the same probabilities and number give the same token, on any device and in
    any batch. A token of probability 0 has no share, and is never returned.

    Args:
        probabilities: not negative; each row sums to something above 0.
        uniform: at least 0 and below 1.

    Returns:
        One token for each row.

    Cost: one running sum of b·v numbers.

    Ref: Devroye 1986, section III.2 (inversion).

    >>> pick(torch.tensor([[0.2, 0.0, 0.8]]), torch.tensor([0.2])).tolist()
    [2]
    """
    line = probabilities.cumsum(dim=-1)
    line = line / line[:, -1:]  # the last token that has a share ends at exactly 1
    return torch.searchsorted(line, uniform[:, None].to(line.dtype), right=True)[:, 0]


def generators_of(seed: int | None, count: int) -> list[Generator]:
    """Make one generator for each sequence of a batch, so that none sees its neighbours.

    Sequence i gets the seed ``seed + i``. They live on the CPU: draws are the same on all devices.

    Args:
        seed: of the first sequence; drawn from torch's own generator where it is None, so that
            ``torch.manual_seed`` still decides.
        count: how many.

    Raises:
        ValueError: the seed is negative or needs more than 62 bits.
    """
    seed = int(torch.randint(2**62, ())) if seed is None else seed
    if not 0 <= seed < 2**62:
        raise ValueError(f"seed={seed}: expected a whole number from 0 to 2**62 - 1")
    return [Generator().manual_seed(seed + i) for i in range(count)]


class Greedy:
    """Take the largest logit; of equal ones, the first."""

    def __call__(self, logits: Float[Tensor, "b v"]) -> Int[Tensor, " b"]:
        """Return the token of the largest logit in each row."""
        return logits.argmax(dim=-1)


@dataclass(frozen=True)
class Sample:
    """Draw a token from the softmax of the logits.

    Args:
        generators: one for each row; or one that all rows draw from in turn, and then a row's
            draw depends on how many stand before it.
    """

    generators: Generator | Sequence[Generator]

    def __call__(self, logits: Float[Tensor, "b v"]) -> Int[Tensor, " b"]:
        """Return one token for each row.

        Raises:
            ValueError: there are not as many generators as rows.
        """
        b, given = logits.shape[0], self.generators
        each = [given] * b if isinstance(given, Generator) else given
        if len(each) != b:
            raise ValueError(f"{len(each)} generators for {b} rows: expected one for each, or one")
        uniform = [torch.rand((), generator=g, dtype=torch.float64) for g in each]
        drawn = torch.stack(uniform) if uniform else torch.zeros(0)
        return pick(logits.softmax(dim=-1), drawn.to(logits.device))


class Dice:
    """Answer what is left to chance, for one sequence: a coin, or a token.

    Args:
        generator: where the numbers come from.
    """

    def __init__(self, generator: Generator) -> None:
        self.generator = generator

    def coin(self, probability: float) -> bool:
        """Return True with that ``probability``."""
        return float(torch.rand((), generator=self.generator, dtype=torch.float64)) < probability

    def draw(self, probabilities: Float[Tensor, " v"]) -> int:
        """Return a token, drawn from ``probabilities``."""
        uniform = torch.rand(1, generator=self.generator, dtype=torch.float64)
        return int(pick(probabilities[None], uniform.to(probabilities.device)))

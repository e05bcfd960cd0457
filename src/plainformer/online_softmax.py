"""Softmax over scores that come in pieces, in any order.

A piece is summed up by three things for each query: its largest score, the sum of the
exponentials, and the values weighted by them. Two such summaries merge into the summary of both
pieces together. That is all that fast attention needs: no query has to see all its scores at once.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Partial:
    """Sum up attention to some of the keys.

    Merging is associative and commutative, up to rounding; :meth:`nothing` changes nothing.

    Args:
        largest: (..., q, 1), the largest score so far; -inf where nothing was seen.
        total: (..., q, 1), the sum of exp(score - largest).
        weighted: (..., q, e), the sum of exp(score - largest) · value.

    Ref: Milakov & Gimelshein 2018, section 3; Rabe & Staats 2021, section 2; Dao et al. 2022,
    section 3.1.

    >>> first = Partial.of(torch.tensor([[1.0]]), torch.tensor([[10.0]]))
    >>> second = Partial.of(torch.tensor([[1.0]]), torch.tensor([[30.0]]))
    >>> first.merge(second).output.tolist()
    [[20.0]]
    """

    largest: Tensor
    total: Tensor
    weighted: Tensor

    @classmethod
    def nothing(cls, like: Float[Tensor, "*batch q e"]) -> "Partial":
        """Sum up no keys at all, for outputs of the shape, dtype and device of ``like``."""
        column = like.new_zeros(*like.shape[:-1], 1)
        return cls(
            largest=column - torch.inf, total=column.clone(), weighted=torch.zeros_like(like)
        )

    @classmethod
    def of(
        cls,
        scores: Float[Tensor, "*batch q k"],
        value: Float[Tensor, "*batch k e"],
        mask: Tensor | None = None,
    ) -> "Partial":
        """Sum up one block of keys.

        Args:
            scores: how well each query matches each key of the block.
            value: the values of the block.
            mask: True = may look; broadcasts to the scores.

        Cost: q·k·e multiplications; q·k numbers of memory.
        """
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        if scores.shape[-1] == 0:
            return cls.nothing(scores @ value)
        largest = scores.detach().amax(dim=-1, keepdim=True)
        weights = torch.exp(scores - _finite(largest))
        return cls(
            largest=largest, total=weights.sum(dim=-1, keepdim=True), weighted=weights @ value
        )

    def merge(self, other: "Partial") -> "Partial":
        """Sum up the keys of this and of the ``other`` together.

        Each is faded by the exponential of how far its largest score lies below the common one.
        """
        largest = torch.maximum(self.largest, other.largest)
        ours = torch.exp(self.largest - _finite(largest))
        theirs = torch.exp(other.largest - _finite(largest))
        return Partial(
            largest=largest,
            total=self.total * ours + other.total * theirs,
            weighted=self.weighted * ours + other.weighted * theirs,
        )

    @property
    def output(self) -> Float[Tensor, "*batch q e"]:
        """The average of the values seen so far; zeros where nothing was seen."""
        return self.weighted / self.total.masked_fill(self.largest == -torch.inf, 1)

    @property
    def lse(self) -> Float[Tensor, "*batch q"]:
        """The logarithm of the sum of exp(score); -inf where nothing was seen."""
        return (self.largest + self.total.log()).squeeze(-1)


def merge_outputs(
    outputs: Float[Tensor, "n *batch q e"], lses: Float[Tensor, "n *batch q"]
) -> tuple[Float[Tensor, "*batch q e"], Float[Tensor, "*batch q"]]:
    r"""Merge finished outputs over disjoint sets of keys into the output over all of them.

    .. math:: O = \sum_i e^{\ell_i - \ell}\, O_i, \qquad \ell = \log \sum_i e^{\ell_i}

    Args:
        outputs: n outputs, each over its own keys.
        lses: the logarithm of each one's sum of exp(score); -inf where it saw nothing.

    Returns:
        The output over all keys (zeros where none was seen), and its log-sum-exp.

    Cost: n·q·e multiplications.

    Ref: Rabe & Staats 2021, section 2; Dao 2023, section 3.1.
    """
    lse = torch.logsumexp(lses, dim=0)
    shares = torch.exp(lses - _finite(lse))
    return (shares.unsqueeze(-1) * outputs).sum(dim=0), lse


def _finite(largest: Tensor) -> Tensor:
    """Put 0 where nothing was seen, so that -inf - -inf does not arise."""
    return largest.masked_fill(largest == -torch.inf, 0)

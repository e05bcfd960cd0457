"""Softmax over scores that arrive in pieces: block after block, in any order, or as a tree.

The summary of a piece has three parts for each query: a reference (its largest score, or one
slightly smaller), the sum of the exponentials relative to that reference, and the values weighted
by them. More keys extend such a summary, and two summaries merge. Fast attention needs nothing
else: no query needs all its scores at the same time.

======  ============  ====================================
m       ``largest``   the reference of the exponentials
ℓ       ``total``     the sum of exp(score − m)
o       ``weighted``  the sum of exp(score − m) · value
======  ============  ====================================

The output is o / ℓ. The log-sum-exp, m + log ℓ, is the only number about the scores to keep.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.exact import exact


@dataclass(frozen=True, kw_only=True, eq=False)
class Partial:
    """Summary of attention to some of the keys.

    Merging is associative and commutative, up to rounding; merging with :meth:`nothing` has no
    effect.

    Args:
        largest: (..., q, 1), the reference: the largest score so far, or a score smaller by at most
            the slack of :meth:`extend`; -inf before the first visible key.
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
        """Return the summary of no keys, for outputs of the shape, dtype and device of ``like``."""
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
        """Summarise one block of keys: :meth:`extend` applied to :meth:`nothing`.

        Args:
            scores: score of each query and each key of the block.
            value: the values of the block.
            mask: True where a query may attend to a key; broadcasts to the scores.

        Cost: q·k·e multiplications; q·k numbers of memory.
        """
        empty = scores.new_zeros(*scores.shape[:-1], value.shape[-1])
        return cls.nothing(empty).extend(scores, value, mask)

    @classmethod
    def sink(cls, score: Tensor, like: Float[Tensor, "*batch q e"]) -> "Partial":
        """Summarise a sink: one more key that has a score and no value.

        Args:
            score: the learned score of the sink; broadcasts to (..., q, 1): (h, 1, 1) for one per
                head. At -inf there is no sink.
            like: an output with the shape, dtype and device of the result.

        Ref: OpenAI 2025 (gpt-oss), section 2.2.

        >>> keys = Partial.of(torch.zeros(1, 3), torch.ones(3, 1))
        >>> keys.merge(Partial.sink(torch.tensor(0.0), keys.output)).output.item()
        0.75
        """
        score = score.to(like).expand(*like.shape[:-1], 1)
        largest = score.detach()
        return cls(
            largest=largest,
            total=torch.exp(score - _finite(largest)),
            weighted=torch.zeros_like(like),
        )

    def extend(
        self,
        scores: Float[Tensor, "*batch q k"],
        value: Float[Tensor, "*batch k e"],
        mask: Tensor | None = None,
        *,
        slack: float | int = 0,
    ) -> "Partial":
        r"""Add one block of keys to the summary: one step of online softmax.

        .. math::
            m' = \max(m, \max_j s_j), \quad
            \ell' = e^{m - m'} \ell + \sum_j e^{s_j - m'}, \quad
            \mathbf o' = e^{m - m'} \mathbf o + \sum_j e^{s_j - m'} \mathbf v_j

        Args:
            scores: score of each query and each key of the block.
            value: the values of the block.
            mask: True where a query may attend to a key; broadcasts to the scores.
            slack: lazy rescaling. A row whose maximum rises by no more than this keeps its m, so
                that its earlier sums stay unchanged; its exponentials may then reach exp(slack).

        Raises:
            ValueError: the slack is negative.

        Cost: q·k·e multiplications; q·k numbers of memory.

        Ref: Milakov & Gimelshein 2018, algorithm 3; Dao 2023, algorithm 1. The slack: Zadouri et
        al. 2026 (FlashAttention-4).
        """
        if slack < 0:
            raise ValueError(f"slack={slack}: a rise of the maximum is at least 0; give 0 or more")
        if scores.shape[-1] == 0:
            return self
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        block = scores.detach().amax(dim=-1, keepdim=True)
        rises = block > self.largest + slack  # -inf + slack is -inf: the first finite score counts
        largest = torch.where(rises, block, self.largest)
        fade = torch.exp(self.largest - _finite(largest))
        weights = torch.exp(scores - _finite(largest))
        with exact(value.device):
            block_sum = weights @ value
        return Partial(
            largest=largest,
            total=self.total * fade + weights.sum(dim=-1, keepdim=True),
            weighted=self.weighted * fade + block_sum,
        )

    def merge(self, other: "Partial") -> "Partial":
        r"""Return the summary of the keys of this and of the ``other`` together.

        Each is scaled by the exponential of the difference between its reference and the common
        one.

        .. math::
            m = \max(m_1, m_2), \quad
            \ell = e^{m_1 - m} \ell_1 + e^{m_2 - m} \ell_2, \quad
            \mathbf o = e^{m_1 - m} \mathbf o_1 + e^{m_2 - m} \mathbf o_2

        Cost: 2·q·e multiplications.

        Ref: Milakov & Gimelshein 2018, section 3.1.
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
        """The average of the values so far; zeros before the first visible key."""
        return self.weighted / self.total.masked_fill(self.largest == -torch.inf, 1)

    @property
    def lse(self) -> Float[Tensor, "*batch q"]:
        """The logarithm of the sum of exp(score); -inf before the first visible key."""
        nothing = self.largest == -torch.inf
        return (self.largest + self.total.masked_fill(nothing, 1).log()).squeeze(-1)


def stream(
    scores: Float[Tensor, "*batch q k"],
    value: Float[Tensor, "*batch k e"],
    mask: Tensor | None = None,
    *,
    width: int,
    slack: float | int = 0,
) -> Partial:
    """Summarise all keys, one block of ``width`` after another: attention as a loop.

    Args:
        scores: score of each query and each key.
        value: value of each key.
        mask: True where a query may attend to a key; broadcasts to the scores.
        width: keys in a block.
        slack: lazy rescaling, see :meth:`Partial.extend`.

    Raises:
        ValueError: a block is narrower than 1, or the slack is negative.

    Cost: q·k·e multiplications; besides the scores, q·(width + e) numbers of memory.

    >>> stream(torch.zeros(1, 4), torch.arange(4.0)[:, None], width=3).output.tolist()
    [[1.5]]
    """
    if width < 1:
        raise ValueError(f"width={width}: a block holds at least 1 key")
    seen = None if mask is None else mask.expand_as(scores)
    so_far = Partial.of(scores[..., :0], value[..., :0, :])
    for start in range(0, scores.shape[-1], width):
        keys = slice(start, start + width)
        part = None if seen is None else seen[..., keys]
        so_far = so_far.extend(scores[..., keys], value[..., keys, :], part, slack=slack)
    return so_far


def merge_tree(parts: Sequence[Partial]) -> Partial:
    """Merge neighbours in pairs until one summary is left: attention as a tree.

    Args:
        parts: summaries of disjoint sets of keys, in any order.

    Returns:
        The summary of all keys, after ⌈log₂ n⌉ levels of merges; a loop makes n - 1 sequential
        merges.

    Raises:
        ValueError: there are no parts.

    Cost: n - 1 merges.

    >>> parts = [Partial.of(torch.zeros(1, 1), torch.full((1, 1), x)) for x in (1.0, 2.0, 6.0)]
    >>> merge_tree(parts).output.item()
    3.0
    """
    if not parts:
        raise ValueError("no parts: give at least one, such as Partial.nothing(like)")
    while len(parts) > 1:
        pairs = [left.merge(right) for left, right in zip(parts[::2], parts[1::2], strict=False)]
        parts = [*pairs, parts[-1]] if len(parts) % 2 else pairs
    return parts[0]


def merge_outputs(
    outputs: Float[Tensor, "n *batch q e"], lses: Float[Tensor, "n *batch q"]
) -> tuple[Float[Tensor, "*batch q e"], Float[Tensor, "*batch q"]]:
    r"""Merge finished outputs over disjoint sets of keys into the output over all of them.

    .. math:: O = \sum_i e^{\lambda_i - \lambda}\, O_i, \qquad \lambda = \log \sum_i e^{\lambda_i}

    Args:
        outputs: n outputs, each over its own keys.
        lses: the logarithm of each one's sum of exp(score); -inf for a query without a visible key.

    Returns:
        The output over all keys (zeros without a visible key), and its log-sum-exp.

    Cost: n·q·e multiplications.

    Ref: Rabe & Staats 2021, section 2; Dao 2023, section 3.1.
    """
    lse = torch.logsumexp(lses, dim=0)
    shares = torch.exp(lses - _finite(lse))
    return (shares.unsqueeze(-1) * outputs).sum(dim=0), lse


def _finite(largest: Tensor) -> Tensor:
    """Replace -inf by 0, so that -inf - -inf does not arise."""
    return largest.masked_fill(largest == -torch.inf, 0)

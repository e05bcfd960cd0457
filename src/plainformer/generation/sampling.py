"""Sampling: which tokens can be drawn, and with which probabilities.

Each rule is an object, called with logits (b, v). Tokens that it excludes get minus infinity, so
rules can be applied in any order; :class:`Sampler` fixes one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from plainformer.generation.drawing import check_logits, draw, generators_of, wide
from plainformer.unknown_fields import check_overridden
from plainformer.whole_numbers import Whole, whole


@dataclass(frozen=True)
class Temperature:
    """Divide the logits: below 1 likely tokens become more likely, above 1 less likely.

    The row's largest logit is subtracted first, which changes no probability and keeps a tiny
    temperature from overflowing.

    Args:
        temperature: above 0, without a unit; for 0, the most likely token, see :class:`Sampler`.

    Raises:
        ValueError: the temperature is not a finite number above 0.

    Ref: Ackley et al. 1985 (the temperature of a Boltzmann machine).

    >>> Temperature(0.5)(torch.tensor([[1.0, 0.0]])).tolist()
    [[0.0, -2.0]]
    """

    temperature: float | int

    def __post_init__(self) -> None:
        _check_number(temperature=self.temperature)
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise ValueError(
                f"temperature={self.temperature}: expected a finite number above 0; "
                "for the likeliest token each time, use Sampler(temperature=0)"
            )

    def __call__(self, logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        """Return the logits divided by the temperature, with the largest of each row at 0."""
        return (logits - logits.amax(dim=-1, keepdim=True)) / self.temperature


@dataclass(frozen=True)
class TopK:
    """Keep the k most likely tokens, and any that tie with the last of them.

    Args:
        k: number of tokens, at least 1; a number above the vocabulary's size keeps all.

    Raises:
        ValueError: ``k`` is below 1.

    Ref: Fan et al. 2018, section 5.4.

    >>> TopK(1)(torch.tensor([[2.0, 0.0, 2.0]])).tolist()
    [[2.0, -inf, 2.0]]
    """

    k: Whole

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "top_k", of=" of tokens"))
        if self.k < 1:
            raise ValueError(f"top_k={self.k}: expected at least 1, or None for all tokens")

    def __call__(self, logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        """Return the logits, minus infinity below the k-th largest."""
        least = logits.topk(min(self.k, logits.shape[-1]), dim=-1).values[:, -1:]
        return _only(logits, logits >= least)


@dataclass(frozen=True)
class TopP:
    """Keep the smallest set of most likely tokens whose probabilities sum to at least p.

    A token is kept if the strictly more likely ones have a total below p. Tokens that tie with the
    last one are also kept, so that shuffling the vocabulary shuffles the result; other libraries
    break that tie by the order in which their sort returns it.

    Args:
        p: total probability, above 0 and at most 1, which keeps all.

    Raises:
        ValueError: ``p`` is outside this range.

    Cost: one sort of the vocabulary.

    Ref: Holtzman et al. 2020, section 3.1, equation 2.

    >>> TopP(0.6)(torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.0000]])
    """

    p: float | int

    def __post_init__(self) -> None:
        _check_number(top_p=self.p)
        if not 0 < self.p <= 1:
            raise ValueError(f"top_p={self.p}: expected a share above 0 and at most 1")

    def __call__(self, logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        """Return the logits, with minus infinity for tokens beyond the total p."""
        if self.p == 1:  # a sum that rounds to 1 early would exclude the rarest
            return logits
        falling = logits.sort(dim=-1, descending=True).values
        weights = falling.softmax(dim=-1)
        before = weights.cumsum(dim=-1) - weights
        last = (before < self.p).sum(dim=-1, keepdim=True) - 1
        return _only(logits, logits >= falling.gather(-1, last.clamp_min(0)))


@dataclass(frozen=True)
class MinP:
    """Keep the tokens that are at least p times as likely as the most likely one.

    Args:
        p: fraction of the largest probability, from 0 (keeps all) to 1 (only the most likely).

    Raises:
        ValueError: ``p`` is outside this range.

    Ref: Nguyen et al. 2025 (min-p).

    >>> MinP(0.5)(torch.tensor([[0.5, 0.3, 0.2]]).log()).exp()
    tensor([[0.5000, 0.3000, 0.0000]])
    """

    p: float | int

    def __post_init__(self) -> None:
        _check_number(min_p=self.p)
        if not 0 <= self.p <= 1:
            raise ValueError(f"min_p={self.p}: expected a share from 0 to 1")

    def __call__(self, logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        """Return the logits, with minus infinity for tokens that are too unlikely."""
        weights = logits.softmax(dim=-1)
        return _only(logits, weights >= self.p * weights.amax(dim=-1, keepdim=True))


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """Draw tokens: temperature, then top-k, then top-p, then min-p, then one draw.

    This is the order of the ``transformers`` library. It matters: top-p and min-p use the
    probabilities after the temperature, among the tokens that top-k has kept.

    Args:
        temperature: 0 chooses the most likely token each time, among equals the first; 1 is the
            model's own distribution.
        top_k: see :class:`TopK`.
        top_p: see :class:`TopP`.
        min_p: see :class:`MinP`.
        seed: the draws of a sequence do not depend on the rest of its batch; its seed is computed
            by :func:`~plainformer.generation.drawing.seed_of`.

    Raises:
        ValueError: a number is outside its range.

    >>> sampler = Sampler(temperature=1.0, top_k=2)
    >>> sampler.probabilities(torch.tensor([[0.0, 0.0, -9.0]])).tolist()
    [[0.5, 0.5, 0.0]]
    """

    temperature: float | int = 1.0
    top_k: Whole | None = None
    top_p: float | int | None = None
    min_p: float | int | None = None
    seed: Whole | None = None

    def __post_init__(self) -> None:
        check_overridden(self, ("steps", "probabilities", "__call__"))
        for name in ("top_k", "seed"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, whole(given, name))
        generators_of(self.seed, 0)
        _ = self.steps

    @property
    def greedy(self) -> bool:
        """Whether sampling is deterministic."""
        return self.temperature == 0

    @property
    def steps(self) -> list[Temperature | TopK | TopP | MinP]:
        """The steps from logits to logits, in their order."""
        return [
            *([] if self.greedy else [Temperature(self.temperature)]),
            *([] if self.top_k is None else [TopK(self.top_k)]),
            *([] if self.top_p is None else [TopP(self.top_p)]),
            *([] if self.min_p is None else [MinP(self.min_p)]),
        ]

    def generators(self, count: Whole) -> list[Generator]:
        """Make the generators of a batch of ``count`` sequences."""
        return generators_of(self.seed, count)

    def probabilities(
        self, logits: Float[Tensor, "b v"], *, where: Sequence[tuple[int, int]] | None = None
    ) -> Float[Tensor, "b v"]:
        """Return the distribution that a token is drawn from, in float64 if the device supports it.

        Args:
            logits: one row for each sequence.
            where: sequence and step of each row, for a message.

        Returns:
            Rows that sum to 1; all on one token if the temperature is 0.

        Raises:
            NaNLogits: see :func:`~plainformer.generation.drawing.check_logits`.

        Cost: a few passes over b·v numbers, and a sort for top-p.
        """
        check_logits(logits, where)
        logits = wide(logits)
        if self.greedy and type(self).steps is Sampler.steps:  # no step moves the largest logit
            return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
        for step in self.steps:
            logits = step(logits)
        if self.greedy:
            return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
        return logits.softmax(dim=-1)

    def __call__(
        self,
        logits: Float[Tensor, "b v"],
        generators: Generator | Sequence[Generator],
        *,
        where: Sequence[tuple[int, int]] | None = None,
    ) -> Int[Tensor, " b"]:
        """Return one token for each row.

        Args:
            logits: one row for each sequence.
            generators: one for each row, as made by :meth:`generators`.
            where: sequence and step of each row, for a message.

        Raises:
            NaNLogits: see :func:`~plainformer.generation.drawing.check_logits`.
        """
        if not self.greedy:
            return draw(self.probabilities(logits, where=where), generators)
        kind = type(self)
        if kind.steps is not Sampler.steps or kind.probabilities is not Sampler.probabilities:
            return self.probabilities(logits, where=where).argmax(dim=-1)
        check_logits(logits, where)
        return logits.argmax(dim=-1)


def sampler_or_greedy(sampler: Sampler | None) -> Sampler:
    """Return the given sampler, or the greedy one.

    Args:
        sampler: draws the tokens; None for the most likely ones.

    Raises:
        ValueError: it is not a sampler.
    """
    sampler = Sampler(temperature=0) if sampler is None else sampler
    if not isinstance(sampler, Sampler):
        raise ValueError(
            f"sampler={sampler!r}: expected a Sampler, such as Sampler(temperature=0.7)"
        )
    return sampler


def _only(logits: Tensor, inside: Bool[Tensor, "b v"]) -> Tensor:
    return logits.masked_fill(~inside, -torch.inf)


def _check_number(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, Real):
            raise ValueError(f"{name}={value!r}: expected a number")

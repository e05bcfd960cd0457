"""Scalings of rotary frequencies, for contexts longer than those of training.

Each class maps the frequencies of :class:`~plainformer.positions.rotary.Rotary` to others, and
defines the factor of the rotated vectors.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float64
from torch import Tensor


class Scaling(ABC):
    """Map frequencies to others."""

    follows_length = False

    @abstractmethod
    def scale(
        self, frequencies: Float64[Tensor, " planes"], length: int
    ) -> Float64[Tensor, " planes"]:
        """Return ``frequencies`` changed for a sequence of ``length`` positions.

        The length is only used by scalings whose ``follows_length`` is True.
        """

    @property
    def magnitude(self) -> float:
        """The factor of rotated queries and of rotated keys."""
        return 1.0

    @property
    def score_factor(self) -> float:
        """An additional factor of the scores in latent attention, for rotated parts and others."""
        return 1.0

    @property
    def follows_up_to(self) -> int | None:
        """The length from which on the frequencies depend on it; None if they never do."""
        fixed = not self.follows_length or getattr(self, "length", None) is not None
        return None if fixed else int(getattr(self, "context", 0))


@dataclass(frozen=True, kw_only=True)
class Interpolation(Scaling):
    """Divide every frequency, so that the longer context is compressed to that of training.

    Args:
        factor: the extended context divided by that of training.

    Raises:
        ValueError: the factor is below 1.

    Ref: Chen et al. 2023, equation 4.
    """

    factor: float | int

    def __post_init__(self) -> None:
        check_factor(self.factor)

    def scale(
        self, frequencies: Float64[Tensor, " planes"], length: int
    ) -> Float64[Tensor, " planes"]:
        """Return ``frequencies`` divided by the factor, for any ``length``."""
        return frequencies / self.factor


@dataclass(frozen=True, kw_only=True)
class NTKAware(Scaling):
    """Divide the last frequency by the factor, leave the first unchanged, and interpolate between.

    This is equivalent to a larger base: ``base · factor^(d/(d−2))``.

    Args:
        factor: the extended context divided by that of training.

    Raises:
        ValueError: the factor is below 1.

    Ref: Peng et al. 2023 (YaRN), section 3.1, definition 1.
    """

    factor: float | int

    def __post_init__(self) -> None:
        check_factor(self.factor)

    def scale(
        self, frequencies: Float64[Tensor, " planes"], length: int
    ) -> Float64[Tensor, " planes"]:
        """Return ``frequencies`` with the larger base, for any ``length``."""
        last = max(len(frequencies) - 1, 1)
        plane = torch.arange(len(frequencies), dtype=torch.float64, device=frequencies.device)
        return frequencies * self.factor ** (-plane / last)


@dataclass(frozen=True, kw_only=True)
class DynamicNTK(Scaling):
    """Scale like :class:`NTKAware`, by the ratio of the sequence's length to the context.

    Keys in a cache keep the angles of the time when they were appended. So beyond the context a
    step with a cache differs from a pass over the whole sequence, unless ``length`` is set.

    Args:
        factor: growth of the scaling beyond the context; 1 for growth in proportion to the length.
        context: the longest sequence of training.
        length: the sequence length to scale for; that of each call when left out.

    Raises:
        ValueError: the factor or a length is below 1.

    Ref: Peng et al. 2023 (YaRN), section 3.3; the factor as in the transformers library.
    """

    factor: float | int
    context: int
    length: int | None = None
    follows_length = True

    def __post_init__(self) -> None:
        check_factor(self.factor, context=self.context, length=self.length)

    def scale(
        self, frequencies: Float64[Tensor, " planes"], length: int
    ) -> Float64[Tensor, " planes"]:
        """Return ``frequencies`` for ``length`` positions: up to the context, unchanged."""
        length = max(length if self.length is None else self.length, self.context)
        grown = self.factor * length / self.context - (self.factor - 1)
        return NTKAware(factor=grown).scale(frequencies, length)


@dataclass(frozen=True, kw_only=True)
class LongRoPE(Scaling):
    """Divide each frequency by its own number, found by a search for the model.

    Keys in a cache keep the angles of the time when they were appended; see :class:`DynamicNTK`.

    Args:
        short: one divisor per plane, for sequences up to the context.
        long: the same for longer ones.
        context: the longest sequence of training.
        factor: the extended context divided by that of training.
        attention_factor: multiplies rotated vectors; computed from ``factor`` when left out.
        length: the sequence length to scale for; that of each call when left out.

    Raises:
        ValueError: the factor or a length is below 1.

    Ref: Ding et al. 2024 (LongRoPE), section 3; the magnitude as in Phi-3.
    """

    short: Sequence[float | int]
    long: Sequence[float | int]
    context: int
    factor: float | int
    attention_factor: float | int | None = None
    length: int | None = None
    follows_length = True

    def __post_init__(self) -> None:
        check_factor(self.factor, context=self.context, length=self.length)

    def scale(
        self, frequencies: Float64[Tensor, " planes"], length: int
    ) -> Float64[Tensor, " planes"]:
        """Return ``frequencies`` divided, for ``length`` positions.

        Raises:
            ValueError: the number of divisors is not the number of planes.
        """
        length = length if self.length is None else self.length
        for name, divisors in (("short", self.short), ("long", self.long)):
            if len(divisors) != len(frequencies):
                raise ValueError(
                    f"{name} has {len(divisors)} divisors; expected one for each of the "
                    f"{len(frequencies)} planes (half of the components that turn)"
                )
        divisors = self.long if length > self.context else self.short
        return frequencies / torch.tensor(divisors, dtype=torch.float64, device=frequencies.device)

    @property
    def magnitude(self) -> float:
        """The factor of rotated queries and of rotated keys."""
        if self.attention_factor is not None:
            return float(self.attention_factor)
        return math.sqrt(1 + math.log(self.factor) / math.log(self.context))


def check_factor(factor: float | int, **lengths: int | None) -> None:
    """Refuse a factor or a length below 1.

    Args:
        factor: the extended context divided by that of training.
        lengths: lengths by name; None means left out.

    Raises:
        ValueError: names the invalid argument.
    """
    if not factor >= 1:
        raise ValueError(f"factor={factor}: expected how many times longer, at least 1")
    for name, length in lengths.items():
        if length is not None and length < 1:
            raise ValueError(f"{name}={length}: expected a number of positions, at least 1")

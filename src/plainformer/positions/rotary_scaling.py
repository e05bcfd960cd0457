"""Slower planes for longer contexts: what turns rotary positions beyond those of training.

Each class maps the frequencies of :class:`~plainformer.positions.rotary.Rotary` to others, and
says by what the turned vectors are multiplied.
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

        Only those whose ``follows_length`` is True look at the length.
        """

    @property
    def magnitude(self) -> float:
        """By what turned queries and turned keys are multiplied, each."""
        return 1.0

    @property
    def score_factor(self) -> float:
        """By what latent attention multiplies its scores besides, for turned parts and others."""
        return 1.0

    @property
    def follows_up_to(self) -> int | None:
        """Length from which on the frequencies follow it; None if they never do."""
        fixed = not self.follows_length or getattr(self, "length", None) is not None
        return None if fixed else int(getattr(self, "context", 0))


@dataclass(frozen=True, kw_only=True)
class Interpolation(Scaling):
    """Divide every frequency: the longer context is squeezed into the trained one.

    Args:
        factor: how many times longer the context is.

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
        """Return ``frequencies`` divided by the factor, whatever the ``length``."""
        return frequencies / self.factor


@dataclass(frozen=True, kw_only=True)
class NTKAware(Scaling):
    """Divide the last frequency by the factor and the first by nothing, between them gradually.

    It amounts to a larger base: ``base · factor^(d/(d−2))``.

    Args:
        factor: how many times longer the context is.

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
        """Return ``frequencies`` as of the larger base, whatever the ``length``."""
        last = max(len(frequencies) - 1, 1)
        plane = torch.arange(len(frequencies), dtype=torch.float64, device=frequencies.device)
        return frequencies * self.factor ** (-plane / last)


@dataclass(frozen=True, kw_only=True)
class DynamicNTK(Scaling):
    """Scale as :class:`NTKAware` does, by as much as the sequence is longer than the context.

    Keys in a cache stay turned as they were when they came. So beyond the context a cached step
    differs from a pass over the whole, unless ``length`` is set beforehand.

    Args:
        factor: how fast the scaling grows beyond the context; 1 = as the length does.
        context: the longest sequence of training.
        length: the sequence length to scale for; that of each call when left out.

    Raises:
        ValueError: the factor is below 1, or a length too.

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
    """Divide each frequency by a number of its own, found by search for that model.

    Keys in a cache stay turned as they were when they came; see :class:`DynamicNTK`.

    Args:
        short: a divisor for each plane, for sequences up to the context.
        long: the same for longer ones.
        context: the longest sequence of training.
        factor: how many times longer the context became.
        attention_factor: by what turned vectors are multiplied; from ``factor`` when left out.
        length: the sequence length to scale for; that of each call when left out.

    Raises:
        ValueError: the factor is below 1, or a length too.

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
            ValueError: there is not one divisor for each plane.
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
        """By what turned queries and turned keys are multiplied, each."""
        if self.attention_factor is not None:
            return float(self.attention_factor)
        return math.sqrt(1 + math.log(self.factor) / math.log(self.context))


def check_factor(factor: float | int, **lengths: int | None) -> None:
    """Refuse a factor or a length below 1.

    Args:
        factor: how many times longer a context is.
        lengths: lengths by name; None counts as left out.

    Raises:
        ValueError: says which.
    """
    if not factor >= 1:
        raise ValueError(f"factor={factor}: expected how many times longer, at least 1")
    for name, length in lengths.items():
        if length is not None and length < 1:
            raise ValueError(f"{name}={length}: expected a number of positions, at least 1")

"""Rotary scalings that treat fast planes and slow planes differently: YaRN and Llama 3.

A fast plane rotates many times within the context: it distinguishes neighbours and does not change.
A slow one never completes a rotation, so beyond the context it would reach angles that did not
occur in training; its frequency is reduced. Planes between them change partly.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float64
from torch import Tensor

from plainformer.positions.rotary_scaling import Scaling, check_factor


@dataclass(frozen=True, kw_only=True)
class YaRN(Scaling):
    """Reduce the frequencies of slow planes, and sharpen attention slightly.

    The paper interpolates by the number of rotations; the authors' code, and every checkpoint
    since, by the plane's index between the two planes that rotate ``beta_fast`` and ``beta_slow``
    times. This class does the latter.

    Args:
        factor: the extended context divided by that of training.
        context: the longest sequence of training.
        beta_fast: planes that rotate more often than this within the context do not change.
        beta_slow: frequencies of planes that rotate less often are divided by the factor.
        truncate: whether the two indices are rounded outwards to whole numbers.
        attention_factor: multiplies rotated vectors; ``0.1·ln(factor) + 1`` when left out.
        mscale: if ``mscale_all_dim`` is also given, ``0.1·mscale`` replaces that 0.1;
        mscale_all_dim: and the result is divided by the same formula with this number (DeepSeek),
            whose latent attention multiplies its scores by the square of that divisor; see
            :attr:`score_factor`.

    Raises:
        ValueError: the factor or the context is below 1, or ``beta_fast`` not above ``beta_slow``
            and that not above 0.

    Ref: Peng et al. 2023 (YaRN), sections 3.2 and 3.4.
    """

    factor: float | int
    context: int
    beta_fast: float | int = 32.0
    beta_slow: float | int = 1.0
    truncate: bool = True
    attention_factor: float | int | None = None
    mscale: float | int | None = None
    mscale_all_dim: float | int | None = None

    def __post_init__(self) -> None:
        check_factor(self.factor, context=self.context)
        if not self.beta_fast > self.beta_slow > 0:
            raise ValueError(
                f"beta_fast={self.beta_fast}, beta_slow={self.beta_slow}: both count turns within "
                "the context; expected beta_fast > beta_slow > 0"
            )

    def scale(
        self, frequencies: Float64[Tensor, " planes"], length: int
    ) -> Float64[Tensor, " planes"]:
        """Return ``frequencies``, slow ones divided by the factor, for any ``length``."""
        planes = len(frequencies)
        if planes == 1:
            return frequencies  # the only plane is the fastest
        # Plane i rotates by exp(-step · i), which is n rotations within the context where ...
        step = -math.log(float(frequencies[1]))
        first, last = (
            math.log(self.context / (2 * math.pi * turns)) / step
            for turns in (self.beta_fast, self.beta_slow)
        )
        if self.truncate:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, 2 * planes - 1)
        plane = torch.arange(planes, dtype=torch.float64, device=frequencies.device)
        slowed = ((plane - first) / max(last - first, 0.001)).clamp(0, 1)
        return frequencies * (1 - slowed) + frequencies / self.factor * slowed

    @property
    def magnitude(self) -> float:
        """The factor of rotated queries and of rotated keys."""
        if self.attention_factor is not None:
            return float(self.attention_factor)
        grown = 0.1 * math.log(self.factor)
        if self.mscale and self.mscale_all_dim:
            return (self.mscale * grown + 1) / (self.mscale_all_dim * grown + 1)
        return grown + 1

    @property
    def score_factor(self) -> float:
        r"""The factor of all scores in latent attention: the square of DeepSeek's mscale.

        .. math:: (0.1\, m_{\text{all}} \ln s + 1)^2

        With equal ``mscale`` and ``mscale_all_dim`` the rotation multiplies by 1, because in latent
        attention it would affect only a part of each query and key.
        """
        return (0.1 * (self.mscale_all_dim or 0) * math.log(self.factor) + 1) ** 2


@dataclass(frozen=True, kw_only=True)
class Llama3(Scaling):
    """Reduce the frequencies of slow planes, by their number of rotations within the context.

    Args:
        factor: the extended context divided by that of training.
        context: the longest sequence of training.
        low_freq_factor: frequencies of planes that rotate less often than this are divided by the
            factor.
        high_freq_factor: planes that rotate more often than this do not change.

    Raises:
        ValueError: the factor or the context is below 1, or ``high_freq_factor`` not above
            ``low_freq_factor`` and that not above 0.

    Ref: Meta's published code of Llama 3.1; Dubey et al. 2024 describe the models.
    """

    factor: float | int
    context: int
    low_freq_factor: float | int = 1.0
    high_freq_factor: float | int = 4.0

    def __post_init__(self) -> None:
        check_factor(self.factor, context=self.context)
        if not self.high_freq_factor > self.low_freq_factor > 0:
            raise ValueError(
                f"low_freq_factor={self.low_freq_factor}, high_freq_factor="
                f"{self.high_freq_factor}: both count turns within the context; expected "
                "high_freq_factor > low_freq_factor > 0"
            )

    def scale(
        self, frequencies: Float64[Tensor, " planes"], length: int
    ) -> Float64[Tensor, " planes"]:
        """Return ``frequencies``, slow ones divided by the factor, for any ``length``."""
        turns = self.context * frequencies / (2 * math.pi)
        between = self.high_freq_factor - self.low_freq_factor
        kept = ((turns - self.low_freq_factor) / between).clamp(0, 1)
        return frequencies * kept + frequencies / self.factor * (1 - kept)

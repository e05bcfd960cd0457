"""Rotary scalings that treat fast planes and slow planes differently: YaRN and Llama 3.

A fast plane turns many times within the context: it tells neighbours apart and stays as it is. A
slow one never completes a turn: beyond the context it would meet angles it has not seen, so it
is slowed down. Between them both do a little.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float64
from torch import Tensor

from plainformer.positions.rotary_scaling import Scaling, check_factor


@dataclass(frozen=True, kw_only=True)
class YaRN(Scaling):
    """Slow planes down by parts, and sharpen attention a little.

    The paper blends by the number of turns; the authors' code, and every checkpoint since, by the
    plane's index between the two planes that turn ``beta_fast`` and ``beta_slow`` times. So does
    this class.

    Args:
        factor: how many times longer the context is.
        context: the longest sequence of training.
        beta_fast: planes that turn more often than this within the context stay as they are.
        beta_slow: planes that turn less often are slowed down by the factor.
        truncate: whether the two planes are rounded outwards to whole ones.
        attention_factor: by what turned vectors are multiplied; ``0.1·ln(factor) + 1`` when left
            out.
        mscale: with ``mscale_all_dim``, takes the place of that 0.1 as ``0.1·mscale``;
        mscale_all_dim: and the same with this is divided by (DeepSeek), whose latent attention
            multiplies its scores by the square of that divisor; see :attr:`score_factor`.

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
        """Return ``frequencies``, slow ones divided by the factor, whatever the ``length``."""
        planes = len(frequencies)
        if planes == 1:
            return frequencies  # the only plane is the fastest
        # Plane i turns by exp(-step · i), which is n turns within the context where ...
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
        """By what turned queries and turned keys are multiplied, each."""
        if self.attention_factor is not None:
            return float(self.attention_factor)
        grown = 0.1 * math.log(self.factor)
        if self.mscale and self.mscale_all_dim:
            return (self.mscale * grown + 1) / (self.mscale_all_dim * grown + 1)
        return grown + 1

    @property
    def score_factor(self) -> float:
        r"""By what latent attention multiplies all its scores: the square of DeepSeek's mscale.

        .. math:: (0.1\, m_{\text{all}} \ln s + 1)^2

        With equal ``mscale`` and ``mscale_all_dim`` the rotation multiplies by 1, because there it
        would reach only a part of each query and key.
        """
        return (0.1 * (self.mscale_all_dim or 0) * math.log(self.factor) + 1) ** 2


@dataclass(frozen=True, kw_only=True)
class Llama3(Scaling):
    """Slow planes down by parts: by the number of turns within the context.

    Args:
        factor: how many times longer the context is.
        context: the longest sequence of training.
        low_freq_factor: planes that turn less often than this are slowed down by the factor.
        high_freq_factor: planes that turn more often than this stay as they are.

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
        """Return ``frequencies``, slow ones divided by the factor, whatever the ``length``."""
        turns = self.context * frequencies / (2 * math.pi)
        between = self.high_freq_factor - self.low_freq_factor
        kept = ((turns - self.low_freq_factor) / between).clamp(0, 1)
        return frequencies * kept + frequencies / self.factor * (1 - kept)

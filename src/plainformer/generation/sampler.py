"""The sampler: the steps in their order, and a refusal of logits that mean nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from plainformer.generation.drawing import Greedy, Sample, generators_of
from plainformer.generation.results import Generated
from plainformer.generation.sampling import MinP, Temperature, TopK, TopP


class NaNLogits(ValueError):  # noqa: N818  (named after what is there)
    """Say that a row of logits holds NaN, plus infinity, or nothing but minus infinity.

    Args:
        row: the sequence, from 0.
        step: how many tokens had been drawn for it.
        what: what the row holds.

    What :func:`~plainformer.generation.generate` had drawn before, for all sequences, is in
    ``generated``; elsewhere that is None.
    """

    def __init__(self, row: int, step: int, what: str) -> None:
        super().__init__(
            f"the logits of sequence {row} at step {step} hold {what}: no token can be drawn. "
            "Look for weights that are not finite, or for an overflow in half precision"
        )
        self.row, self.step = row, step
        self.generated: Generated | None = None


def check_logits(
    logits: Float[Tensor, "b v"], where: Sequence[tuple[int, int]] | None = None
) -> None:
    """Refuse logits from which nothing can be drawn.

    Args:
        logits: one row for each sequence.
        where: for each row its sequence and step, for the message; (row, 0) when left out.

    Raises:
        NaNLogits: a row holds NaN or plus infinity, or nothing but minus infinity.
    """
    top = logits.amax(dim=-1)  # NaN where one is in the row
    if bool(torch.isfinite(top).all()):
        return
    row = int(torch.isfinite(top).logical_not().nonzero()[0])
    value = float(top[row])
    what = {torch.inf: "+inf", -torch.inf: "nothing but -inf"}.get(value, "NaN")
    raise NaNLogits(*(where[row] if where is not None else (row, 0)), what)


def log_probabilities(
    logits: Float[Tensor, "b v"], tokens: Int[Tensor, " b"]
) -> Float[Tensor, " b"]:
    """Return what the logits give each row's token, in nats.

    Args:
        logits: one row for each sequence.
        tokens: one token for each row.

    Cost: one pass over b·v numbers.
    """
    logits = _wide(logits)
    return logits.gather(-1, tokens[:, None])[:, 0] - logits.logsumexp(dim=-1)


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """Draw tokens: temperature, then top-k, then top-p, then min-p, then one draw.

    This is the order of the ``transformers`` library. It matters: the shares of top-p and min-p
    are counted after the temperature, and among what top-k has left.

    Args:
        temperature: 0 takes the likeliest token each time; 1 is the model's own distribution.
        top_k: see :class:`~plainformer.generation.sampling.TopK`.
        top_p: see :class:`~plainformer.generation.sampling.TopP`.
        min_p: see :class:`~plainformer.generation.sampling.MinP`.
        seed: sequence i of a batch draws with seed + i, whatever its neighbours do; see
            :func:`~plainformer.generation.drawing.generators_of`.

    Raises:
        ValueError: a number is outside its range.

    >>> sampler = Sampler(temperature=1.0, top_k=2)
    >>> sampler.probabilities(torch.tensor([[0.0, 0.0, -9.0]])).tolist()
    [[0.5, 0.5, 0.0]]
    """

    temperature: float | int = 1.0
    top_k: int | None = None
    top_p: float | int | None = None
    min_p: float | int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        generators_of(self.seed, 0)
        _ = self.steps

    @property
    def greedy(self) -> bool:
        """Whether chance has no part."""
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

    def generators(self, count: int) -> list[Generator]:
        """Make the generators of a batch of ``count`` sequences."""
        return generators_of(self.seed, count)

    def probabilities(
        self, logits: Float[Tensor, "b v"], *, where: Sequence[tuple[int, int]] | None = None
    ) -> Float[Tensor, "b v"]:
        """Return what a draw draws from, in float64 where the device has it.

        Args:
            logits: one row for each sequence.
            where: for each row its sequence and step, for a message.

        Returns:
            Rows that sum to 1; all on one token where the temperature is 0.

        Raises:
            NaNLogits: see :func:`check_logits`.

        Cost: a few passes over b·v numbers, and a sort where there is top-p.
        """
        check_logits(logits, where)
        logits = _wide(logits)
        if self.greedy:
            return F.one_hot(Greedy()(logits), logits.shape[-1]).to(logits.dtype)
        return self._let_in(logits).softmax(dim=-1)

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
            generators: one for each row, such as :meth:`generators` makes.
            where: for each row its sequence and step, for a message.

        Raises:
            NaNLogits: see :func:`check_logits`.
        """
        check_logits(logits, where)
        if self.greedy:
            return Greedy()(logits)
        return Sample(generators)(self._let_in(_wide(logits)))

    def _let_in(self, logits: Tensor) -> Tensor:
        for step in self.steps:
            logits = step(logits)
        return logits


def _wide(logits: Tensor) -> Tensor:
    return logits.to(torch.float32 if logits.device.type == "mps" else torch.float64)

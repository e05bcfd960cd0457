"""Draw a token from probabilities, as a deterministic function of one uniform number."""

import math
from collections.abc import Sequence
from hashlib import sha256

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from plainformer.generation.stopping import Generated
from plainformer.whole_numbers import Whole, whole


def pick(probabilities: Float[Tensor, "b v"], uniform: Float[Tensor, " b"]) -> Int[Tensor, " b"]:
    """Return the token whose interval between 0 and 1 contains the uniform number.

    This is a pure function: the same probabilities and number give the same token, on any device
    and in any batch. A token of probability 0 has an empty interval, and is never returned.

    Args:
        probabilities: not negative; the sum of each row is above 0.
        uniform: at least 0 and below 1.

    Returns:
        One token for each row.

    Cost: one running sum of b·v numbers.

    Ref: Devroye 1986, section III.2 (inversion).

    >>> pick(torch.tensor([[0.2, 0.0, 0.8]]), torch.tensor([0.2])).tolist()
    [2]
    """
    line = probabilities.cumsum(dim=-1)
    line = line / line[:, -1:]  # the last token with a positive probability ends at exactly 1
    return torch.searchsorted(line, uniform[:, None].to(line.dtype), right=True)[:, 0]


def generators_of(seed: Whole | None, count: Whole) -> list[Generator]:
    """Make one generator per sequence of a batch, so that its draws do not depend on the others.

    Sequence i gets the seed :func:`seed_of`. The generators are on the CPU, so that draws are the
    same on all devices.

    Args:
        seed: seed of the first sequence; if None, it is drawn from torch's own generator, which
            ``torch.manual_seed`` controls.
        count: number of sequences.

    Raises:
        ValueError: the seed is negative, needs more than 62 bits, or is not a whole number.
    """
    seed = int(torch.randint(2**62, (), device="cpu")) if seed is None else whole(seed, "seed")
    if not 0 <= seed < 2**62:
        raise ValueError(f"seed={seed}: expected a whole number from 0 to 2**62 - 1")
    rows = range(whole(count, "count"))
    return [Generator("cpu").manual_seed(seed_of(seed, row)) for row in rows]


def seed_of(seed: int, row: int) -> int:
    """Return the seed of one sequence of a batch; alone, with this seed, it draws the same tokens.

    Sequence 0 has the batch's own seed, and the others have a digest of it and their number. With
    ``seed + row`` a batch would share all sequences but one with the batch of the next seed.

    Args:
        seed: seed of the batch, from 0 to 2**62 - 1.
        row: the number of the sequence, from 0.

    Returns:
        A number from 0 to 2**62 - 1.

    >>> seed_of(7, 0)
    7
    """
    digest = sha256(f"{seed} {row}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 2 if row else seed


def draw(
    probabilities: Float[Tensor, "b v"], generators: Generator | Sequence[Generator]
) -> Int[Tensor, " b"]:
    """Draw one token for each row. After an error the generators are in their earlier state.

    Args:
        probabilities: see :func:`pick`.
        generators: one for each row; or one for all rows in turn, so that a row's draw depends on
            the number of rows before it.

    Raises:
        ValueError: the number of generators differs from the number of rows.
    """
    b = probabilities.shape[0]
    each = [generators] * b if isinstance(generators, Generator) else generators
    if len(each) != b:
        raise ValueError(f"{len(each)} generators for {b} rows: expected one for each, or one")
    before = [(g, g.get_state()) for g in dict.fromkeys(each)]
    try:
        uniform = [torch.rand((), generator=g, dtype=torch.float64, device=g.device) for g in each]
        drawn = torch.stack(uniform) if uniform else torch.zeros(0, device="cpu")
        return pick(probabilities, drawn.to(probabilities.device))
    except BaseException:
        for generator, state in before:
            generator.set_state(state)
        raise


class Dice:
    """Make the random choices for one sequence: a coin, or a token.

    Args:
        generator: source of the random numbers.
    """

    def __init__(self, generator: Generator) -> None:
        self.generator = generator

    def coin(self, probability: float) -> bool:
        """Return True with that ``probability``."""
        g = self.generator
        drawn = torch.rand((), generator=g, dtype=torch.float64, device=g.device)
        return float(drawn) < probability

    def draw(self, probabilities: Float[Tensor, " v"]) -> int:
        """Return a token, drawn from ``probabilities``."""
        return int(draw(probabilities[None], self.generator))


def wide(logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
    """Return logits in float64 if the device supports it, for precise sums over many of them.

    Cost: a copy of b·v numbers.
    """
    return logits.to(torch.float32 if logits.device.type == "mps" else torch.float64)


class NaNLogits(ValueError):  # noqa: N818  (named after what is there)
    """A row of logits contains NaN or plus infinity, or only minus infinity.

    Args:
        row: the sequence, from 0.
        step: number of tokens drawn for it before.
        what: the invalid content of the row.

    The tokens that :func:`~plainformer.generation.generate` had drawn before, for all sequences,
    are in ``generated``; other functions leave it at None.
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
    """Refuse logits from which no token can be drawn.

    Args:
        logits: one row for each sequence.
        where: sequence and step of each row, for the message; (row, 0) when left out.

    Raises:
        NaNLogits: a row contains NaN or plus infinity, or only minus infinity.
    """
    for row, top in enumerate(logits.amax(dim=-1).tolist()):  # NaN if the row contains one
        if not math.isfinite(top):
            what = {math.inf: "+inf", -math.inf: "nothing but -inf"}.get(top, "NaN")
            raise NaNLogits(*(where[row] if where is not None else (row, 0)), what)


def log_probabilities(
    logits: Float[Tensor, "b v"], tokens: Int[Tensor, " b"]
) -> Float[Tensor, " b"]:
    """Return the log-probability of each row's token, in nats.

    Args:
        logits: one row for each sequence.
        tokens: one token for each row.

    Cost: a few passes over b·v numbers.
    """
    return wide(logits).log_softmax(dim=-1).gather(-1, tokens[:, None])[:, 0]

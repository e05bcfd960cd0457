"""Reports that once named a similar but different mistake."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from exercise_bank.ch10.mistakes import attention_bytes_more as attention
from exercise_bank.ch10.mistakes import decode_floor_more as floor
from exercise_bank.ch12.mistakes import bytes_moved_more as tiles
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load

LN2 = math.log(2)


def slip(module: Any, kind: str) -> Callable[..., Any]:
    def answer(*given: Any, **inputs: Any) -> Any:
        return module.slip(kind, *given, **inputs)

    return answer


def from_the_start_and_1(real: Tensor, n: int) -> Tensor:
    """Remove padding at the left, count it in the middle, and count from 1."""
    first = real.long().argmax(dim=1, keepdim=True)
    found = torch.arange(real.shape[1]) - first + 1
    return found.masked_fill(~real, 0)[:, -n:]


def kept_share_in_turns(
    wavelengths: Tensor,
    trained: int,
    factor: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
) -> tuple[Tensor, Tensor, float]:
    turns = trained / wavelengths
    fast = ((turns - beta_slow) / (beta_fast - beta_slow)).clamp(0, 1)
    old = 1 / wavelengths
    return fast, fast * old + (1 - fast) * old / factor, (0.1 * math.log(factor) + 1) ** 2


@pytest.mark.parametrize(
    ("task", "answer", "never"),
    [
        ("12.backward_by_hand", (13 / 4, 19 / 16, 19 * LN2 / 16), "first key"),
        ("12.backward_by_hand", (13 / 4, 19 / 16, 3 * LN2 / 16), "first key"),
        ("12.backward_by_hand", (13 / 4, 19 / 16, 1.0), "first key"),
        ("10.bound_by", (16.16, 0.3, 127), "doubles the rows"),
        ("10.bound_by", (16.16, 0.3, 120), "doubles the rows"),
        ("16.littles_law", (10.5, 9.5, 9.5 / 12, 2), "Your C subtracts"),
        ("16.littles_law", (10.5, 9, 9.5 / 12, 2), "Your C subtracts"),
        ("16.littles_law", (10.5, 900, 75, 2), "per cent"),
        ("16.littles_law", (10.5, 4, 1 / 3, 2), "Your C divides a time"),
        ("13.positions", from_the_start_and_1, "running sum counts"),
        ("15.yarn_ramp", kept_share_in_turns, "your frequencies follow"),
        ("10.attention_bytes", slip(attention, "keys not read"), "lack the values"),
        ("10.attention_bytes", slip(attention, "outputs of groups"), "reads the queries"),
        ("10.attention_bytes", slip(attention, "one sequence's bytes"), "counts do not depend"),
        ("10.decode_floor", slip(floor, "weights in bits"), "eight times too high"),
        ("10.decode_floor", slip(floor, "weights of two bytes"), "neither on weight_bits"),
        ("12.bytes_moved", slip(tiles, "queries off the chip"), "tile of scores itself"),
    ],
)
def test_nothing_is_said_that_the_answer_does_not_do(task: str, answer: Any, never: str) -> None:
    assert never not in grade(load(task), answer, seed=7).text()


@pytest.mark.parametrize(
    ("task", "rung"),
    [
        ("13.positions", "a prefill of prompts of unequal length"),
        ("13.positions", "steps after such a prefill"),
        ("13.positions", "a second turn, padded once more"),
        ("13.positions", "rows of hundreds of tokens"),
        ("10.critical_batch", "the batch, with several new tokens in a step"),
        ("08.perplexity", "a batch without words does not count, although its mean is nan"),
        ("12.tile_backward", "a mask in the tile"),
        ("12.tile_backward", "several heads share the keys"),
        ("14.log_probability", "padding changes nothing"),
        ("14.log_probability", "padding for which the model returned nan"),
        ("15.find_fault", "a wrong factor is noticed, and none in `by_the_book`"),
        ("15.ntk_base", "the divisors, from plane 0 to the slowest"),
        ("16.capacity", "machines for a load"),
        ("16.shared_prefixes", "how many tokens of each prompt are computed"),
    ],
)
def test_a_requirement_is_called_what_its_inputs_are(task: str, rung: str) -> None:
    exercise = load(task)
    assert isinstance(exercise, Exercise)
    assert rung not in {each.name for each in exercise.rungs}


def each_base(n: float) -> Callable[..., Tensor]:
    """Make an answer that raises n, instead of e, to the mean loss of a word."""

    def answer(losses: Tensor, counts: Tensor) -> Tensor:
        mean = torch.where(counts > 0, losses * counts, 0.0).sum() / counts.sum()
        return torch.tensor(n, dtype=losses.dtype) ** mean

    return answer


def each_column(step: int, log: float) -> Callable[..., tuple[Tensor, Tensor]]:
    """Make an answer that reads a token from its own column, or counts in another unit."""

    def answer(logits: Tensor, tokens: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        logs = torch.log_softmax(logits, dim=-1)[:, step:][:, : tokens.shape[1] - 1] / log
        counts = real[:, 1:] & real[:, :-1]
        total = torch.where(counts, logs.gather(-1, tokens[:, 1:, None])[..., 0], 0.0).sum(dim=1)
        return total, total / counts.sum(dim=1).clamp_min(1)

    return answer


def each_growth(power: Callable[[int], float]) -> Callable[..., tuple[float, Tensor]]:
    """Make an answer that multiplies the base by another power of the factor."""

    def answer(
        base: float, width: int, factor: float, plane: int | None = None
    ) -> tuple[float, Tensor]:
        grown = factor ** power(width)
        return base * grown, grown ** (2 * torch.arange(width // 2).double() / width)

    return answer


def sound_as(name: str) -> Callable[..., str]:
    right = load("15.find_fault").reference

    def answer(box: Any) -> str:
        said = str(right(box))
        return name if said == "none" else said

    return answer


@pytest.mark.parametrize(
    ("task", "answer", "says"),
    [
        *(
            ("08.perplexity", each_base(n), "(mean nan) does not count, whatever")
            for n in (2.0, 10.0, 1 / math.e)
        ),
        *(
            ("14.log_probability", each_column(*how), "returned nan changes no log-probability")
            for how in ((1, 1.0), (0, LN2), (0, -1.0), (1, LN2))
        ),
        *(
            ("15.find_fault", sound_as(name), "named if the model has one, and only then")
            for name in ("every layer", "new length", "old keys")
        ),
        *(
            ("15.ntk_base", each_growth(power), "from the right base or from yours")
            for power in (lambda d: 1.0, lambda d: 2.0, lambda d: d / (d - 2), lambda d: -1.0)
        ),
    ],
)
def test_a_line_that_a_wrong_answer_meets_says_what_is_so(
    task: str, answer: Any, says: str
) -> None:
    report = grade(load(task), answer, seed=7).text()
    met = [line for line in report.splitlines() if line.startswith("✓ passed")]
    assert any(says in line for line in met), report

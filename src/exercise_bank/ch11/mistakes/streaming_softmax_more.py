"""More ways in which 11.streaming_softmax goes wrong."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from exercise_bank.ch11.mistakes import streaming_softmax_code as code
from exercise_bank.ch11.mistakes.streaming_softmax_code import Both, Read, ended, stream
from exercise_bank.skills import said

Wrong = Callable[[Read, int, int, int], Both]


def double_answer(read: Read, count: int, q: int, e: int, *, wrong: Callable[..., Both]) -> Both:
    """Make a mistake in float64, and return the dtype of the values."""
    dtypes = [torch.float32]

    def wide(i: int) -> tuple[Tensor, Tensor]:
        scores, value = read(i)
        dtypes.append(value.dtype)
        return scores.double(), value.double()

    output, lse = wrong(wide, count, q, e)
    return output.to(dtypes[-1]), lse.to(dtypes[-1])


def in_double(wrong: Wrong) -> Wrong:
    """Return the same mistake in float64."""
    return partial(double_answer, wrong=wrong)


def starts_at(read: Read, count: int, q: int, e: int, start: float = -100.0) -> Both:
    return ended(*stream(read, count, q, e, start=start))


def mean_of_seen_blocks(read: Read, count: int, q: int, e: int) -> Both:
    output, lse = torch.zeros(q, e), torch.full((q,), -torch.inf)
    for i in range(count):
        scores, value = read(i)
        output = output + torch.softmax(scores, dim=1).nan_to_num(0.0) @ value / count
        lse = torch.logaddexp(lse, torch.logsumexp(scores, dim=1))
    return output, lse


def two_passes_unguarded(read: Read, count: int, q: int, e: int) -> Both:
    output, lse = code.two_passes(read, count, q, e)
    return output.masked_fill(lse[:, None] == -torch.inf, torch.nan), lse


def smallest_sum(read: Read, count: int, q: int, e: int, least: float = 1e-30) -> Both:
    m, total, out = stream(read, count, q, e)
    lse = m.masked_fill(m == -torch.inf, 0.0) + total.clamp(min=least).log()
    return ended(m, total, out)[0], lse


def sum_for_lse(read: Read, count: int, q: int, e: int) -> Both:
    m, total, out = stream(read, count, q, e)
    return ended(m, total, out)[0], total


def exp_of_lse(read: Read, count: int, q: int, e: int, nan: float = torch.nan) -> Both:
    total, out = torch.zeros(q), torch.zeros(q, e)
    for i in range(count):
        scores, value = read(i)
        share = torch.logsumexp(scores, dim=1).exp()
        total = total + share
        out = out + share[:, None] * (torch.softmax(scores, dim=1).nan_to_num(0.0) @ value)
    quotient = out / total[:, None]
    return torch.where(total[:, None] > 0, quotient.nan_to_num(nan), 0.0), total.log()


MORE = (
    said(
        "too-high-in-float64",
        in_double(code.one_maximum),
        "float64 is wide enough for any row.",
        "From some rows you subtract a number hundreds above all of their scores, so their "
        "exponentials are 0, in float64 too. Either all rows share one maximum, or the running "
        "maximum begins at a finite number.",
        "What is exp(-1000) in float64?",
        "Which number does any score beat, also -1000?",
        "Begin with -inf, and keep one maximum for each row.",
        variants=(in_double(code.starts_at_zero), starts_at, in_double(starts_at)),
        kind="form",
    ),
    said(
        "sum-for-lse",
        sum_for_lse,
        "The second result is l.",
        "Your output is right. Your second result is l itself. The log-sum-exp is the logarithm "
        "of l, plus m.",
        "Add 5 to all scores. By how much should the log-sum-exp grow, and does yours?",
        "exp(s) = exp(m) · exp(s - m).",
        "Return m + log l.",
        variants=(in_double(sum_for_lse),),
    ),
    said(
        "no-maximum-in-float64",
        in_double(code.no_maximum),
        "float64 is wide enough for exp.",
        "You take exp of scores, or of log-sum-exps, as they are, and in float64. At 1000 that is "
        "inf, at -1000 it is 0, there too.",
        "Compute math.exp(1000) in Python.",
        "A softmax does not change if the same number is subtracted from all scores of its row.",
        "Keep the largest score so far, and subtract it.",
        variants=(in_double(exp_of_lse),),
        kind="form",
    ),
)

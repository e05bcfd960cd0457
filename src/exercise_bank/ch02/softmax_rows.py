"""Exercise 02.softmax_rows: from scores to weights, for scores of any size."""

import math

import torch
from torch import Generator, Tensor

from exercise_bank.ch02.mistakes.softmax_rows import MISCONCEPTIONS
from exercise_bank.ch02.mistakes.softmax_rows_more import MORE
from exercise_bank.draws import rows_sum_to_1, same_dtype, spread
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import FINE, SUMMED
from plainformer.softmax import softmax

#: Relative tolerance for weights of a coarse dtype.
COARSE = 0.02


def rows(g: Generator, *shape: int) -> Tensor:
    return spread(g, *shape).float()


def several_rows(g: Generator) -> list[Inputs]:
    return [{"scores": rows(g, *shape)} for shape in ((2, 3), (1, 5), (3, 3), (5, 2), (2, 3, 4))]


def in_turn(g: Generator) -> list[Inputs]:
    """Draw square scores whose rows and columns are rotations of the same numbers."""
    found: list[Inputs] = []
    for k in (2, 3, 5):
        first = rows(g, 1, k)[0]
        found.append({"scores": torch.stack([first.roll(i) for i in range(k)])})
    return found


def large_in_one_row(g: Generator) -> list[Inputs]:
    example = torch.tensor([[1000.0, 1000.0]])
    return [
        {"scores": example},
        {"scores": 1000 + spread(g, 1, 2)},
        {"scores": torch.tensor([[0.0, 1000.0]])},
        {"scores": torch.tensor([[1000.0, 0.0]])},
        {"scores": 2000 * spread(g, 1, 3)},
        {"scores": spread(g, 1, 4) - 1000},
    ]


def one_row_far_below(g: Generator) -> list[Inputs]:
    small, large = spread(g, 2, 2), spread(g, 4, 3)
    small[1] -= 1000
    large[2] -= 900
    return [{"scores": small}, {"scores": large}]


def awkward(g: Generator) -> list[Inputs]:
    return [
        {"scores": torch.tensor([[0.0, 0.0], [1000.0, 1000.0]])},
        {"scores": torch.tensor([[0.0, 1000.0], [1000.0, 0.0]])},
        {"scores": torch.tensor([[0.0, math.log(3.0)]])},
        {"scores": rows(g, 2, 2, 2)},
        {"scores": rows(g, 3, 3, 3)},
        {"scores": rows(g, 2, 2, 2, 2)},
        {"scores": rows(g, 2, 3, 5, 7)},
        {"scores": rows(g, 3, 1)},
        {"scores": 2000 * spread(g, 2, 3)},
        {"scores": 1000 + spread(g, 3, 1, 4, 2)},
    ]


def either_type(g: Generator) -> list[Inputs]:
    drawn = [spread(g, 2, 2), spread(g, 3, 3, 3)]
    types = (torch.float32, torch.float64)
    return [{"scores": each.to(dtype)} for each in drawn for dtype in types]


def shares(inputs: Inputs, weights: Tensor) -> str | None:
    """Report a row that is not a row of shares, or a larger score with a smaller weight."""
    scores, weights = inputs["scores"], torch.as_tensor(weights)
    if said := unfit(inputs, weights) or off_1(inputs, weights):
        return said
    gains = torch.take_along_dim(weights, scores.argsort(dim=-1), dim=-1).diff(dim=-1)
    if (gains < -1e-6).any():
        return "in one of your rows a larger score has a smaller weight"
    if not (gains.amax(dim=-1) > 1e-3).all():
        return "in one of your rows all weights are equal, and the scores are not"
    return None


def right_ratios(inputs: Inputs, weights: Tensor) -> str | None:
    """Report a row in which the ratio of two weights is wrong, whatever the sum of the row."""
    scores, weights = inputs["scores"], torch.as_tensor(weights)
    if said := unfit(inputs, weights):
        return said
    found, wanted = weights.double().log(), scores.double()
    off = (found - found[..., :1]) - (wanted - wanted[..., :1])
    wrong = (~(off.abs() < (COARSE if coarse(weights) else 1e-3))).nonzero()
    if not len(wrong):
        return None
    place = tuple(wrong[0].tolist())
    row, first = list(place[:-1]), (*place[:-1], 0)
    return (
        f"in row {row} the scores {place[-1]} and 0 differ by "
        f"{(wanted[place] - wanted[first]).item():.4g}, so the ratio of the weights is e to this "
        f"power; yours are {weights[place].item():.4g} and {weights[first].item():.4g}"
    )


def the_weights(inputs: Inputs, weights: Tensor) -> str | None:
    """Report weights that differ from the right ones, whatever their type and its precision."""
    got = torch.as_tensor(weights)
    if said := unfit(inputs, got) or off_1(inputs, got):
        return said
    right = softmax(**inputs)
    return difference(right, got, SUMMED, axes="*batch k", dtype="any")


def shape_and_dtype(inputs: Inputs, weights: object) -> str | None:
    if not isinstance(weights, Tensor):
        return f"return a tensor; yours is a {type(weights).__name__}"
    return unfit(inputs, weights) or same_dtype(inputs, weights)


def coarse(weights: Tensor) -> bool:
    """Return whether a dtype has so few digits that rows of right weights do not sum to 1."""
    return weights.dtype in (torch.bfloat16, torch.float16)


def off_1(inputs: Inputs, weights: Tensor) -> str | None:
    """Report a row that does not sum to 1, within the precision of the dtype of the weights."""
    if coarse(weights) and ((weights.double().sum(dim=-1) - 1).abs() < COARSE).all():
        return None
    return rows_sum_to_1(inputs, weights)


def unfit(inputs: Inputs, weights: Tensor) -> str | None:
    wanted = tuple(inputs["scores"].shape)
    if weights.shape != wanted:
        return f"weights have the shape of the scores, {wanted}; yours is {tuple(weights.shape)}"
    return None


def minus_log_sum_exp(scores: Tensor) -> Tensor:
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def max_and_values(scores: Tensor) -> Tensor:
    largest, _ = scores.max(dim=-1, keepdim=True)
    powers = (scores - largest).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def unsqueezed(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.amax(-1).unsqueeze(-1))
    return powers * powers.sum(-1).reciprocal()[..., None]


def row_by_row(scores: Tensor) -> Tensor:
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        powers = torch.exp(row - max(row))
        rows.append(powers / sum(powers))
    return torch.stack(rows).reshape(scores.shape)


TASK = Exercise(
    id="02.softmax_rows",
    title="From scores to weights",
    level="easy",
    minutes=10,
    concepts=("softmax-axis", "stable-softmax", "implement-torch"),
    reference=softmax,
    rungs=(
        Rung(
            name="each row is shared out: it sums to 1, and a larger score gets no less",
            points=0.5,
            idea="a row's keys share 1",
            draw=several_rows,
            law=shares,
            compare=False,
        ),
        Rung(
            name="within a row, weights have the ratios of the exponentials",
            points=0.5,
            idea="exponentials of the scores",
            draw=several_rows,
            law=right_ratios,
            compare=False,
        ),
        Rung(
            name="rows that hold the same scores in turn",
            points=0.5,
            idea="a row's keys share 1",
            draw=in_turn,
            law=the_weights,
            compare=False,
        ),
        Rung(
            name="large scores in a single row do no harm",
            points=0.75,
            idea="the row's largest is taken off",
            draw=large_in_one_row,
            law=the_weights,
            compare=False,
        ),
        Rung(
            name="a row far below the others keeps its ratios",
            points=0.75,
            idea="the row's largest is taken off",
            draw=one_row_far_below,
            law=right_ratios,
            compare=False,
        ),
        Rung(
            name="weights have the shape and the dtype of the scores",
            points=0.25,
            draw=either_type,
            law=shape_and_dtype,
            compare=False,
            dtype=True,
        ),
        Rung(
            name="the whole, with any axes in front",
            points=0.75,
            draw=awkward,
            law=the_weights,
            compare=False,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="minus log-sum-exp", answer=minus_log_sum_exp),
        Alternative(name="max with its index", answer=max_and_values),
        Alternative(name="unsqueeze and reciprocal", answer=unsqueezed),
        Alternative(name="row by row", answer=row_by_row),
    ),
    hints=(
        "What should the weights of a row with two equal scores be? And of [1000, 1000]?",
        "Softmax does not change when the same number is subtracted from a whole row. Which number "
        "makes the largest exponent 0?",
        "Two numbers belong to each row: its largest score, subtracted before exp, and its sum, "
        "divided by after it. Which option keeps them a column, so that they meet their row?",
    ),
    forbid=(
        "scaled_dot_product_attention",
        "MultiheadAttention",
        "plainformer",
        "softmax",
        "log_softmax",
        "Softmax",
        "softmin",
        "Softmin",
        "distributions",
        "autograd",
        "backward",
        "jacobian",
        "jacrev",
        "jacfwd",
        "vjp",
        "grad",
    ),
    precision=FINE,
)

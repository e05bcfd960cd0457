"""Exercise 14.log_probability: a model's probability of each text in a padded batch."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch14.mistakes.log_probability import MISCONCEPTIONS
from exercise_bank.draws import more, normal
from exercise_bank.parts import parts
from exercise_bank.skills import Draw, both_types, in_proportion, in_single, rung
from plaincourse.checking.in_words import difference, show
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung
from plaincourse.exercise.precision import SOLVED

Two = tuple[Tensor, Tensor]


def drawn(
    g: Generator, v: int, *rows: tuple[int, int, int], size: float = 1.5, broken: bool = False
) -> Inputs:
    """Draw a batch; a row is its padding at the left, its tokens, its padding at the right.

    ``size`` multiplies the logits. If ``broken`` is set, the logits at padding are nan and
    infinities.
    """
    n = max(sum(row) for row in rows)
    real = torch.zeros(len(rows), n, dtype=torch.bool)
    for i, (left, length, _) in enumerate(rows):
        real[i, left : left + length] = True
    tokens = torch.randint(0, v, real.shape, generator=g)
    logits = size * normal(g, len(rows), n, v) + 2
    if broken:
        logits[~real] = torch.nan
        logits[:, :, 0] = logits[:, :, 0].masked_fill(~real, torch.inf)
    return {"logits": logits, "tokens": tokens, "real": real}


def example() -> Inputs:
    """Return the prompt's example."""
    return {
        "logits": torch.log(torch.tensor([[[0.75, 0.25], [0.5, 0.5]]])),
        "tokens": torch.tensor([[0, 1]]),
        "real": torch.tensor([[True, True]]),
    }


def without_padding(g: Generator) -> list[Inputs]:
    """Draw texts of one length, whose logits are log-probabilities already."""
    found = [drawn(g, v, *[(0, n, 0)] * b) for b, n, v in ((3, 2, 3), (4, 5, 4), (5, 5, 5))]
    return [{**each, "logits": each["logits"].log_softmax(dim=-1)} for each in found]


def twice(g: Generator, v: int, *rows: tuple[int, int, int], broken: bool = False) -> Inputs:
    """Draw two texts of one length, in the even and the odd rows, with different padding."""
    inputs = drawn(g, v, *rows, broken=broken)
    for i, row in enumerate(rows):
        start, n, first = row[0], row[1], rows[i % 2][0]
        inputs["logits"][i, start : start + n] = inputs["logits"][i % 2, first : first + n]
        inputs["tokens"][i, start : start + n] = inputs["tokens"][i % 2, first : first + n]
    return inputs


def padded_right(g: Generator) -> list[Inputs]:
    a, b, c = (2 * more(g) for _ in range(3))  # further texts, in hidden inputs
    return [
        twice(g, 5, *[(0, 3, 1)] * (6 + a)),
        twice(g, 4, *[(0, 3, 2)] * (6 + b)),
        twice(g, 6, *[(0, 3, 5)] * (4 + c)),
    ]


def padded_left(g: Generator) -> list[Inputs]:
    a, b = 2 * more(g), 2 * more(g)
    return [
        twice(g, 5, *[(1, 3, 0)] * (6 + a)),
        twice(g, 4, *[(3, 3, 0)] * (4 + b)),
        twice(g, 5, *[(2, 3, 0)] * 2, *[(1, 3, 1)] * 2, *[(0, 3, 2)] * 2),
    ]


def padded(g: Generator) -> list[Inputs]:
    return padded_right(g) + padded_left(g)


def all_lengths(g: Generator) -> list[Inputs]:
    return [
        *(drawn(g, v, (0, n, 0)) for v, n in ((2, 2), (3, 4), (5, 5))),
        drawn(g, 3, (0, 3, 1)),
        drawn(g, 3, (1, 3, 0)),
        drawn(g, 4, (1, 4, 1), (2, 2, 2), (0, 3, 3), (0, 6, 0)),
        drawn(g, 5, (0, 2, 5), (5, 2, 0), (3, 4, 0)),
    ]


def the_whole(g: Generator) -> list[Inputs]:
    return [example(), *both_types(all_lengths)(g)]


def with_nan(g: Generator) -> list[Inputs]:
    a, b = 2 * more(g), 2 * more(g)
    return [
        twice(g, 3, *[(1, 2, 0)] * (2 + a), broken=True),
        twice(g, 3, *[(0, 2, 2)] * (2 + b), broken=True),
        twice(g, 4, *[(0, 3, 2)] * 2, *[(2, 3, 0)] * 2, *[(1, 3, 1)] * 2, broken=True),
    ]


def large(g: Generator) -> list[Inputs]:
    """Draw logits whose exponentials, or whose probabilities, no float can represent."""
    high = drawn(g, 3, *[(0, 4, 0)] * 4)
    high["logits"].add_(2000)
    return [high, drawn(g, 4, *[(0, 4, 0)] * 3, size=1500.0)]


def one_token(g: Generator) -> list[Inputs]:
    return [
        drawn(g, 3, (0, 1, 2), (0, 3, 0)),
        drawn(g, 3, (2, 1, 0), (1, 2, 0)),
        drawn(g, 4, (1, 1, 1), (0, 3, 0), (0, 1, 2)),
    ]


def log_probability(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    """Return each text's log-probability (b,), and its mean over the predicted tokens (b,)."""
    logs = torch.log_softmax(logits[:, :-1], dim=-1)
    said = logs.gather(-1, tokens[:, 1:, None])[..., 0]
    counts = real[:, 1:] & real[:, :-1]
    total = torch.where(counts, said, 0.0).sum(dim=1)
    return total, total / counts.sum(dim=1).clamp_min(1)


def text_by_text(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    totals, means = [], []
    for i in range(len(tokens)):
        places = real[i].nonzero().flatten().tolist()
        total = 0.0
        for t in places[1:]:
            row = logits[i, t - 1]
            total += (row[tokens[i, t]] - row.logsumexp(dim=0)).item()
        totals.append(total)
        means.append(total / max(len(places) - 1, 1))
    return torch.tensor(totals), torch.tensor(means)


def by_cross_entropy(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    predicted = tokens.clone()
    predicted[~real] = -100
    predicted[:, 1:][~real[:, :-1]] = -100
    loss = torch.nn.functional.cross_entropy(
        logits[:, :-1].nan_to_num(0.0, posinf=0.0).mT,
        predicted[:, 1:],
        ignore_index=-100,
        reduction="none",
    )
    count = (predicted[:, 1:] != -100).sum(dim=1)
    return -loss.sum(dim=1), -loss.sum(dim=1) / torch.where(count > 0, count, 1)


def by_pairs(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    row, before = (real[:, 1:] & real[:, :-1]).nonzero(as_tuple=True)
    found = logits[row, before]
    logs = found[torch.arange(len(row)), tokens[row, before + 1]] - found.logsumexp(dim=1)
    zeros = torch.zeros(len(tokens), dtype=logs.dtype)
    total = zeros.index_add(0, row, logs)
    return total, total / zeros.index_add(0, row, torch.ones_like(logs)).clamp_min(1)


def right(inputs: Inputs) -> Two:
    return log_probability(**inputs)


NAMES = ("log-probability", "mean")


def kind(inputs: Inputs, answer: Any) -> str | None:
    """Report an answer that is not a tuple of two tensors of that shape."""
    b = len(inputs["tokens"])
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return f"return a tuple of 2: {', '.join(NAMES)}"
    for name, x in zip(NAMES, answer, strict=True):
        if not isinstance(x, Tensor) or x.shape != (b,) or not x.is_floating_point():
            what = f"of shape {tuple(x.shape)}" if isinstance(x, Tensor) else f"{x!r:.60}"
            return f"your {name} is {what}; expected a tensor of {b} numbers, one for each text"
    return None


def in_step(says: str, *, signed: bool) -> Law:
    """Make a law that the totals of the texts have the right proportions."""

    def law(inputs: Inputs, answer: Any) -> str | None:
        return kind(inputs, answer) or proportion(inputs, answer[0])

    proportion = in_proportion(lambda **inputs: right(inputs)[0], says, rows=False, signed=signed)
    return law


def alone(inputs: Inputs, answer: Any) -> str | None:
    """Report a total that depends on the padding, or equal totals of two different texts."""
    if said := kind(inputs, answer):
        return said
    total = answer[0].detach().double()
    if not total.isfinite().all():
        return f"the log-probability of a text is finite; yours are {show(total)}"
    for i in range(2, len(total)):
        if (total[i] - total[i % 2]).abs() > 1e-4:
            return (
                f"rows {i % 2} and {i} hold the same text, with other padding; you give them "
                f"{total[i % 2].item():.4g} and {total[i].item():.4g}"
            )
    if (total[1] - total[0]).abs() < 1e-4:
        return f"rows 0 and 1 hold other texts; you give both {total[0].item():.4g}"
    return None


def of_the_own_total(inputs: Inputs, answer: Any) -> str | None:
    """Check the mean against the answer's own total; a text of one token has 0 for both."""
    if said := kind(inputs, answer):
        return said
    total, mean = (x.detach().double() for x in answer)
    counts = inputs["real"].sum(dim=1) - 1
    for i, n in enumerate(counts.tolist()):
        if n == 0 and (total[i], mean[i]) != (0, 0):
            return (
                f"text {i} has one token, so both are 0; yours are {total[i].item():.4g} and "
                f"{mean[i].item():.4g}"
            )
        wanted = total[i].item() / max(n, 1)
        if n and (not wanted or not abs(mean[i].item() - wanted) < 1e-4 * max(abs(wanted), 0.1)):
            return (
                f"of text {i} {n} token{' is' if n == 1 else 's are'} predicted, and you add up "
                f"{total[i].item():.4g}: the mean is {wanted:.4g}; yours is {mean[i].item():.4g}"
            )
    return None


def in_step_where_large(inputs: Inputs, answer: Any) -> str | None:
    """Compare totals, up to sign and unit, as precisely as float32 holds logits in thousands."""
    if said := kind(inputs, answer):
        return said
    wanted, total = right(inputs)[0].double(), answer[0].detach().double()
    factor = (total * wanted).sum() / wanted.square().sum()
    if (
        total.isfinite().all()
        and factor
        and not difference(wanted, total / factor, SOLVED, dtype="any")
    ):
        return None
    return f"the log-probabilities of the texts are {show(wanted)}; yours are {show(total)}"


def single(name: str, points: float, draw: Draw, law: Law, idea: str = "") -> Rung:
    return rung(name, points, in_single(draw), law, idea)


PADDING = "columns of padding, whatever they hold"
SPEAKS = "row t of the logits speaks of token t + 1; texts of one length, in proportion"

TASK = Exercise(
    id="14.log_probability",
    title="The log-probability of a text",
    level="warm-up",
    minutes=6,
    concepts=("greedy-decoding", "batched-generation"),
    reference=log_probability,
    rungs=(
        single(
            "row t speaks of token t + 1",
            0.25,
            without_padding,
            in_step(SPEAKS, signed=False),
            "a row predicts the next token",
        ),
        single(
            "logits in the thousands",
            1.0,
            large,
            in_step_where_large,
            "logarithms of probabilities near 0",
        ),
        single("padding changes no log-probability", 0.25, padded, alone, PADDING),
        single(
            "padding for which the model returned nan changes no log-probability",
            1.0,
            with_nan,
            alone,
            PADDING,
        ),
        rung("the sum in nats", 0.25, the_whole, parts(right, NAMES, 0)),
        single(
            "the mean over the predicted tokens; 0 if there are none",
            0.25,
            lambda g: all_lengths(g) + one_token(g),
            of_the_own_total,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="text by text", answer=text_by_text),
        Alternative(name="by cross-entropy", answer=by_cross_entropy),
        Alternative(name="by pairs of columns", answer=by_pairs),
    ),
    hints=(
        "Take a text of two tokens. Which row of the logits was computed before the second token "
        "was known, and which token does it speak of?",
        "Rows 0 to n - 2 predict the tokens 1 to n - 1. Which of these predictions are made at "
        "padding, and which are about padding?",
        "A prediction counts where its own column and the next one are both real. Choose with "
        "`torch.where`, since nan times 0 is nan.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "log_probability: line 2: the index of logits[:, :-1] dropped",
                "log_probability: line 2: [:-1] becomes [:]",
            ),
            "gather reads as many rows as there are tokens to predict",
        ),
        "log_probability: line 3: 0 becomes -1 in (..., 0)": "the last axis holds one number",
    },
)

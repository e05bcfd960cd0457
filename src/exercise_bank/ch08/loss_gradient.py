"""Exercise 08.loss_gradient: a gradient that you derive yourself."""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from exercise_bank.ch08.mistakes.loss_gradient import MISCONCEPTIONS
from exercise_bank.draws import in_float32, normal
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

LESS = "p - t, averaged over guesses"
SMOOTHED = "a smoothed target sums to 1"
CHAIN = "the chain rule through ln² Z"


def guesses(
    g: Generator,
    n: int,
    v: int,
    *,
    smoothing: float = 0.0,
    kappa: float = 0.0,
    size: float = 1.0,
    shift: float = 0.0,
) -> Inputs:
    return {
        "logits": size * normal(g, n, v) + shift,
        "targets": torch.randint(v, (n,), generator=g),
        "smoothing": smoothing,
        "kappa": kappa,
    }


def one_guess(g: Generator) -> list[Inputs]:
    return [guesses(g, 1, 2), guesses(g, 1, 5)]


def several_guesses(g: Generator) -> list[Inputs]:
    return [guesses(g, 3, 3), guesses(g, 4, 7), guesses(g, 6, 2)]


def smoothed(g: Generator) -> list[Inputs]:
    return [guesses(g, 1, 4, smoothing=0.4), guesses(g, 1, 6, smoothing=1.0)]


def with_z(g: Generator) -> list[Inputs]:
    return [guesses(g, 1, 3, kappa=0.5), guesses(g, 1, 6, kappa=0.2, shift=2.0)]


def whole(g: Generator) -> list[Inputs]:
    example = guesses(g, 1, 2)
    example = {**example, "logits": 0 * example["logits"], "targets": torch.tensor([0])}
    both = guesses(g, 5, 4, smoothing=0.2, kappa=0.3, shift=-1.0)
    return [example, both, guesses(g, 2, 6, smoothing=0.1, kappa=0.1, shift=2.0)]


def large(g: Generator) -> list[Inputs]:
    """Draw whole-number logits, exact in each type, whose exponentials overflow.

    In float32 they are near 150: near 1000, exp(logits - logsumexp) would keep only four digits.
    """
    single, double = (guesses(g, 2, 3, size=10.0, shift=shift) for shift in (150.0, 1000.0))
    drawn = (in_float32(single), double)
    return [{**each, "logits": each["logits"].round()} for each in drawn]


def loss_gradient(
    logits: Float[Tensor, "n v"], targets: Int[Tensor, " n"], smoothing: float, kappa: float
) -> Float[Tensor, "n v"]:
    n, v = logits.shape
    p = torch.softmax(logits, dim=-1)
    wanted = torch.full_like(p, smoothing / v)
    wanted[torch.arange(n), targets] += 1 - smoothing
    z = torch.logsumexp(logits, dim=-1, keepdim=True)
    return (p - wanted + 2 * kappa * z * p) / n


def one_hot(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    hot = F.one_hot(targets, logits.shape[1]).to(logits.dtype)
    z = logits.logsumexp(1)[:, None]
    p = (logits - z).exp()
    gradient: Tensor = p * (1 + 2 * kappa * z) - (1 - smoothing) * hot
    return (gradient - smoothing / logits.shape[1]) / len(logits)


def row_by_row(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    rows = []
    for row, y in zip(logits, targets.tolist(), strict=True):
        top = row.max()
        powers = (row - top).exp()
        p = powers / powers.sum()
        out = p - smoothing / len(row) + 2 * kappa * (top + powers.sum().log()) * p
        out[y] -= 1 - smoothing
        rows.append(out)
    return torch.stack(rows) / len(rows)


def with_tensors(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    n, v = logits.shape
    wanted = torch.full((n, v), smoothing / v)
    wanted[range(n), targets] += torch.tensor(1 - smoothing)
    z = logits.logsumexp(1)[:, None]
    return ((logits - z).exp() * (1 + 2 * torch.tensor(kappa) * z) - wanted) / n


TASK = Exercise(
    id="08.loss_gradient",
    title="A gradient of your own",
    level="hard",
    minutes=20,
    extra=True,
    concepts=("cross-entropy",),
    reference=loss_gradient,
    rungs=(
        Rung(
            name="one guess, plain cross-entropy",
            points=0.5,
            draw=in_single(one_guess),
            idea=LESS,
        ),
        Rung(
            name="each guess by itself, up to one common factor",
            points=0.5,
            draw=in_single(several_guesses),
            law=in_proportion(
                loss_gradient, "the gradient of a guess is its own p - t", rows=False, signed=False
            ),
            compare=False,
            idea=LESS,
        ),
        Rung(
            name="the mean over several guesses",
            points=1.0,
            draw=in_single(several_guesses),
            idea=LESS,
        ),
        Rung(
            name="smoothed targets, up to a factor",
            points=1.5,
            draw=in_single(smoothed),
            law=in_proportion(
                loss_gradient, "the gradient is p - t, with the smoothed t", signed=False
            ),
            compare=False,
            idea=SMOOTHED,
        ),
        Rung(
            name="the term with κ, up to a factor",
            points=1.5,
            draw=in_single(with_z),
            law=in_proportion(
                loss_gradient,
                "the gradient is p - t plus the derivative of κ ln² Z",
                signed=False,
            ),
            compare=False,
            idea=CHAIN,
        ),
        Rung(name="both at once, in float32 and float64", points=0.5, draw=both_types(whole)),
        Rung(name="large logits, without smoothing and κ", points=0.5, draw=large),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="one_hot and log", answer=one_hot),
        Alternative(name="row by row", answer=row_by_row),
        Alternative(name="the target in float32", answer=with_tensors),
    ),
    hints=(
        "With κ = 0 and ε = 0 the chapter has the answer for one guess. What changes if the loss "
        "is a mean over n of them?",
        "The target is a distribution t now. What is its number for the right token, what are the "
        "others, and what do all of them sum to?",
        "For the last term use the chain rule: the derivative of x² times that of ln Z by one "
        "logit, which you know already.",
    ),
    precision=SUMMED,
    forbid=(
        "plainformer",
        "autograd",
        "backward",
        "grad",
        "jacobian",
        "vjp",
        "jacrev",
        "jacfwd",
        "func",
        "requires_grad",
        "requires_grad_",
        "cross_entropy",
        "nll_loss",
    ),
    equivalents=dict.fromkeys(
        (
            "loss_gradient: line 3: the minus of -1 dropped",
            "loss_gradient: line 6: the minus of -1 dropped",
        ),
        "the last of two axes is axis 1",
    ),
)

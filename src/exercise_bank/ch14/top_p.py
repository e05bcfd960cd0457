"""Exercise 14.top_p: temperature, then top-k, then top-p, then min-p, with ties at the border."""

import math
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank import skills
from exercise_bank.ch14.mistakes.top_p import MISCONCEPTIONS
from exercise_bank.draws import spread
from exercise_bank.skills import Draw, in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

MARGIN = 1e-3


def some(
    logits: Tensor, *, temperature: float = 1.0, k: int = 0, p: float = 1.0, min_p: float = 0.0
) -> Inputs:
    k = k or logits.shape[-1]
    return {"logits": logits, "temperature": temperature, "k": k, "p": p, "min_p": min_p}


def of_shares(*rows: list[float], **settings: Any) -> Inputs:
    """Take the logarithms of shares for logits, a little higher in each row."""
    logits = torch.tensor(rows, dtype=torch.float64).log()
    return some(logits + 0.5 * torch.arange(1.0, len(rows) + 1)[:, None], **settings)


def drawn(g: Generator, b: int, v: int, **settings: Any) -> Inputs:
    """Draw logits that are all clear of the borders."""
    while True:
        inputs = some(spread(g, b, v, step=0.4), **settings)
        if clear(**inputs):
            return inputs


def clear(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> bool:
    """Return whether no sum is near p and no share near min_p, for any order of the rules."""
    for scaled in (logits, logits / temperature):
        for many in (k, logits.shape[-1]):
            falling = scaled.sort(dim=-1, descending=True).values[:, :many]
            weights = falling.softmax(dim=-1)
            sums = weights.cumsum(dim=-1)[:, :-1]
            shares = weights / weights[:, :1]
            if p < 1 and ((sums - p).abs() < MARGIN).any():
                return False
            if min_p > 0 and ((shares - min_p).abs() < MARGIN).any():
                return False
    return True


def far_apart(inputs: Inputs) -> Inputs:
    """Raise the logits from row to row, which changes no probability."""
    rows = torch.arange(float(len(inputs["logits"])), dtype=torch.float64)
    return {**inputs, "logits": inputs["logits"] + 9 * rows[:, None]}


def temperature_alone(g: Generator) -> list[Inputs]:
    """Draw logits in float32; those in the thousands in float64, which float32 would round."""
    high = drawn(g, 2, 3, temperature=1.3)
    high["logits"].add_(2000)
    return [*in_single(moderate)(g), high]


def moderate(g: Generator) -> list[Inputs]:
    temperatures = ((1, 2, 2.0), (3, 5, 0.5), (4, 4, 1.7))
    return [drawn(g, b, v, temperature=temperature) for b, v, temperature in temperatures]


def k_alone(g: Generator) -> list[Inputs]:
    return [drawn(g, 1, 3, k=1), drawn(g, 3, 6, k=3), drawn(g, 4, 4, k=2)]


def p_alone(g: Generator) -> list[Inputs]:
    return [
        of_shares([0.2, 0.5, 0.3], p=0.6),
        of_shares([0.2, 0.7, 0.1], p=0.6),
        far_apart(drawn(g, 3, 6, p=0.8)),
        drawn(g, 4, 4, p=0.3),
        drawn(g, 2, 9, p=0.95),
    ]


def min_p_alone(g: Generator) -> list[Inputs]:
    return [
        of_shares([0.3, 0.5, 0.2], min_p=0.5),
        of_shares([0.3, 0.5, 0.2], min_p=1.0),
        of_shares([0.04, 0.9, 0.06], [0.4, 0.25, 0.35], min_p=0.5),
        drawn(g, 3, 6, min_p=0.25),
        drawn(g, 4, 4, min_p=0.6),
        drawn(g, 1, 5, min_p=0.95),
    ]


def nothing_out(g: Generator) -> list[Inputs]:
    """Draw k above v, and tails so small that a running sum reaches 1 before them."""
    far = drawn(g, 3, 5)
    far["logits"][:, 1:4] -= 20 * torch.arange(1.0, 4)
    return [drawn(g, 2, 3, k=9), some(torch.tensor([[0.0, -40.0, -50.0]]).double()), far]


def each_alone(g: Generator) -> list[Inputs]:
    return k_alone(g) + p_alone(g) + min_p_alone(g)


def ties(g: Generator) -> list[Inputs]:
    """Draw rows in which the last kept token is as likely as others."""
    of_k = some(torch.tensor([[1.0, 0.0, 1.0]], dtype=torch.float64), k=1)
    of_p = of_shares([0.2, 0.3, 0.3, 0.2], p=0.75)
    of_two = of_shares([0.1, 0.3, 0.3, 0.3], [0.4, 0.1, 0.4, 0.1], p=0.45)
    order = torch.randperm(6, generator=g)
    many = of_shares([0.4, 0.12, 0.12, 0.12, 0.12, 0.12], p=0.6, temperature=0.9)
    few = of_shares([0.4, 0.15, 0.15, 0.1, 0.1, 0.1], k=4, temperature=1.3)
    many, few = ({**each, "logits": each["logits"][:, order]} for each in (many, few))
    both = of_shares([0.2, 0.4, 0.2, 0.2], k=2, p=0.5)
    return [of_k, of_p, of_two, many, few, both]


def all_together(g: Generator) -> list[Inputs]:
    """Draw logits for which each order of the rules keeps different tokens."""
    cold = of_shares([0.4, 0.3, 0.2, 0.1], temperature=0.5, p=0.8)
    left = of_shares([0.4, 0.3, 0.2, 0.1], k=2, p=0.5)
    late = of_shares([0.4, 0.35, 0.14, 0.11], p=0.8, min_p=0.3)
    after = of_shares([0.3, 0.26, 0.16, 0.14, 0.14], p=0.65, min_p=0.6)
    warm = of_shares([0.2, 0.5, 0.3], temperature=2.0, min_p=0.5)
    found = [cold, left, late, after, warm]
    found.append(drawn(g, 3, 7, temperature=1.6, k=5, p=0.85, min_p=0.2))
    found.append(drawn(g, 2, 9, temperature=0.6, k=6, p=0.9, min_p=0.05))
    banned = drawn(g, 3, 6, temperature=1.4, k=5, p=0.9, min_p=0.1)
    banned["logits"][:, 2:4] = -torch.inf
    return [*found, banned]


def top_p(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    """Return the distribution (b, v) to draw from."""
    scaled = logits / temperature
    least = scaled.sort(dim=1, descending=True).values[:, :k][:, -1:]
    scaled = scaled.masked_fill(scaled < least, -torch.inf)
    falling = scaled.sort(dim=1, descending=True).values
    shares = falling.softmax(dim=1)
    before = shares.cumsum(dim=1) - shares
    least = torch.where((before < p) | (p == 1), falling, torch.inf).amin(dim=1, keepdim=True)
    weights = scaled.masked_fill(scaled < least, -torch.inf).softmax(dim=1)
    weights = weights * (weights >= min_p * weights.amax(dim=1, keepdim=True))
    return weights / weights.sum(dim=1, keepdim=True)


def row_by_row(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    found = torch.zeros_like(logits)
    for i, row in enumerate(logits):
        top = row.max()
        weights = [math.exp((x - top) / temperature) for x in row.tolist()]
        falling = sorted(weights, reverse=True)
        border = falling[min(k, len(falling)) - 1]
        falling = [w for w in falling if w >= border]
        total, held = sum(falling), 0.0
        for w in falling:
            held += w
            border = w
            if p < 1 and held >= p * total:
                break
        kept = [w if w >= max(border, min_p * falling[0]) else 0.0 for w in weights]
        found[i] = torch.tensor(kept, dtype=found.dtype) / sum(kept)
    return found


def by_probabilities(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    def let_in(shares: Tensor, inside: Tensor) -> Tensor:
        kept = torch.where(inside, shares, 0.0)
        return kept / kept.sum(dim=1, keepdim=True)

    shares = torch.softmax(logits / temperature, dim=1)
    v = shares.shape[1]
    border = torch.topk(shares, min(k, v), dim=1).values.amin(dim=1, keepdim=True)
    shares = let_in(shares, shares >= border)
    sorted_shares = torch.sort(shares, dim=1, descending=True).values
    needed = (sorted_shares.cumsum(dim=1) < p).sum(dim=1, keepdim=True).clamp_max(v - 1)
    needed = needed if p < 1 else torch.full_like(needed, v - 1)
    shares = let_in(shares, shares >= sorted_shares.gather(1, needed))
    return let_in(shares, shares >= min_p * shares.max(dim=1, keepdim=True).values)


def in_order_of_size(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    found = torch.zeros_like(logits)
    for i in range(len(logits)):
        shares, order = (logits[i] / temperature).softmax(dim=0).sort(descending=True)
        many = min(k, len(order))
        shares = shares[shares >= shares[many - 1]]
        shares = shares / shares.sum()
        if p < 1:
            reached = int((shares.cumsum(dim=0) < p).sum().clamp_max(len(shares) - 1))
            shares = shares[shares >= shares[reached]]
        shares = shares[shares / shares[0] >= min_p]
        found[i, order[: len(shares)]] = shares / shares.sum()
    return found


def finite(inputs: Inputs, output: Any) -> str | None:
    """Report an answer that is not a tensor of that shape, or contains nan or infinities."""
    b, v = inputs["logits"].shape
    if not isinstance(output, Tensor) or output.is_complex() or output.shape != (b, v):
        found = tuple(output.shape) if isinstance(output, Tensor) else type(output).__name__
        return f"return a tensor of probabilities ({b}, {v}); yours is {found}"
    if not output.isfinite().all():
        return f"{int((~output.isfinite()).sum())} of your probabilities are nan or inf"
    return None


def let_in_alike(inputs: Inputs, output: Any) -> str | None:
    """Report a token that is wrongly kept or removed."""
    if said := finite(inputs, output):
        return said
    wanted = top_p(**inputs)
    for i, x in ((output > 0) != (wanted > 0)).nonzero().tolist():
        alike = (inputs["logits"][i] == inputs["logits"][i, x]) & (output[i] > 0)
        if output[i, x] == 0 and alike.any():
            y = int(alike.nonzero()[0])
            return f"in row {i} tokens {x} and {y} are as likely; you let {y} in and shut {x} out"
        inside = "let in" if wanted[i, x] > 0 else "shut out"
        return (
            f"token {x} of row {i} is to be {inside}; you give it {output[i, x].item():.4g}. "
            f"Let in {int((wanted[i] > 0).sum())} of that row; yours lets in "
            f"{int((output[i] > 0).sum())}"
        )
    return None


def sums_to_one(inputs: Inputs, output: Any) -> str | None:
    """Report a row that does not sum to 1."""
    if said := finite(inputs, output):
        return said
    for i, total in enumerate(output.sum(dim=-1).tolist()):
        if abs(total - 1) > 1e-4:
            return f"your row {i} sums to {total:.4g}; probabilities sum to 1"
    return let_in_alike(inputs, output)


def which(name: str, points: float, draw: Draw, idea: str = "") -> Rung:
    """Make a requirement about which tokens are kept, whatever their probabilities."""
    return skills.rung(name, points, in_single(draw), let_in_alike, idea)


def rung(name: str, points: float, draw: Draw, idea: str = "") -> Rung:
    return Rung(name=name, points=points, draw=in_single(draw), law=sums_to_one, idea=idea)


TASK = Exercise(
    id="14.top_p",
    title="Four rules and a distribution",
    level="medium",
    minutes=10,
    concepts=("temperature-sampling", "top-k-sampling", "top-p-sampling"),
    reference=top_p,
    axes="b v",
    rungs=(
        Rung(
            name="temperature; logits in the thousands, in float64",
            points=0.25,
            draw=temperature_alone,
            law=sums_to_one,
        ),
        which("the k likeliest", 0.25, k_alone),
        which("the fewest that reach p", 0.75, p_alone, "the fewest that reach p together"),
        which("at least min_p of the likeliest", 0.5, min_p_alone, "min_p of the likeliest"),
        which("ties with the last one", 0.5, ties),
        rung("the probabilities of the remaining tokens", 0.5, each_alone),
        rung(
            "the rules one after another",
            2.0,
            all_together,
            "each rule works on the remaining tokens",
        ),
        which("k above v, p = 1 and min_p = 0 shut nothing out", 0.25, nothing_out),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="row by row", answer=row_by_row),
        Alternative(name="by probabilities", answer=by_probabilities),
        Alternative(name="in order of size", answer=in_order_of_size),
    ),
    hints=(
        "Take the shares 0.5, 0.3, 0.2 and p = 0.6. Which tokens are let in, and what did the "
        "tokens before the last of them hold together?",
        "A rule gives a border, and all tokens below the border are shut out, so ties need no "
        "case of their own. Which border has k, and which has p?",
        "Each rule works on the result of the one before, with shares that sum to 1 again. "
        "Logits of minus infinity take a token out of every later softmax.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "top_p: line 3: dim=1 dropped in scaled.sort(dim=1, descending=True)",
                "top_p: line 5: dim=1 dropped in scaled.sort(dim=1, descending=True)",
            ),
            "1 is the last axis",
        ),
        "top_p: line 8: < p becomes <= p": "no draw reaches p exactly: rounding would decide there",
    },
)

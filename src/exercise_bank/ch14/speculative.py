"""Exercise 14.speculative: one round of speculative sampling, exact to the last token."""

import math
from typing import Any

import torch
from torch import Tensor

from exercise_bank.ch14.mistakes.speculative import MISCONCEPTIONS
from exercise_bank.ch14.speculative_rounds import (
    in_turn,
    kept_or_not,
    many_rounds,
    odd_ones,
    one_guess,
    whole_rounds,
)
from exercise_bank.skills import Draw, in_single, rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung


def serve(answer: Any, inputs: Inputs) -> Any:
    """Call an answer once, or once for each of many rounds."""
    p, q, uniform = inputs["p"], inputs["q"], inputs["uniform"]
    if isinstance(uniform, list):
        return answer(p=p, q=q, guesses=inputs["guesses"], uniform=uniform)
    rounds = zip(inputs["guesses"].tolist(), uniform.tolist(), strict=True)
    return [answer(p=p, q=q, guesses=guesses, uniform=each) for guesses, each in rounds]


def speculative(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    """Return the tokens of a round."""
    tokens: list[int] = []
    weights = p[len(guesses)]
    for i, guess in enumerate(guesses):
        if uniform[i] >= p[i, guess] / q[i, guess]:
            weights = (p[i] - q[i]).clamp_min(0)
            break
        tokens.append(guess)
    sums = weights.cumsum(dim=0)
    return [*tokens, int((sums <= uniform[-1] * sums[-1]).sum())]


def by_searching(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    def chosen(weights: Tensor) -> int:
        sums = torch.cumsum(weights / weights.sum(), 0)
        sums[-1] = 1.0
        at = torch.tensor(uniform[-1], dtype=sums.dtype)
        return int(torch.searchsorted(sums, at, right=True))

    kept = 0
    while kept < len(guesses):
        x = guesses[kept]
        if uniform[kept] < min(1.0, (p[kept, x] / q[kept, x]).item()):
            kept += 1
        else:
            return [*guesses[:kept], chosen(torch.relu(p[kept] - q[kept]))]
    return [*guesses, chosen(p[kept])]


def in_plain_lists(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    for i in range(len(guesses) + 1):
        mine = p[i].tolist()
        if i < len(guesses):
            theirs, x = q[i].tolist(), guesses[i]
            if uniform[i] * theirs[x] < mine[x]:
                continue
            mine = [max(a - b, 0.0) for a, b in zip(mine, theirs, strict=True)]
        left = uniform[-1] * sum(mine)
        for token, weight in enumerate(mine):
            if left < weight:
                return [*guesses[:i], token]
            left -= weight
    return []


def all_at_once(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    n = len(guesses)
    places, numbers = torch.arange(n), torch.tensor(uniform, dtype=torch.float64)
    index = torch.tensor(guesses, dtype=torch.long)
    ratios = p[places, index] / q[places, index]
    kept = int((numbers[:n] < ratios).long().cumprod(dim=0).sum())
    lacking = torch.cat([q, torch.zeros(1, p.shape[1])])
    rest = (p - lacking).clamp_min(0)[kept]
    cumulated = (rest / rest.sum()).cumsum(dim=0)
    above = (cumulated > numbers[-1]).nonzero().flatten().tolist()
    return [*guesses[:kept], above[0] if above else int(rest.nonzero()[-1])]


def whole(answer: Any, inputs: Inputs) -> str | None:
    """Report an answer that is not a list of tokens."""
    v = inputs["p"].shape[1]
    try:
        fine = isinstance(answer, (list, tuple)) and all(int(x) == x and 0 <= x < v for x in answer)
    except (TypeError, ValueError):
        fine = False
    return None if fine else f"return a list of tokens from 0 to {v - 1}; yours is {answer!r:.60}"


def how_many(inputs: Inputs, answer: Any) -> str | None:
    """Report a round with a wrong number of tokens."""
    wanted = serve(speculative, inputs)
    said = whole(answer, inputs)
    if said or len(answer) == len(wanted):
        return said
    if list(answer) == wanted[:-1]:
        return (
            f"this round is {wanted}, yours {list(answer)}: its last token, the model's, is missing"
        )
    fates = []
    for i, x in enumerate(inputs["guesses"]):
        ratio = inputs["p"][i, x].item() / inputs["q"][i, x].item()
        fates.append(f"guess {i} has p/q = {ratio:.3g} and the number {inputs['uniform'][i]:.3g}")
    return (
        f"this round has {len(wanted)} token{'s' * (len(wanted) > 1)}, yours {len(answer)}: "
        f"{'; '.join(fates)}"
    )


def the_tokens(inputs: Inputs, answer: Any) -> str | None:
    """Report the first wrong token."""
    said = how_many(inputs, answer)
    if said:
        return said
    for i, (x, y) in enumerate(zip(serve(speculative, inputs), answer, strict=True)):
        if x != y:
            return f"token {i} of this round is {x}; yours is {int(y)}"
    return None


def by_number(weights: Tensor, u: float) -> int:
    """Return the token that the number u draws."""
    sums = weights.cumsum(dim=0)
    return int((sums <= u * sums[-1]).sum())


def in_place(inputs: Inputs, answer: Any) -> str | None:
    """Check the replacement of a guess in the rounds in which the answer refuses it."""
    p, q = inputs["p"], inputs["q"]
    if said := next((said for each in answer if (said := whole(each, inputs))), None):
        return said
    if not any(len(each) == 1 for each in answer):
        return f"in none of these {len(answer)} rounds your answer is one token, for a refused one"
    right = serve(speculative, inputs)
    for i, (each, guess) in enumerate(zip(answer, inputs["guesses"][:, 0].tolist(), strict=True)):
        if list(each) == [guess] and len(right[i]) == 2:  # kept, with no token after it
            continue
        u = inputs["uniform"][i]
        wanted = by_number((p[0] - q[0]).clamp_min(0), float(u[1]))
        if len(each) == 1 and int(each[0]) != wanted:
            return (
                f"you refuse the guessed token {guess}; the last number {float(u[1]):.3g} then "
                f"draws token {wanted}, yours is {int(each[0])}"
            )
    return None


def behind(inputs: Inputs, answer: Any) -> str | None:
    """Check the token after a guess in the rounds in which the answer rightly keeps it."""
    p, right = inputs["p"], serve(speculative, inputs)
    if said := next((said for each in answer if (said := whole(each, inputs))), None):
        return said
    both = [i for i, (x, y) in enumerate(zip(right, answer, strict=True)) if len(x) == len(y) == 2]
    both = both or [i for i, each in enumerate(answer) if len(each) == 2]
    if not both:
        return f"in none of these {len(answer)} rounds you return a guess and a token behind it"
    for i in both:
        u = float(inputs["uniform"][i, 1])
        wanted, token = by_number(p[1], u), int(answer[i][1])
        if token != wanted:
            return f"behind a guess that you keep, {u:.3g} draws token {wanted}; yours is {token}"
    return None


def the_kept(inputs: Inputs, answer: Any) -> str | None:
    """Report a kept guess that is missing, or a round that continues after its end."""
    if said := whole(answer, inputs):
        return said
    *kept, _ = serve(speculative, inputs)
    for i, x in enumerate(kept):
        if i >= len(answer) or answer[i] != x:
            yours = f"yours is {int(answer[i])}" if i < len(answer) else f"yours has {i}"
            return f"guess {i} is kept, so token {i} of this round is {x}; {yours}"
    n = len(kept)
    if len(answer) > n + 1:
        what = f"guess {n} is refused" if n < len(inputs["guesses"]) else "all guesses are kept"
        return f"{what}, so this round has {n + 1} tokens at most; yours has {len(answer)}"
    return None


def as_the_model(inputs: Inputs, answer: Any) -> str | None:
    """Compare how often each token came with the model's own distribution."""
    for each in answer:
        said = whole(each, inputs)
        if said:
            return said
    for i, wanted in enumerate(inputs["p"]):
        came = [int(each[i]) for each in answer if len(each) > i]
        if i == 0 and len(came) < len(answer):
            return "each round gives at least one token"
        if not came:
            return f"in {len(answer)} rounds none of yours got to token {i}"
        often = torch.bincount(torch.tensor(came), minlength=len(wanted)) / len(came)
        off = often - wanted
        x = int(off.abs().argmax())
        if off[x].abs() > 0.06 + 0.8 / math.sqrt(len(came)) * (i > 0):
            return (
                f"over {len(answer)} rounds, token {i} is {x} in {100 * often[x]:.1f} % of yours; "
                f"the model draws it in {100 * wanted[x]:.1f} %"
            )
    return None


def single(name: str, points: float, draw: Draw, law: Law, idea: str = "") -> Rung:
    return rung(name, points, in_single(draw), law, idea)


def round_by_round(inputs: Inputs) -> Inputs:
    """Show inputs of many rounds as such: each call of the answer gets one row of them."""
    if isinstance(inputs["guesses"], list):
        return inputs
    n = len(inputs["guesses"])
    both = ("guesses", "uniform")
    rows = {f"{name}, in each of {n} rounds": inputs[name] for name in both}
    return {**{name: each for name, each in inputs.items() if name not in both}, **rows}


RATIO = "thinned by p/q, filled up by p - q"
ENDS = "a token of the model's ends each round"

TASK = Exercise(
    id="14.speculative",
    title="A round of guesses",
    level="medium",
    minutes=8,
    concepts=("speculative-decoding", "speculative-exactness"),
    reference=speculative,
    call=serve,
    shown=round_by_round,
    rungs=(
        single("a guess is kept, or not", 1.0, kept_or_not, how_many, RATIO),
        single("in place of a refused guess", 0.75, one_guess, in_place, RATIO),
        single("behind the last guess", 0.5, one_guess, behind, ENDS),
        single("the first refusal ends the round", 1.0, in_turn, the_kept, ENDS),
        single("certain guesses, impossible ones, none", 0.25, odd_ones, the_tokens),
        single("whole rounds, of one guess and of several", 0.25, whole_rounds, the_tokens),
        single(
            "over many rounds, the model's own distribution",
            1.25,
            many_rounds,
            as_the_model,
            "the tokens are exactly the model's",
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by searching", answer=by_searching),
        Alternative(name="in plain lists", answer=in_plain_lists),
        Alternative(name="all guesses at once", answer=all_at_once),
    ),
    hints=(
        "The draft guesses token x twice as often as the model would draw it. Which share of those "
        "guesses has to go?",
        "What is missing when the guesses have been thinned out: which tokens does the model draw "
        "more often than the draft guesses them, and by how much?",
        "A refused guess i is replaced by a draw from row i of p minus row i of q, with 0 "
        "where that is negative. Behind n kept guesses the next row is p[n].",
    ),
    equivalents={
        "speculative: line 3: guesses becomes q in len(guesses)": "q has a row for each guess",
        "speculative: line 9: 0 becomes -1 in dim=0": "the weights have one axis",
        "speculative: line 10: int of (sums <= uniform[-1] * sums[-1]).sum() dropped": (
            "a tensor that holds one whole number is taken for it"
        ),
    },
)

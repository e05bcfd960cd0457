"""Exercise 13.positions: the positions of new tokens, after a cache and with padding."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch13.mistakes.positions import MISCONCEPTIONS
from exercise_bank.ch13.mistakes.positions_more import MORE
from exercise_bank.draws import more, some
from exercise_bank.skills import rung, through
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs
from plaincourse.exercise.precision import EXACT


def row(*runs: int) -> list[bool]:
    """Make a row of real tokens (positive) and of padding (negative)."""
    return [run > 0 for run in runs for _ in range(abs(run))]


def drawn(n: int, *rows: list[bool]) -> Inputs:
    return {"real": torch.tensor(rows), "n": n}


def unpadded(g: Generator) -> list[Inputs]:
    k = some(g, 6, 9)
    one, two = more(g), more(g)
    return [
        drawn(1, row(4 + one)),
        drawn(5 + two, row(5 + two), row(5 + two)),
        drawn(3, row(k)),
        drawn(1, row(k), row(k), row(k)),
    ]


def prefill(g: Generator) -> list[Inputs]:
    k, short = some(g, 6, 9), some(g, 2, 5)
    return [
        drawn(3, row(-1, 2)),
        drawn(5, row(-3, 2), row(5)),
        drawn(k, row(k), row(short - k, short), row(1 - k, 1)),
    ]


def steps(g: Generator) -> list[Inputs]:
    k, short = some(g, 6, 9), some(g, 2, 4)
    a, b, c = more(g), more(g), more(g)
    return [
        drawn(1, row(-2, 3 + a)),
        drawn(1, row(-1, 4 + b), row(5 + b), row(-3, 2 + b)),
        drawn(2, row(short - k, short), row(k)),
        drawn(4, row(-2, 5 + c), row(-5, 2 + c)),
    ]


def long(g: Generator) -> list[Inputs]:
    return [drawn(2, row(300 + some(g, 20, 180)))]


def second_turn(g: Generator) -> list[Inputs]:
    """Make a batch with answers, then padded again for prompts of unequal length."""
    a, b, x, y = some(g, 2, 4), some(g, 2, 4), more(g), more(g)
    shown = row(3, -1, 1), row(-1, 4)
    return [
        drawn(5 + x, row(2, -1, 2 + x)),
        drawn(2, *shown),
        drawn(5, *shown),
        drawn(1, row(-1, 2 + y, -2, 3), row(3 + y, -1, 4)),
        drawn(4, row(-2, a, -3, 3), row(a + 2, -1, 5)),
        drawn(b + 7, row(-1, 3, -b, 3), row(4, -1, b + 2), row(b + 7)),
    ]


def padding(g: Generator) -> list[Inputs]:
    a, b, c = some(g, 2, 4), more(g), more(g)
    return [
        drawn(3 + b, row(-2, 1 + b)),
        drawn(6 + c, row(3 + c, -2, 1), row(-3, 3 + c)),
        drawn(5, row(-1, a, -3, 2), row(a, -2, 4)),
    ]


def judged(inputs: Inputs, answer: object, *, at: bool) -> str | None:
    """Report a token with a wrong position, among the real ones or the padding."""
    expected, new = positions(**inputs), inputs["real"][:, -inputs["n"] :]
    if not isinstance(answer, Tensor) or answer.shape != expected.shape:
        return difference(expected, answer, EXACT, axes="b n") or "return a tensor"
    if not at and (answer.dtype == torch.bool or answer.is_floating_point()):
        return f"positions are whole numbers; yours are {answer.dtype}"
    wrong = ((answer != expected) & (new == at)).nonzero().tolist()
    if not wrong:
        return None
    r, c = wrong[0]
    column, yours = inputs["real"].shape[1] - inputs["n"] + c, answer[r, c].item()
    if not at:
        return f"column {column} of row {r} is padding, so its position is 0; yours is {yours}"
    before = expected[r, c].item()
    return (
        f"column {column} of row {r} holds a token with {before} real tokens before it in its row, "
        f"so it is at position {before}; yours is {yours}"
    )


def at_tokens(inputs: Inputs, answer: object) -> str | None:
    return judged(inputs, answer, at=True)


def at_padding(inputs: Inputs, answer: object) -> str | None:
    return judged(inputs, answer, at=False)


def new_from_0(inputs: Inputs, answer: object) -> object:
    """Take the last n columns, and a count from 1 as one from 0; another requirement tests them."""
    expected, tokens = positions(**inputs), inputs["real"][:, -inputs["n"] :]
    if isinstance(answer, Tensor) and answer.shape == inputs["real"].shape:
        answer = answer[:, -inputs["n"] :]
    if not isinstance(answer, Tensor) or answer.shape != expected.shape:
        return answer
    from_1 = (answer == expected + 1)[tokens].all()
    return answer - tokens.long() if from_1 else answer


def positions(real: Tensor, n: int) -> Tensor:
    """Count the real tokens before each of the last n columns (b, n); 0 for padding."""
    count = real.cumsum(dim=1) - 1
    return count.masked_fill(~real, 0)[:, -n:]


def by_loops(real: Tensor, n: int) -> Tensor:
    b, k = real.shape
    found = torch.zeros(b, n, dtype=torch.int64)
    for i in range(b):
        seen = 0
        for j in range(k):
            if real[i, j]:
                if j >= k - n:
                    found[i, j - (k - n)] = seen
                seen += 1
    return found


def held_and_new(real: Tensor, n: int) -> Tensor:
    k = real.shape[1]
    held, new = real[:, : k - n], real[:, k - n :]
    start = held.sum(dim=1, keepdim=True)
    return torch.where(new, start + new.long().cumsum(dim=1) - 1, 0)


def by_a_mask(real: Tensor, n: int) -> Tensor:
    k = real.shape[1]
    earlier = torch.ones(k, k).tril(-1)
    before = (earlier @ real.float().T).T.round().long()
    return (before * real)[:, k - n :]


TASK = Exercise(
    id="13.positions",
    title="Positions of the new tokens",
    level="warm-up",
    minutes=8,
    concepts=("cached-equals-uncached", "what-is-cached"),
    reference=positions,
    rungs=(
        rung(
            "without padding: new tokens come after cached ones, from 0 on",
            1.0,
            unpadded,
            at_tokens,
            "what is held counts",
        ),
        rung(
            "prompts of unequal length, counted from 0 or from 1",
            0.5,
            prefill,
            through(new_from_0, at_tokens),
            "padding does not count",
        ),
        rung(
            "steps after such prompts, counted from 0 or from 1",
            0.75,
            steps,
            through(new_from_0, at_tokens),
            "padding does not count",
        ),
        rung(
            "a second turn, padded once more, counted from 0 or from 1",
            2.0,
            second_turn,
            through(new_from_0, at_tokens),
            "padding does not count",
        ),
        rung(
            "rows of hundreds of tokens, counted from 0 or from 1",
            0.5,
            long,
            through(new_from_0, at_tokens),
        ),
        rung("whole numbers, and 0 for padding", 0.25, padding, through(new_from_0, at_padding)),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="by loops", answer=by_loops),
        Alternative(name="what is held, then what is new", answer=held_and_new),
        Alternative(name="by a mask of earlier columns", answer=by_a_mask),
    ),
    hints=(
        "What does the position of a token count? Which columns does it not count?",
        "Two rows may have different positions in one column, and padding may come between two "
        "turns. So look at each row by itself, from its first column on.",
        "A running sum over the whole row, cached columns included, counts the real tokens up to "
        "and including each column. Which columns are the new ones, and what is one too many?",
    ),
    axes="b n",
)

"""Exercise 14.left_padding: positions, mask and the row to read, with refused guesses too."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch14.mistakes.left_padding import MISCONCEPTIONS
from exercise_bank.ch14.mistakes.left_padding_more import MORE
from exercise_bank.parts import parts
from exercise_bank.skills import rung, through
from plaincourse.exercise import Alternative, Exercise, Inputs, Law

Three = tuple[Tensor, Tensor, Tensor]
NAMES = ("positions", "mask", "row to read")
COUNTED = "positions count the tokens alone"
SEEN = "tokens attend to tokens only"
CONTINUED = "the column of the last token"


def batch(*rows: str) -> Inputs:
    """Read a batch from its rows, with a 1 for each real token."""
    return {"real": torch.tensor([[each == "1" for each in row] for row in rows])}


def drawn(g: Generator, b: int, left: int, middle: int, right: int) -> Inputs:
    """Draw rows with padding at the left, and refused guesses in the middle and at the right."""

    def up_to(most: int) -> int:
        return int(torch.randint(0, most + 1, (), generator=g))

    real = torch.ones(b, left + middle + right + 3, dtype=torch.bool)
    for i in range(b):
        real[i, : up_to(left)] = False
        real[i, left + 1 : left + 1 + up_to(middle)] = False
        real[i, real.shape[1] - up_to(right) :] = False
    return {"real": real}


def padded(g: Generator) -> list[Inputs]:
    return [batch("011"), batch("1111", "0011"), drawn(g, 3, 4, 0, 0)]


def refused_last(g: Generator) -> list[Inputs]:
    return [
        batch("110"),
        batch("0110", "1111"),
        batch("1100", "0111"),
        drawn(g, 3, 0, 0, 3),
        drawn(g, 4, 3, 0, 4),
    ]


def refused_before(g: Generator) -> list[Inputs]:
    return [
        batch("101"),
        batch("0101", "1110"),
        batch("01011", "11101"),
        drawn(g, 4, 2, 3, 0),
        drawn(g, 5, 3, 3, 3),
    ]


def refused(g: Generator) -> list[Inputs]:
    return [*refused_last(g), *refused_before(g)]


def anything(g: Generator) -> list[Inputs]:
    return [*padded(g), *refused(g)]


def one_token(g: Generator) -> list[Inputs]:
    at = int(torch.randint(1, 5, (), generator=g))
    row = ["0"] * 5
    row[at] = "1"
    return [batch("01"), batch("0100", "1111"), batch("1000", "0111"), batch("".join(row))]


def left_padding(real: Tensor) -> Three:
    """Return positions (b, n), mask (b, n, n), and the column to read in each row (b,)."""
    positions = (real.cumsum(dim=1) - 1).masked_fill(~real, 0)
    column = torch.arange(real.shape[1])
    causal = column[:, None] >= column
    mask = causal & real[:, :, None] & real[:, None, :]
    mask = mask | (column[:, None] == column)
    return positions, mask, (column * real).amax(dim=1)


def one_after_another(real: Tensor) -> Three:
    b, n = real.shape
    positions, read = torch.zeros(b, n, dtype=torch.long), torch.zeros(b, dtype=torch.long)
    mask = torch.zeros(b, n, n, dtype=torch.bool)
    for i in range(b):
        seen: list[int] = []
        for t in range(n):
            mask[i, t, t] = True
            if real[i, t]:
                positions[i, t] = len(seen)
                seen.append(t)
                mask[i, t, seen] = True
                read[i] = t
    return positions, mask, read


def by_products(real: Tensor) -> Three:
    number = real.long()
    n = real.shape[1]
    before = torch.einsum("bk,qk->bq", number, torch.ones(n, n, dtype=torch.long).tril(-1))
    both = torch.einsum("bq,bk->bqk", number, number).tril().bool()
    mask = torch.where(torch.eye(n, dtype=torch.bool), True, both)
    return before * number, mask, n - 1 - number.flip(1).argmax(dim=1)


def by_order(real: Tensor) -> Three:
    n = real.shape[1]
    order = torch.where(real, torch.arange(n), -1)
    mask = (order[:, None, :] >= 0) & (order[:, None, :] <= order[:, :, None])
    mask.diagonal(dim1=1, dim2=2).fill_(True)
    before = torch.cumsum(real, dim=1, dtype=torch.int32) - real.int()
    return before * real, mask, order.argmax(dim=1)


def right(inputs: Inputs) -> Three:
    return left_padding(**inputs)


def places(real_ones: bool) -> Law:
    """Make a law about the positions of real tokens, or of the other columns."""

    def look(inputs: Inputs, answer: Any) -> Any:
        wanted, real = right(inputs)[0], inputs["real"]
        if not isinstance(answer, (tuple, list)) or len(answer) != 3:
            return answer
        found, *others = answer
        if not isinstance(found, Tensor) or found.shape != wanted.shape:
            return answer
        return (torch.where(real == real_ones, found, wanted.to(found.dtype)), *others)

    return through(look, parts(right, NAMES, 0))


def mask_rows(real_ones: bool) -> Law:
    """Make a law about the mask's rows of real tokens, or of the others."""

    def law(inputs: Inputs, answer: Any) -> str | None:
        said = parts(right, NAMES, 1)(inputs, answer)
        if said is None or not isinstance(answer, (tuple, list)) or len(answer) != 3:
            return said
        wanted, found = right(inputs)[1], answer[1]
        if not isinstance(found, Tensor) or found.shape != wanted.shape or found.dtype.is_complex:
            return said
        if found.dtype != torch.bool:
            return (
                f"the mask is boolean, True where a query attends to a key; yours is {found.dtype}"
            )
        wrong = (found != wanted) & (inputs["real"] == real_ones)[:, :, None]
        if not wrong.any():
            return None
        i, q, k = wrong.nonzero()[0].tolist()
        row = "".join("1" if each else "0" for each in inputs["real"][i].tolist())
        does = "attends" if wanted[i, q, k] else "does not attend"
        return (
            f"in a row whose real columns are {row}, column {q} {does} to column {k}; your mask "
            f"has {found[i, q, k].item()} there, and is wrong in {int(wrong.sum())} places of such "
            "rows"
        )

    return law


READ = parts(right, NAMES, 2)


def either(*laws: Law) -> Law:
    """Combine laws into one, which returns the message of the first law that fails."""
    return lambda inputs, answer: next(filter(None, (law(inputs, answer) for law in laws)), None)


TASK = Exercise(
    id="14.left_padding",
    title="Side by side, with refused guesses",
    level="easy",
    minutes=8,
    concepts=("batched-generation", "speculative-decoding"),
    reference=left_padding,
    rungs=(
        rung("positions, with padding at the left", 0.25, padded, places(True), COUNTED),
        rung("positions, with refused guesses", 0.75, refused, places(True), COUNTED),
        rung("the keys of a token", 0.75, anything, mask_rows(True), SEEN),
        rung(
            "columns that do not count: their position and their keys",
            0.25,
            anything,
            either(places(False), mask_rows(False)),
        ),
        rung("the column to read", 0.75, refused, READ, CONTINUED),
        rung(
            "together: each text goes on as it would alone",
            1.0,
            anything,
            either(places(True), mask_rows(True), READ),
            CONTINUED,
        ),
        rung("a row with one token", 0.25, one_token, READ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="one token after another", answer=one_after_another),
        Alternative(name="by products", answer=by_products),
        Alternative(name="by order", answer=by_order),
    ),
    hints=(
        "Write down, for the row 0 1 0 1 1 0, the position of each 1. Which columns did you count?",
        "Two conditions make the mask of a token: the key is not after it, and the key is real. "
        "What is left for a column that is not real?",
        "The next token follows the last real one. How do you find the largest column number among "
        "those that are real?",
    ),
    equivalents={
        "left_padding: line 4: >= column becomes > column": "the diagonal is added afterwards",
    },
)

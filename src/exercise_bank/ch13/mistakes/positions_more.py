"""More ways in which 13.positions goes wrong."""

from functools import partial

from torch import Tensor

from exercise_bank.skills import said


def padding_counts_on(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=1) - real.long())[:, -n:]


def new_ones_from_one(real: Tensor, n: int, *, zero: bool = True) -> Tensor:
    new = real[:, -n:]
    count = new.cumsum(dim=1)
    return count.masked_fill(~new, 0) if zero else count


MORE = (
    said(
        "new-ones-from-one",
        new_ones_from_one,
        "The new tokens are counted: 1, 2, 3.",
        "You count tokens within the new columns only, and from 1. The tokens of the cache come "
        "first, and the first token of a text is at 0.",
        "Four tokens are held. What is the position of the fifth?",
        "Sum over all columns, subtract 1, then take the last n.",
        variants=(partial(new_ones_from_one, zero=False),),
    ),
    said(
        "padding-counts-on",
        padding_counts_on,
        "A position is the number of tokens before a column.",
        "Your padding gets the number of tokens before it. It should get 0.",
        "What do you return for the padded column of 1 1 0 1?",
        "Write 0 wherever `real` is False.",
        kind="form",
    ),
)

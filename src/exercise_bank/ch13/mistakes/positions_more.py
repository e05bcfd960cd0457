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


def held_of_the_batch(real: Tensor, n: int) -> Tensor:
    held, new = real[:, : real.shape[1] - n].sum(), real[:, -n:]
    return (held + new.cumsum(dim=1) - 1).masked_fill(~new, 0)


def again_after_padding(real: Tensor, n: int) -> Tensor:
    count = real.cumsum(dim=1)
    start = count.masked_fill(real, 0).cummax(dim=1).values
    return (count - start - 1).masked_fill(~real, 0)[:, -n:]


def last_one_again(real: Tensor, n: int, *, least: int = 0) -> Tensor:
    held, new = real[:, : real.shape[1] - n].sum(dim=1, keepdim=True), real[:, -n:]
    return ((held - 1).clamp_min(least) + new.cumsum(dim=1) - 1).masked_fill(~new, 0)


MORE = (
    said(
        "held-of-the-batch",
        held_of_the_batch,
        "The cache holds a number of tokens.",
        "Your new tokens begin at the number of cached tokens of all rows together. The rows are "
        "texts of their own.",
        "How many tokens does each row hold?",
        "A sum without `dim` is over the whole batch.",
        "Sum over dim=1, and keep the axis.",
    ),
    said(
        "again-after-padding",
        again_after_padding,
        "A new turn is a new text.",
        "Your positions begin at 0 again after each padding. The second turn of a conversation "
        "goes on with the text of the first.",
        "In a row such as 1 1 0 1, how many tokens come before the last one?",
        "Padding is skipped, and the count goes on.",
        "Use one running sum over the whole row.",
    ),
    said(
        "last-one-again",
        last_one_again,
        "New tokens begin at the last position.",
        "Where a row has cached tokens, your first new token gets the position of the last "
        "cached one, and those after it are too low by one as well.",
        "Four tokens are held. What is the position of the last of them, and of the next token?",
        "Positions 0 to 3 are taken.",
        "Begin at the number of cached tokens, which is one more than their last position.",
        variants=(partial(last_one_again, least=-1),),
    ),
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

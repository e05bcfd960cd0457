"""How 13.positions goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said


def from_zero(real: Tensor, n: int) -> Tensor:
    return torch.arange(n).expand(len(real), n).clone()


def by_column(real: Tensor, n: int) -> Tensor:
    b, k = real.shape
    return torch.arange(k - n, k).expand(b, n).clone()


def by_column_but_padding(real: Tensor, n: int) -> Tensor:
    return by_column(real, n).masked_fill(~real[:, -n:], 0)


def new_padding_counted(real: Tensor, n: int) -> Tensor:
    held = real[:, : real.shape[1] - n].sum(dim=1, keepdim=True)
    return (held + torch.arange(n)).masked_fill(~real[:, -n:], 0)


def held_and_a_range(real: Tensor, n: int) -> Tensor:
    return real[:, : real.shape[1] - n].sum(dim=1, keepdim=True) + torch.arange(n)


def longest_row_for_all(real: Tensor, n: int) -> Tensor:
    held, new = real[:, : real.shape[1] - n].sum(dim=1), real[:, -n:]
    return (held.max() + new.cumsum(dim=1) - 1).masked_fill(~new, 0)


def all_columns(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=1) - 1).masked_fill(~real, 0)


def padded_prefill_only(real: Tensor, n: int) -> Tensor:
    if n < real.shape[1]:
        return by_column(real, n)
    return (real.cumsum(dim=1) - 1).masked_fill(~real, 0)


def first_row_for_all(real: Tensor, n: int) -> Tensor:
    count = (real[0].cumsum(dim=0) - 1).clamp_min(0)
    return count[-n:].expand(len(real), n).clone()


def counted_from_one(real: Tensor, n: int) -> Tensor:
    return real.cumsum(dim=1).masked_fill(~real, 0)[:, -n:]


def in_one_byte(real: Tensor, n: int) -> Tensor:
    count = real.cumsum(dim=1, dtype=torch.int8) - 1
    return count.masked_fill(~real, 0)[:, -n:].long()


def from_the_start(real: Tensor, n: int) -> Tensor:
    k = real.shape[1]
    start = real.long().argmax(dim=1, keepdim=True)
    return (torch.arange(k - n, k) - start).clamp_min(0)


def all_padding_taken_off(real: Tensor, n: int) -> Tensor:
    k = real.shape[1]
    padding = (~real).sum(dim=1, keepdim=True)
    return (torch.arange(k - n, k) - padding).clamp_min(0)


def new_ones_only(real: Tensor, n: int) -> Tensor:
    new = real[:, -n:]
    return (new.cumsum(dim=1) - 1).masked_fill(~new, 0)


def new_ones_and_repeats(real: Tensor, n: int) -> Tensor:
    return (real[:, -n:].cumsum(dim=1) - 1).clamp_min(0)


def from_the_start_but_padding(real: Tensor, n: int) -> Tensor:
    return from_the_start(real, n).masked_fill(~real[:, -n:], 0)


def padding_taken_off_but_padding(real: Tensor, n: int) -> Tensor:
    return all_padding_taken_off(real, n).masked_fill(~real[:, -n:], 0)


def held_by_column_and_repeats(real: Tensor, n: int) -> Tensor:
    return (real.shape[1] - n + real[:, -n:].cumsum(dim=1) - 1).clamp_min(0)


def from_zero_but_padding(real: Tensor, n: int) -> Tensor:
    return from_zero(real, n).masked_fill(~real[:, -n:], 0)


def counted_from_one_and_repeats(real: Tensor, n: int) -> Tensor:
    return real.cumsum(dim=1)[:, -n:]


def longest_row_and_repeats(real: Tensor, n: int) -> Tensor:
    held, new = real[:, : real.shape[1] - n].sum(dim=1), real[:, -n:]
    return (held.max() + new.cumsum(dim=1) - 1).clamp_min(0)


def held_by_column(real: Tensor, n: int) -> Tensor:
    k, new = real.shape[1], real[:, -n:]
    return (k - n + new.cumsum(dim=1) - 1).masked_fill(~new, 0)


def padding_repeats(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=1) - 1).clamp_min(0)[:, -n:]


def padding_one(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=1) - 1).masked_fill(~real, 1)[:, -n:]


def padding_minus_one(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=1) - 1).masked_fill(~real, -1)[:, -n:]


def in_floats(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=1) - 1).masked_fill(~real, 0)[:, -n:].float()


def down_the_column(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=0) - 1).masked_fill(~real, 0)[:, -n:]


def back_from_the_end(real: Tensor, n: int) -> Tensor:
    last = real.sum(dim=1, keepdim=True) - n
    return (last + torch.arange(n)).masked_fill(~real[:, -n:], 0)


def back_from_the_end_unfilled(real: Tensor, n: int) -> Tensor:
    return real.sum(dim=1, keepdim=True) - n + torch.arange(n)


def first_columns(real: Tensor, n: int) -> Tensor:
    return (real.cumsum(dim=1) - 1).masked_fill(~real, 0)[:, :n]


MISCONCEPTIONS = (
    said(
        "from-zero",
        from_zero,
        "Each call is a text of its own.",
        "Your positions begin at 0 in every call. The token of a decode step then gets the "
        "position of the first token of the text, which is already in the cache.",
        "Four tokens are held. What is the position of the fifth?",
        "k - n columns were there before.",
        "Count from the first column of the row, and return the last n.",
        variants=(from_zero_but_padding,),
    ),
    said(
        "in-one-byte",
        in_one_byte,
        "A position is a small number.",
        "You count in a type of eight bits, which ends at 127: the token after the 128th gets a "
        "position below 0. A conversation is longer than that.",
        "What is your position of the last token of a row of 200?",
        "Which is the largest number of torch.int8?",
        "Count in torch.int64, as `cumsum` does by itself.",
        kind="corner",
    ),
    said(
        "by-column",
        by_column,
        "A token's position is its column.",
        "Your positions are column numbers, so padding counts as well. A prompt after two columns "
        "of padding starts at 2, though it would start at 0 without them.",
        "What positions does the same prompt get when it is not padded?",
        "Padding is not part of the text.",
        "Count only the columns where `real` is True.",
    ),
    said(
        "by-column-but-for-padding",
        by_column_but_padding,
        "Padding has position 0, and all else its column.",
        "Your padding is at 0, and your tokens at their column numbers, so the padding before "
        "them still counts. A prompt after two columns of padding starts at 2.",
        "What positions does the same prompt get when it is not padded?",
        "Padding moves the later tokens to the right.",
        "Count only the columns where `real` is True.",
    ),
    said(
        "new-padding-counted",
        new_padding_counted,
        "Only the cached columns are padded; new columns are tokens.",
        "You skip the padding of the cached columns, but count that of the new ones: tokens after "
        "it get positions that are too high.",
        "In a prefill all columns are new. At which position is your first token after padding?",
        "`real` covers the new columns too.",
        "Replace the `arange` over the new columns by a running sum of `real` over them.",
    ),
    said(
        "held-and-a-range",
        held_and_a_range,
        "New positions are a range that begins where the cache ends.",
        "You add a range to the number of cached tokens. That is right only if all new columns are "
        "tokens: padding among them gets a position of its own, and moves the tokens after it.",
        "In a prefill all columns are new. At which position is your first token after padding?",
        "`real` covers the new columns too.",
        "Replace the range by a running sum of `real`, and write 0 where it is False.",
    ),
    said(
        "longest-row-for-all",
        longest_row_for_all,
        "A batch has one length.",
        "Your new tokens begin at the same position in the whole batch, that of the row with the "
        "most tokens. Shorter rows then have a gap.",
        "How many tokens does each row hold?",
        "Positions are counted in each row by itself.",
        "Keep the axis of the batch when you count the cached tokens.",
        variants=(longest_row_and_repeats,),
    ),
    said(
        "all-columns",
        all_columns,
        "All columns need a position.",
        "You return a position for each cached column, too: (b, k). The answer has only the last n "
        "columns, (b, n).",
        "What is the shape of your output?",
        "Cached keys were rotated when they came.",
        "Return the last n columns of your count.",
        kind="form",
    ),
    said(
        "padding-forgotten-in-decode",
        padded_prefill_only,
        "Padding matters while the prompt is read.",
        "Your prefill skips the padding, and your later calls count it. Between the last token of "
        "the prompt and the first that follows, the position jumps by the padding of the row.",
        "Is the first new token at a distance of 1 from the last of the prompt?",
        "The padding is still in the row when it is decoded.",
        "Count in every call as you do in the first.",
    ),
    said(
        "first-row-for-all",
        first_row_for_all,
        "One row of positions serves the batch.",
        "All your rows have the positions of row 0. Prompts of unequal length have their padding "
        "in different columns.",
        "Which of the rows of your output differ?",
        "The result is (b, n), and each row of `real` has its own padding.",
        "Count along the columns of each row.",
    ),
    said(
        "counted-from-one",
        counted_from_one,
        "The running sum is the position.",
        "Your positions are too high by one: the first token of a text is at 1. Positions count "
        "from 0.",
        "How many tokens come before the first one?",
        "A running sum would include its own column.",
        "Subtract one for tokens, and write 0 for padding.",
        variants=(counted_from_one_and_repeats,),
        kind="form",
    ),
    said(
        "from-the-first-real-column",
        from_the_start,
        "After its first token a row is full.",
        "You subtract the column in which the row begins. That is right as long as padding is only "
        "at the left. If a second turn was padded too, your positions count that padding.",
        "Does your answer look at any column after the first real one?",
        "In a row such as 1 1 0 1 the last token has two before it.",
        "Count the real tokens before a column instead of subtracting one start.",
        variants=(from_the_start_but_padding,),
    ),
    said(
        "all-padding-taken-off",
        all_padding_taken_off,
        "Padding is subtracted, wherever it is.",
        "You subtract the padding of the whole row from every column. Padding that comes after a "
        "token must not change the position of that token.",
        "Can padding that comes after a token move it?",
        "The number of padded columns before a column differs from column to column.",
        "Use a running sum.",
        variants=(padding_taken_off_but_padding,),
    ),
    said(
        "new-ones-only",
        new_ones_only,
        "New columns begin a count of their own.",
        "You count tokens within the new columns only, so each call starts again at 0.",
        "Four tokens are held. What is the position of the fifth?",
        "The running sum has to begin where the row begins.",
        "Sum over all columns, then take the last n.",
        variants=(new_ones_and_repeats,),
    ),
    said(
        "held-by-column",
        held_by_column,
        "Every cached column is a token.",
        "You skip the padding of the new columns, but count that of the cached ones: your new "
        "tokens begin at k - n, however many of those columns were padding.",
        "How many real tokens does the cache hold for each row?",
        "`real` covers the cached columns too.",
        "Let the running sum go over the cached columns as well.",
        variants=(held_by_column_and_repeats,),
    ),
    said(
        "padding-repeats",
        padding_repeats,
        "What padding gets does not matter.",
        "Your padding between two turns repeats the position of the token before it. It should "
        "get 0.",
        "What do you return for the padded column of 1 1 0 1?",
        "A lower bound of 0 helps only for padding at the left.",
        "Write 0 wherever `real` is False.",
        kind="form",
    ),
    said(
        "padding-one",
        padding_one,
        "Padding may be at position 1.",
        "Your padding gets 1, as in some libraries. It should get 0.",
        "What do you write where `real` is False?",
        "The mask hides padding, so any valid position would do; this exercise asks for 0.",
        "Write 0 wherever `real` is False.",
        kind="form",
    ),
    said(
        "padding-minus-one",
        padding_minus_one,
        "A position that does not exist is -1.",
        "Your padding gets -1, which would read the last row of a table of positions. It should "
        "get 0.",
        "What does `table[-1]` return?",
        "Padding is hidden by the mask; its position only has to be a valid one.",
        "Write 0 wherever `real` is False.",
        kind="form",
    ),
    said(
        "in-floats",
        in_floats,
        "Positions may be of any numeric type.",
        "Your numbers are of a floating type. Positions are whole numbers here.",
        "Which dtype has torch.arange(3), and which torch.arange(3.0)?",
        "A running sum of truth values is whole, so a float came in later.",
        "Leave out the conversion, or end with .long().",
        kind="form",
    ),
    said(
        "down-the-column",
        down_the_column,
        "A running sum runs over the rows.",
        "You count down the columns, from row to row. A position depends on its own row only, "
        "because the sequences of a batch are independent.",
        "Which axis of real (b, k) is the text?",
        "dim=0 goes from sequence to sequence.",
        "Use dim=1.",
    ),
    said(
        "back-from-the-end",
        back_from_the_end,
        "The last n columns hold the last n tokens.",
        "You count back from the end of the row as if the n new columns held n tokens. If padding "
        "is between them, the tokens before it get positions that are too low.",
        "A row has the new columns token, padding, token. How many tokens are new?",
        "Only real columns among the new ones raise the count.",
        "Take a running sum of real, and return its last n columns.",
        variants=(back_from_the_end_unfilled,),
    ),
    said(
        "first-columns",
        first_columns,
        "The new tokens are at the front.",
        "You return the first n columns of your count. The new tokens are the last ones.",
        "Where does a cache put new tokens?",
        "With one new token and four held, which column is it?",
        "Slice from the other end.",
    ),
)

"""How 05.padded_positions goes wrong."""

from functools import partial

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def in_8_bits(mask: Tensor, dtype: torch.dtype = torch.int8) -> Tensor:
    return (mask.cumsum(dim=-1, dtype=dtype) - 1) * mask


def counts_fillers(mask: Tensor) -> Tensor:
    return torch.arange(mask.shape[-1]).expand(mask.shape).clone()


def from_one(mask: Tensor) -> Tensor:
    return mask.cumsum(dim=-1) * mask


def negative(mask: Tensor) -> Tensor:
    return mask.cumsum(dim=-1) - 1


def clamped(mask: Tensor) -> Tensor:
    return (mask.cumsum(dim=-1) - 1).clamp(min=0)


def over_the_batch(mask: Tensor) -> Tensor:
    return (mask.cumsum(dim=0) - 1) * mask


def one_shift_for_all(mask: Tensor) -> Tensor:
    most = (~mask).sum(dim=-1).max()
    return (torch.arange(mask.shape[-1]) - most).clamp(min=0) * mask


def all_fillers_in_front(mask: Tensor) -> Tensor:
    fillers = (~mask).sum(dim=-1, keepdim=True)
    return (torch.arange(mask.shape[-1]) - fillers).clamp(min=0) * mask


def from_the_end(mask: Tensor) -> Tensor:
    return (mask.flip(-1).cumsum(dim=-1) - 1).flip(-1) * mask


def flattened(mask: Tensor) -> Tensor:
    return ((mask.flatten().cumsum(dim=0) - 1) * mask.flatten()).reshape(mask.shape)


def fillers_counted(mask: Tensor) -> Tensor:
    return ((~mask).cumsum(dim=-1) - 1) * ~mask


def from_the_first(mask: Tensor) -> Tensor:
    first = mask.int().argmax(dim=-1, keepdim=True)
    return (torch.arange(mask.shape[-1]) - first) * mask


def fractions(mask: Tensor) -> Tensor:
    real = mask.float()
    return (real.cumsum(dim=-1) - 1) * real


def count_for_fillers(mask: Tensor) -> Tensor:
    before = mask.cumsum(dim=-1) - mask.int()
    return before


def minus_one_for_fillers(mask: Tensor) -> Tensor:
    return torch.where(mask, mask.cumsum(dim=-1) - 1, -1)


def one_for_fillers(mask: Tensor) -> Tensor:
    return torch.where(mask, mask.cumsum(dim=-1) - 1, 1)


def all_fillers_and_no_mask(mask: Tensor) -> Tensor:
    fillers = (~mask).sum(dim=-1, keepdim=True)
    return (torch.arange(mask.shape[-1]) - fillers).clamp(min=0)


def from_the_first_and_no_mask(mask: Tensor) -> Tensor:
    first = mask.int().argmax(dim=-1, keepdim=True)
    return (torch.arange(mask.shape[-1]) - first).clamp(min=0)


def from_one_and_no_mask(mask: Tensor) -> Tensor:
    return mask.cumsum(dim=-1)


def columns_of_real_tokens(mask: Tensor) -> Tensor:
    return torch.arange(mask.shape[-1]) * mask


def columns_from_one(mask: Tensor) -> Tensor:
    return torch.arange(1, mask.shape[-1] + 1) * mask


def all_columns_from_one(mask: Tensor) -> Tensor:
    return torch.arange(1, mask.shape[-1] + 1).expand(mask.shape).clone()


def fillers_off_and_one_on(mask: Tensor) -> Tensor:
    fillers = (~mask).sum(dim=-1, keepdim=True)
    return (torch.arange(1, mask.shape[-1] + 1) - fillers).clamp(min=0) * mask


def from_one_at_the_end(mask: Tensor) -> Tensor:
    return (from_the_end(mask) + 1) * mask


def fillers_of_the_batch(mask: Tensor) -> Tensor:
    return (torch.arange(mask.shape[-1]) - (~mask).sum()).clamp(min=0) * mask


def less_the_first(mask: Tensor) -> Tensor:
    counts = mask.cumsum(dim=-1)
    return (counts - counts[:, :1]) * mask


def real_set_to_0(mask: Tensor) -> Tensor:
    return (mask.cumsum(dim=-1) - 1).masked_fill(mask, 0)


def columns_less_the_first(mask: Tensor) -> Tensor:
    return torch.arange(mask.shape[-1]) - mask.int().argmax(dim=-1, keepdim=True)


def columns_less_all_fillers(mask: Tensor) -> Tensor:
    return torch.arange(mask.shape[-1]) - (~mask).sum(dim=-1, keepdim=True)


def length_for_all(mask: Tensor) -> Tensor:
    return mask.sum(dim=-1, keepdim=True) * mask


def last_for_all(mask: Tensor) -> Tensor:
    return (mask.sum(dim=-1, keepdim=True) - 1) * mask


def nothing_but_0(mask: Tensor) -> Tensor:
    return torch.zeros_like(mask, dtype=torch.long)


MISCONCEPTIONS = (
    Misconception(
        name="counts-fillers",
        answer=counts_fillers,
        variants=(columns_of_real_tokens,),
        believed="Positions are the columns of the batch.",
        says="You number the columns of the batch. By your count, a sequence with three fillers in "
        "front begins at position 3, but the same sequence alone begins at 0.",
        hints=(
            "Does the position of a word depend on how long the longest sequence of the batch is?",
            "Only real tokens count.",
            "Count along the mask instead of along the columns.",
        ),
    ),
    Misconception(
        name="from-one",
        answer=from_one,
        believed="The first token has position 1.",
        says="You give the first real token behind a filler position 1. In this course positions "
        "count from 0, so the rows of a table with N rows are 0 to N − 1.",
        hints=(
            "Which position does the first real token get?",
            "A running sum counts the token itself as well.",
            "Subtract 1 from the running sum before you set the fillers to 0.",
        ),
        variants=(from_one_and_no_mask, less_the_first),
    ),
    Misconception(
        name="negative",
        answer=negative,
        believed="The positions of fillers do not matter.",
        says="Your fillers in front get −1, and those behind get the last position. The task asks "
        "for 0, because index −1 reads the last row of a table without an error.",
        hints=(
            "What does your function give for a filler before the first token?",
            "The mask is False at the entries that should be 0.",
            "To set these entries to 0, multiply by the mask or use torch.where.",
        ),
    ),
    Misconception(
        name="clamped",
        answer=clamped,
        believed="All fillers are in front, so it is enough to replace negative positions by 0.",
        says="Your fillers in front get 0, as they should. Your fillers behind or between real "
        "tokens get the position of the token before them, but they should get 0 as well.",
        hints=(
            "Try a mask [True, True, False].",
            "A filler is any entry where the mask is False, whether it is in front or behind.",
            "Set entries to 0 by the mask, not by the sign of the count.",
        ),
    ),
    Misconception(
        name="over-the-batch",
        answer=over_the_batch,
        believed="The sum runs down the columns.",
        says="You count down the batch instead of along each sequence, so the position of a token "
        "changes if another sequence is put before it in the batch.",
        hints=(
            "Which axis of the mask is time?",
            "The shape of the mask is (b, k).",
            "Count along the last axis.",
        ),
    ),
    Misconception(
        name="one-shift-for-all",
        answer=one_shift_for_all,
        believed="All sequences are padded alike.",
        says="You subtract the same number of fillers in every sequence of the batch. Each "
        "sequence has its own number, so one with fewer fillers begins with several zeros.",
        variants=(fillers_of_the_batch,),
        hints=(
            "For which sequences of the batch are your positions right?",
            "Each sequence has its own number of fillers.",
            "Leave the batch axis out of every sum.",
        ),
    ),
    Misconception(
        name="all-fillers-in-front",
        answer=all_fillers_in_front,
        believed="All fillers are before the first token.",
        says="From each column you subtract the number of all fillers of the sequence, including "
        "those behind the token. That is right only if all fillers are in front.",
        hints=(
            "Try a mask [True, True, False].",
            "Which fillers shift a token: all, or those before it?",
            "Use a running count.",
        ),
        variants=(all_fillers_and_no_mask,),
    ),
    Misconception(
        name="from-the-end",
        answer=from_the_end,
        believed="Counting starts at the last token.",
        says="You count backwards, so your last real token has position 0.",
        hints=(
            "Which token should have position 0?",
            "In which direction is the text read?",
            "Count from the left.",
        ),
    ),
    said(
        "sequences-joined",
        flattened,
        "A batch is one long text.",
        "You count through the whole batch, so the second sequence continues the count of the "
        "first.",
        "Which position does the first token of your second sequence get?",
        "Count along the last axis only.",
    ),
    said(
        "fillers-numbered",
        fillers_counted,
        "True marks the fillers.",
        "You give 0 to the real tokens, and numbers to the fillers. It should be the other way "
        "round, because the mask is True for real tokens.",
        "What does True mean in this mask?",
        "Exchange the roles of True and False.",
        variants=(real_set_to_0,),
    ),
    said(
        "from-the-first-real-token",
        from_the_first,
        "There are no fillers behind the first real token.",
        "You count the columns from the first real token on, so you also count the fillers between "
        "real tokens.",
        "Which position do you give to a real token behind a filler in the middle?",
        "Count real tokens, not columns.",
        "A running sum over the mask skips fillers.",
        variants=(from_the_first_and_no_mask,),
    ),
    said(
        "fractions",
        fractions,
        "A position may be any number.",
        "Your positions are floating-point numbers, but a table is indexed by whole numbers.",
        "What is the dtype of your output?",
        "Keep the counts as whole numbers, without a conversion to float.",
        kind="form",
    ),
    said(
        "fillers-get-the-count",
        count_for_fillers,
        "The position of a filler is the number of real tokens before it, too.",
        "Your real tokens are right. But a filler behind real tokens gets their number, and it "
        "should get 0.",
        "What do you return for a filler at the end?",
        "Multiply by the mask.",
    ),
    said(
        "fillers-get-minus-one",
        minus_one_for_fillers,
        "A filler has no position, and -1 marks that.",
        "Your real tokens are right. But your fillers get -1, and the task asks for 0, a row that "
        "every table has.",
        "Which row of a table does the index -1 read?",
        "Put 0 for fillers.",
    ),
    said(
        "fillers-get-1",
        one_for_fillers,
        "Any position does for a filler.",
        "Your real tokens are right. But your fillers get 1, as in some libraries, and the task "
        "asks for 0.",
        "What should the fillers of the example get?",
        "Put 0 for fillers.",
    ),
    said(
        "columns-from-one",
        columns_from_one,
        "Positions are the columns of the batch, from 1 on.",
        "You number the columns of the batch from 1 on. Only real tokens should be counted, and "
        "the first real token of a sequence has position 0.",
        "Which position do you give to the first real token behind two fillers?",
        "Count along the mask instead of along the columns.",
        "Subtract 1 from a running sum over the mask.",
        variants=(all_columns_from_one,),
    ),
    said(
        "fillers-taken-off-and-from-one",
        fillers_off_and_one_on,
        "All fillers are in front, and the first token has position 1.",
        "Your first real token has position 1, but positions count from 0. You also subtract all "
        "fillers of a sequence from each column, although only the fillers before a token shift "
        "it.",
        "Try a mask [True, False, True].",
        "The position of a real token is the number of real tokens before it.",
    ),
    said(
        "backwards-and-from-one",
        from_one_at_the_end,
        "The last token is number 1.",
        "You count backwards and from 1, so your last real token has position 1.",
        "Which token should have position 0?",
        "Count from the left, and from 0.",
    ),
    said(
        "counted-in-8-bits",
        in_8_bits,
        "Positions are small numbers.",
        "Your positions are numbers of 8 bits. In a sequence of more than 128 or 256 real tokens, "
        "they start again, or go on below 0.",
        "What is the largest number of your dtype?",
        "Count in torch.int64, which cumsum takes if you name no dtype.",
        kind="corner",
        variants=(partial(in_8_bits, dtype=torch.uint8),),
    ),
    said(
        "columns-less-one-number",
        columns_less_the_first,
        "A position is the column minus the number of fillers in front.",
        "You subtract the same number from each column of a sequence. Fillers in front then get "
        "numbers below 0, but the task asks for 0. If there are fillers between real tokens or "
        "behind them, other positions are wrong, too.",
        "What do you return for a filler before the first token?",
        "The position of a real token is the number of real tokens before it.",
        "Take a running sum over the mask, and use the mask once more to set fillers to 0.",
        variants=(columns_less_all_fillers,),
    ),
    said(
        "one-number-for-all",
        length_for_all,
        "A position is one number for each sequence.",
        "You give all real tokens of a sequence the same number. Each should get the number of "
        "real tokens before it.",
        "Which positions should the two real tokens of the first example get?",
        "torch.sum adds up the whole row, but a running sum stops at each token.",
        "Use cumsum along the last axis.",
        variants=(last_for_all, nothing_but_0),
    ),
)

"""How 04.cut_head goes wrong at the start or end of a head's block."""

from functools import partial

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def behind_from_the_end(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    columns = torch.arange(n_heads * d)
    kept = torch.cat([columns[: head * d], columns[-(n_heads - 1 - head) * d :]])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def another_end(
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    n_heads: int,
    head: int,
    *,
    more: int,
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor(
        [i for i in range(n_heads * d) if not head * d <= i < (head + 1) * d + more]
    )
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def first_to_the_end(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    stop = head * (w_query.shape[1] // n_heads)
    return w_query[:, :stop], w_key[:, :stop], w_value[:, :stop], w_output[:stop]


def last_head_out(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    stop = (n_heads - 1) * (w_query.shape[1] // n_heads)
    return w_query[:, :stop], w_key[:, :stop], w_value[:, :stop], w_output[:stop]


BLOCKS = (
    Misconception(
        name="last-head-kept",
        answer=behind_from_the_end,
        believed="A slice from minus the number of components behind the head holds just these.",
        says="If the last head is to go, nothing is left behind it. Then your slice from -0 on is "
        "the whole matrix, and your result is wider than before.",
        hints=(
            "What is w[:, -0:]?",
            "Try your function with n_heads=2 and head=1.",
            "Let the second slice begin at (head + 1) times d.",
        ),
    ),
    Misconception(
        name="block-ends-elsewhere",
        answer=partial(another_end, more=-1),
        variants=(partial(another_end, more=1),),
        believed="The last component of a head is (head + 1) times d, or one before it.",
        says="Your block does not end where the head ends: you take out one component fewer than "
        "the head has, or one more. Head r owns components r·d to (r + 1)·d − 1.",
        hints=(
            "How many columns has your w_query? How many should it have?",
            "The end of a Python slice does not belong to it.",
            "Take out the columns head * d : (head + 1) * d.",
        ),
    ),
    Misconception(
        name="heads-behind-lost",
        answer=first_to_the_end,
        believed="Heads are cut off from one on.",
        says="You keep the heads before the one that is to go, and lose those behind it as well.",
        hints=(
            "How many heads should be left of three? How many are left if head is 0?",
            "Behind the head that goes there may be others.",
            "Join the columns before it with those behind it.",
        ),
    ),
    Misconception(
        name="last-head-out",
        answer=last_head_out,
        believed="A layer with one head less has the first heads.",
        says="You take out the last head, whichever is asked for.",
        hints=(
            "Which of your arguments is not used?",
            "Which columns does head 0 own?",
            "Leave out the d columns that begin at head * d.",
        ),
    ),
)

"""How 04.cut_head goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def output_kept(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.cat([torch.arange(head * d), torch.arange((head + 1) * d, n_heads * d)])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output


def set_to_zero(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    w_output = w_output.clone()
    w_output[head * d : (head + 1) * d] = 0
    return w_query, w_key, w_value, w_output


def rows_of_all(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != head])
    return w_query[kept], w_key[kept], w_value[kept], w_output[:, kept]


def columns_of_all(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != head])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[:, kept]


def one_component(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    kept = torch.tensor([i for i in range(w_query.shape[1]) if i != head])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def every_hth(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    kept = torch.tensor([i for i in range(w_query.shape[1]) if i % n_heads != head])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def counts_from_one(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != (head - 1) % n_heads])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def only_that_head(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    s = slice(head * d, (head + 1) * d)
    return w_query[:, s], w_key[:, s], w_value[:, s], w_output[s]


MISCONCEPTIONS = (
    Misconception(
        name="output-kept",
        answer=output_kept,
        believed="A head lives in the projections of queries, keys and values.",
        says="Your w_output is as tall as before, while the heads side by side are narrower: the "
        "two no longer fit together.",
        hints=(
            "How wide are the joined heads once one is gone?",
            "Each head has its block of rows in w_output.",
            "Drop the same components from w_output, along its first axis.",
        ),
    ),
    Misconception(
        name="set-to-zero",
        answer=set_to_zero,
        believed="A silenced head is a head taken out.",
        says="Your layer computes the right output, and your matrices are as large as before: you "
        "silence the head, and it is still computed.",
        hints=(
            "Which shape should w_query have with one head fewer?",
            "Nothing is to be computed for the head that is gone.",
            "Leave its components out instead of zeroing them.",
        ),
    ),
    Misconception(
        name="rows-of-all",
        answer=rows_of_all,
        believed="The matrices are stored as nn.Linear stores them.",
        says="You cut rows of w_query, which are components of the input, and columns of w_output, "
        "which are components of the layer's result. Here queries are x @ w_query, with no "
        "transpose.",
        hints=(
            "In x @ w_query, which axis of w_query meets x?",
            "A head owns components of the product.",
            "Cut columns of the first three, rows of the last.",
        ),
    ),
    Misconception(
        name="columns-of-all",
        answer=columns_of_all,
        believed="A head owns columns in all four matrices.",
        says="You cut columns of w_output: that takes components away from the layer's result, and "
        "leaves the head in.",
        hints=(
            "Which axis of w_output meets the joined heads?",
            "In the sum over heads, which block of w_output stands behind head r?",
            "w_output is cut along its first axis.",
        ),
    ),
    Misconception(
        name="one-component",
        answer=one_component,
        believed="Head r is component r.",
        says="You take out a single component. That is a whole head only where heads have width 1.",
        hints=(
            "How wide is one head of a layer with width 6 and 2 heads?",
            "Which components does head 1 own then?",
            "Head r owns d neighbours, beginning at r times d.",
        ),
    ),
    Misconception(
        name="every-hth",
        answer=every_hth,
        believed="Heads are interleaved.",
        says="You take out every h-th component, a little of each head. Heads are blocks of "
        "neighbours.",
        hints=(
            "With width 6 and 2 heads, which components do you drop for head 0?",
            "How does splitting assign components to heads?",
            "Divide the component's number by d, and look at the whole part.",
        ),
    ),
    Misconception(
        name="counts-from-one",
        answer=counts_from_one,
        believed="Heads count from 1.",
        says="You take out the head before the one that was asked for: heads count from 0.",
        hints=(
            "Which components belong to head 0?",
            "Try it with two heads.",
            "Head r begins at component r times d.",
        ),
    ),
    Misconception(
        name="only-that-head",
        answer=only_that_head,
        believed="The head is to be taken out and kept.",
        says="You return the one head that should go, and drop all the others.",
        hints=(
            "How many heads should be left of three?",
            "Yours has one.",
            "Keep the complement.",
        ),
    ),
)

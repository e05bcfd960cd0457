"""How 04.cut_head goes wrong."""

import torch
from torch import Tensor

from exercise_bank.ch04.mistakes.cut_head_blocks import BLOCKS
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


def width_of_the_model(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[0] // n_heads
    kept = torch.tensor([i for i in range(w_query.shape[1]) if not head * d <= i < (head + 1) * d])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


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


def columns_cut_out(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    matrices = w_query, w_key, w_value, w_output
    return tuple(torch.cat([w[:, : head * d], w[:, (head + 1) * d :]], dim=1) for w in matrices)


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


def queries_only(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != head])
    return w_query[:, kept], w_key, w_value, w_output[kept]


def values_only(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != head])
    return w_query, w_key, w_value[:, kept], w_output[kept]


def others_scaled_up(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != head])
    w_output = w_output[kept] * (n_heads / max(n_heads - 1, 1))
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output


def in_another_order(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    heads = [r for r in range(n_heads) if r != head][::-1]
    kept = torch.tensor([r * d + c for r in heads for c in range(d)])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def transposed_output(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != head])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept].T


def values_zeroed(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    gone = torch.arange(n_heads * d) // d == head
    columns = [w.masked_fill(gone, 0.0) for w in (w_query, w_key, w_value)]
    return (*columns, w_output.masked_fill(gone[:, None], 0.0))


def next_head(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if i // d != (head + 1) % n_heads])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def begins_at_its_number(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.tensor([i for i in range(n_heads * d) if not head <= i < head + d])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


def first_three_zeroed(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    gone = torch.arange(n_heads * d) // d == head
    return (*(w.masked_fill(gone, 0.0) for w in (w_query, w_key, w_value)), w_output)


def heads_behind_first(
    w_query: Tensor, w_key: Tensor, w_value: Tensor, w_output: Tensor, n_heads: int, head: int
) -> tuple[Tensor, ...]:
    d = w_query.shape[1] // n_heads
    kept = torch.cat([torch.arange((head + 1) * d, n_heads * d), torch.arange(head * d)])
    return w_query[:, kept], w_key[:, kept], w_value[:, kept], w_output[kept]


MISCONCEPTIONS = (
    Misconception(
        name="output-kept",
        answer=output_kept,
        believed="A head lives in the projections of queries, keys and values.",
        says="Your w_output has as many rows as before, while the heads side by side are narrower: "
        "the two no longer fit together.",
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
        says="Your matrices are as large as before: you set the head's output to zero, and it is "
        "still computed.",
        hints=(
            "Which shape should w_query have with one head fewer?",
            "Nothing is to be computed for the head that is gone.",
            "Leave its components out instead of zeroing them.",
        ),
    ),
    Misconception(
        name="width-of-the-model",
        answer=width_of_the_model,
        believed="A head is the model's width divided by the heads.",
        says="You divide the width of the model, which is the number of rows of w_query, by the "
        "number of heads. The heads share its columns, of which there may be more or fewer.",
        hints=(
            "How wide is a head if w_query is (6, 4) and there are 2 heads?",
            "Which axis of w_query do the heads lie on?",
            "Divide its columns by the heads.",
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
        variants=(columns_cut_out,),
        believed="A head owns columns in all four matrices.",
        says="You cut columns of w_output: that takes components away from the layer's result, and "
        "leaves the head in place.",
        hints=(
            "Which axis of w_output meets the joined heads?",
            "In the sum over heads, by which block of w_output is head r multiplied?",
            "w_output is cut along its first axis.",
        ),
    ),
    Misconception(
        name="one-component",
        answer=one_component,
        believed="Head r is component r.",
        says="You take out a single component. That is a whole head only if heads have width 1.",
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
    Misconception(
        name="queries-only",
        answer=queries_only,
        believed="A head is known by its queries.",
        says="You cut w_query and w_output; w_key and w_value are as wide as before, so "
        "queries and keys no longer fit.",
        hints=(
            "How wide are the keys of the new layer?",
            "A head has queries, keys and values of its own.",
            "Drop the same columns from the first three.",
        ),
    ),
    Misconception(
        name="values-only",
        answer=values_only,
        believed="A head adds nothing but its values.",
        says="You cut w_value and w_output; w_query and w_key are as wide as before, so queries "
        "and keys of the head are still computed.",
        hints=(
            "How wide are the queries of the new layer?",
            "A head has queries, keys and values of its own.",
            "Drop the same columns from the first three.",
        ),
    ),
    Misconception(
        name="others-scaled-up",
        answer=others_scaled_up,
        believed="The heads that stay make up for the one that goes, as in dropout.",
        says="You multiply the rest of w_output by h / (h - 1). The layer's output is a sum over "
        "its heads: without one of them the parts of the others stay as they were.",
        hints=(
            "What does the layer give if the head that you take out wrote zeros?",
            "Which of the numbers that stay should change?",
            "Take rows and columns out, and leave the rest as it is.",
        ),
    ),
    Misconception(
        name="in-another-order",
        answer=in_another_order,
        variants=(heads_behind_first,),
        believed="The order of heads does not matter.",
        says="Your matrices hold the heads that stay, in another order than before. They are to "
        "keep their order.",
        hints=(
            "Where are the columns of head 0 in your w_query?",
            "The output would be the same, but heads count from 0 in the old order.",
            "Keep the components that stay in increasing order.",
        ),
    ),
    Misconception(
        name="transposed-output",
        answer=transposed_output,
        believed="All four matrices are returned as (m, width).",
        says="Your w_output has the right rows and is returned transposed: (m, h·d) instead of "
        "(h·d, m).",
        hints=(
            "Which shape has w_output before?",
            "It loses rows and is otherwise as it was.",
            "Leave out the transpose.",
        ),
    ),
    Misconception(
        name="all-four-zeroed",
        answer=values_zeroed,
        believed="A head that brings back zeros is out.",
        says="You fill the head's part of the matrices with zeros. The matrices are as large as "
        "before, and the head is still computed.",
        hints=(
            "Which shape should w_query have with one head fewer?",
            "Nothing is to be computed for the head that is gone.",
            "Leave its components out.",
        ),
    ),
    Misconception(
        name="next-head",
        answer=next_head,
        believed="The block of head r ends at r times d.",
        says="You take out the head after the one that was asked for. Head r owns components "
        "r·d to (r + 1)·d.",
        hints=(
            "Which components belong to head 0?",
            "With two heads, which one is gone?",
            "Begin at r times d.",
        ),
    ),
    Misconception(
        name="begins-at-its-number",
        answer=begins_at_its_number,
        believed="Head r begins at component r.",
        says="You take out d components, beginning with the one that has the head's number: "
        "pieces of two heads, but for head 0. Head r begins at r·d.",
        hints=(
            "At which component does head 1 of width 3 begin?",
            "Heads before it take d components each.",
            "Begin at r times d.",
        ),
    ),
    Misconception(
        name="first-three-zeroed",
        answer=first_three_zeroed,
        believed="A head lives in queries, keys and values.",
        says="You fill the head's columns in the first three matrices with zeros. The matrices are "
        "as large as before, and the head is still computed.",
        hints=(
            "Which shape should w_query have with one head fewer?",
            "Nothing is to be computed for the head that is gone.",
            "Leave its components out, in all four.",
        ),
    ),
    *BLOCKS,
)

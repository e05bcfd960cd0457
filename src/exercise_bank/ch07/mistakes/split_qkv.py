"""How 07.split_qkv goes wrong."""

from functools import partial
from itertools import product

import torch
from torch import Tensor

from exercise_bank.skills import said

Split = tuple[Tensor, ...]


def paired(weights: list[Tensor], biases: list[Tensor]) -> Split:
    return tuple(x for pair in zip(weights, biases, strict=True) for x in pair)


def three_thirds(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    return paired(list(weight.chunk(3)), list(bias.chunk(3)))


def transposed(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    return paired(list(weight.T.chunk(3, dim=1)), list(bias.chunk(3)))


def kinds_innermost(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, d, 3, *weight.shape[1:]), bias.reshape(n_heads, d, 3)
    return paired(
        [opened[:, :, part].flatten(0, 1) for part in range(3)],
        [biases[:, :, part].flatten() for part in range(3)],
    )


def bias_in_thirds(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened = weight.reshape(n_heads, 3, d, *weight.shape[1:])
    return paired([opened[:, part].flatten(0, 1) for part in range(3)], list(bias.chunk(3)))


def heads_left(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return paired(list(opened.unbind(1)), list(biases.unbind(1)))


def heads_left_in_biases(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    return tuple(
        x if place % 2 else x.flatten(0, 1)
        for place, x in enumerate(heads_left(weight, bias, n_heads))
    )


def key_first(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return paired(
        [opened[:, part].flatten(0, 1) for part in (1, 0, 2)],
        [biases[:, part].flatten() for part in (1, 0, 2)],
    )


def in_order(weight: Tensor, bias: Tensor, n_heads: int, *, order: tuple[int, ...]) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return paired(
        [opened[:, part].flatten(0, 1) for part in order],
        [biases[:, part].flatten() for part in order],
    )


def in_two_orders(
    weight: Tensor,
    bias: Tensor,
    n_heads: int,
    *,
    weights: tuple[int, ...] = (0, 1, 2),
    biases: tuple[int, ...] = (0, 1, 2),
) -> Split:
    one = in_order(weight, bias, n_heads, order=weights)
    other = in_order(weight, bias, n_heads, order=biases)
    return paired(list(one[::2]), list(other[1::2]))


#: The kinds in the three places, if one of them is there twice.
TWICE = tuple(kinds for kinds in product(range(3), repeat=3) if len(set(kinds)) == 2)
EXCHANGED = ((0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1))


def heads_inside(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return paired(
        [opened[:, part].transpose(0, 1).flatten(0, 1) for part in range(3)],
        [biases[:, part].T.flatten() for part in range(3)],
    )


def weights_then_biases(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return (
        *(opened[:, part].flatten(0, 1) for part in range(3)),
        *(biases[:, part].flatten() for part in range(3)),
    )


def values_first(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return paired(
        [opened[:, part].flatten(0, 1) for part in (0, 2, 1)],
        [biases[:, part].flatten() for part in (0, 2, 1)],
    )


def width_from_m(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = max(1, weight.shape[1] // n_heads)
    rows = torch.arange(len(bias)) // d % 3
    parts = [rows == part for part in range(3)]
    return paired([weight[part] for part in parts], [bias[part] for part in parts])


def heads_backwards(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return paired(
        [opened.flip(0)[:, part].flatten(0, 1) for part in range(3)],
        [biases.flip(0)[:, part].flatten() for part in range(3)],
    )


def one_bias(weight: Tensor, bias: Tensor, n_heads: int) -> Split:
    d = len(bias) // (3 * n_heads)
    opened, biases = weight.reshape(n_heads, 3, d, *weight.shape[1:]), bias.reshape(n_heads, 3, d)
    return paired(
        [opened[:, part].flatten(0, 1) for part in range(3)],
        [biases[:, 0].flatten() for _ in range(3)],
    )


MISCONCEPTIONS = (
    said(
        "three-thirds",
        three_thirds,
        "The first third is the queries, as in GPT-2.",
        "You cut the rows into three thirds, which is right for one head. With several heads, all "
        "rows of head 0 come first (its queries, keys and values), then those of head 1.",
        "With 2 heads of width 1, what are rows 0 to 5 of the file?",
        "The heads are the outermost of the three axes.",
    ),
    said(
        "transposed",
        transposed,
        "Fused projections are stored (in, out), as in GPT-2.",
        "You transpose the weight. This format already stores (out, in), as nn.Linear does: the "
        "rows are outputs.",
        "The weight has 3 · m rows. Which axis is the outputs?",
        "Cut rows, not columns.",
    ),
    said(
        "kinds-innermost",
        kinds_innermost,
        "Query, key and value of one feature are side by side.",
        "You take every third row. In each head the rows come in three blocks: first all queries "
        "of the head, then all its keys, then all its values.",
        "With one head of width 2, what are rows 0 and 1 of the file?",
        "The order of the three axes is heads, kinds, width.",
    ),
    said(
        "bias-in-thirds",
        bias_in_thirds,
        "Only the weight is grouped by heads.",
        "Your weights are right. You cut the bias into thirds, but its numbers are in the order of "
        "the rows of the weight, so they are grouped by heads, too.",
        "Which row of the weight does number 1 of the bias belong to?",
        "Cut the bias in the same way as the weight.",
    ),
    said(
        "key-first",
        key_first,
        "The order does not matter, because the score is a product of both.",
        "You have exchanged query and key, so the scores are transposed: row i then shows how well "
        "token i matches as a key.",
        "Which block comes first in each head of this format?",
        "The order is query, key, value.",
    ),
    said(
        "heads-inside",
        heads_inside,
        "The order of the rows within a projection does not matter.",
        "You put feature 0 of every head first, then feature 1. A layer that cuts the result into "
        "heads then gives each head the features of all of them.",
        "Which rows of the query does head 0 use?",
        "Join heads and width in that order, without transposing.",
    ),
    said(
        "weights-then-biases",
        weights_then_biases,
        "First the three weights, then the three biases.",
        "Your six tensors are right, but their order is not: each weight should be followed by its "
        "bias.",
        "In which order does the docstring list them?",
        "Return query weight, query bias, key weight, and so on.",
        kind="form",
    ),
    said(
        "values-before-keys",
        values_first,
        "The order is query, value, key.",
        "Your keys and values are exchanged. In a head the d query rows come first, then the key "
        "rows, then the value rows.",
        "Which rows of the example belong to the key?",
        "Swap the last two.",
    ),
    said(
        "kinds-in-another-order",
        partial(in_order, order=(2, 1, 0)),
        "The order of the three kinds does not matter.",
        "Your weights are those of the three kinds, but in the wrong order. In each head, and in "
        "the result, the query comes first, then the key, then the value.",
        "Which rows of the example belong to the query, the key and the value?",
        "Return part 0, part 1 and part 2.",
        variants=(partial(in_order, order=(2, 0, 1)), partial(in_order, order=(1, 2, 0))),
    ),
    said(
        "width-from-m",
        width_from_m,
        "A head has width m/h.",
        "You use m/h as the width of a head. The width d follows from the number of rows, which is "
        "3·h·d.",
        "How many rows and how many heads does the weight have?",
        "Divide the number of rows by 3 and by the number of heads.",
    ),
    said(
        "heads-backwards",
        heads_backwards,
        "The last head comes first.",
        "Your heads are in the opposite order.",
        "Which head's rows come first in the file?",
        "Leave their order as it is.",
    ),
    said(
        "one-bias-for-all",
        one_bias,
        "A bias belongs to a head.",
        "You return the bias of the queries three times.",
        "How many numbers does the bias have, and how many do you use?",
        "Cut the bias as you cut the weight.",
    ),
    said(
        "heads-left-apart",
        heads_left,
        "A head is an axis.",
        "In your result, heads are still an axis of their own. A weight of `nn.Linear` has two "
        "axes and a bias has one; count the axes of your six tensors.",
        "Which shape does the query's weight have in the example?",
        "Join the heads and their width again: flatten the first two axes.",
        variants=(heads_left_in_biases,),
        kind="form",
    ),
    said(
        "bias-of-another-kind",
        partial(in_two_orders, biases=(0, 1, 1)),
        "The order of the biases does not matter.",
        "Your weights are right. But at least one bias does not belong to its weight: the bias of "
        "the query, the key or the value comes from one of the others.",
        "Which rows of the file are in your value's weight, and which in your value's bias?",
        "Take each bias from the same part as its weight.",
        variants=tuple(
            partial(in_two_orders, biases=kinds)
            for kinds in (*TWICE, *EXCHANGED)
            if kinds != (0, 1, 1)
        ),
    ),
    said(
        "a-weight-twice",
        partial(in_two_orders, weights=(0, 1, 1)),
        "If the line for one of the three is right, so are the others.",
        "Your answer has one of the three weights twice, and another is missing.",
        "Which rows of the file are missing from your three weights?",
        "The query is part 0 of each head, the key part 1, the value part 2.",
        variants=tuple(
            partial(in_two_orders, weights=kinds, biases=biases)
            for kinds in TWICE
            for biases in ((0, 1, 2), kinds)
            if (kinds, biases) != ((0, 1, 1), (0, 1, 2))
        ),
    ),
)

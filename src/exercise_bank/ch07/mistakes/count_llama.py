"""How 07.count_llama goes wrong."""

from functools import partial
from typing import Any

from exercise_bank.skills import said


def count(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
    *,
    feedforwards: int = 3,
    norms: int = 2,
    last: int = 1,
    narrow: int = 2,
    bias: int = 0,
    always_tied: bool = False,
    projections: int = 4,
    tables: int = 1,
    groups: bool = False,
) -> int:
    kv_heads = n_heads // n_kv_heads if groups else n_kv_heads
    m, key = d_model, d_model // n_heads * kv_heads
    attention = (projections - narrow) * m * m + narrow * m * key
    block = attention + feedforwards * m * d_ff + norms * m + bias
    tables = tables if tied or always_tied else tables + 1
    return tables * vocabulary * m + n_layers * block + last * m


def as_float(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> float:
    sizes = (vocabulary, d_model, n_layers, n_heads, n_kv_heads, d_ff)
    return float(count(*sizes, tied))


two_matrices = partial(count, feedforwards=2)


norms_with_bias = partial(count, norms=4, last=2)


no_last_norm = partial(count, last=0)


all_heads = partial(count, narrow=0)


output_forgotten = partial(count, always_tied=True)


only_the_keys = partial(count, narrow=1)


one_norm = partial(count, norms=1)


def tied_turned(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    sizes = vocabulary, d_model, n_layers, n_heads, n_kv_heads, d_ff, not tied
    return count(*sizes)


def full_width(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    sizes = vocabulary, d_model, n_layers, n_heads, n_kv_heads, d_ff, tied
    return count(*sizes, narrow=0) - 2 * n_layers * (d_model**2 - d_model**2 * n_kv_heads)


output_narrow = partial(count, narrow=3)


def with_biases(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    sizes = vocabulary, d_model, n_layers, n_heads, n_kv_heads, d_ff, tied
    return count(*sizes) + n_layers * (4 * d_model + 2 * d_ff + d_model)


def with_positions(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    sizes = vocabulary, d_model, n_layers, n_heads, n_kv_heads, d_ff, tied
    return count(*sizes) + 2048 * d_model


def one_block_only(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    sizes = vocabulary, d_model, min(n_layers, 1), n_heads, n_kv_heads, d_ff, tied
    return count(*sizes)


Count = partial[int]


def besides(**changes: Any) -> tuple[Count, ...]:
    """Make counts with this error and one in the norms as well."""
    norms: tuple[dict[str, Any], ...] = (
        {"norms": 1},
        {"last": 0},
        {"norms": 1, "last": 0},
        {"norms": 0, "last": 0},
    )
    return tuple(partial(count, **{**changes, **each}) for each in norms)


MISCONCEPTIONS = (
    said(
        "three-projections",
        partial(count, projections=3),
        "Attention has queries, keys and values.",
        "You count one matrix of attention too few, (d_model, d_model). Besides queries, keys and "
        "values there is the output projection.",
        "Which four matrices does multi-head attention have?",
        "o_proj is (d_model, d_model).",
        variants=besides(projections=3),
    ),
    said(
        "keys-and-values-in-one",
        partial(count, projections=3, narrow=1),
        "Keys and values share a matrix.",
        "You count one matrix for keys and values together, or leave one of the two out. Each has "
        "its own, with n_kv_heads heads.",
        "Which two matrices does grouping make narrower?",
        "Count 2 · d_model · n_kv_heads · d.",
        variants=besides(projections=3, narrow=1),
    ),
    said(
        "table-left-out",
        partial(count, tables=0),
        "A token table is not a layer.",
        "You count one token table too few. The embedding has vocabulary · d_model numbers, and an "
        "output layer that is not tied has the same number again.",
        "How many parameters does a model with 0 layers have?",
        "Add vocabulary · d_model.",
        variants=besides(tables=0),
    ),
    said(
        "four-matrices",
        partial(count, feedforwards=4),
        "A gate has one matrix in and one out.",
        "You count four matrices in the feed-forward. It has three: gate, up and down.",
        "By which matrices does SwiGLU multiply?",
        "Count 3 · d_model · d_ff.",
        variants=besides(feedforwards=4),
    ),
    said(
        "heads-per-group",
        partial(count, groups=True),
        "n_kv_heads heads of queries share a key.",
        "You give keys and values n_heads // n_kv_heads heads. That is the number of query heads "
        "in a group; the number of key heads is n_kv_heads itself.",
        "How many key heads does a model with 8 query heads and n_kv_heads = 2 have?",
        "Use n_kv_heads as it is.",
        variants=besides(groups=True),
    ),
    said(
        "norms-miscounted",
        partial(count, norms=3),
        "There is a norm around each part.",
        "Your count of the norms does not add up. A pre-norm block has one before each of its two "
        "sublayers, one more follows the last block, and each has d_model numbers.",
        "What do the two sublayers of a block read?",
        "Add 2 · d_model for each block, and d_model at the end.",
        variants=(
            partial(count, norms=0),
            partial(count, norms=4),
            *(partial(count, norms=norms, last=0) for norms in (0, 1, 3, 4)),
        ),
        kind="form",
    ),
    said(
        "two-matrices",
        two_matrices,
        "A feed-forward has two matrices.",
        "Your feed-forward has two matrices. This one is gated: gate, up and down, three of m · f.",
        "How many matrices does SwiGLU multiply by?",
        "The three are gate_proj, up_proj and down_proj.",
        variants=besides(feedforwards=2),
    ),
    said(
        "norms-with-bias",
        norms_with_bias,
        "A norm has a weight and a bias.",
        "You give each norm 2m numbers. An RMS norm has no bias: it only scales, by m numbers.",
        "What does an RMS norm learn?",
        "Nothing in this model has a bias.",
        kind="form",
    ),
    said(
        "no-last-norm",
        no_last_norm,
        "The norms are in the blocks.",
        "You count exactly d_model parameters too few, even for a model without blocks: a pre-norm "
        "stack ends in a norm.",
        "What is between the last block and the output layer?",
        "Add m once.",
        kind="form",
    ),
    said(
        "all-heads",
        all_heads,
        "All four projections are m × m.",
        "You count all four projections as m × m. With fewer key heads than query heads, keys and "
        "values are narrower: n_kv_heads heads of width d_model // n_heads.",
        "What is the shape of k_proj with 8 query heads, 2 key heads and width 64?",
        "Two of the four matrices have n_kv_heads · d rows.",
        variants=besides(narrow=0),
    ),
    said(
        "output-forgotten",
        output_forgotten,
        "The output layer always shares the token table.",
        "You count one table, tied or not. If tied is False, the output layer is a second table of "
        "v · m.",
        "Which shape does lm_head.weight have if it is not tied?",
        "Count the table twice if tied is False.",
        variants=besides(always_tied=True),
    ),
    said(
        "only-the-keys",
        only_the_keys,
        "Grouping applies only to the keys.",
        "You made only one of keys and values narrower, and left the other at m × m. A group "
        "shares one key and one value.",
        "How many value heads does a model with n_kv_heads key heads have?",
        "k_proj and v_proj have the same shape.",
        variants=besides(narrow=1),
    ),
    said(
        "one-norm",
        one_norm,
        "A block has one norm.",
        "You count one norm for each block. There are two sublayers, and each has its own.",
        "What does the feed-forward read?",
        "Add 2m for each block.",
        kind="form",
    ),
    said(
        "tied-turned-round",
        tied_turned,
        "Tied means two tables.",
        "You count two tables if they are tied, and one if they are not. Tied means that the "
        "output layer uses the token table once more.",
        "How many tables does a tied model have?",
        "Reverse the condition.",
    ),
    said(
        "heads-of-full-width",
        full_width,
        "A key head is as wide as the model.",
        "Your keys and values are n_kv_heads times the model's width. A head has the width "
        "d_model // n_heads.",
        "How wide is one head of 32 in a model of width 4096?",
        "Multiply n_kv_heads by the width of a head.",
    ),
    said(
        "output-narrow-too",
        output_narrow,
        "The last matrix of attention is as narrow as the values.",
        "You count three matrices with n_kv_heads: besides keys and values, the output projection "
        "or the queries. Those two belong to all query heads, so each is (d_model, d_model).",
        "How many heads give an output?",
        "Only keys and values are narrower.",
        variants=besides(narrow=3),
    ),
    said(
        "with-biases",
        with_biases,
        "A linear layer has a bias.",
        "You count biases. The stack has none.",
        "Which biases does the task mention?",
        "Count matrices and norms only.",
    ),
    said(
        "with-positions",
        with_positions,
        "A model has a table of positions.",
        "You count a table of positions. Here positions have no parameters.",
        "Which positions does a Llama use?",
        "Leave the table out.",
    ),
    said(
        "one-block-only",
        one_block_only,
        "The model has one block.",
        "You count one block, whatever n_layers is.",
        "How does your number change from 2 layers to 3?",
        "Multiply the block by n_layers.",
    ),
    said(
        "quotient-of-floats",
        as_float,
        "A quotient of two ints is an int.",
        "Your count is right, but it is a float: `/` gives a float even without a remainder.",
        "What are `type(6 / 2)` and `type(6 // 2)`?",
        "Divide with `//`: a number of parameters is an int.",
        kind="form",
    ),
)

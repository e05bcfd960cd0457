"""How 03.causal_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def upside_down(q: int, k: int) -> Tensor:
    return torch.ones(q, k).triu(k - q + 1).bool()


def upside_down_and_top_left(q: int, k: int) -> Tensor:
    return torch.ones(q, k).triu(1).bool()


def hides_itself(q: int, k: int) -> Tensor:
    return ~torch.ones(q, k).triu(k - q).bool()


def peeks_one_ahead(q: int, k: int) -> Tensor:
    return ~torch.ones(q, k).triu(k - q + 2).bool()


def top_left(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril().bool()


def shifted_the_wrong_way(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril(q - k).bool()


def upper_triangle(q: int, k: int) -> Tensor:
    return torch.ones(q, k).triu(k - q).bool()


def added_to_scores(q: int, k: int) -> Tensor:
    return torch.full((q, k), -torch.inf).triu(k - q + 1)


def ones_and_zeros(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril(k - q)


def keys_by_queries(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril(k - q).bool().T


def window_of_two(q: int, k: int) -> Tensor:
    ones = torch.ones(q, k, dtype=torch.bool)
    return ones.tril(k - q) & ones.triu(k - q - 1)


def first_see_themselves(q: int, k: int) -> Tensor:
    position = torch.arange(k - q, k).clamp(min=0)
    return torch.arange(k) <= position[:, None]


def rows_of_keys_shifted(q: int, k: int) -> Tensor:
    return torch.ones(k, q).tril(k - q).bool()


def square(q: int, k: int) -> Tensor:
    return torch.ones(q, q, dtype=torch.bool).tril()


def with_axes(q: int, k: int) -> Tensor:
    return torch.ones(1, 1, q, k).tril(k - q).bool()


def hides_itself_top_left(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril(-1).bool()


def top_left_from_above(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril(max(k - q, 0)).bool()


def one_ahead_top_left(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril(1).bool()


MISCONCEPTIONS = (
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks the hidden keys.",
        says="Your mask is True exactly on the keys that are to be hidden. Of as many keys as "
        "queries, query 0 may attend to all but itself, and the last query to none.",
        hints=(
            "In your mask, which keys are open to the last query?",
            "Here True means 'open', as in scaled_dot_product_attention. Some other functions "
            "mean the opposite.",
            "Put a ~ before your result.",
        ),
    ),
    Misconception(
        name="upside-down-and-top-left",
        answer=upside_down_and_top_left,
        believed="True marks the hidden keys, and query i sits at position i.",
        says="Your mask is True on the keys that are to be hidden: of three positions, query 0 "
        "attends to keys 1 and 2 and not to itself. And you place a single query of three keys "
        "first, where it is the last.",
        hints=(
            "In your mask, which keys are open to the last query?",
            "Here True means 'open', as in scaled_dot_product_attention. Some other functions "
            "mean the opposite.",
            "Turn the mask over; then ask where a single query sits when there are three keys.",
        ),
    ),
    Misconception(
        name="hides-itself",
        answer=hides_itself,
        believed="A query attends only to earlier positions.",
        says="Your diagonal is False: no query attends to its own position, and query 0 attends to "
        "nothing.",
        hints=(
            "Which keys are open to the first token of a sentence in your mask?",
            "The token at position i is known when position i is computed: it is its input.",
            "Your diagonal starts one place too early; triu(…, 1) leaves the own position alone.",
        ),
    ),
    Misconception(
        name="peeks-one-ahead",
        answer=peeks_one_ahead,
        believed="The first hidden key is two places ahead.",
        says="In your mask each query also sees the next position. The model is "
        "trained to predict that position there, so it would learn to copy it.",
        hints=(
            "In your mask, which keys does query 0 see when q = k = 3?",
            "Each of your rows has one True too many.",
            "Move your diagonal one place to the left.",
        ),
    ),
    Misconception(
        name="top-left",
        answer=top_left,
        believed="Query i always sits at position i.",
        says="You treat the queries as the first positions, but they are the newest ones. A single "
        "query with three keys, for example, is at the last position and attends to all three.",
        hints=(
            "A decoder has kept three keys and asks with the newest token only, q = 1. Which keys "
            "should be open to that token?",
            "The last query belongs to the last key. Where does query i sit then?",
            "Query i sits at position i + k - q: shift the diagonal by k - q.",
        ),
    ),
    Misconception(
        name="shifted-the-wrong-way",
        answer=shifted_the_wrong_way,
        believed="The diagonal is shifted by q - k.",
        says="For two queries and four keys your mask shows nothing at all: your diagonal moves to "
        "the left where it should move to the right.",
        hints=(
            "Print your mask for q = 1, k = 3. Which keys should be open to the one query?",
            "Ask what happens to the number of visible keys when k grows and q stays.",
            "Swap the two in your shift: k - q.",
        ),
    ),
    Misconception(
        name="upper-triangle",
        answer=upper_triangle,
        believed="The upper triangle holds the open keys.",
        says="Your queries attend to themselves and to everything after them: the future without "
        "the past.",
        hints=(
            "Rows are queries. Which columns of row 0 are True in your mask, and which should be?",
            "You kept the triangle on the wrong side of the diagonal.",
            "tril keeps the entries at or before the diagonal.",
        ),
    ),
    Misconception(
        name="added-to-scores",
        kind="form",
        answer=added_to_scores,
        believed="A mask is added to the scores.",
        says="Your mask holds 0 and -inf or a large negative number, ready to be added to scores. "
        "A mask here is boolean: True = open.",
        hints=(
            "What is the dtype of your result?",
            "Of your matrix, where is it 0?",
            "Compare with 0, or build the boolean triangle in the first place.",
        ),
    ),
    Misconception(
        name="ones-and-zeros",
        kind="form",
        answer=ones_and_zeros,
        believed="1 and 0 are as good as True and False.",
        says="Your mask holds the numbers 1 and 0. The task asks for a boolean mask: ~mask fails "
        "on floats or makes -2 and -1 of whole numbers, and masked_fill refuses both.",
        hints=(
            "What is the dtype of your result?",
            "masked_fill wants a boolean mask.",
            "Add .bool() at the end.",
        ),
    ),
    Misconception(
        name="keys-by-queries",
        answer=keys_by_queries,
        variants=(rows_of_keys_shifted,),
        believed="Rows are keys.",
        says="Your mask has a row for each key: its shape is (k, q). Scores have a row for "
        "each query: their shape is (q, k).",
        hints=(
            "What is the shape of your mask for q = 2, k = 4? And that of the scores?",
            "Row = who asks. Column = who is looked at.",
            "Leave out the transposition.",
        ),
    ),
    Misconception(
        name="one-back-only",
        answer=window_of_two,
        believed="Each query attends to itself and to the one before.",
        says="Your queries attend to themselves and one position before. All positions before are "
        "to be open.",
        hints=(
            "Which keys does query 4 see?",
            "A causal mask leaves all earlier keys open.",
            "Leave the whole lower triangle open.",
        ),
    ),
    Misconception(
        name="peeks-one-ahead-top-left",
        answer=one_ahead_top_left,
        believed="tril keeps what lies below its diagonal 1.",
        says="Each of your queries also attends to the next position; and with fewer queries than "
        "keys you treat the queries as the first ones.",
        hints=(
            "In your mask, which keys does query 0 see when q = k = 3?",
            "Two slips: the diagonal, and the offset k - q.",
        ),
    ),
    Misconception(
        name="first-queries-see-one",
        kind="corner",
        answer=first_see_themselves,
        variants=(top_left_from_above,),
        believed="Every query attends to at least one key.",
        says="With more queries than keys, query 0 attends to key 0 in your mask. The first "
        "queries sit before every key, so their rows are to be all False.",
        hints=(
            "With 4 queries and 2 keys, at which positions do the queries sit?",
            "A position of -1 is before every key.",
            "Let a row be all False.",
        ),
    ),
    Misconception(
        name="square",
        answer=square,
        believed="A mask is square.",
        says="Your mask has as many columns as rows, whatever k is.",
        hints=(
            "Which shape have scores of 2 queries and 5 keys?",
            "Rows are queries, columns are keys.",
            "Make the mask (q, k).",
        ),
    ),
    Misconception(
        name="batch-axes",
        kind="form",
        answer=with_axes,
        believed="Scores have four axes.",
        says="Your mask has axes of size 1 in front. The task asks for a matrix (q, k).",
        hints=(
            "How many axes has your mask?",
            "A matrix broadcasts over batch and heads by itself.",
            "Leave the axes out.",
        ),
    ),
    Misconception(
        name="hides-itself-top-left",
        answer=hides_itself_top_left,
        believed="Before is before, and query 0 is the first.",
        says="Your diagonal is False, so query 0 attends to nothing; and with fewer queries than "
        "keys you treat the queries as the first ones.",
        hints=(
            "Which keys does query 0 of three see? And a single query of three keys?",
            "Two slips: the own position, and the offset k - q.",
        ),
    ),
)

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


def square(q: int, k: int) -> Tensor:
    return torch.ones(q, q, dtype=torch.bool).tril()


def with_axes(q: int, k: int) -> Tensor:
    return torch.ones(1, 1, q, k).tril(k - q).bool()


def hides_itself_top_left(q: int, k: int) -> Tensor:
    return torch.ones(q, k).tril(-1).bool()


MISCONCEPTIONS = (
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks what is hidden.",
        says="Your mask is True exactly where a query may *not* look. Query 0 sees everything but "
        "itself, the last query sees nothing.",
        hints=(
            "In your mask, which keys may the last query see?",
            "Here True means 'may look', as in scaled_dot_product_attention. Some other functions "
            "mean the opposite.",
            "Put a ~ before your result.",
        ),
    ),
    Misconception(
        name="upside-down-and-top-left",
        answer=upside_down_and_top_left,
        believed="True marks what is hidden, and query i sits at position i.",
        says="Your True marks the keys that a query may *not* look at: of three positions, query 0 "
        "sees keys 1 and 2 and not itself. And a single query of three is taken for the first.",
        hints=(
            "In your mask, which keys may the last query see?",
            "Here True means 'may look', as in scaled_dot_product_attention. Some other functions "
            "mean the opposite.",
            "Turn the mask over; then ask where a single query sits when there are three keys.",
        ),
    ),
    Misconception(
        name="hides-itself",
        answer=hides_itself,
        believed="A query may look only at what comes before it.",
        says="Your diagonal is False: no query sees its own position, and query 0 sees nothing.",
        hints=(
            "What does the first token of a sentence see in your mask?",
            "The token at position i is known when position i is computed: it is its input.",
            "Your diagonal starts one place too early; triu(…, 1) leaves the own position alone.",
        ),
    ),
    Misconception(
        name="peeks-one-ahead",
        answer=peeks_one_ahead,
        believed="The first hidden key is two places ahead.",
        says="In your mask each query also sees the next position. That position is what the model "
        "is trained to predict there: it would learn to copy it.",
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
        says="Your mask is right for q = k. For one query and three keys it shows only key 0: you "
        "treat the query as the first position, but it is the newest one.",
        hints=(
            "A decoder has kept three keys and asks with the newest token only, q = 1. Which keys "
            "should that token see?",
            "The last query belongs to the last key. Where does query i sit then?",
            "Query i sits at position i + k - q: shift the diagonal by k - q.",
        ),
    ),
    Misconception(
        name="shifted-the-wrong-way",
        answer=shifted_the_wrong_way,
        believed="The diagonal is shifted by q - k.",
        says="Your mask is right for q = k. For two queries and four keys it shows nothing at all: "
        "your diagonal moves to the left where it should move to the right.",
        hints=(
            "Print your mask for q = 1, k = 3. Which keys should the one query see?",
            "Ask what happens to the number of visible keys when k grows and q stays.",
            "Swap the two in your shift: k - q.",
        ),
    ),
    Misconception(
        name="upper-triangle",
        answer=upper_triangle,
        believed="The upper triangle is what a query may see.",
        says="Your queries see themselves and everything *after* them: the future without the "
        "past.",
        hints=(
            "Rows are queries. Which columns of row 0 are True in your mask, and which should be?",
            "You kept the triangle on the wrong side of the diagonal.",
            "tril keeps what is at or before the diagonal.",
        ),
    ),
    Misconception(
        name="added-to-scores",
        kind="form",
        answer=added_to_scores,
        believed="A mask is what is added to the scores.",
        says="Your mask holds 0 and -inf, ready to be added to scores. A mask here is "
        "boolean: True = may look.",
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
        says="Your mask holds the floats 1 and 0, and a boolean mask is asked. ~mask fails on "
        "floats, and masked_fill refuses them.",
        hints=(
            "What is the dtype of your result?",
            "masked_fill wants a boolean mask.",
            "Add .bool() at the end.",
        ),
    ),
    Misconception(
        name="keys-by-queries",
        answer=keys_by_queries,
        believed="Rows are keys.",
        says="Your mask has a row for each key: its shape is (k, q). Scores have shape (q, k), a "
        "row for each query.",
        hints=(
            "What is the shape of your mask for q = 2, k = 4? And that of the scores?",
            "Row = who asks. Column = who is looked at.",
            "Leave out the transposition.",
        ),
    ),
    Misconception(
        name="one-back-only",
        answer=window_of_two,
        believed="Each query sees itself and the one before.",
        says="Your queries see themselves and one position before. Everything before is to be "
        "seen.",
        hints=(
            "Which keys does query 4 see?",
            "A causal mask forgets nothing.",
            "Leave the whole lower triangle open.",
        ),
    ),
    Misconception(
        name="first-queries-see-one",
        kind="corner",
        answer=first_see_themselves,
        believed="Every query sees at least one key.",
        says="Your mask is right with as many keys as queries or more. With more queries than "
        "keys, the first ones see key 0 in yours; they sit before every key.",
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
        says="Your mask has axes of size 1 in front. A matrix (q, k) is asked.",
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
        says="Your diagonal is False, so query 0 sees nothing; and with fewer queries than "
        "keys you take the queries for the first ones.",
        hints=(
            "Which keys does query 0 of three see? And a single query of three keys?",
            "Two slips: the own position, and the offset k - q.",
        ),
    ),
)

"""How 02.scores goes wrong."""

import math

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def rows_are_keys(query: Tensor, key: Tensor) -> Tensor:
    return key @ query.transpose(-2, -1)


def no_transpose(query: Tensor, key: Tensor) -> Tensor:
    return query @ key


def all_axes_reversed(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.permute(*reversed(range(key.ndim)))


def axes_0_and_1(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(0, 1)


def axes_1_and_2(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(1, 2)


def axes_1_and_2_of_a_batch(query: Tensor, key: Tensor) -> Tensor:
    return query @ (key.mT if key.ndim == 2 else key.transpose(1, 2))


def scaled_already(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


def cosine(query: Tensor, key: Tensor) -> Tensor:
    query = query / query.norm(dim=-1, keepdim=True)
    key = key / key.norm(dim=-1, keepdim=True)
    return query @ key.transpose(-2, -1)


def keys_of_length_1(query: Tensor, key: Tensor) -> Tensor:
    return query @ (key / key.norm(dim=-1, keepdim=True).clamp(min=1e-12)).transpose(-2, -1)


def queries_of_length_1(query: Tensor, key: Tensor) -> Tensor:
    return keys_of_length_1(key, query).mT


def keys_of_the_first_head(query: Tensor, key: Tensor) -> Tensor:
    return query @ (key[:, :1] if key.ndim > 3 else key).mT


def keys_of_the_first_sequence(query: Tensor, key: Tensor) -> Tensor:
    return query @ (key[:1] if key.ndim > 2 else key).mT


def negative_distance(query: Tensor, key: Tensor) -> Tensor:
    return -((query.unsqueeze(-2) - key.unsqueeze(-3)) ** 2).sum(dim=-1)


def weights_already(query: Tensor, key: Tensor) -> Tensor:
    return (query @ key.transpose(-2, -1)).softmax(dim=-1)


def reshaped(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])


def in_step(query: Tensor, key: Tensor) -> Tensor:
    return (query * key).sum(dim=-1)


def flattened(query: Tensor, key: Tensor) -> Tensor:
    keys = key.reshape(-1, key.shape[-1])
    return query @ keys.T


def absolute(query: Tensor, key: Tensor) -> Tensor:
    return (query @ key.transpose(-2, -1)).abs()


def one_axis_at_most(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.T if query.ndim == 2 else torch.bmm(query, key.transpose(1, 2))


def one_axis_at_most_unpacked(query: Tensor, key: Tensor) -> Tensor:
    if query.ndim > 2:
        _, _, _ = query.shape
    return query @ key.mT


def one_axis_exactly(query: Tensor, key: Tensor) -> Tensor:
    return torch.bmm(query, key.transpose(1, 2))


def one_axis_exactly_unpacked(query: Tensor, key: Tensor) -> Tensor:
    _, _, _ = query.shape
    return query @ key.mT


def matrices_only(query: Tensor, key: Tensor) -> Tensor:
    return torch.mm(query, key.transpose(-2, -1))


def matrices_only_unpacked(query: Tensor, key: Tensor) -> Tensor:
    _, _ = query.shape
    return query @ key.mT


MISCONCEPTIONS = (
    Misconception(
        name="rows-are-keys",
        answer=rows_are_keys,
        believed="It makes no difference which of the two is on the left.",
        says="Your matrix is transposed: your entry [0, 1] is the score of query 1 with key 0. "
        "Your rows are keys and your columns are queries.",
        hints=(
            "How many rows should the scores of 5 queries and 7 keys have? How many have yours?",
            "In A @ B the rows of the result are the rows of A.",
            "The queries are on the left as they are, the keys on the right, transposed.",
        ),
    ),
    Misconception(
        name="no-transpose",
        answer=no_transpose,
        believed="query @ key takes the dot product of each query with each key.",
        says="Where d = k, your entry [0, 0] is the dot product of query 0 with column 0 of the "
        "keys, that is, with feature 0 of every key. With k different from d your product cannot "
        "be formed at all.",
        hints=(
            "Which axis of the keys does @ sum over? Which one should it sum over?",
            "The sum must run over d. In the right factor that is the axis before the last.",
            "Swap the last two axes of the keys before you multiply.",
        ),
    ),
    Misconception(
        name="all-axes-reversed",
        answer=all_axes_reversed,
        believed=".T swaps the last two axes.",
        says="You reverse all axes of the keys, so that with a batch the batch axis is the last. "
        "Print the shape of your transposed key for a key of shape (2, 3, 4): it is (4, 3, 2).",
        hints=(
            "How does .T change a tensor with three axes?",
            "The batch axes must stay where they are. Only two axes change places.",
            "`.mT` swaps the last two axes and leaves the others alone.",
        ),
    ),
    Misconception(
        name="axes-0-and-1",
        answer=axes_0_and_1,
        believed="The two axes of a matrix are 0 and 1, so these are the ones to swap.",
        says="You exchange axes 0 and 1 of the keys. With a batch these are not positions and "
        "features: a key of shape (2, 3, 4) becomes (3, 2, 4), so the batch changes places with "
        "the positions.",
        hints=(
            "In a tensor (batch, positions, features), what are axes 0 and 1?",
            "Counted from the front, the position axis moves with every batch axis. Counted from "
            "the end it stays put.",
            "Swap axes -2 and -1.",
        ),
    ),
    Misconception(
        name="axes-1-and-2",
        answer=axes_1_and_2,
        variants=(axes_1_and_2_of_a_batch,),
        believed="There is always exactly one batch axis.",
        says="You exchange axes 1 and 2 of the keys, which is right with one axis in front only. "
        "With batch and heads, axes 1 and 2 are heads and positions.",
        hints=(
            "In the layout (b, h, k, d), what are axes 1 and 2?",
            "Which way of counting axes gives the same two for (k, d), (b, k, d) and (b, h, k, d)?",
            "Negative axes count from the end: swap -2 and -1.",
        ),
    ),
    Misconception(
        name="scaled-already",
        answer=scaled_already,
        believed="Scores are always divided by the root of d.",
        says="Each of your scores is the dot product divided by the root of d: with d = 4 yours "
        "are half as large. That is the next step of attention; this task asks for the raw "
        "dot products.",
        hints=(
            "Take query [1, 1, 1, 1] and the same key. Their dot product is 4. What do you give?",
            "You have done one step too many.",
            "Leave out the division. It comes back in 02.attention.",
        ),
    ),
    Misconception(
        name="cosine",
        answer=cosine,
        believed="How well two vectors match is the cosine of their angle.",
        says="All your scores lie between -1 and 1, and doubling a query leaves yours as they are. "
        "A dot product doubles with it.",
        hints=(
            "What is the dot product of [3, 0] with [2, 0]? What do you return for it?",
            "You divide by the lengths. The lengths of a query and a key are meant to count.",
            "Multiply the vectors as they come, without normalising them.",
        ),
    ),
    Misconception(
        name="keys-of-length-1",
        answer=keys_of_length_1,
        believed="Only the direction of a key counts.",
        says="Your scores grow with a query and stay as they are when a key becomes longer: you "
        "divide by the length of the key. A dot product grows with both.",
        hints=(
            "What is the dot product of [3, 0] with [2, 0]? What do you return for it?",
            "The lengths of a query and a key are meant to count.",
            "Multiply the vectors as they come, without normalising the keys.",
        ),
    ),
    Misconception(
        name="queries-of-length-1",
        answer=queries_of_length_1,
        believed="Only the direction of a query counts.",
        says="Your scores grow with a key and stay as they are when a query becomes longer: you "
        "divide by the length of the query. A dot product grows with both.",
        hints=(
            "What is the dot product of [3, 0] with [2, 0]? What do you return for it?",
            "The lengths of a query and a key are meant to count.",
            "Multiply the vectors as they come, without normalising the queries.",
        ),
    ),
    Misconception(
        name="keys-of-the-first-head",
        kind="form",
        answer=keys_of_the_first_head,
        believed="All heads share the keys.",
        says="With two axes in front, all your heads meet the keys of head 0. Each head has keys "
        "of its own.",
        hints=(
            "Which of your scores change if you change the keys of head 1 alone?",
            "Where do you take one head of the keys, and how is it chosen?",
            "@ pairs the heads of queries and keys by itself: query @ key.mT.",
        ),
    ),
    Misconception(
        name="keys-of-the-first-sequence",
        answer=keys_of_the_first_sequence,
        believed="All sequences share the keys.",
        says="With axes in front, every query meets the keys of the first batch entry. Each entry "
        "has keys of its own.",
        hints=(
            "Which of your scores change if you change the keys of batch entry 1 alone?",
            "Where do you take one entry of the batch, and how is it chosen?",
            "@ pairs the entries of both batches by itself: query @ key.mT.",
        ),
    ),
    Misconception(
        name="negative-distance",
        answer=negative_distance,
        believed="The closer two vectors are, the better they match.",
        says="None of your scores is above 0: they are negative squared distances. Two vectors "
        "that point the same way have a positive dot product.",
        hints=(
            "What is the dot product of [1, 1] with itself? What do you return for it?",
            "Where you take the difference of two components, a dot product does something else.",
            "Multiply the components pair by pair and sum over d; a matrix product does this.",
        ),
    ),
    Misconception(
        name="weights-already",
        answer=weights_already,
        believed="A comparison ends in weights.",
        says="Each of your rows sums to 1: you return weights. The task asks for the scores, "
        "before any softmax.",
        hints=(
            "Which sign can a dot product have? And your entries?",
            "The task asks for a matrix product and nothing else.",
            "Leave the softmax out.",
        ),
    ),
    Misconception(
        name="reshaped",
        answer=reshaped,
        believed="A reshape to (d, k) is a transpose.",
        says="Your keys have the right shape and the wrong order: a reshape fills (d, k) in "
        "the order of memory, and does not turn rows into columns.",
        hints=(
            "Print key.reshape(d, k) of your example. Is a key a column?",
            "A reshape never moves numbers.",
            "Transpose the last two axes.",
        ),
    ),
    Misconception(
        name="step-by-step",
        answer=in_step,
        believed="Query i meets key i.",
        says="You multiply query 0 with key 0, query 1 with key 1: one score for each place. "
        "There should be one for each pair.",
        hints=(
            "How many pairs do 2 queries and 3 keys make?",
            "Every query meets every key.",
            "Use a matrix product.",
        ),
    ),
    Misconception(
        name="all-sequences-together",
        answer=flattened,
        believed="The axes in front may be merged with the positions.",
        says="You score every query of a batch against the keys of all its sequences. A query "
        "belongs to one sequence, and meets the keys of that one.",
        hints=(
            "How many keys does a query of sequence 0 meet?",
            "The sequences of a batch are independent.",
            "Keep the axes in front, and multiply the last two.",
        ),
    ),
    Misconception(
        name="absolute-values",
        answer=absolute,
        believed="A match has a size and no sign.",
        says="None of your scores is negative. A dot product is negative if query and key point in "
        "opposite directions.",
        hints=(
            "What is the dot product of (1) and (-2)?",
            "Leave the sign.",
        ),
    ),
    Misconception(
        name="some-numbers-of-axes",
        answer=one_axis_at_most,
        variants=(
            one_axis_at_most_unpacked,
            one_axis_exactly,
            one_axis_exactly_unpacked,
            matrices_only,
            matrices_only_unpacked,
        ),
        believed="Queries come as a matrix, or as a batch of matrices.",
        says="Your function raises an error for some numbers of axes: it takes a matrix, or one "
        "axis in front such as that of a batch, and nothing else. Any number of axes may be in "
        "front, none and several included.",
        hints=(
            "What does your function do with a query of shape (2, 3, 4, 5)?",
            "A function such as torch.bmm takes three axes and no others; @ takes any number.",
            "Transpose the last two axes of the keys and multiply with @.",
        ),
        kind="form",
    ),
)

"""How 03.padding_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def upside_down(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) >= lengths[:, None])[:, None, None, :]


def one_too_many(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) <= lengths[:, None])[:, None, None, :]


def no_axes_for_heads(lengths: Tensor, k: int) -> Tensor:
    return torch.arange(k) < lengths[:, None]


def one_axis_short(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) < lengths[:, None])[:, None, :]


def hides_queries(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) < lengths[:, None])[:, None, :, None]


def padding_first(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) >= k - lengths[:, None])[:, None, None, :]


def as_long_as_the_longest(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(int(lengths.max())) < lengths[:, None])[:, None, None, :]


def queries_too(lengths: Tensor, k: int) -> Tensor:
    real = torch.arange(k) < lengths[:, None]
    return real[:, None, :, None] & real[:, None, None, :]


def ones_and_zeros(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(k) < lengths[:, None])[:, None, None, :].float()


def added_to_scores(lengths: Tensor, k: int) -> Tensor:
    real = (torch.arange(k) < lengths[:, None])[:, None, None, :]
    return torch.zeros(real.shape).masked_fill(~real, -torch.inf)


def added_a_billion(lengths: Tensor, k: int) -> Tensor:
    return added_to_scores(lengths, k).clamp(min=-1e9)


def first_for_all(lengths: Tensor, k: int) -> Tensor:
    real = torch.arange(k) < lengths[:1, None]
    return real.expand(len(lengths), k)[:, None, None, :].clone()


def shortest_for_all(lengths: Tensor, k: int) -> Tensor:
    real = torch.arange(k) < lengths.min()
    return real.expand(len(lengths), k)[:, None, None, :].clone()


def one_too_few(lengths: Tensor, k: int) -> Tensor:
    return (torch.arange(1, k + 1) < lengths[:, None])[:, None, None, :]


MISCONCEPTIONS = (
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks the padding.",
        says="Your mask is True on the padding and False on the real tokens. In a full sequence it "
        "hides every key.",
        hints=(
            "How many True does your mask hold for a sequence of 3 tokens without padding?",
            "Here True means 'open'.",
            "Turn the comparison round: position < length.",
        ),
    ),
    Misconception(
        name="one-too-many",
        answer=one_too_many,
        believed="A sequence of n tokens ends at position n.",
        says="Your mask shows one padding token behind each sequence: with 1 real token it shows 2 "
        "keys.",
        hints=(
            "Positions count from 0. At which position is the last of 2 tokens?",
            "Count the True in your mask for length 1, k = 3.",
            "Use <, not <=.",
        ),
    ),
    Misconception(
        name="no-axes-for-heads",
        kind="form",
        answer=no_axes_for_heads,
        believed="(b, k) broadcasts to (b, h, q, k) by itself.",
        says="Your mask has the shape (b, k). Broadcasting aligns axes from the "
        "right: against scores (b, h, q, k) your b would meet q.",
        hints=(
            "Write (b, h, q, k) and below it, aligned to the right, the shape of your mask.",
            "Heads and queries need an axis of length 1 each.",
            "Index with None at the places of the heads and of the queries.",
        ),
    ),
    Misconception(
        name="one-axis-short",
        kind="form",
        answer=one_axis_short,
        believed="One axis of length 1 is enough.",
        says="Your mask has the shape (b, 1, k). Against scores (b, h, q, k) your b "
        "meets the heads: with as many heads as sequences this runs, and hides the wrong keys.",
        hints=(
            "Write (b, h, q, k) and below it, aligned to the right, the shape of your mask.",
            "Which two axes of the scores does padding not depend on?",
            "Index with None at the places of the heads and of the queries.",
        ),
    ),
    Misconception(
        name="hides-queries",
        answer=hides_queries,
        believed="The last axis but one is the keys.",
        says="Your mask has shape (b, 1, k, 1): it runs along the queries. It hides all keys from "
        "padded queries, and leaves padded keys open to the others.",
        hints=(
            "In (b, h, q, k), which axis must your mask run along?",
            "A real query must not look at a padded key. The output of a padded query is not used.",
            "Put both axes of length 1 before the last one.",
        ),
    ),
    Misconception(
        name="padding-first",
        answer=padding_first,
        believed="The padding comes before the tokens.",
        says="Your mask opens the last positions, as if the padding came first. Here it follows "
        "the tokens.",
        hints=(
            "For length 1 and k = 3, which key does your mask show?",
            "The real tokens are at positions 0 … length - 1.",
            "Compare arange(k) with the lengths, without k - lengths.",
        ),
    ),
    Misconception(
        name="as-long-as-the-longest",
        answer=as_long_as_the_longest,
        believed="A batch is as long as its longest sequence.",
        says="Your mask is as wide as the longest sequence, not as the padded batch: for lengths "
        "[1, 2] and k = 4 it has 2 columns.",
        hints=(
            "What does the argument k mean?",
            "A batch may be padded further than it needs, to a fixed length.",
            "Use arange(k).",
        ),
    ),
    Misconception(
        name="queries-too",
        answer=queries_too,
        believed="Padded queries must be hidden as well.",
        says="Your mask has shape (b, 1, k, k), with a row for each query. Padding is hidden from "
        "all queries alike, so one row is enough; k rows take k times the memory and need q = k.",
        hints=(
            "What is the shape that the exercise asks for?",
            "Do the rows of your mask have to differ? The loss leaves the output of a padded query "
            "out.",
            "Keep the part that runs along the keys only.",
        ),
    ),
    Misconception(
        name="ones-and-zeros",
        kind="form",
        answer=ones_and_zeros,
        believed="A mask holds 1 and 0.",
        says="Your mask holds the numbers 1 and 0. A mask is boolean: True on the real tokens.",
        hints=(
            "What is the dtype of your mask?",
            "masked_fill refuses numbers, and ~mask does not turn 1 into 0.",
            "Keep the result of the comparison.",
        ),
    ),
    Misconception(
        name="added-to-scores",
        kind="form",
        answer=added_to_scores,
        variants=(added_a_billion,),
        believed="A mask is added to the scores.",
        says="Your mask holds 0 and -inf or a large negative number, ready to be added to scores. "
        "A mask here is boolean, True on the real tokens.",
        hints=(
            "What is the dtype of your mask?",
            "The comparison itself is the mask.",
            "Return the booleans.",
        ),
    ),
    Misconception(
        name="the-first-for-all",
        answer=first_for_all,
        believed="The batch shares a mask.",
        says="Every sequence gets the mask of the first one.",
        hints=(
            "What changes in your mask when lengths[1] does?",
            "Each sequence has a row of its own.",
            "Compare with lengths as a column.",
        ),
    ),
    Misconception(
        name="shortest-for-all",
        answer=shortest_for_all,
        believed="A place that one sequence lacks is hidden in all.",
        says="Every sequence is cut at the length of the shortest.",
        hints=(
            "How many keys of the longest sequence does your mask show?",
            "Each sequence has its own length.",
            "Compare with lengths as a column.",
        ),
    ),
    Misconception(
        name="one-too-few",
        answer=one_too_few,
        believed="Places count from 1.",
        says="Your mask hides the last real token of each sequence.",
        hints=(
            "With 1 real token, how many keys does your mask show?",
            "Keys count from 0, so a sequence of 1 has key 0.",
            "A key is visible if its position is less than the length.",
        ),
    ),
)

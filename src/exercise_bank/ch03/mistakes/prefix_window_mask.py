"""How 03.prefix_window_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def how_far_back(q: int, k: int) -> Tensor:
    return torch.arange(k - q, k)[:, None] - torch.arange(k)


def in_prefix(k: int, prefix: int) -> Tensor:
    return torch.arange(k) < prefix


def no_prefix(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return (back >= 0) & (back < window)


def no_window(q: int, k: int, window: int, prefix: int) -> Tensor:
    return (how_far_back(q, k) >= 0) | in_prefix(k, prefix)


def both_needed(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return (back >= 0) & (back < window) & in_prefix(k, prefix)


def causal_prefix(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return (back >= 0) & ((back < window) | in_prefix(k, prefix))


def one_too_many(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ((back >= 0) & (back <= window)) | in_prefix(k, prefix)


def prefix_one_too_long(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ((back >= 0) & (back < window)) | (torch.arange(k) <= prefix)


def both_sides(q: int, k: int, window: int, prefix: int) -> Tensor:
    return (how_far_back(q, k).abs() < window) | in_prefix(k, prefix)


def top_left(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = torch.arange(q)[:, None] - torch.arange(k)
    return ((back >= 0) & (back < window)) | in_prefix(k, prefix)


def prefix_square(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    square = (torch.arange(k - q, k)[:, None] < prefix) & in_prefix(k, prefix)
    return ((back >= 0) & (back < window)) | square


def prefix_rows(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    rows = torch.arange(k - q, k)[:, None] < prefix
    return ((back >= 0) & (back < window)) | rows


def upside_down(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ~(((back >= 0) & (back < window)) | in_prefix(k, prefix))


def window_behind_the_prefix(q: int, k: int, window: int, prefix: int) -> Tensor:
    keys = torch.arange(k).expand(q, k)
    seen = (keys >= prefix) & (keys < prefix + window) & (how_far_back(q, k) >= 0)
    return seen | in_prefix(k, prefix)


def added_to_scores(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    seen = ((back >= 0) & (back < window)) | in_prefix(k, prefix)
    return torch.zeros(q, k).masked_fill(~seen, -torch.inf)


def added_a_billion(q: int, k: int, window: int, prefix: int) -> Tensor:
    return added_to_scores(q, k, window, prefix).clamp(min=-1e9)


def one_too_few(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ((back > 0) & (back < window)) | in_prefix(k, prefix)


def prefix_one_too_short(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ((back >= 0) & (back < window)) | in_prefix(k, prefix - 1)


def prefix_at_the_end(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ((back >= 0) & (back < window)) | (torch.arange(k) >= k - prefix)


def window_shifted(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ((back > 0) & (back <= window)) | in_prefix(k, prefix)


def window_one_short(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return ((back >= 0) & (back < window - 1)) | in_prefix(k, prefix)


def causal_prefix_one_too_many(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = how_far_back(q, k)
    return (back >= 0) & ((back <= window) | in_prefix(k, prefix))


MISCONCEPTIONS = (
    Misconception(
        name="no-prefix",
        answer=no_prefix,
        believed="The window says it all.",
        says="Your prefix has no effect: with prefix=1 a query far on does not attend to key 0.",
        hints=(
            "With window=2 and prefix=1, does your query 5 see key 0?",
            "A key may be seen for a second reason.",
            "Which keys are in the prefix, for every query?",
        ),
    ),
    Misconception(
        name="no-window",
        answer=no_window,
        believed="The prefix mask is all.",
        says="Your window has no effect: your queries attend to all earlier positions.",
        hints=(
            "With prefix=0 and window=1, how many keys are open to your last query?",
            "A key outside the prefix may be too far back.",
            "Give the distance back an upper limit as well.",
        ),
    ),
    Misconception(
        name="both-needed",
        answer=both_needed,
        believed="A key must be in the window and in the prefix.",
        says="Your mask opens only keys that lie both in the window and in the prefix: with "
        "prefix=0 it opens none.",
        hints=(
            "What does your mask show with prefix=0?",
            "One reason to see a key is enough.",
            "Is it & or | that asks for one of two?",
        ),
    ),
    Misconception(
        name="causal-prefix",
        answer=causal_prefix,
        believed="No query attends to a later position.",
        says="Inside your prefix, no query attends to a later position. The whole prefix is known "
        "before anything is written, so its tokens attend to each other both ways.",
        hints=(
            "With prefix=3, does your query 0 see key 2?",
            "Which of your conditions forbids it?",
            "Causality is for what lies behind the prefix.",
        ),
    ),
    Misconception(
        name="one-too-many",
        answer=one_too_many,
        believed="A window of w reaches w positions back.",
        says="Your window has one key too many: with window=1 a query attends to the position "
        "before it, too.",
        hints=(
            "How many keys does your mask show with window=1 and prefix=0?",
            "The window includes the own position.",
            "Which distances back are in a window of 1?",
        ),
    ),
    Misconception(
        name="prefix-one-too-long",
        answer=prefix_one_too_long,
        believed="A prefix of p ends at position p.",
        says="Your prefix is one key too long: with prefix=0 every query attends to key 0.",
        hints=(
            "With prefix=0, which keys are in your prefix?",
            "Positions count from 0.",
            "At which position is the last key of a prefix of p?",
        ),
    ),
    Misconception(
        name="both-sides",
        answer=both_sides,
        believed="A window lies around the query.",
        says="Your window is symmetric: with window=2 and no prefix a query attends to the "
        "position after it. That is the window of an encoder.",
        hints=(
            "With window=2 and prefix=0, does your query 0 see key 1?",
            "Outside the prefix no later key is open.",
            "What is the sign of the distance to a later key?",
        ),
    ),
    Misconception(
        name="top-left",
        answer=top_left,
        believed="Query i always sits at position i.",
        says="You treat the queries as the first positions. One query with five keys is the newest "
        "position, not the first.",
        hints=(
            "With q=1, k=5, window=2: which two keys are in the query's window?",
            "The last query belongs to the last key.",
            "At which position is query 0 of q, among k?",
        ),
    ),
    Misconception(
        name="prefix-square",
        answer=prefix_square,
        believed="The prefix sees itself whole.",
        says="You open the whole prefix to its own queries only. Later queries attend to the part "
        "of it that lies in their window.",
        hints=(
            "With window=1 and prefix=1, what does your query 3 see?",
            "Who reads the prefix, once it is written?",
            "Its keys stay visible to every query, however far on that is.",
        ),
    ),
    Misconception(
        name="prefix-rows",
        answer=prefix_rows,
        believed="The first queries may see everything.",
        says="Your prefix opens rows, not columns: its queries attend to all keys, later ones too, "
        "and later queries do not attend to the prefix.",
        hints=(
            "With window=1 and prefix=1, what does your query 0 see, and what your query 3?",
            "Rows are queries, columns are keys.",
            "Which of the two is in the prefix: who asks, or what is seen?",
        ),
    ),
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks the hidden keys.",
        says="Your mask is True on the keys that are to be hidden.",
        hints=(
            "Is your diagonal True?",
            "Here True means 'open'.",
            "What turns a mask over?",
        ),
    ),
    Misconception(
        name="prefix-moves-the-window",
        answer=window_behind_the_prefix,
        believed="The window counts from the end of the prefix.",
        says="You count the window from the end of the prefix, so it does not move along with "
        "the queries.",
        hints=(
            "With window=2 and prefix=0, which keys does query 3 see?",
            "The window ends at each query's own position.",
        ),
    ),
    Misconception(
        name="added-to-scores",
        kind="form",
        answer=added_to_scores,
        variants=(added_a_billion,),
        believed="A mask is added to the scores.",
        says="Your mask holds 0 and -inf or a large negative number, ready to be added to scores. "
        "A mask here is boolean, True for an open key.",
        hints=(
            "What is the dtype of your mask?",
            "Return the comparison itself.",
        ),
    ),
    Misconception(
        name="one-too-few",
        answer=one_too_few,
        believed="The window does not count the query itself.",
        says="In your window the own position is missing: with window=1 a query does not attend to "
        "itself.",
        hints=(
            "With window=1, which keys are open to a query?",
            "The own position is the first of the window.",
            "0 <= back < window.",
        ),
    ),
    Misconception(
        name="window-before-the-query",
        answer=window_shifted,
        believed="The window lies before the query.",
        says="Your window lies before the query and does not hold its own position: with window=1 "
        "a query attends to the position before it, not to itself.",
        hints=(
            "With window=1, which keys are open to a query?",
            "The own position is the first of the window.",
            "0 <= back < window.",
        ),
    ),
    Misconception(
        name="window-one-short",
        answer=window_one_short,
        believed="The own position does not count in the window.",
        says="Your window ends one position too early: with window=2 a query attends to itself "
        "only, and with window=1 to no key outside the prefix.",
        hints=(
            "How many keys does your mask show with window=2 and prefix=0?",
            "The own position counts as one of the window.",
            "0 <= back < window.",
        ),
    ),
    Misconception(
        name="causal-prefix-and-one-too-many",
        answer=causal_prefix_one_too_many,
        believed="No query attends to a later position, and a window reaches w positions back.",
        says="Inside your prefix, no query attends to a later position, where the prefix is open "
        "to all. And your window has one key too many.",
        hints=(
            "With prefix=3, does your query 0 see key 2?",
            "How many keys does your mask show with window=1 and prefix=0?",
            "A key is open in the prefix, or where 0 <= back < window.",
        ),
    ),
    Misconception(
        name="prefix-one-too-short",
        answer=prefix_one_too_short,
        believed="Places count from 1.",
        says="Your prefix is one key too short: with prefix=1 a query far on does not attend to "
        "key 0.",
        hints=(
            "With prefix=1, which keys does everybody see?",
            "Keys count from 0: key < prefix.",
        ),
    ),
    Misconception(
        name="last-places-as-prefix",
        answer=prefix_at_the_end,
        believed="The question comes last.",
        says="You open the last places to every query. The prefix is the first places.",
        hints=(
            "With prefix=1, which column of your mask is True throughout?",
            "The question comes before the answer.",
            "key < prefix.",
        ),
    ),
)

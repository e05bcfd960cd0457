"""More ways that 03.prefix_window_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def negative_start(q: int, k: int, window: int, prefix: int) -> Tensor:
    mask = torch.zeros(q, k, dtype=torch.bool)
    for i in range(q):
        place = i + k - q
        mask[i, place - window + 1 : place + 1] = True
    mask[:, :prefix] = True
    return mask


def prefix_for_later_queries(q: int, k: int, window: int, prefix: int) -> Tensor:
    place = torch.arange(k - q, k)[:, None]
    back = place - torch.arange(k)
    return ((back >= 0) & (back < window)) | ((torch.arange(k) < prefix) & (place >= prefix))


def either_and_not_both(q: int, k: int, window: int, prefix: int) -> Tensor:
    back = torch.arange(k - q, k)[:, None] - torch.arange(k)
    return ((back >= 0) & (back < window)) ^ (torch.arange(k) < prefix)


def prefix_looks_everywhere(q: int, k: int, window: int, prefix: int) -> Tensor:
    place = torch.arange(k - q, k)[:, None]
    back = place - torch.arange(k)
    return ((back >= 0) & (back < window)) | (torch.arange(k) < prefix) | (place < prefix)


MORE = (
    Misconception(
        name="prefix-looks-everywhere",
        answer=prefix_looks_everywhere,
        believed="Queries of the prefix are free.",
        says="In your mask the queries inside the prefix attend to all keys, even behind the "
        "prefix. They may attend to the whole prefix, and to nothing after it.",
        hints=(
            "Which keys does query 0 see with prefix = 2?",
            "Behind the prefix lies the answer, which is not written yet.",
            "Leave out the condition on the query.",
        ),
    ),
    Misconception(
        name="negative-start",
        answer=negative_start,
        believed="A slice that begins before 0 begins at 0.",
        says="Where the window reaches beyond the beginning, it opens nothing in your mask, or too"
        " little. If you use a slice: a negative start counts from the end.",
        hints=(
            "Which keys does query 0 see with window = 2?",
            "What is [1, 2, 3][-1:1]?",
            "Begin the slice at max(0, ...).",
        ),
    ),
    Misconception(
        name="prefix-for-later-queries",
        answer=prefix_for_later_queries,
        believed="The prefix is open to those who come after it.",
        says="In your mask the queries inside the prefix do not see the whole of it, but their "
        "window only.",
        hints=(
            "Which keys does query 0 see with prefix = 2?",
            "To which queries is the prefix open, by the task?",
            "Leave out the condition on the query.",
        ),
    ),
    Misconception(
        name="either-and-not-both",
        answer=either_and_not_both,
        believed="A key is seen for one reason or the other.",
        says="You close the keys that are in the prefix and in the window as well. A key is open "
        "if either holds, or both.",
        hints=(
            "Which keys does query 0 see with window = 2 and prefix = 2?",
            "What is True ^ True?",
            "Use | in place of ^.",
        ),
    ),
)

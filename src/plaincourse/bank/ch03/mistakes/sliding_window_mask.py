"""How 03.sliding_window_mask goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def how_far_back(q: int, k: int) -> Tensor:
    return torch.arange(k - q, k)[:, None] - torch.arange(k)


def causal_only(q: int, k: int, window: int) -> Tensor:
    return how_far_back(q, k) >= 0


def one_too_many(q: int, k: int, window: int) -> Tensor:
    back = how_far_back(q, k)
    return (back >= 0) & (back <= window)


def not_itself(q: int, k: int, window: int) -> Tensor:
    back = how_far_back(q, k)
    return (back > 0) & (back <= window)


def both_sides(q: int, k: int, window: int) -> Tensor:
    return how_far_back(q, k).abs() < window


def top_left(q: int, k: int, window: int) -> Tensor:
    back = torch.arange(q)[:, None] - torch.arange(k)
    return (back >= 0) & (back < window)


def upside_down(q: int, k: int, window: int) -> Tensor:
    back = how_far_back(q, k)
    return (back < 0) | (back >= window)


def in_blocks(q: int, k: int, window: int) -> Tensor:
    query, key = torch.arange(k - q, k)[:, None], torch.arange(k)
    return (key <= query) & (key // window == query // window)


def far_past(q: int, k: int, window: int) -> Tensor:
    return how_far_back(q, k) >= window


MISCONCEPTIONS = (
    Misconception(
        name="causal-only",
        answer=causal_only,
        believed="The causal mask is all that is needed.",
        says="Your queries see their whole past: the window has no effect. With window=1 your last "
        "row is all True.",
        hints=(
            "How many keys does your last query see with window=2?",
            "There is a second condition: a key may be too far back.",
            "Also demand that the key lies fewer than window positions back.",
        ),
    ),
    Misconception(
        name="one-too-many",
        answer=one_too_many,
        believed="A window of w reaches w positions back.",
        says="Your queries see one key too many: with window=1 a query sees itself and the one "
        "before it. The own position counts as one.",
        hints=(
            "How many keys does your mask show with window=1?",
            "The window includes the own position.",
            "Use < window, not <= window.",
        ),
    ),
    Misconception(
        name="not-itself",
        answer=not_itself,
        believed="The window lies before the query.",
        says="Your queries see the window before them, but not themselves: your diagonal is False, "
        "and query 0 sees nothing.",
        hints=(
            "What does query 0 see in your mask?",
            "The window is the last positions up to and with the own one.",
            "Let the distance back start at 0.",
        ),
    ),
    Misconception(
        name="both-sides",
        answer=both_sides,
        believed="A window lies around the query.",
        says="Your window is symmetric: with window=2 a query also sees the position after it. "
        "That is the window of an encoder; here nobody looks ahead.",
        hints=(
            "With window=2, does your query 0 see key 1?",
            "The distance back may not be negative.",
            "Drop the absolute value and demand back >= 0 as well.",
        ),
    ),
    Misconception(
        name="top-left",
        answer=top_left,
        believed="Query i always sits at position i.",
        says="Your mask is right for q = k. For one query and three keys you treat the query as "
        "the first position, but it is the newest.",
        hints=(
            "With q=1, k=3, window=2: which two keys should the query see?",
            "The last query belongs to the last key.",
            "Query i sits at position i + k - q.",
        ),
    ),
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks what is hidden.",
        says="Your mask is True exactly where a query may not look.",
        hints=(
            "Is your diagonal True?",
            "Here True means 'may look'.",
            "Put a ~ before your result.",
        ),
    ),
    Misconception(
        name="in-blocks",
        answer=in_blocks,
        believed="The text is cut into windows.",
        says="Your windows stand still: the text is cut into blocks, and the first query of a "
        "block sees only itself. A sliding window moves along with each query.",
        hints=(
            "With window=2, what does query 2 see in your mask? Which keys are its last two?",
            "Positions 1 and 2 are neighbours. Do they see each other in your mask?",
            "Compare distances between positions, not block numbers.",
        ),
    ),
    Misconception(
        name="far-past",
        answer=far_past,
        believed="The window is what gets cut off.",
        says="Your queries see what lies *beyond* the window, and nothing within it.",
        hints=(
            "Is your diagonal True?",
            "One of your two inequalities points the wrong way.",
            "Keys that are fewer than window positions back are the visible ones.",
        ),
    ),
)

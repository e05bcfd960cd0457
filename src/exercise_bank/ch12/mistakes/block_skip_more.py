"""More ways in which 12.block_skip goes wrong."""

from exercise_bank.ch12.mistakes.block_skip import Two, blocks
from exercise_bank.skills import said


def masked_first(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, stop = blocks(low, high, k, width)
    return stop - whole, stop


def exchanged(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, stop = blocks(low, high, k, width)
    return stop, whole


def in_keys(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, stop = blocks(low, high, k, width)
    return whole * width, stop * width


def in_keys_up_to_k(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = in_keys(first, height, q, k, width)
    return min(whole, k), min(stop, k)


def one_masked(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    _, stop = blocks(low, high, k, width)
    return stop if low == k - 1 else max(0, stop - 1), stop


def one_always_masked(first: int, height: int, q: int, k: int, width: int) -> Two:
    _, stop = one_masked(first, height, q, k, width)
    return max(0, stop - 1), stop


def whole_by_the_row(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    stop = blocks(low, high, k, width)[1]
    return stop if low == k - 1 else (first + 1) // width, stop


def whole_by_the_row_alone(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    stop = blocks(low, high, k, width)[1]
    return stop if first == k - 1 else (first + 1) // width, stop


def short_block_not_visited(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = blocks(first + k - q, min(first + height, q) - 1 + k - q, k, width)
    return min(whole, k // width), min(stop, k // width)


def short_block_never_visited(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = blocks(first + k - q, min(first + height, q) - 1 + k - q, k, width)
    return whole, min(stop, k // width)


MORE = (
    said(
        "masked-first",
        masked_first,
        "The first number counts the blocks with a mask.",
        "Your first number is how many blocks need a mask. It should be how many need none.",
        "In the example, which blocks need no mask?",
        "Subtract it from the second number.",
    ),
    said(
        "exchanged",
        exchanged,
        "stop comes first.",
        "Your two numbers are exchanged: the blocks without a mask come first.",
        "Which of the two numbers is the larger one in the example?",
        "Return (whole, stop).",
    ),
    said(
        "in-keys",
        in_keys,
        "whole and stop are positions.",
        "Your numbers count keys. They should count blocks of keys.",
        "In the example, how many blocks of two are the six keys?",
        "Divide both by width.",
        variants=(in_keys_up_to_k,),
    ),
    said(
        "one-block-masked",
        one_masked,
        "Only the last block that is visited needs a mask.",
        "You mask a single block. A block of queries that is higher than a block of keys is wide "
        "can need a mask in several.",
        "Queries 0 to 5, keys in blocks of two: which blocks need a mask?",
        "Find whole by the first query, not by stop.",
        variants=(one_always_masked,),
    ),
    said(
        "whole-by-the-row",
        whole_by_the_row,
        "The first query is at position `first`.",
        "Your whole counts from the row of the first query. With fewer queries than keys its "
        "position is k - q further on.",
        "In the example, at which position is row 0?",
        "Add k - q to first for whole, as for stop.",
        variants=(whole_by_the_row_alone,),
    ),
    said(
        "short-block-not-visited",
        short_block_not_visited,
        "There are k // width blocks of keys.",
        "You leave out the last block of keys if it is cut short.",
        "One query, three keys, blocks of two: how many blocks hold keys?",
        "Round the number of blocks up.",
        variants=(short_block_never_visited,),
    ),
)

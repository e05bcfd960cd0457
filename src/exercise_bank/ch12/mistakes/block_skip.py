"""How 12.block_skip goes wrong."""

from collections.abc import Callable
from functools import partial

from exercise_bank.skills import said

Two = tuple[int, int]


def blocks(low: int, high: int, k: int, width: int) -> Two:
    """Count the blocks for queries from one position to another."""
    stop = max(0, high // width + 1)
    return stop if low == k - 1 else max(0, (low + 1) // width), stop


def top_left(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = blocks(first, min(first + height, q) - 1, q, width)
    return min(whole, -(-k // width)), min(stop, -(-k // width))


def top_left_up_to_k(first: int, height: int, q: int, k: int, width: int) -> Two:
    return blocks(min(first, k - 1), min(first + height, q, k) - 1, k, width)


def by_the_first(first: int, height: int, q: int, k: int, width: int) -> Two:
    low = first + k - q
    return blocks(low, low, k, width)


def partly_seen_dropped(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, _ = blocks(low, high, k, width)
    return whole, -(-k // width) if high == k - 1 else max(0, (high + 1) // width)


def partly_seen_never_visited(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return blocks(low, high, k, width)[0], max(0, (high + 1) // width)


def one_short(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, _ = blocks(low, high, k, width)
    return whole, max(0, -(-high // width))


def one_short_whole(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    _, stop = blocks(low, high, k, width)
    return stop if low == k - 1 else max(0, low // width), stop


def whole_by_the_last(first: int, height: int, q: int, k: int, width: int) -> Two:
    high = min(first + height, q) - 1 + k - q
    return blocks(high, high, k, width)


def whole_by_first_key(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return blocks(low, low, k, width)[1], blocks(low, high, k, width)[1]


def whole_rounded_up(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return max(0, -(-low // width)), blocks(low, high, k, width)[1]


def never_short(first: int, height: int, q: int, k: int, width: int) -> Two:
    low = first + k - q
    return blocks(low, low + height - 1, k, width)


def short_block_masked(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return max(0, (low + 1) // width), blocks(low, high, k, width)[1]


def below_zero(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    stop = high // width + 1
    return stop if low == k - 1 else (low + 1) // width, stop


def last_visited(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return blocks(low, high, k, width)[0], max(0, high // width)


def first_counts_blocks(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first * height + k - q, min(first * height + height, q) - 1 + k - q
    count = -(-k // width)
    whole = count if low >= k - 1 else max(0, (low + 1) // width)
    return whole, max(0, min(count, high // width + 1))


def all_visited(first: int, height: int, q: int, k: int, width: int) -> Two:
    low = first + k - q
    return blocks(low, k - 1, k, width)


def masked_counted(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, stop = blocks(low, high, k, width)
    return whole, stop - whole


def by_rows_alone(first: int, height: int, q: int, k: int, width: int) -> Two:
    return (first + 1) // width, (min(first + height, q) - 1) // width + 1


def own_keys_missing(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return max(0, low // width), max(0, -(-high // width))


def in_two_things(
    first: int, height: int, q: int, k: int, width: int,
    cut: bool = True, zero: bool = True, short: bool = True, own: tuple[int, int] = (1, 1),
    stops: int = 0, only_whole: bool = False,
) -> Two:  # fmt: skip
    """Count with several mistakes: blocks not cut, below zero, a short block masked, own keys."""
    low, high = first + k - q, (min(first + height, q) if cut else first + height) - 1 + k - q
    stop = -(-(high + own[1]) // width)
    whole = stop if low == k - 1 and short else (low + own[0]) // width
    return (max(0, whole) if zero else whole), (
        max(0, stop) if zero or only_whole else stop
    ) + stops


def floored(answer: Callable[..., Two], first: int, height: int, q: int, k: int, width: int) -> Two:
    """Make the same mistake, but round a division down: a short last block is never whole."""
    whole, stop = answer(first, height, q, k, width)
    return (k // width if whole == -(-k // width) else whole), stop


#: Blocks of queries that are never cut short, with up to three further slips.
NOT_CUT = tuple(
    partial(in_two_things, cut=False, zero=zero, short=short, own=own)
    for zero in (True, False)
    for short in (True, False)
    for own in ((1, 1), (0, 1), (1, 0), (0, 0))
    if not (zero and short and own == (1, 1))
)
NOT_BELOW_0, BELOW_0 = NOT_CUT[:7], NOT_CUT[7:]

MISCONCEPTIONS = (
    said(
        "top-left",
        top_left,
        "Query i attends to keys 0 to i.",
        "You place query i at position i. With q = k that is right; with fewer queries than keys "
        "they are the last q positions, and your block stops k - q positions too early.",
        "Two new tokens meet six keys, their own among them. What are their positions?",
        "The last query is at the last key.",
        "Add k - q to the row.",
        variants=(by_rows_alone, top_left_up_to_k),
    ),
    said(
        "by-the-first-query",
        by_the_first,
        "If a block is hidden from the first query, it can be skipped.",
        "You stop at the first query's position. The later queries of the block see further keys, "
        "and lose them without any sign: each row of weights still sums to 1.",
        "Which query of the block sees most?",
        "A block is skipped only if all of its keys are hidden from all queries.",
        "Take the position of the last query for stop.",
    ),
    said(
        "partly-seen-dropped",
        partly_seen_dropped,
        "A block that is not seen to its end is not visited.",
        "You leave out the block of keys in which the last query is, unless that query has the "
        "block's last key. Its own key lies there.",
        "Is a query's own key visible to it?",
        "One visible key is enough for a visit.",
        "Count the block that holds the last query's position as well.",
        variants=(partial(floored, partly_seen_dropped), partly_seen_never_visited),
    ),
    said(
        "own-key-missing",
        one_short,
        "A position p sees p keys.",
        "Your stop is one too small where the last query is at the first key of a block: you "
        "count the keys before it and not its own.",
        "How many keys does the query at position 0 see?",
        "Positions count from 0.",
        "The last query attends to its own key and to all before it. Divide that, and round up.",
        variants=(
            partial(floored, one_short),
            partial(in_two_things, own=(1, 0), zero=False),
            partial(in_two_things, own=(1, 0), zero=False, short=False),
        ),
    ),
    said(
        "own-key-missing-in-whole",
        one_short_whole,
        "A position p sees p keys.",
        "Your whole is one too small where the first query is at the last key of a block: it "
        "sees that key too, so the block needs no mask.",
        "How many keys does the query at position 3 see? How many blocks of four are these?",
        "Positions count from 0.",
        "Add 1 to the position before you divide.",
        variants=(
            partial(in_two_things, own=(0, 1), short=False),
            partial(in_two_things, own=(0, 1), zero=False),
            partial(in_two_things, own=(0, 1), zero=False, short=False),
        ),
    ),
    said(
        "own-keys-missing",
        own_keys_missing,
        "A position p sees p keys.",
        "You count the keys before a query and not its own. Your stop is one too small where the "
        "last query is at the first key of a block, and your whole where the first query "
        "is at the last key of one.",
        "How many keys does the query at position 0 see?",
        "Positions count from 0.",
        "Add 1 to each position before you divide.",
        variants=(
            partial(in_two_things, own=(0, 0), short=False),
            partial(in_two_things, own=(0, 0), zero=False),
            partial(in_two_things, own=(0, 0), zero=False, short=False),
        ),
    ),
    said(
        "whole-by-the-last-query",
        whole_by_the_last,
        "A block that is visible to one query in full needs no mask.",
        "You take the last query for both numbers. A block that it sees wholly can still hold keys "
        "in the future of the first query, which would be read without a mask.",
        "Which query of the block sees least?",
        "No mask is needed only if everybody sees everything.",
        "Take the position of the first query for whole.",
    ),
    said(
        "whole-by-the-first-key",
        whole_by_first_key,
        "A block that begins at or before a query is seen by it.",
        "Your whole counts a block that is only in part visible to the first query: its first "
        "key, say, and not its last.",
        "The first query is at position 4. Does it see all of the keys 4 to 7?",
        "All visible means that the last key of the block is visible.",
        "Compare with the last key, and round down.",
        variants=(whole_rounded_up,),
    ),
    said(
        "never-cut-short",
        never_short,
        "Each block of queries has height rows.",
        "You always count `height` queries, even if fewer are left. Your block then ends after the "
        "last key, and your stop may be too large.",
        "How many queries are left when first + height is more than q?",
        "The last query has row q - 1.",
        "Take the smaller of first + height and q.",
        kind="form",
    ),
    said(
        "never-cut-short-and-another",
        NOT_BELOW_0[0],
        "Each block of queries has height rows.",
        "There are at least two mistakes. One is that you always count `height` queries, even if "
        "fewer are left, so your stop may be too large. Correct this first, and check again.",
        "How many queries are left when first + height is more than q?",
        "Take the smaller of first + height and q.",
        variants=NOT_BELOW_0[1:],
    ),
    said(
        "short-block-masked",
        short_block_masked,
        "A block of keys has width keys.",
        "No key is hidden from the very last query. If it is alone in its block of queries, no "
        "block of keys needs a mask. You still mask the last block of keys if it is cut short.",
        "One query, three keys, blocks of two: how many keys has the second block?",
        "Rounding down loses a last block with fewer than width keys.",
        "Treat a first query that is at the last key by itself.",
        kind="form",
    ),
    said(
        "below-zero",
        below_zero,
        "Every query has a key to attend to.",
        "For queries before the first key you return a number below 0. They see "
        "nothing, so nothing is visited.",
        "With six queries and three keys, what is the position of the first one?",
        "A count is never below 0.",
        "Let neither number fall below 0.",
        variants=(partial(in_two_things, zero=False, only_whole=True),),
        kind="corner",
    ),
    said(
        "below-zero-and-short-block-masked",
        partial(floored, below_zero),
        "Rounding down counts the blocks without a mask.",
        "For queries before the first key you return a number below 0, and they see "
        "nothing. Besides, you mask a short last block of keys where the very last query is alone, "
        "although all keys are visible to it.",
        "With six queries and three keys, what is the position of the first one? And with one "
        "query and three keys, what does it see of the second block of two?",
        "Let neither number fall below 0, and treat a first query that is at the last key by "
        "itself.",
        variants=(partial(in_two_things, zero=False, short=False, only_whole=True),),
        kind="form",
    ),
    said(
        "never-cut-short-and-below-0",
        BELOW_0[1],
        "Each block of queries has height rows, and each of them sees something.",
        "There are at least two mistakes. You always count `height` queries, even if fewer are "
        "left, so your stop may be too large. And for queries before every key at least one of "
        "your numbers can be below 0. They see no key, so both numbers are 0.",
        "How many queries are left when first + height is more than q?",
        "What do your formulas give for a query at position -3?",
        "Take the smaller of first + height and q, and no number below 0.",
        variants=(
            BELOW_0[0],
            *BELOW_0[2:],
            partial(in_two_things, cut=False, zero=False, only_whole=True),
        ),
    ),
    said(
        "last-visited",
        last_visited,
        "stop is the last block that is visited.",
        "Your second number is the last block that is visited. It should be the first that is "
        "not, as in range.",
        "In the example, which blocks does the loop visit, and what is stop?",
        "Blocks whole to stop - 1 are visited with a mask.",
        "Add 1.",
        variants=(
            partial(in_two_things, stops=-1, zero=False),
            partial(in_two_things, stops=-1, short=False),
            partial(in_two_things, stops=-1, zero=False, short=False),
            partial(in_two_things, stops=-1, cut=False),
            partial(in_two_things, stops=-1, cut=False, short=False),
            partial(in_two_things, stops=-1, cut=False, zero=False),
            partial(in_two_things, stops=-1, own=(0, 1)),
            partial(in_two_things, stops=-1, own=(0, 1), zero=False),
            partial(in_two_things, stops=-1, own=(0, 1), short=False),
        ),
    ),
    said(
        "first-counts-blocks",
        first_counts_blocks,
        "first is the number of a block.",
        "You multiply first by height. It is already the row in which the block begins.",
        "With height = 2, which rows has the block that begins with row 2?",
        "first counts rows.",
        "Use first as it is.",
    ),
    said(
        "all-visited",
        all_visited,
        "Hidden blocks are masked, not skipped.",
        "You visit all blocks of keys. The result would be right, since the mask hides the keys of "
        "the future, but half of the work would be in vain.",
        "Which blocks hold only keys behind the last query?",
        "A block is skipped if its first key lies behind the last query.",
        "Let stop depend on the position of the last query.",
    ),
    said(
        "masked-counted",
        masked_counted,
        "The second number counts the blocks with a mask.",
        "Your second number is how many blocks need a mask. It should be where the visit stops, "
        "so it counts the whole ones too.",
        "For the first example, which blocks does the loop run over?",
        "Blocks 0 to whole - 1 need no mask, blocks whole to stop - 1 do.",
        "Add the two numbers.",
    ),
)

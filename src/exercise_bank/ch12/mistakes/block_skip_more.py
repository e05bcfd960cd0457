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


def stop_by_the_row(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1
    return blocks(low, low, k, width)[0], max(0, high // width + 1)


def stop_by_the_row_alone(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = stop_by_the_row(first, height, q, k, width)
    return min(whole, (first + k - q + 1) // width), stop


def taken_off(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first - (k - q), min(first + height, q) - 1 - (k - q)
    return blocks(low, high, k, width)


def taken_off_unguarded(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first - (k - q), min(first + height, q) - 1 - (k - q)
    return (low + 1) // width, high // width + 1


def taken_off_floored(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = taken_off_unguarded(first, height, q, k, width)
    return max(0, whole), max(0, stop)


def last_always_masked(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, stop = blocks(low, high, k, width)
    return max(0, min(whole, stop - 1)), stop


def height_for_width(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return max(0, (low + 1) // height), max(0, high // height + 1)


def all_whole(first: int, height: int, q: int, k: int, width: int) -> Two:
    count = -(-k // width)
    return count, count


def all_seen(first: int, height: int, q: int, k: int, width: int) -> Two:
    stop = blocks(0, min(first + height, q) - 1 + k - q, k, width)[1]
    return stop, stop


def none_whole(first: int, height: int, q: int, k: int, width: int) -> Two:
    return 0, blocks(0, min(first + height, q) - 1 + k - q, k, width)[1]


def one_query_more(first: int, height: int, q: int, k: int, width: int) -> Two:
    """Count the row after the block, which is the first of the next one."""
    low, high = first + k - q, min(first + height, q) + k - q
    whole = blocks(low, high - 1, k, width)[0]
    return whole, max(0, high // width + 1)


def one_query_more_up_to_k(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = one_query_more(first, height, q, k, width)
    return whole, min(stop, -(-k // width))


def one_query_more_unless_before(first: int, height: int, q: int, k: int, width: int) -> Two:
    whole, stop = one_query_more(first, height, q, k, width)
    return (whole, stop) if min(first + height, q) + k - q > 0 else (0, 0)


def stop_in_keys(first: int, height: int, q: int, k: int, width: int) -> Two:
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    return blocks(low, high, k, width)[0], max(0, high + 1)


def whole_below_0(first: int, height: int, q: int, k: int, width: int) -> Two:
    """Handle blocks before every key, and return a negative count of whole ones if one query is."""
    low, high = first + k - q, min(first + height, q) - 1 + k - q
    whole, stop = blocks(low, high, k, width)
    return ((low + 1) // width if low < -1 <= high - 1 else whole), stop


MORE = (
    said(
        "one-query-more",
        one_query_more,
        "first + height is the last row.",
        "Your stop counts one query too many: the row after the block. The last row of the block "
        "is first + height - 1, or q - 1.",
        "In the example, first is 0 and height 2. Which rows has the block?",
        "Take the position of the last row: the row before the end of the block, or before q "
        "if q comes first, and k - q more.",
        variants=(one_query_more_up_to_k, one_query_more_unless_before),
    ),
    said(
        "whole-below-0",
        whole_below_0,
        "The first query of a block has a key.",
        "If the first query of a block comes before every key, and the last does not, your whole "
        "is negative. No block is visible to all of them, so it is 0.",
        "A block holds the queries at positions -2 to 1. Which keys does each of them see?",
        "Take the larger of whole and 0.",
        kind="corner",
    ),
    said(
        "stop-by-the-row",
        stop_by_the_row,
        "The last query is at position first + height - 1.",
        "Your stop counts from the row of the last query. With fewer queries than keys its "
        "position is k - q further on.",
        "In the example, at which position is the last row of the block?",
        "Add k - q to the last row for stop, as for whole.",
        variants=(stop_by_the_row_alone,),
    ),
    said(
        "taken-off",
        taken_off,
        "The cached keys are taken off the row.",
        "You subtract k - q from the row. The cached keys come before the queries, so the position "
        "of a query is its row plus k - q.",
        "Two new tokens meet six keys, their own among them. What are their positions?",
        "Add k - q to the row.",
        variants=(taken_off_unguarded, taken_off_floored),
    ),
    said(
        "last-always-masked",
        last_always_masked,
        "The last block that is visited always needs a mask.",
        "You always mask the last block that is visited. If one query is alone in its block and at "
        "the end of a block of keys, it attends to all of them, and no mask is needed.",
        "One query, three keys, blocks of three: what does the mask hide?",
        "Let whole reach stop if the last key of each visited block is visible to the first query.",
        kind="form",
    ),
    said(
        "height-for-width",
        height_for_width,
        "All blocks have one size.",
        "You divide positions by the height of a block of queries. Blocks of keys are counted, and "
        "these are `width` keys wide.",
        "Six keys in blocks of two: how many blocks are there?",
        "Divide by width.",
    ),
    said(
        "all-whole",
        all_whole,
        "Every block is visited without a mask.",
        "You return the number of all blocks twice, as if no query were masked. Here a key that "
        "comes after a query is hidden from it.",
        "In the example, which blocks does the first query not see?",
        "Let whole depend on the first query, and stop on the last.",
    ),
    said(
        "whole-is-stop",
        all_seen,
        "A block that is visited needs no mask.",
        "Your whole equals your stop, so no block is masked. A block that is hidden from some of "
        "the queries, wholly or in part, needs a mask.",
        "In the example, which key of the visited blocks does the first query not see?",
        "Find whole by the first query.",
    ),
    said(
        "none-whole",
        none_whole,
        "Every block is masked.",
        "Your whole is always 0, so each visited block is masked. Blocks that end before the first "
        "query need no mask.",
        "In the example, which blocks are visible to every query to their end?",
        "Find whole by the first query.",
    ),
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
        "stop-in-keys",
        stop_in_keys,
        "stop is a position.",
        "Your stop counts keys. It should be a number of a block of keys.",
        "In the example, how many blocks of two are visited?",
        "Divide the last position by width, and add 1.",
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

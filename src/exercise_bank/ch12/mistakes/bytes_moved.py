"""How 12.bytes_moved goes wrong."""

from functools import partial

from exercise_bank.skills import saying
from plaincourse.exercise import Misconception


def slip(
    kind: str,
    b: int,
    h: int,
    g: int,
    q: int,
    k: int,
    d: int,
    e: int,
    width: int,
    room: int,
    itemsize: int,
) -> tuple[int, int]:
    """Count right but for one thing."""
    a_row, keys = d + e + 2 + width, width * (d + e)
    if kind == "no tile":
        a_row = d + e + 2
    if kind == "no output":
        a_row = d + 2 + width
    if kind == "no sums":
        a_row = d + e + width
    if kind == "one sum":
        a_row = d + e + 1 + width
    if kind == "no keys":
        keys = 0
    fits = (room - keys) // a_row
    if kind in ("itemsize", "itemsize, none fit"):
        fits = (room // itemsize - keys) // a_row
    height = fits - fits % 16
    if kind != "itemsize, none fit":
        height = max(16, height)
    if kind == "any height":
        height = fits
    if kind == "rounded up":
        height = -(-fits // 16) * 16
    if kind == "nearest":
        height = (fits + 8) // 16 * 16
    if kind == "power of two":
        height = 1 << fits.bit_length() - 1
    rows = h // g * q
    if kind == "as high as the rows":
        height = min(height, rows)
    if kind == "batch stacked":
        rows *= b
    blocks = g * -(-rows // height)
    if kind == "floor":
        blocks = g * max(1, rows // height)
    if kind == "floor to 0":
        blocks = g * (rows // height)
    if kind == "head by head":
        blocks = h * -(-q // height)
    if kind == "all heads":
        blocks = -(-h * q // height)
    if kind == "queries only":
        blocks = g * -(-q // height)
    if kind == "once":
        blocks = g
    if kind == "read by each":
        blocks *= h // g
    read = -(-k // width) * width if kind == "whole blocks of keys" else k
    queries = g * q if kind == "queries of g" else h * q
    numbers = (queries + blocks * read) * (d + e)
    if kind == "batch stacked":
        return height, (b * h * q + blocks * k) * (d + e) * itemsize + 4 * b * h * q
    if kind == "width":
        numbers = (g * k + h * -(-k // width) * q) * (d + e)
    if kind == "scores":
        numbers += 2 * h * q * k
    if kind == "padded":
        numbers = (blocks * height + blocks * k) * (d + e)
    sums = {"lse itemsize": itemsize, "no lse": 0, "m and l": 8}.get(kind, 4)
    lses = g * q if kind == "lse of g" else h * q
    return height, (1 if kind == "no batch" else b) * (numbers * itemsize + sums * lses)


def fraction(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, width: int, room: int, itemsize: int
) -> tuple[int, float]:
    """Count as many blocks as rows over height, a fraction among them."""
    fits = (room - width * (d + e)) // (d + e + 2 + width)
    height = fits - fits % 16
    numbers = (h * q + g * (h // g * q / height) * k) * (d + e)
    return height, b * (numbers * itemsize + 4 * h * q)


said = saying(lambda kind: partial(slip, kind))

MISCONCEPTIONS = (
    said(
        "tile-left-out",
        "no tile",
        "Only inputs and outputs need room.",
        "Your tiles are too high: the tile of scores itself, height x width numbers, has no room "
        "left on the chip.",
        "Where do the scores lie while they are computed?",
        "Everything in the list must fit at the same time.",
        "Add height times width.",
    ),
    said(
        "output-left-out",
        "no output",
        "The output is written as it is made.",
        "Your tiles are too high: you leave no room for the sum o of each row, e numbers. It grows "
        "with every block of keys and is written at the end.",
        "Where is o between two blocks of keys?",
        "A row needs its query, its o, its m and its l.",
        "A row takes d + e + 2 numbers, and its part of the tile.",
    ),
    said(
        "m-and-l-left-out",
        "no sums",
        "Two numbers do not count.",
        "Some of your tiles are higher than the chip allows: each row keeps m and l, one number "
        "each, and you leave out one of them or both.",
        "How many numbers does a row keep, besides its query and its o?",
        "Count the list of the prompt, one entry after the other.",
        "Two more for each row.",
        variants=("one sum",),
        kind="form",
    ),
    said(
        "keys-left-out",
        "no keys",
        "Keys only pass by.",
        "Your tiles are too high: the block of keys and values that passes has to lie on the chip "
        "while it is used.",
        "Which numbers does one tile of scores need?",
        "A block of keys has width · d numbers. And its values?",
        "Subtract width · (d + e) from the room first.",
    ),
    said(
        "room-in-bytes",
        "itemsize",
        "The room is given in bytes.",
        "You divide the room by itemsize. It is given in numbers, not in bytes.",
        "In which unit does the prompt give room?",
        "Sizes on the chip are counted in numbers here.",
        "Leave itemsize out of the height.",
    ),
    said(
        "room-in-bytes-so-none-fits",
        "itemsize, none fit",
        "The room is given in bytes.",
        "You divide the room by itemsize, and then no height of 16 fits. The room is given in "
        "numbers, not in bytes.",
        "In which unit does the prompt give room?",
        "Sizes on the chip are counted in numbers here.",
        "Leave itemsize out of the height.",
    ),
    said(
        "any-height",
        "any height",
        "The height is whatever fits.",
        "Your height is the largest that fits, and no multiple of 16.",
        "Which heights does the prompt allow?",
        "Round down to a multiple.",
        "Subtract the remainder of a division by 16.",
        kind="form",
    ),
    said(
        "rounded-up",
        "rounded up",
        "A height is rounded to the next multiple of 16.",
        "You round the height up, and then the tile no longer fits.",
        "How many numbers does your tile need?",
        "The highest tile that fits is at most the number that you rounded.",
        "Round down.",
        kind="form",
    ),
    said(
        "rounded-to-nearest",
        "nearest",
        "A height is rounded to the nearest multiple of 16.",
        "You round the height to the nearest multiple of 16. Where that is upwards, the tile no "
        "longer fits.",
        "How many numbers does your tile need?",
        "The highest tile that fits is at most the number that you rounded.",
        "Round down.",
        kind="form",
    ),
    said(
        "as-high-as-the-rows",
        "as high as the rows",
        "The rows limit the height of a tile.",
        "You return the number of rows where a higher tile would fit. The height is chosen for the "
        "chip, and the last block may hold less.",
        "In the example, how many rows are there, and which height is right?",
        "The height does not depend on h, g or q.",
        "Leave the rows out of the height.",
        kind="form",
    ),
    said(
        "power-of-two",
        "power of two",
        "Tiles have sides that are powers of two.",
        "Your heights are powers of two. Any multiple of 16 is allowed, 48 and 80 as well.",
        "Is 48 a multiple of 16?",
        "Higher tiles read the keys less often.",
        "Round down to a multiple of 16.",
        kind="form",
    ),
    said(
        "rest-forgotten",
        "floor",
        "The number of blocks is a quotient.",
        "You round the number of blocks down. A last block with few rows reads all keys and values "
        "as well.",
        "How many blocks of 32 are 33 rows?",
        "What is left over is a block too.",
        "Round up.",
        variants=("floor to 0",),
    ),
    Misconception(
        name="blocks-in-fractions",
        answer=fraction,
        believed="The number of blocks is rows over height.",
        says="You count fractions of a block of rows. A last block with few rows reads all keys "
        "and values as well.",
        hints=(
            "How many blocks of 64 are 4 rows? How often are the keys read?",
            "What is left over is a block too.",
            "Round the quotient up.",
        ),
    ),
    said(
        "head-by-head",
        "head by head",
        "Each query head reads keys by itself.",
        "You let each query head read the keys by itself. Here the rows of all heads that share "
        "them lie in the same tiles, so four heads with one query each are one block of four rows.",
        "How many rows has a key/value head to serve?",
        "Stack the queries of the h / g heads first, and cut into blocks then.",
        "Round up (h / g) · q over the height.",
    ),
    said(
        "across-all-heads",
        "all heads",
        "All heads lie in the same tiles.",
        "You stack the queries of all heads. A tile has one block of keys, so only heads that "
        "share these keys can lie in it.",
        "Do two key/value heads have the same keys?",
        "There are g stacks.",
        "Count the blocks of one stack, and multiply by g.",
    ),
    said(
        "read-by-each-head",
        "read by each",
        "Each query head of a stack has the keys read for it.",
        "You stack the queries of a group and still count the keys once for each of its heads. The "
        "whole block of rows meets the keys while they are on the chip.",
        "A stack of four rows is one block. How often do its keys pass?",
        "A key/value head is read once for each block of its stack.",
        "Multiply the blocks of a stack by g, not by h.",
    ),
    said(
        "batch-in-the-stack",
        "batch stacked",
        "All sequences lie in the same tiles.",
        "You stack the queries of all sequences. Each sequence has keys of its own, so its queries "
        "cannot share tiles with another's.",
        "What do two sequences share?",
        "Count the bytes of one sequence first.",
        "Multiply by b at the end.",
        kind="form",
    ),
    said(
        "one-heads-rows",
        "queries only",
        "A key/value head serves q rows.",
        "You count blocks of q rows for each key/value head. It serves h / g query heads, with q "
        "rows each.",
        "With h = 4, g = 1 and q = 20, how many rows read the same keys?",
        "The stack has the rows of all heads that share the keys.",
        "Use (h / g) · q rows.",
    ),
    said(
        "keys-read-once",
        "once",
        "Each number is read once.",
        "You count keys and values once, however many blocks of rows there are. The chip holds one "
        "block of keys at a time, and forgets it.",
        "What does the second block of rows need?",
        "Each block of rows sees all keys pass.",
        "Multiply keys and values by the number of blocks of rows.",
    ),
    said(
        "queries-pass",
        "width",
        "The queries pass by the keys.",
        "You read the queries once for every block of keys. Here the rows stay on the chip and the "
        "keys pass.",
        "What does your count say when the width doubles?",
        "The width does not matter for the bytes.",
        "Count how often keys and values are read.",
    ),
    said(
        "whole-blocks-of-keys",
        "whole blocks of keys",
        "A block of keys has width keys.",
        "You round the keys up to whole blocks. The last block may be short, and only keys that "
        "exist are read.",
        "With k = 100 and width = 32, how many keys has the last block?",
        "The width does not matter for the bytes.",
        "Count k keys for each block of rows.",
    ),
    said(
        "queries-of-g-heads",
        "queries of g",
        "There are g heads.",
        "You count the queries and outputs of g heads. There are h query heads, each with its own.",
        "With h = 4 and g = 1, how many queries are there?",
        "Only keys and values are shared.",
        "Count h · q queries and as many outputs.",
    ),
    said(
        "lse-of-g-heads",
        "lse of g",
        "Heads that share keys share log-sum-exps.",
        "You count a log-sum-exp for each key/value head. Each *query* of each of the h heads has "
        "one.",
        "Over which scores does a log-sum-exp run?",
        "Two heads with the same keys have other queries, and so other scores.",
        "Count h · q log-sum-exps.",
    ),
    said(
        "scores-moved",
        "scores",
        "The scores are written and read.",
        "You count the scores, written and read. In tiles they never leave the chip.",
        "Which of the tensors exists in memory?",
        "That is the point of a tile.",
        "Leave them out.",
    ),
    said(
        "padded-rows",
        "padded",
        "A block is moved whole.",
        "You move full blocks of rows. Of the last one only the rows that are there are moved.",
        "How many rows are there in all?",
        "Queries and outputs are moved once each.",
        "Use h · q rows.",
    ),
    said(
        "lse-as-the-rest",
        "lse itemsize",
        "Every number has itemsize bytes.",
        "Your log-sum-exps have itemsize bytes. They are kept in float32, whatever the rest is.",
        "How many bytes has a number in float32?",
        "One log-sum-exp for each query of each head.",
        "Four bytes each.",
        kind="form",
    ),
    said(
        "lse-forgotten",
        "no lse",
        "Only the output is written.",
        "Your bytes lack the log-sum-exps: one for each query of each head, 4 bytes each.",
        "What does the forward pass leave for the backward pass?",
        "It is small beside the rest, and it is moved.",
        "Add 4 · b · h · q.",
        kind="form",
    ),
    said(
        "m-and-l-written",
        "m and l",
        "m and l are both written.",
        "You write 8 bytes for each query besides its output. One number is left at the end, the "
        "log-sum-exp in float32.",
        "What is m + log l?",
        "One number remembers the denominator.",
        "Count 4 bytes for each query, not 8.",
        kind="form",
    ),
    said(
        "batch-forgotten",
        "no batch",
        "Sequences share their bytes.",
        "You count one sequence. The others of the batch have their own queries, keys and values.",
        "What do two sequences share?",
        "Nothing that is counted here.",
        "Multiply by b.",
        kind="form",
    ),
)

"""More ways in which 12.bytes_moved goes wrong, in one term each."""

import math
from functools import partial

from exercise_bank.skills import saying


def slip(
    kind: str, b: int, h: int, g: int, q: int, k: int, d: int, e: int, width: int, room: int,
    itemsize: int,
) -> tuple[int, int]:  # fmt: skip
    """Count right but for one term."""
    a_row = {
        "queries off the chip": e + 2 + width,
        "three sums": d + e + 3 + width,
        "two tiles": d + e + 2 + 2 * width,
        "rows of d": 2 * d + 2 + width,
        "neither tile nor sums": d + e,
    }.get(kind, d + e + 2 + width)
    block = {"keys alone": width * d, "values alone": width * e}.get(kind, width * (d + e))
    step = {"steps of 8": 8, "steps of 32": 32, "steps of 64": 64}.get(kind, 16)
    fits = (room - block) // a_row
    height = max(step, fits - fits % step)
    blocks = g * math.ceil(h // g * q / height)
    if kind == "g heads stacked":
        blocks = h // g * math.ceil(g * q / height)
    query, output, key, value = h * q * d, h * q * e, blocks * k * d, blocks * k * e
    if kind in ("output not written", "output twice"):
        output *= 2 * (kind == "output twice")
    if kind == "queries not read":
        query = 0
    if kind == "values not read":
        value = 0
    if kind == "keys not read":
        key = 0
    if kind in ("output d", "all d"):
        output = h * q * d
    if kind in ("values d", "all d"):
        value = blocks * k * d
    numbers = query + output + key + value
    lses = 4 * (q if kind == "lse of one head" else h * q)
    if kind == "lse of one sequence":
        return height, b * numbers * itemsize + lses
    moved = b * (numbers * itemsize + lses)
    return (moved, height) if kind == "exchanged" else (height, moved)


said = saying(lambda kind: partial(slip, kind))
LIST = "Count the list of the prompt, one entry after the other."

MORE = (
    said(
        "queries-off-the-chip",
        "queries off the chip",
        "Queries are read when they are needed.",
        "Your tiles are too high: the queries of the tile have no room left, d numbers for each "
        "row. They stay on the chip while the keys pass.",
        "Which numbers does each block of keys meet?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
    ),
    said(
        "half-of-the-block",
        "keys alone",
        "A block holds keys, or values.",
        "Your tiles are too high: of the block that passes you count either keys or values. Both "
        "are on the chip, width · (d + e) numbers.",
        "Which numbers does one tile of scores need? And what are its weights multiplied by?",
        LIST,
        "Subtract width · (d + e) from the room first.",
        variants=("values alone",),
    ),
    said(
        "a-third-sum",
        "three sums",
        "The log-sum-exp has a place as well.",
        "Some of your tiles are lower than they could be: you count three numbers for each row "
        "besides its query and its o. There are two, m and l.",
        "What is the log-sum-exp made from?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
        kind="form",
    ),
    said(
        "two-tiles",
        "two tiles",
        "Scores and weights both need room.",
        "Your tiles are lower than they could be: you count the tile of scores twice. The list "
        "has one tile of height x width numbers.",
        "Does anything need the scores once their exponentials are there?",
        LIST,
        "A row takes d + e + 2 numbers, and `width` for the tile.",
        kind="form",
    ),
    said(
        "rows-of-d",
        "rows of d",
        "An output is as wide as its query.",
        "You give the o of a row d numbers. It is as wide as a value, e.",
        "What is o a sum of?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
    ),
    said(
        "neither-tile-nor-sums",
        "neither tile nor sums",
        "A row is its query and its output.",
        "Your tiles are too high: the tile of scores has no room left, nor have m and l.",
        "Where do the scores lie while they are computed?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
    ),
    said(
        "another-step",
        "steps of 8",
        "Heights come in other steps.",
        "Your heights are multiples of a number other than 16.",
        "What does the prompt say of the height?",
        "Round down to a multiple of 16.",
        variants=("steps of 32", "steps of 64"),
        kind="form",
    ),
    said(
        "output-not-written",
        "output not written",
        "Bytes moved are bytes read.",
        "Your bytes lack the output: e numbers for each query of each head are written.",
        "Where do the results go?",
        "Each query has an output.",
        "Count h · q · e numbers more.",
    ),
    said(
        "output-twice",
        "output twice",
        "The output is read and written.",
        "You move the output twice. The sum o stays on the chip, and is written once at the end.",
        "Where is o between two blocks of keys?",
        "That is why the rows stay.",
        "Count h · q · e numbers once.",
    ),
    said(
        "queries-not-read",
        "queries not read",
        "Queries are there already.",
        "Your bytes lack the queries: d numbers for each query of each head are read.",
        "How do the queries get onto the chip?",
        "Each is read once.",
        "Count h · q · d numbers more.",
    ),
    said(
        "values-not-read",
        "values not read",
        "A block of keys is its keys.",
        "Your bytes lack the values. They pass with the keys, once for each block of rows.",
        "What are the weights multiplied by?",
        "A value has e numbers.",
        "Count e numbers wherever you count d for a key.",
    ),
    said(
        "keys-not-read",
        "keys not read",
        "A block of keys is its values.",
        "Your bytes lack the keys. They pass with the values, once for each block of rows.",
        "What are the queries multiplied by?",
        "A key has d numbers.",
        "Count d numbers wherever you count e for a value.",
    ),
    said(
        "moved-as-wide-as-queries",
        "output d",
        "Everything has the width d.",
        "In your bytes values or outputs have d numbers each. Both are e numbers wide.",
        "How many numbers has a value in the task?",
        "Queries and keys have d, values and outputs e.",
        "Use e for values and outputs.",
        variants=("values d", "all d"),
    ),
    said(
        "g-heads-stacked",
        "g heads stacked",
        "The g heads lie in one tile.",
        "You stack the queries of g heads. A tile has one block of keys, which h / g query heads "
        "share.",
        "With h = 8 and g = 2, how many query heads read the same keys?",
        "There are g stacks, of h / g · q rows each.",
        "Exchange g and h / g in the number of blocks.",
    ),
    said(
        "lse-of-one-head",
        "lse of one head",
        "Each query has one log-sum-exp.",
        "You count the log-sum-exps of one head. Each query of each of the h heads has one.",
        "Do two heads have the same scores?",
        "One denominator for each row of scores.",
        "Count 4 · b · h · q bytes.",
    ),
    said(
        "lse-of-one-sequence",
        "lse of one sequence",
        "The log-sum-exps come on top.",
        "You count the log-sum-exps of one sequence. Each of the b sequences has its own.",
        "Do two sequences have the same scores?",
        "Multiply all bytes by b.",
        "Count 4 · b · h · q bytes.",
        kind="form",
    ),
    said(
        "exchanged",
        "exchanged",
        "Bytes come first.",
        "Your two numbers are exchanged: the height comes first.",
        "Which of the numbers in the example is a multiple of 16?",
        "Return height, then bytes.",
        "Exchange them.",
    ),
)

"""More ways in which 12.flash_forward goes wrong."""

from functools import partial

from exercise_bank.ch12.mistakes import flash_forward_code as code
from exercise_bank.skills import saying

slip = saying(lambda kind: partial(code.slip, kind))

MORE = (
    slip(
        "sides-exchanged",
        "sides exchanged",
        "Height and width are two sides of a tile.",
        "You cut the queries into blocks of `width` and the keys into blocks of `height`. Other "
        "tiles are then hidden as a whole, and you read some that should not be read.",
        "A tile has 2 queries and 3 keys. What are its height and its width?",
        "Rows are queries: height counts them.",
        kind="form",
    ),
    slip(
        "own-tile-skipped",
        "own tile skipped",
        "A tile is hidden from its last query on.",
        "You skip a tile that begins at the position of the last query of its block. This query "
        "attends to its own position.",
        "A query is at position 4. Is key 4 visible to it?",
        "Skip a tile if its first key comes after the last query.",
    ),
    slip(
        "skipped-by-number",
        "skips by number",
        "Block i of the queries ends at block i of the keys.",
        "You compare the number of a block of keys with that of a block of queries. That is right "
        "only with square tiles and as many queries as keys.",
        "In the example, which block of keys holds the position of the first query?",
        "Compare positions: the first key of the tile, the last query of the block.",
    ),
    slip(
        "masked-by-number",
        "mask at equal rows",
        "Only tile (i, i) is crossed by the diagonal.",
        "You mask a tile only if its block of queries and its block of keys agree in their numbers "
        "or in where they begin. In other tiles keys are hidden from some queries, too.",
        "A tile has the queries at positions 4 and 5 and the key 5. Which score is hidden?",
        "Compare the position of each key with that of each query, in every tile.",
        variants=("mask at equal numbers", "mask at equal positions"),
    ),
    slip(
        "divided-each-time",
        "divided each time",
        "The output is divided by l after each tile.",
        "You divide o by l after each tile and go on with the quotient. The next factor and the "
        "next sum then meet a number in another unit.",
        "What is o after one tile, before the division? What does the next tile add to?",
        "Divide once, after the last tile.",
    ),
    slip(
        "finite-for-hidden",
        "-1e9",
        "A large negative number is as good as -inf.",
        "You set hidden scores to a large negative number. If a query attends to no key, but "
        "others of its block do, it gets a mean of values instead of 0, and that number as its "
        "log-sum-exp.",
        "What is the softmax of (-1e9, -1e9)?",
        "Fill with -inf, and subtract 0 in place of a maximum of -inf.",
        variants=("-1e4", "-1e30", "the least number"),
        kind="corner",
    ),
)

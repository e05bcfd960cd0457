"""How 12.bytes_moved goes wrong in the count of the bytes."""

from functools import partial

from exercise_bank.ch12.mistakes.bytes_moved_code import slip
from exercise_bank.skills import saying

said = saying(lambda kind: partial(slip, kind))

MORE = (
    said(
        "rest-forgotten",
        "floor",
        "The number of blocks is a quotient.",
        "You round the number of blocks down, or count a fraction of a block. A last block with "
        "few rows reads all keys and values as well.",
        "How many blocks of 32 are 33 rows?",
        "The remaining rows are a block too.",
        "Round up.",
        variants=("floor to 0", "fraction"),
    ),
    said(
        "head-by-head",
        "head by head",
        "Each query head reads keys by itself.",
        "You let each query head read the keys by itself. The rows of all heads that share "
        "them lie in the same tiles: four heads with one query each form a block of four rows.",
        "How many rows share the keys of one key/value head?",
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
        "one-heads-rows",
        "queries only",
        "A key/value head has q rows.",
        "You count blocks of q rows for each key/value head. It is shared by h / g query heads, "
        "with q rows each.",
        "With h = 4, g = 1 and q = 20, how many rows read the same keys?",
        "The stack has the rows of all heads that share the keys.",
        "Use (h / g) · q rows.",
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
        "batch-in-the-stack",
        "batch stacked",
        "All sequences lie in the same tiles.",
        "You stack the queries of all sequences. Each sequence has keys of its own, so its queries "
        "cannot share tiles with those of another.",
        "What do two sequences share?",
        "Count the bytes of one sequence first.",
        "Multiply by b at the end.",
        kind="form",
    ),
    said(
        "keys-read-once",
        "once",
        "Each number is read once.",
        "You count keys and values once, however many blocks of rows there are. The chip holds one "
        "block of keys at a time, and the next overwrites it.",
        "What does the second block of rows need?",
        "All keys pass each block of rows.",
        "Multiply keys and values by the number of blocks of rows.",
    ),
    said(
        "queries-pass",
        "width",
        "The queries pass by the keys.",
        "You read the queries once for every block of keys. Here the rows stay on the chip and the "
        "keys pass.",
        "How does your count change when the width doubles?",
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
        "padded-rows",
        "padded",
        "A block is moved whole.",
        "You move full blocks of rows. In the last one only the rows that exist are moved.",
        "How many rows are there in all?",
        "Queries and outputs are moved once each.",
        "Use h · q rows.",
    ),
    said(
        "queries-of-g-heads",
        "queries of g",
        "There are g heads.",
        "You count the queries and outputs of g heads. There are h query heads, each with its own.",
        "With h = 4 and g = 1, how many queries are there?",
        "Only keys and values are shared.",
        "Count h · q queries, and the same number of outputs.",
    ),
    said(
        "a-term-left-out",
        "query not moved",
        "Only some of the matrices cross.",
        "Your bytes lack one of four: queries, outputs, keys or values. Queries, keys and values "
        "are read, and outputs are written.",
        "Which matrices does the kernel read, and which does it write?",
        "Queries and outputs move once, keys and values once for each block of rows.",
        "Add up four terms and the log-sum-exps.",
        variants=("output not moved", "key not moved", "value not moved"),
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
        "scores-moved",
        "scores",
        "The scores are written and read.",
        "You count the scores, written and read. In tiles they never leave the chip.",
        "Which of the tensors exists in memory?",
        "That is the point of a tile.",
        "Leave them out.",
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
        "It is small compared with the rest, and it is moved.",
        "Add 4 · b · h · q.",
        kind="form",
    ),
    said(
        "m-and-l-written",
        "m and l",
        "m and l are both written.",
        "You write 8 bytes for each query besides its output. One number is left at the end, the "
        "log-sum-exp in float32.",
        "How many numbers is m + log l?",
        "One number keeps the denominator.",
        "Count 4 bytes for each query, not 8.",
        kind="form",
    ),
    said(
        "lses-too-few",
        "lse of g",
        "Heads or sequences share log-sum-exps.",
        "You count too few log-sum-exps. Each query of each of the h heads of each sequence has "
        "one.",
        "Over which scores does a log-sum-exp run?",
        "Two heads with the same keys have other queries, and so other scores.",
        "Count 4 · b · h · q bytes.",
        variants=("lse of one head", "lse of one sequence"),
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
    said(
        "read-for-each-column",
        "columns",
        "Each tile reads all keys.",
        "You read all keys and values again for each block of keys. While a block of queries stays "
        "on the chip, each key passes once.",
        "One block of rows meets 64 keys in blocks of 16. How many keys are read?",
        "Multiply the keys by the blocks of rows only.",
    ),
    said(
        "keys-of-one-sequence",
        "keys of one sequence",
        "All sequences have the same keys.",
        "Your keys and values are read for one sequence. Each of the b sequences has its own.",
        "Do two texts have the same keys?",
        "Everything here is multiplied by b.",
        kind="form",
    ),
)

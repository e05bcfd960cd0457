"""How 12.bytes_moved goes wrong in the choice of a tile."""

from functools import partial

from exercise_bank.ch12.mistakes.bytes_moved_code import slip
from exercise_bank.skills import saying

said = saying(lambda kind: partial(slip, kind))

LIST = "Go through the chapter's count for the height of a tile, one entry at a time."

MISCONCEPTIONS = (
    said(
        "tile-left-out",
        "no tile",
        "Only inputs and outputs need room.",
        "Your tile is too large: the scores themselves, height x width numbers, have no room left "
        "on the chip.",
        "Where are the scores while they are computed?",
        "All that a tile needs must fit at the same time.",
        "Add height times width.",
    ),
    said(
        "output-left-out",
        "no output",
        "The output is written as it is made.",
        "Your tile is too large: you leave no room for the sum o of each row, e numbers. It grows "
        "with every block of keys and is written at the end.",
        "Where is o between two blocks of keys?",
        "A row needs its query, its o, its m and its l.",
        "A row takes d + e + 2 numbers, and its part of the tile.",
    ),
    said(
        "m-and-l-left-out",
        "no sums",
        "Two numbers do not count.",
        "Some of your tiles are larger than the chip allows: each row keeps m and l, one number "
        "each, and you leave out one of them or both.",
        "How many numbers does a row keep, besides its query and its o?",
        LIST,
        "Two more for each row.",
        variants=("one sum",),
        kind="form",
    ),
    said(
        "keys-left-out",
        "no keys",
        "Keys only pass by.",
        "Your tile is too large: the block of keys and values that passes has to be on the chip "
        "while it is used.",
        "Which numbers does one tile of scores need?",
        "A block of keys has width · d numbers. And its values?",
        "Add width · (d + e).",
    ),
    said(
        "half-of-the-block",
        "keys alone",
        "A block holds keys, or values.",
        "Your tile is too large: of the block that passes you count either keys or values. Both "
        "are on the chip, width · (d + e) numbers.",
        "Which numbers does one tile of scores need? And by which are its weights multiplied?",
        LIST,
        "Add width · (d + e).",
        variants=("values alone",),
    ),
    said(
        "queries-off-the-chip",
        "queries off the chip",
        "Queries are read when they are needed.",
        "Your tile is too large: its queries have no room left, d numbers for each row. They stay "
        "on the chip while the keys pass.",
        "Which numbers does each block of keys meet?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
    ),
    said(
        "rows-of-d",
        "rows of d",
        "An output is as wide as its query.",
        "You give the o of a row d numbers. It is as wide as a value, e. With d = e you are right.",
        "Which vectors does o add up?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
        kind="form",
    ),
    said(
        "neither-tile-nor-sums",
        "neither tile nor sums",
        "A row is its query and its output.",
        "Your tile is too large: the scores have no room left, nor have m and l.",
        "Where are the scores while they are computed?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
    ),
    said(
        "two-tiles",
        "two tiles",
        "Scores and weights both need room.",
        "Your tile is smaller than it could be: you count its scores twice. The weights take the "
        "place of the scores.",
        "Does anything need the scores once their exponentials are there?",
        LIST,
        "Count height times width once.",
    ),
    said(
        "a-third-sum",
        "three sums",
        "The log-sum-exp has a place as well.",
        "Some of your tiles are smaller than they could be: you count three numbers for each row "
        "besides its query and its o. There are two, m and l.",
        "From which numbers is the log-sum-exp made?",
        LIST,
        "A row takes d + e + 2 numbers, and its part of the tile.",
        kind="form",
    ),
    said(
        "room-in-bytes",
        "room in bytes",
        "The room is given in bytes.",
        "You divide the room by itemsize. It is given in numbers, not in bytes.",
        "In which unit does the prompt give room?",
        "Sizes on the chip are counted in numbers here.",
        "Leave itemsize out of the room.",
        variants=("room in bytes, or none",),
    ),
    said(
        "room-ignored",
        "nothing is too large",
        "The tile with the fewest bytes is the best.",
        "You do not use the room. The tile that moves the fewest bytes of all need not fit.",
        "How many numbers does your tile need?",
        "Leave out the tiles that do not fit, and choose among the others.",
        "Compare the numbers of each tile with the room first.",
    ),
    said(
        "tallest",
        "tallest",
        "A taller tile moves fewer bytes.",
        "You choose the tallest tile that fits. Another tile makes equally many blocks and takes "
        "less room.",
        "One query: how many blocks do tiles 32 and 64 high make?",
        "A height saves bytes only if it leaves fewer blocks.",
        "Compare the bytes first, then the room.",
        kind="form",
    ),
    said(
        "not-the-smallest-of-equals",
        "first of equals",
        "Tiles that move equally many bytes are equally good.",
        "Your tile moves the fewest bytes, but another one moves equally many and takes less room.",
        "What does the prompt ask for if two tiles move the same bytes?",
        "Compare pairs: the bytes, then the room.",
        "Let the key of min be a tuple.",
        variants=("most room of equals",),
        kind="form",
    ),
    said(
        "largest",
        "largest",
        "The best tile fills the chip.",
        "You choose the tile that takes most of the chip, has most scores or is widest. The width "
        "does not change the bytes, so a lower, wider tile can fill the chip and move more.",
        "How often are the keys read with a tile 64 x 128, and how often with 96 x 16?",
        "Count the bytes of each tile that fits.",
        "Choose by the bytes.",
        variants=("fills the chip", "widest"),
    ),
    said(
        "least-room",
        "least room",
        "A small tile leaves room for others.",
        "You choose the tile that takes least room. Others fit as well, make fewer blocks of rows "
        "and read the keys less often.",
        "How often are the keys read with your tile?",
        "The room decides only between tiles that move the same bytes.",
        "Compare the bytes first, then the room.",
    ),
    said(
        "first-that-fits",
        "first that fits",
        "The tiles are in order.",
        "You choose the first tile that fits. The list is in no order.",
        "Which tile of the list moves the fewest bytes?",
        "Count the bytes of each tile that fits.",
        "Take the smallest pair of bytes and room.",
    ),
    said(
        "width-first",
        "width first",
        "A tile is width by height.",
        "Your tile has its sides exchanged: a tile is (height, width).",
        "Which side of a tile counts queries?",
        "Return the tile as it is in the list.",
        "The height comes first.",
    ),
    said(
        "exchanged",
        "exchanged",
        "Bytes come first.",
        "Your two results are exchanged: the tile comes first.",
        "In which order does the example return them?",
        "Return the tile, then the bytes.",
        "Exchange them.",
    ),
)

"""Faults that an answer to 12.fix_forward may miss, and the inputs that reveal each of them."""

from exercise_bank.naming import Fault

FAULTS = (
    Fault(
        name="matrix",
        box="the box that holds all scores at once",
        shows="Its results are right. Its bytes are at least 4 · q · k in float32, whatever the "
        "sides of the tiles are.",
        hints=(
            "How many bytes has a matrix of 64 x 64 scores in float32?",
            "Compare the bytes with 4 · q · k, in tiles that are small against the sequence.",
        ),
        instead=("none", "sixteen"),
    ),
    Fault(
        name="top-left",
        box="the box whose causal mask is aligned top-left",
        shows="It is right without a mask, and with as many queries as keys.",
        hints=(
            "Which of your causal inputs has fewer queries than keys?",
            "Try one query against several keys, causal.",
        ),
        instead=("none", "diagonal", "skipped"),
    ),
    Fault(
        name="diagonal",
        box="the box that masks nothing inside its tiles",
        shows="It is right without a mask, and in tiles of one query and one key.",
        hints=(
            "Which scores of a tile on the diagonal are hidden?",
            "Try two queries and two keys, causal, in one tile of 2 x 2.",
        ),
        instead=("none", "skipped", "top-left"),
    ),
    Fault(
        name="skipped",
        box="the box that skips a tile if all of it is hidden from the first query",
        shows="It is right without a mask, and in square tiles on the diagonal, where a key is "
        "always visible to the first query.",
        hints=(
            "Which tile is hidden from the first query, and not from the last one?",
            "Try tiles that are higher than wide, causal.",
        ),
        instead=("none", "diagonal", "top-left"),
    ),
    Fault(
        name="sixteen",
        box="the box that computes nothing from the seventeenth block of keys on",
        shows="It is right as long as there are at most sixteen blocks of keys.",
        hints=("How many blocks has your longest row?", "Try 17 keys in blocks of one."),
        instead=("none", "padding"),
    ),
    Fault(
        name="padding",
        box="the box that fills the last block with zero keys",
        shows="It is right if all blocks of keys are full, and under a causal mask.",
        hints=(
            "How many keys has your row, and how wide are the blocks?",
            "Try three keys in blocks of two, without a causal mask.",
        ),
        instead=("none", "sixteen"),
    ),
    Fault(
        name="no maximum",
        box="the box that subtracts no maximum",
        shows="It is right as long as no exponential of a score overflows, which happens above 88 "
        "in float32 and 709 in float64.",
        hints=("At which score does exp overflow in float32?", "Try a score of 1000."),
        instead=("none", "log-sum-exp"),
    ),
    Fault(
        name="log-sum-exp",
        box="the box that returns log l for the log-sum-exp",
        shows="Its output is right, and its second result lacks the maximum.",
        hints=(
            "Which of the results of a box do you compare?",
            "Compare the second result with logsumexp of the scores.",
        ),
        instead=("none", "no maximum"),
    ),
)

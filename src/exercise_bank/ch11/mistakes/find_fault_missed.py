"""Faults that an answer to 11.find_fault may miss, and the inputs that reveal each of them."""

from exercise_bank.naming import Fault

FAULTS = (
    Fault(
        name="sum kept",
        box="the box that does not rescale l",
        shows="When the maximum grows, its output and its log-sum-exp are both wrong.",
        hints=(
            "Which results are wrong if l is too large?",
            "Let the scores rise from block to block, and look at the log-sum-exp.",
        ),
        instead=("none", "values kept", "one maximum"),
    ),
    Fault(
        name="values kept",
        box="the box that does not rescale o",
        shows="When the maximum grows, its output is wrong, and its log-sum-exp is right.",
        hints=(
            "Which of the two results contains o?",
            "Let the scores rise from block to block, and look at both results.",
        ),
        instead=("none", "sum kept", "one maximum"),
    ),
    Fault(
        name="last block lost",
        box="the box that leaves out a short last block",
        shows="It is right on every row that whole blocks fill.",
        hints=(
            "How many keys has your row, and how wide are the blocks?",
            "Try three keys in blocks of two.",
        ),
        instead=("none", "sum kept"),
    ),
    Fault(
        name="no maximum",
        box="the box that subtracts no maximum",
        shows="It is right up to the score at which exp overflows, which is 88 in float32 and 709 "
        "in float64, and down to the one at which every exp is 0.",
        hints=(
            "How large is exp(80), and how large a number does float32 hold?",
            "Try a single row of scores of 1000.",
        ),
        instead=("none", "one maximum", "empty block"),
    ),
    Fault(
        name="empty block",
        box="the box that gives nan as long as a row has seen only −∞",
        shows="It is right if the first block of each row has a finite score.",
        hints=(
            "Which of your rows begins with −∞?",
            "Try the scores −∞ and 0 in blocks of one.",
        ),
        instead=("none", "no maximum", "one maximum"),
    ),
    Fault(
        name="one maximum",
        box="the box whose rows share one maximum",
        shows="It is right in a single row. With several rows the low ones lose their sums, and "
        "the row of the maximum does not.",
        hints=(
            "Which rows of the result do you compare?",
            "Try two rows of scores that are 1000 apart, and look at the lower one.",
        ),
        instead=("none", "no maximum", "empty block"),
    ),
)

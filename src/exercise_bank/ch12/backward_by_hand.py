"""Question 12.backward_by_hand: one query against a tile with two of its three keys."""

import math

from exercise_bank.skills import said
from plaincourse.exercise import Alternative, Question

LN2 = math.log(2)

TASK = Question(
    id="12.backward_by_hand",
    title="One tile backward, by hand",
    level="easy",
    minutes=6,
    concepts=("log-sum-exp",),
    extra=True,
    points=3.0,
    answer=(13 / 2, 3 / 8, 3 * LN2 / 16),
    misconceptions=(
        said(
            "ds-of-the-first-key",
            (13 / 2, 19 / 16, 3 * LN2 / 16),
            "The second key is the one that is counted as 0.",
            "Your dS is that of the first key, the one at 0. The second key is (ln 2, 0, 0, 0).",
            "What are the weight and the value of the key (ln 2, 0, 0, 0)?",
            "Its weight is 1/4, and its value is 4.",
        ),
        said(
            "no-gradient-in-ds",
            (13 / 2, -5 / 8, -5 * LN2 / 16),
            "D is compared with the value.",
            "Your dS is A times (value − D). D contains the gradient that arrives, so the value "
            "has to be multiplied by it, too.",
            "How much does the output change if the second weight grows by a little, and the loss?",
            "dA is the gradient times the value: 2 · 4.",
        ),
        said(
            "dq-of-the-first-key",
            (13 / 2, 3 / 8, 19 / 32),
            "Each key adds its dS to dQ.",
            "Your third number adds dS without its key. dQ sums dS times the key, and the first "
            "key is 0.",
            "What does a key of zeros add to dQ?",
            "Only the second key adds something: dS · ln 2 / 2.",
            variants=((13 / 2, 3 / 8, (19 / 16 + 3 / 8) / 2), (13 / 2, 3 / 8, 19 / 16 + 3 / 8)),
        ),
        said(
            "d-of-the-tile",
            (4.0, 1.0, LN2 / 2),
            "D is a sum over the keys of the tile.",
            "Your D is 4, the sum of A · dA over the two keys of the tile. The third key takes "
            "part in the row's softmax, wherever it lies: D is a sum over all keys.",
            "What would D be if the tile held one key only? May the gradient depend on that?",
            "The sum over all keys of A · dA is a product of two rows that are known.",
            "D is dO times the output of the whole row.",
            variants=((4.0, 1.0, LN2),),
        ),
        said(
            "softmax-of-the-tile",
            (13 / 2, 1.0, LN2 / 2),
            "The weights of a tile sum to 1.",
            "You use the weights 1/3 and 2/3, which sum to 1 over the tile. The row has a third "
            "key, and it takes five eighths.",
            "What do the exponentials of all three scores sum to?",
            "The log-sum-exp that the forward pass left is that of the whole row.",
            "Take exp(S - lse) for the weights.",
            variants=((13 / 2, 1.0, LN2),),
        ),
        said(
            "d-is-the-output",
            (13 / 4, 19 / 16, 19 * LN2 / 32),
            "D is the row sum of the output.",
            "Your D is 13/4, which is the output itself. The gradient that arrives at the output "
            "is 2, and D is the product of the two.",
            "Which gradient comes in from above?",
            "D is a sum of products of dO and O.",
            "Multiply by dO.",
            variants=(
                (13 / 4, 3 / 8, 3 * LN2 / 16),
                (13 / 4, 19 / 16, 3 * LN2 / 16),
            ),
        ),
        said(
            "d-is-the-output-and-no-scale",
            (13 / 4, 19 / 16, 19 * LN2 / 16),
            "D is the row sum of the output, and dQ is dS K.",
            "Your D is 13/4, which is the output itself. The gradient that arrives at the output "
            "is 2, and D is the product of the two. Besides, your dQ is not divided by the root "
            "of d.",
            "Which gradient comes in from above? And what is the derivative of S by the query?",
            "D is a sum of products of dO and O.",
            "Multiply by dO, and divide dQ by 2.",
        ),
        said(
            "d-not-subtracted",
            (13 / 2, 2.0, LN2),
            "dS is A times dA.",
            "Your D is right, and your dS is A · dA: D was not subtracted. The softmax couples the "
            "keys of a row: if one weight grows, the others shrink.",
            "What must the dS of all three keys sum to?",
            "A constant added to all scores changes nothing.",
            "dS is A times the difference of dA and D.",
            variants=((13 / 2, 2.0, 2 * LN2),),
        ),
        said(
            "scale-forgotten",
            (13 / 2, 3 / 8, 3 * LN2 / 8),
            "dQ is dS K.",
            "D and dS are right. Your dQ is too large by a factor of 2: a score is the product "
            "divided by the root of d, and that factor comes back in its derivative.",
            "What is the derivative of S by the first feature of the query?",
            "S = q · k / 2 here.",
            "Divide by the root of d.",
        ),
        said(
            "weight-forgotten",
            (13 / 2, 3 / 2, 3 * LN2 / 4),
            "dS is dA - D.",
            "Your D is right, and your dS is dA - D. A key that has a small weight moves the "
            "output little: the difference is still to be multiplied by the weight.",
            "What should dS be for a key whose weight is 0?",
            "The second key has the weight 2/8.",
            "Multiply by A.",
            variants=((13 / 2, 3 / 2, 3 * LN2 / 2),),
        ),
        said(
            "sign",
            (13 / 2, -3 / 8, -3 * LN2 / 16),
            "dS is A times D - dA.",
            "Your signs are reversed. The second key's value, 4, lies above the output, 13/4, "
            "so more weight for it raises the output.",
            "Would a larger second score raise the output or lower it?",
            "dO is positive here.",
            "Subtract D from dA, not dA from D.",
            variants=((13 / 2, -3 / 8, -3 * LN2 / 8),),
        ),
        said(
            "all-keys",
            (13 / 2, 3 / 8, (3 / 8 * LN2 - 25 / 16 * math.log(5)) / 2),
            "dQ needs all keys at once.",
            "D and dS are right. Your dQ is that of the whole row; what this tile adds comes from "
            "its own two keys. The third key's part is added when its tile is visited.",
            "Which keys lie in the tile?",
            "dQ is a sum over tiles.",
            "Leave out the third key.",
        ),
        said(
            "tile-is-the-row",
            (32 / 3, -16 / 9, -8 * LN2 / 9),
            "A tile's gradient can be worked out from the tile alone.",
            "You work as if the row had two keys: the weights 1/3 and 2/3, their output 16/3, and "
            "D from it. The third key has five eighths of the weight.",
            "What do the exponentials of all three scores sum to?",
            "Weights and D belong to the whole row; only dQ is summed over the tile.",
            "The weights are 1/8 and 2/8, and D is 2 times the output over three keys.",
        ),
        said(
            "scores-unscaled",
            (74 / 15, 92 / 225, 46 * LN2 / 225),
            "A score is the product of query and key.",
            "Your weights are 1/30 and 4/30: you do not divide the scores by the root of d, "
            "which is 2.",
            "What is the second score, (2, 0, 0, 0) · (ln 2, 0, 0, 0) / √4?",
            "The three exponentials are whole numbers, and sum to 8.",
            "Divide each product by 2 before you take the exponential.",
        ),
        said(
            "no-scale",
            (74 / 15, 92 / 225, 92 * LN2 / 225),
            "Scores are not scaled, forward or backward.",
            "You do not divide by the root of d, neither the scores nor dQ. It is 2 here.",
            "What is the second score, (2, 0, 0, 0) · (ln 2, 0, 0, 0) / √4?",
            "The three exponentials are whole numbers, and sum to 8.",
            "Divide each product by 2, and dQ as well.",
        ),
        said(
            "gradient-forgotten",
            (13 / 4, 3 / 16, 3 * LN2 / 32),
            "The gradient that arrives is 1.",
            "All three numbers are half as large as they should be: the gradient that arrives at "
            "the output is 2, and you took 1.",
            "Where does dO enter D, and where dA?",
            "dA is dO times the value.",
            "Multiply by 2.",
        ),
        said(
            "scale-in-ds",
            (13 / 2, 3 / 16, 3 * LN2 / 16),
            "The scale belongs to dS.",
            "D and dQ are right. Your dS is the gradient of the product before its division by the "
            "root of d; the question asks for that of the score.",
            "Of which quantity is dS the gradient?",
            "The division comes in on the way from dS to dQ.",
            "Leave the root of d out of dS.",
        ),
        said(
            "scale-twice",
            (13 / 2, 3 / 16, 3 * LN2 / 32),
            "Each step divides by the root of d.",
            "You divide by the root of d twice, once in dS and once more in dQ.",
            "How often is the root of d applied between the query and the score?",
            "dS is the gradient of the score after its division.",
            "Leave the root of d out of dS.",
        ),
        said(
            "root-forgotten",
            (13 / 2, 3 / 8, 3 * LN2 / 32),
            "Scores are divided by d.",
            "D and dS are right. In dQ you divide by d, which is 4, and not by its root.",
            "By what is a score divided?",
            "The derivative has the same factor as the score.",
            "Divide by 2.",
        ),
        said(
            "query-for-key",
            (13 / 2, 3 / 8, 3 / 8),
            "dQ is dS times the query.",
            "D and dS are right. Your dQ is dS as it is, or dS times the query over the root of d, "
            "which belongs to dK.",
            "What is the derivative of q · k by q?",
            "dQ is a sum over the keys of the tile.",
            "Multiply by the key, ln 2.",
        ),
    ),
    alternatives=(
        Alternative(name="rounded", answer=(6.5, 0.375, 0.13)),
        Alternative(name="as decimals", answer=(26 / 4, 6 / 16, 0.1299651)),
    ),
    hints=(
        "With the query (2, 0, 0, 0) and d = 4, the score of a key is its first feature. What do "
        "the three exponentials sum to?",
        "D is the same number for every tile of the row: dO times the output over all three keys.",
        "dS = A (dA - D), where dA is dO times the value. The tile's share of dQ is the sum "
        "of dS times the key over its two keys, divided by the root of d.",
    ),
)

"""Question 11.lse_by_hand: a second block with a larger maximum, by hand."""

import math

from exercise_bank.skills import said
from plaincourse.exercise import Alternative, Question

TASK = Question(
    id="11.lse_by_hand",
    title="Two blocks by hand",
    level="easy",
    minutes=5,
    concepts=("streaming-recurrence", "rescaling", "log-sum-exp"),
    points=3.0,
    answer=(17 / 8, 78 / 17, math.log(34)),
    misconceptions=(
        said(
            "lse-of-largest",
            (17 / 8, 78 / 17, math.log(16)),
            "The log-sum-exp is the largest score.",
            "Your log-sum-exp is ln 16, the largest score. The other keys count as well: it is the "
            "logarithm of the sum of all exponentials.",
            "What do the five exponentials sum to?",
            "Add ln l to the maximum.",
        ),
        said(
            "lse-of-a-mean",
            (17 / 8, 78 / 17, math.log(34 / 5)),
            "A log-sum-exp is a mean.",
            "Your log-sum-exp is the logarithm of a mean. It is that of the sum.",
            "What do the five exponentials sum to?",
            "Do not divide by the number of keys.",
        ),
        said(
            "value-of-zero-left-out",
            (15 / 8, 26 / 5, math.log(30)),
            "A key whose value is 0 adds nothing.",
            "Your l is 30/16: you leave out the key whose value is 0. It adds nothing to the "
            "weighted sum of values, but its exponential, 4, belongs to l.",
            "How many exponentials has your l?",
            "A key with the value 0 pulls the output towards 0.",
            variants=((15 / 8, 26 / 5, math.log(15 / 8)),),
        ),
        said(
            "scores-for-weights",
            (17 / 8, 61 / 12, math.log(34)),
            "Values are weighted by their scores.",
            "Your output weights the values by the scores themselves. A weight is the exponential "
            "of a score over the sum of all exponentials.",
            "Which weight has the key of score ln 2, and which the key of score ln 8?",
            "The exponentials are 2, 8, 16, 4 and 4.",
        ),
        said(
            "not-faded",
            (11 / 4, 54 / 11, math.log(44)),
            "Sums of both blocks can be added.",
            "Your l is 5/4 + 3/2. The 5/4 of the first block is a sum of exp(score - ln 8). After "
            "the second block the maximum is ln 16, and both parts have to be relative to it.",
            "By which factor is exp(score - ln 16) smaller than exp(score - ln 8)?",
            "The first block's sums get a factor below 1 before anything is added.",
            variants=(
                (11 / 4, 78 / 17, math.log(34)),
                (11 / 4, 54 / 11, math.log(34)),
                (11 / 4, 39 / 11, math.log(44)),
            ),
        ),
        said(
            "faded-the-wrong-way",
            (4.0, 21 / 4, math.log(64)),
            "The factor is the new maximum over the old one.",
            "Your factor is 2: you magnify the sums of the first block. Seen from a larger "
            "maximum, an exponential is smaller.",
            "The key of score ln 8 counted 1. What does it count when the maximum is ln 16?",
            "Subtract the new maximum from the old one, then take the exponential.",
            variants=((4.0, 21 / 4, math.log(34)), (4.0, 78 / 17, math.log(34))),
        ),
        said(
            "values-not-faded",
            (17 / 8, 108 / 17, math.log(34)),
            "Only the denominator needs a correction.",
            "Your l is right. In your output the values of the first block still count in their "
            "old unit: 15/2 + 6 over 17/8 is larger than it can be if the first block alone gives "
            "6 and the second 4.",
            "Between which two numbers must the output lie?",
            "The factor of l belongs to the sum of values as well.",
        ),
        said(
            "mean-of-the-outputs",
            (17 / 8, 5.0, math.log(34)),
            "Two blocks have equal weight.",
            "Your output is the plain mean of 6 and 4, the outputs of the two blocks. The second "
            "block holds more than two thirds of all exponentials.",
            "Which share of the 34 belongs to the first block?",
            "Weigh 6 and 4 by the blocks' shares.",
            variants=((17 / 8, 5.0, math.log(17 / 8)),),
        ),
        said(
            "not-divided",
            (17 / 8, 39 / 4, math.log(34)),
            "The sum of weighted values is the output.",
            "You give 39/4 as the output, the sum of exponentials times values. The output is a "
            "weighted mean, so this sum still has to be divided by the sum of the weights.",
            "What would this number be if all values were 1? What should the output be?",
            "Divide by l.",
            variants=((17 / 8, 39 / 4, math.log(17 / 8)),),
        ),
        said(
            "maximum-forgotten",
            (17 / 8, 78 / 17, math.log(17 / 8)),
            "The log-sum-exp is log l.",
            "Your log-sum-exp is the logarithm of l. But l is a sum of exp(score - m); the maximum "
            "has to come back.",
            "exp of the log-sum-exp should be the sum of all exponentials. What is that sum here?",
            "Add m.",
        ),
        said(
            "second-block-only",
            (3 / 2, 4.0, math.log(24)),
            "The last block replaces the one before.",
            "Your numbers are those of the second block alone: the first has left no trace.",
            "Which keys does the softmax of the whole row run over?",
            "The sums of the first block are rescaled, not dropped.",
        ),
        said(
            "first-maximum",
            (17 / 4, 78 / 17, math.log(34)),
            "The maximum of the first block stays.",
            "Output and log-sum-exp are right, and your l is 17/4: you still count from the "
            "maximum ln 8. After the second block the largest score is ln 16.",
            "What is m after the second block?",
            "l is the sum of exp(score - m) with the m of all keys so far.",
        ),
        said(
            "from-zero",
            (34.0, 78 / 17, math.log(34)),
            "l is the sum of the exponentials.",
            "Output and log-sum-exp are right. Your l is the sum of exp(score) itself; l counts "
            "from the largest score, which is ln 16 after the second block.",
            "What does the key of score ln 16 itself add to l?",
            "l is the sum of exp(score - m).",
        ),
        said(
            "weighed-by-size",
            (17 / 8, 24 / 5, math.log(34)),
            "A block counts once for each of its keys.",
            "Your output weighs 6 and 4 by the numbers of keys, 2 to 3. A block counts by the sum "
            "of its exponentials: here 10 to 24.",
            "Which share of the 34 belongs to the first block?",
            "Weigh 6 and 4 by the blocks' shares.",
        ),
        said(
            "logarithm-forgotten",
            (17 / 8, 78 / 17, 34.0),
            "The log-sum-exp is the sum of the exponentials.",
            "Your third number is the sum of all exponentials. The log-sum-exp is its logarithm.",
            "Which of the three words have you not carried out?",
            "Take the natural logarithm.",
        ),
        said(
            "logarithms-added",
            (17 / 8, 78 / 17, math.log(240)),
            "The log-sum-exps of two blocks are added.",
            "l and output are right. Your log-sum-exp is ln 10 + ln 24, the sum of those of the "
            "blocks; that is the logarithm of 10 · 24. The exponentials are to be added.",
            "What is ln 2 + ln 2, and what is the log-sum-exp of two keys of score ln 2?",
            "Add 10 and 24 before you take the logarithm.",
        ),
        said(
            "maximum-plus-sum",
            (17 / 8, 78 / 17, math.log(16) + 17 / 8),
            "The log-sum-exp is m + l.",
            "l and output are right. Your log-sum-exp is m + l: you have left out the logarithm "
            "of l.",
            "exp of the log-sum-exp should be the sum of all exponentials. What is that sum here?",
            "exp(m) · l is the sum. What is its logarithm?",
        ),
        said(
            "old-maximum",
            (17 / 8, 78 / 17, math.log(17)),
            "The log-sum-exp is log l plus the maximum that the sums began with.",
            "l and output are right. Your log-sum-exp is ln 8 + ln 17/8: you add the maximum of "
            "the first block. l counts from ln 16 now.",
            "exp of the log-sum-exp should be the sum of all exponentials. What is that sum here?",
            "Add the m that belongs to your l.",
        ),
        said(
            "divided-twice",
            (17 / 8, 39 / 136, math.log(34)),
            "The output is o over the sum of all exponentials.",
            "l and log-sum-exp are right. Your output is 39/4 over 34: o counts from the maximum, "
            "34 does not, so the two are in different units.",
            "Between which two numbers must the output lie?",
            "Divide o by the l that counts from the same maximum.",
        ),
        said(
            "plain-mean",
            (17 / 8, 6.0, math.log(34)),
            "The output is the mean of the values.",
            "l and log-sum-exp are right. Your output is the plain mean of the five values; each "
            "counts by its exponential.",
            "Which of the five keys should count most?",
            "Weigh the values by 2, 8, 16, 4 and 4.",
        ),
        said(
            "base-two",
            (17 / 8, 78 / 17, math.log2(34)),
            "The logarithm of the log-sum-exp is that in base two.",
            "l and output are right. Your log-sum-exp is the logarithm of 34 in base two; the "
            "scores are powers of e, so the logarithm is the natural one.",
            "What should the log-sum-exp of a single key of score ln 16 be?",
            "Use math.log.",
        ),
        said(
            "order-of-the-three",
            (17 / 8, math.log(34), 78 / 17),
            "The log-sum-exp comes before the output.",
            "All three numbers are right, and the last two have changed places.",
            "In which order are they asked for?",
            "l, then the output, then the log-sum-exp.",
        ),
        said(
            "no-exponentials",
            (12 * math.log(2), 61 / 12, math.log(16) + math.log(12 * math.log(2))),
            "The scores are the weights.",
            "Your l is the sum of the scores themselves, and your output weighs the values by "
            "them. Softmax weighs by the exponentials: a score of ln 8 counts 8.",
            "What does a key of score 0 count? And one of score -1?",
            "Begin with the exponentials 2, 8, 16, 4 and 4.",
        ),
        said(
            "two-decimals",
            (2.13, 4.59, 3.53),
            "Two decimals will do.",
            "Your numbers are right to two decimals; three are asked for.",
            "Can you leave the division to Python?",
            "Write fractions and math.log(...) instead of rounded numbers.",
            variants=((2.125, 4.59, 3.53), (2.125, 4.59, 3.526), (2.12, 4.59, 3.53)),
        ),
    ),
    alternatives=(
        Alternative(name="rounded", answer=(2.125, 4.588, 3.526)),
        Alternative(
            name="in sixteenths", answer=(34 / 16, 156 / 34, math.log(16) + math.log(17 / 8))
        ),
    ),
    hints=(
        "Write m, l and o after the first block. All exponentials are fractions.",
        "With the second block m grows from ln 8 to ln 16. By which factor do l and o of the first "
        "block shrink?",
        "Check: exp(m) · l must be the sum of the exponentials of all five scores.",
    ),
)

"""How 02.softmax_rows goes wrong."""

from functools import partial

from exercise_bank.ch02.mistakes import softmax_rows_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="over-queries",
        answer=code.over_queries,
        believed="dim=-2 is the axis of the keys.",
        says="Your columns sum to 1, your rows do not: your softmax runs over the queries. The "
        "queries compete for each key, where the keys should compete for each query.",
        hints=(
            "In scores of shape (q, k), which axis counts the keys?",
            "Add up your result along the last axis, and along the one before it. Which of the"
            " two gives only ones?",
            "Maximum and sum both belong to the last axis, not to the one before it.",
        ),
    ),
    Misconception(
        name="axis-0",
        answer=code.axis_0,
        believed="Scores are one matrix, and dim=0 runs along a row.",
        says="Your result sums to 1 along axis 0. In a matrix these are the columns; with a batch "
        "the sequences of the batch compete with each other, though they are independent.",
        hints=(
            "Which axis disappears in scores.sum(dim=0): the queries or the keys? And in a batch?",
            "The keys are the last axis, however many axes come before it.",
            "In the maximum and in the sum, count the axis from the end: the last one is "
            "number -1.",
        ),
    ),
    Misconception(
        name="axis-1",
        answer=code.axis_1,
        believed="The keys are axis 1.",
        says="Your softmax runs over axis 1. In a single matrix that is the keys; with a batch it "
        "is the queries, and with batch and heads it is the heads.",
        hints=(
            "In scores of shape (b, h, q, k), what is axis 1?",
            "You want an axis number that means 'keys' with and without a batch.",
            "Negative numbers count from the end: dim=-1.",
        ),
    ),
    Misconception(
        name="whole-matrix",
        answer=code.whole_matrix,
        believed="Softmax makes all the weights together sum to 1.",
        says="All your weights together sum to 1; each of your rows sums to less. The weights of "
        "each query should sum to 1.",
        hints=(
            "What does your first row sum to? How much attention can one query give?",
            "Your sum runs over all axes. Over which one should it run?",
            "Give sum (and the maximum) dim=-1 and keepdim=True.",
        ),
    ),
    Misconception(
        name="no-maximum",
        answer=code.no_maximum,
        believed="exp works for any score.",
        says="For scores near 1000 your weights are nan, because exp(1000) is inf and inf / inf is "
        "nan. Near -1000 they are nan because exp(-1000) is 0 and 0 / 0 is nan.",
        hints=(
            "What is torch.exp(torch.tensor(1000.0))?",
            "You may subtract any number from a whole row and the weights stay as they are. Which "
            "number makes sure that no exponent is above 0, and that one is 0?",
            "Before exp, subtract from each row its largest score.",
        ),
    ),
    Misconception(
        name="one-maximum-for-all",
        answer=code.one_maximum_for_all,
        believed="One maximum for the whole tensor is enough.",
        says="A row that lies far below the largest score of another row comes out as nan: after "
        "your subtraction all its exponents are near -1000, every exp in it is 0, and 0 / 0 is "
        "nan.",
        hints=(
            "What does your function give for the rows [0, 1] and [-1000, -999]? The two differ by "
            "a constant, so their weights are the same.",
            "scores.max() is one number for all rows.",
            "Each row needs its own: amax with dim=-1 and keepdim=True.",
        ),
    ),
    Misconception(
        name="maximum-without-keepdim",
        answer=code.maximum_without_keepdim,
        believed="A vector of row maxima lines up with the rows.",
        says="Your maximum has one number for each row, in a vector of shape (q,). Broadcasting "
        "lines a vector up with the last axis, so column j loses the maximum of row j; where q and "
        "k differ, shapes clash.",
        hints=(
            "What is the shape of the maximum that you subtract, for scores of shape (3, 4)?",
            "It should be a column, of shape (q, 1), one number in front of each row.",
            "amax has an option that keeps the axis over which it took the maximum.",
        ),
    ),
    Misconception(
        name="sum-without-keepdim",
        answer=code.sum_without_keepdim,
        believed="A vector of row sums lines up with the rows.",
        says="Your sum has one number for each row, in a vector of shape (q,). Broadcasting lines "
        "a vector up with the last axis, so column j is divided by the sum of row j; where q and k "
        "differ, shapes clash.",
        hints=(
            "What is the shape of the sum that you divide by, for scores of shape (3, 4)?",
            "It should be a column, of shape (q, 1), one number in front of each row.",
            "sum has an option that keeps the axis it summed over.",
        ),
    ),
    Misconception(
        name="no-division",
        answer=code.no_division,
        believed="exp alone makes weights.",
        says="The largest weight in each of your rows is exactly 1, and each row sums to more than "
        "1 as soon as there are two keys.",
        hints=(
            "Sum one of your rows. What should the sum be?",
            "Your powers are positive and in the right proportion. One step is missing.",
            "Divide each row by its own sum.",
        ),
    ),
    Misconception(
        name="one-more-in-the-sum",
        answer=code.one_more_in_the_sum,
        believed="A 1 in the denominator keeps it from being 0.",
        says="Each of your rows sums to less than 1, and a single key gets the weight 0.5: you add "
        "1 to the sum that you divide by.",
        hints=(
            "What weight should the only key of a row get? And what does yours give it?",
            "The largest score gives exp(0) = 1, so the sum is never 0.",
            "Divide by the sum itself.",
        ),
    ),
    Misconception(
        name="no-exp",
        answer=code.no_exp,
        believed="To make rows sum to 1, dividing by their sum is enough.",
        says="Your rows sum to 1, but with negative scores some of your weights are negative or "
        "above 1, and adding a constant to a row changes your weights.",
        hints=(
            "What do you get for the scores [-1, 2]? Can a weight be that?",
            "What makes every number positive and keeps their order?",
            "Take exp of the scores (after subtracting the row's maximum), then divide by the sum.",
        ),
    ),
    Misconception(
        name="unit-length",
        answer=code.unit_length,
        believed="Normalising a row means dividing it by its length.",
        says="The squares in each of your rows sum to 1, as in a vector of length 1; the weights "
        "themselves sum to more.",
        hints=(
            "Two equal scores should get 0.5 each. What do they get from you?",
            "A weighted average needs weights with a certain sum, not a certain length.",
            "Divide by the sum of the row, not by its norm.",
        ),
    ),
    Misconception(
        name="winner-takes-all",
        answer=code.winner_takes_all,
        believed="The best key gets all the weight.",
        says="Each of your rows has a single 1 and zeros elsewhere, even for two scores that "
        "hardly differ. Nudge a score: your weights do not move, so nothing can be learned.",
        hints=(
            "What should the weights of the scores [2.0, 2.0] be?",
            "You take the position of the largest score. Softmax keeps a share for every key.",
            "Use exp of the scores (less the row's maximum), divided by its sum over the row.",
        ),
    ),
    Misconception(
        name="clamped",
        answer=code.clamped,
        believed="Large scores may be cut off.",
        says="You cut large scores off, so 1000 and 1003 get the same weight. A softmax keeps "
        "their difference.",
        hints=(
            "What are the weights of [1000, 1001]? And of [0, 1]?",
            "You may change the level of a row, but not its differences.",
            "Subtract the largest score of the row instead.",
        ),
    ),
    Misconception(
        name="float64-inside",
        kind="form",
        answer=code.in_float64,
        believed="More digits do no harm.",
        says="Your weights are float64, whatever the scores are. Weights have the dtype of the "
        "scores.",
        hints=(
            "Print the dtype of the scores and of your result.",
            "You widen the scores and never narrow the weights.",
            "Leave the type as it is, or bring the weights back with .to(scores.dtype).",
        ),
    ),
    Misconception(
        name="always-float32",
        kind="form",
        answer=code.in_float32,
        believed="float32 is enough.",
        says="Your weights are float32, whatever the scores are. Weights have the dtype of the "
        "scores.",
        hints=(
            "Print the dtype of the scores and of your result.",
            "float64 scores are to give float64 weights.",
            "Leave the type as it is.",
        ),
    ),
    Misconception(
        name="maximum-of-each-column",
        answer=code.column_maxima,
        variants=(code.maxima_of_axis_0,),
        believed="dim=-2 runs along a row.",
        says="You subtract from the scores of a row numbers that differ from key to key: the "
        "largest of each column, or along axis 0. That changes the ratios of the row's weights. "
        "Only a number that is the same for the whole row cancels.",
        hints=(
            "How many different numbers do you subtract from one row?",
            "Which axis disappears in scores.amax(dim=-2)?",
            "Take the maximum over the last axis, with keepdim=True.",
        ),
    ),
    Misconception(
        name="mean-for-the-maximum",
        answer=code.minus_the_mean,
        variants=(code.minus_the_smallest,),
        believed="Any number of the row may be subtracted.",
        says="You subtract a number that can be far below the row's largest score, such as the "
        "row's mean. When a score lies far above it, its exp is inf, and inf / inf is nan.",
        hints=(
            "Which is the largest exponent after your subtraction?",
            "Any number cancels; only one makes the largest exponent 0.",
            "Subtract the maximum.",
        ),
    ),
    Misconception(
        name="nan-swept-away",
        answer=code.nan_filled,
        believed="nan may be replaced.",
        says="For large scores exp overflows, and you replace the nan. The rows then no longer sum "
        "to 1.",
        hints=(
            "What do your weights of [1000, 1000] sum to?",
            "The number was lost before you replaced it.",
            "Subtract the largest score of the row before exp.",
        ),
    ),
    Misconception(
        name="smallest-gets-most",
        answer=code.smallest_first,
        believed="The subtracted number comes first.",
        says="In your rows the smallest score gets the largest weight: your exponent has the wrong "
        "sign.",
        hints=(
            "Which of the scores 0 and 1 should get more?",
            "exp grows.",
            "Take scores minus the largest.",
        ),
    ),
    Misconception(
        name="powers-of-two",
        answer=code.powers_of_two,
        believed="Any base will do.",
        says="Your weights are in the ratio of powers of 2, not of e.",
        hints=(
            "Which ratio should the weights of 0 and 1 have?",
            "torch.exp is e to the power.",
            "Use exp.",
        ),
    ),
    Misconception(
        name="divided-by-the-largest",
        answer=code.divided_by_the_largest,
        believed="Large scores are made small by dividing.",
        says="You divide the scores by the largest one. That changes all their differences: in a "
        "row of large scores your weights are nearly equal.",
        hints=(
            "What are the weights of [0, 1000]? And yours?",
            "Subtracting keeps differences, dividing does not.",
            "Subtract the largest.",
        ),
    ),
    Misconception(
        name="bfloat16-weights",
        kind="form",
        answer=code.in_bfloat16,
        believed="Weights need few digits.",
        says="Your weights have a half-precision type whatever the scores are, bfloat16 or "
        "another, and two or three digits. Weights have the dtype of the scores.",
        hints=(
            "Print the dtype of the scores and of your result.",
            "bfloat16 keeps eight bits of a number, and float16 eleven.",
            "Leave the type as it is.",
        ),
    ),
    Misconception(
        name="an-array",
        kind="form",
        answer=code.as_an_array,
        believed="A NumPy array is a tensor.",
        says="You return the right numbers in a NumPy array. The task asks for a tensor.",
        hints=(
            "What is the type of your result?",
            "Leave out numpy().",
        ),
    ),
    Misconception(
        name="divided-by-the-number-of-keys",
        answer=code.divided_by_the_number,
        believed="To share out is to divide by how many there are.",
        says="You divide by the number of keys, so your rows do not sum to 1. Divide each row by "
        "the sum of its exponentials.",
        hints=(
            "Print the sum of each of your rows.",
            "What must a row be divided by so that it sums to 1?",
            "Divide the powers by their sum along the keys, which keeps that axis.",
        ),
    ),
    Misconception(
        name="largest-in-size",
        answer=code.minus_the_largest_in_size,
        believed="The largest is the one that is furthest from 0.",
        says="You subtract the largest of the scores without their signs. Where all scores of a "
        "row are near -1000, that leaves exponents near -2000: every exp is 0, and 0 / 0 is nan.",
        hints=(
            "Which number do you subtract from the row [-1000, -999]?",
            "After the subtraction, the largest exponent of a row should be 0.",
            "Leave out abs.",
        ),
    ),
    Misconception(
        name="scores-made-smaller",
        answer=code.squeezed,
        variants=(partial(code.squeezed, least=1e-9),),
        believed="Scores may be divided by their largest, so that exp does not overflow.",
        says="You divide the scores by the largest of them in size, or by something like it. That "
        "changes their differences, and with them the ratios of the weights.",
        hints=(
            "Two scores differ by 5. What is the ratio of their weights, and what is it in yours?",
            "Which change of all scores of a row leaves their differences as they are?",
            "Subtract the largest score of each row.",
        ),
    ),
)

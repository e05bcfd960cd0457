"""How 06.layer_norm_rows goes wrong."""

from functools import partial

from exercise_bank.ch06.mistakes import layer_norm_rows_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="no-eps",
        answer=code.no_eps,
        believed="eps is so small that it can be left out.",
        says="Your output does not depend on eps: it is the same for eps=1.0 as for eps=0.0. A "
        "token of equal numbers has variance 0, so without eps its output becomes nan.",
        hints=(
            "What is your output for the token [4, 4, 4]?",
            "One argument of your function is never used.",
            "eps is added to the variance. Is that before or after the root?",
        ),
        kind="form",
    ),
    Misconception(
        name="eps-outside",
        answer=code.eps_outside,
        believed="eps is added to the divisor.",
        says="You add eps to the standard deviation, not to the variance. With eps = 1e-5 and "
        "variance 4 that hardly makes a difference. But with eps = 1 you divide by 3, and the "
        "formula divides by the root of 5.",
        hints=(
            "If the variance is 4 and eps is 1, by which number do you divide, and by which does "
            "the formula?",
            "Check the order of two operations: adding eps and taking the root.",
            "Which of the two comes first in the formula?",
        ),
        kind="form",
    ),
    Misconception(
        name="divisor-m-minus-1",
        answer=code.unbiased,
        believed="var() gives the variance of the formula.",
        says="Before gain and shift, and for a small eps, your numbers are too small by a factor "
        "of the root of (m - 1)/m, which is 0.71 at width 2. By default, torch.var and torch.std "
        "divide the sum of squares by m - 1, but LayerNorm divides by m.",
        hints=(
            "What is the mean of the squares of your output?",
            "By which number does torch.var divide? See its argument `correction`.",
            "The formula takes the plain mean of the squares.",
        ),
    ),
    Misconception(
        name="no-root",
        answer=code.no_root,
        believed="The divisor is the variance.",
        says="You divide by the variance itself, not by its root, so a token that is twice as far "
        "from its mean comes out half as large.",
        variants=(code.no_root_unbiased,),
        hints=(
            "What happens to your output when x is doubled?",
            "Variance has the unit of x squared. Which quantity has the unit of x?",
            "An operation is missing between the variance and the division.",
        ),
    ),
    Misconception(
        name="over-axis-0",
        answer=code.over_tokens,
        believed="A norm averages each feature over the tokens.",
        says="Your mean runs over axis 0, so it mixes tokens, or sequences. A single token becomes "
        "all zeros.",
        hints=(
            "What is your output for a single token?",
            "Which axis counts the features of one token, in (q, m) and in (b, q, m)?",
            "Count the axis from the end.",
        ),
    ),
    Misconception(
        name="over-axis-1",
        answer=code.over_axis_1,
        believed="The features are axis 1.",
        says="Your mean runs over axis 1. That is the axis of the features in (q, m), and the axis "
        "of the tokens in (b, q, m); a single token (m,) has no axis 1.",
        hints=(
            "Which axis counts the features of one token, in (q, m) and in (b, q, m)?",
            "Count the axis from the end.",
        ),
    ),
    Misconception(
        name="over-everything",
        answer=code.over_everything,
        believed="There is one mean for the whole tensor.",
        says="You compute one mean and one variance from all tokens together, so with several "
        "tokens, not each of your rows has mean 0.",
        hints=(
            "What is the mean of each row of your output?",
            "x.mean() is one number. How many means are needed?",
            "Compute a mean for each token, over the last axis, and keep it as an axis of length "
            "1.",
        ),
    ),
    Misconception(
        name="not-centred",
        answer=code.not_centred,
        believed="A norm only scales.",
        says="You compute RMSNorm, which does not subtract the mean. Adding 5 to all of x changes "
        "your output, but the output of LayerNorm does not change.",
        hints=(
            "What is the mean of your first row?",
            "What does LayerNorm do before it squares?",
            "The mean is subtracted both above the fraction line and inside the variance.",
        ),
    ),
    Misconception(
        name="no-gain-no-shift",
        answer=code.no_gain,
        believed="The output of a norm has variance 1.",
        says="Your output does not depend on gain and shift. You leave out the learned part.",
        hints=(
            "Which two arguments do you not use?",
            "Each feature is multiplied by a number of its own, and a second one is added.",
            "Which of the two comes first?",
        ),
    ),
    Misconception(
        name="shift-before-gain",
        answer=code.shift_first,
        believed="The order of gain and shift does not matter.",
        says="You add the shift first and then multiply, so the shift is multiplied by the gain, "
        "too. With gain 0 your output is 0, but it should be the shift.",
        hints=(
            "What should the output be for a gain of 0?",
            "Two operations are in the wrong order.",
            "Read the formula from the fraction outwards.",
        ),
    ),
    said(
        "shift-left-out",
        code.no_shift,
        "A norm has a gain only.",
        "Your output does not depend on `shift`. With gain 0 it is 0, but it should be the shift.",
        "Which argument do you not use?",
        "The shift is added at the very end.",
    ),
    said(
        "gain-left-out",
        code.shift_alone,
        "The output of a norm has variance 1.",
        "Your output does not depend on `gain`. Each feature should be multiplied by its gain.",
        "Which argument do you not use?",
        "The gain multiplies the normalised token, before the shift is added.",
    ),
    said(
        "squares-not-centred",
        code.about_zero,
        "The mean is subtracted only above the fraction line.",
        "You subtract the mean above the fraction line, but square x itself below it. A token far "
        "from 0, such as (101, 103), then comes out nearly 0.",
        "What is your output for (1, 3), and for (101, 103)?",
        "The variance is the mean square of which numbers?",
        "Square the centred numbers.",
    ),
    said(
        "eps-as-a-floor",
        code.clamped,
        "eps only matters if the variance is smaller.",
        "You take the larger of variance and eps. They should be added: with variance 1 and eps 3 "
        "the divisor is the root of 4.",
        "By which number do you divide (1, 3) with eps = 3?",
        "The formula does not compare numbers.",
        "Always add eps to the variance.",
        kind="form",
    ),
    said(
        "mean-distance",
        code.mean_distance,
        "The spread is the mean distance from the mean.",
        "You divide by the mean distance from the mean, so the mean of your squares is not 1. The "
        "divisor should be the root of the mean square.",
        "What is the mean square of your token?",
        "How is the variance defined?",
        "Square, average, add eps, take the root.",
    ),
    said(
        "one-plus-gain",
        code.one_plus_gain,
        "A gain is stored as its distance from 1.",
        "You multiply by 1 + gain. That is right for models that store the gain minus 1. But with "
        "gain 0, your output still depends on x, and here it should not.",
        "What should the output be for a gain of 0?",
        "Multiply by the gain itself.",
    ),
    said(
        "sum-for-mean",
        code.summed_squares,
        "A norm returns a vector of length 1.",
        "You divide by the root of the sum of the squares, which gives vectors of length 1. Your "
        "numbers are too small by a factor of the root of m.",
        "What is the mean square of your token, and what is the sum of its squares?",
        "A variance is a mean.",
        "Divide the sum by m.",
    ),
    said(
        "over-each-sequence",
        code.over_sequence,
        "One sequence is normalised at a time.",
        "You compute one mean over a whole sequence. If one token changes, your output "
        "then also changes for the other tokens of its sequence.",
        "Change the last token of a sequence. Does your output for the first token change?",
        "Which axis contains the features of one token?",
        "Compute mean and variance over the last axis only.",
        variants=(code.over_two_axes,),
    ),
    said(
        "mean-left-in",
        code.mean_left_in,
        "A variance subtracts the mean already.",
        "You divide x itself, not x minus its mean. The variance is computed about the mean, but "
        "that does not move the token: its mean should be 0 as well.",
        "What is the mean of your output for the token (1, 3)?",
        "Subtract the mean of each token before you divide.",
        variants=(code.mean_left_in_unbiased,),
    ),
    said(
        "eps-of-its-own",
        partial(code.eps_of_its_own, own=1e-12),  # near the eps of most draws
        "eps is 1e-5.",
        "You add a small number of your own to the variance, and not the argument `eps`. With the "
        "eps of 3 in the example, (1, 3) is divided by 2.",
        "Which argument of your function do you not use?",
        "Write variance + eps.",
        variants=tuple(partial(code.eps_of_its_own, own=own) for own in (1e-5, 1e-6, 1e-8)),
        kind="form",
    ),
    said(
        "divided-by-the-gain",
        code.divided_by_the_gain,
        "A gain is a spread to divide by.",
        "You divide by the gain, but you should multiply by it. A feature with twice the gain "
        "should come out twice as large.",
        "What should the output of a feature be if its gain is 0?",
        "Multiply by the gain.",
    ),
    said(
        "shift-subtracted",
        code.shift_subtracted,
        "The shift is subtracted, like the mean.",
        "You subtract the shift, but it should be added.",
        "What should the output be for a gain of 0?",
        "Change one sign.",
    ),
    said(
        "eps-squared",
        code.eps_squared,
        "eps is a spread.",
        "You add the square of eps to the variance. The formula adds eps itself, under the root.",
        "If the variance is 1 and eps is 3, by which number do you divide?",
        "Write variance + eps.",
        kind="form",
    ),
    said(
        "one-mean-for-all-tokens",
        code.one_mean,
        "The tokens share a mean.",
        "You divide each token by a spread of its own, but subtract the same mean from all tokens. "
        "Each token has its own mean, too.",
        "What is the mean of each of your tokens, with gain 1 and shift 0?",
        "Take the mean over the last axis, and keep that axis.",
    ),
    said(
        "one-spread-for-all-tokens",
        code.one_spread,
        "The tokens share a variance.",
        "You subtract the mean of each token, but divide all tokens by the same spread. Each token "
        "has its own spread. In your output, the spreads of the tokens still differ.",
        "What is the variance of each of your tokens, with gain 1 and shift 0?",
        "Take the variance over the last axis, and keep that axis.",
        variants=(code.one_spread_of_centred,),
    ),
    said(
        "gain-before-the-norm",
        code.gain_first,
        "The gain scales the input.",
        "You multiply by the gain before the norm, so the gain changes mean and variance. It "
        "should come after the norm.",
        "With a gain of 2 for all features, does your output change?",
        "First normalise, then multiply by the gain, and then add the shift.",
        kind="form",
    ),
    said(
        "brackets-missing",
        code.no_brackets,
        "x - mean / spread is read from left to right.",
        "You divide the mean by the spread and subtract the result from x, because Python divides "
        "before it subtracts. The whole difference should be divided.",
        "What is 8 - 2 / 2 in Python?",
        "Put x - mean into brackets.",
    ),
)

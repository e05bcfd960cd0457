"""How 06.fold_gain goes wrong."""

from exercise_bank.ch06.mistakes import fold_gain_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="rows-scaled",
        answer=code.rows_scaled,
        believed="A gain belongs to an output of the layer.",
        says="You scale the rows of the matrix, which are the outputs. The gain belongs to the "
        "features that come in. If the matrix is not square, the shapes do not fit.",
        hints=(
            "How long is gain: as long as the layer has inputs, or outputs?",
            "Feature j of y meets entry [i, j] of the weight, for every i.",
            "It is the columns that are scaled.",
        ),
    ),
    Misconception(
        name="shift-added-to-bias",
        answer=code.shift_added,
        believed="A shift before the layer is a shift after it.",
        says="You add the shift to the bias as it is. But the shift is added before the matrix, so "
        "the matrix acts on it. Their lengths differ as soon as the matrix is not square.",
        hints=(
            "How long is shift, and how long is bias?",
            "Multiply W (y + shift) out.",
            "The shift passes through the matrix first.",
        ),
    ),
    Misconception(
        name="shift-scaled-too",
        answer=code.shift_twice_scaled,
        believed="Once folded, the new matrix is used everywhere.",
        says="You let the folded matrix act on the shift, so the shift is multiplied by the gain. "
        "In the norm the shift comes after the gain.",
        hints=(
            "With gain 0, does the shift still reach the output of norm and layer?",
            "Which of the two matrices multiplies the shift in W (gain * y + shift)?",
            "Look at the order of your two lines.",
        ),
    ),
    Misconception(
        name="shift-forgotten",
        answer=code.shift_forgotten,
        believed="A norm has a gain only.",
        says="Your layer does not depend on the shift. For y = 0 norm and layer give W shift + b, "
        "and yours gives b.",
        hints=(
            "What do norm and layer give together for y = 0?",
            "Which argument do you not use?",
            "It has to become part of the bias.",
        ),
    ),
    Misconception(
        name="gain-forgotten",
        answer=code.gain_forgotten,
        believed="A gain can be left out, since training would undo it.",
        says="Your weight is the old one, so the gain is lost unless it is 1.",
        hints=(
            "What does doubling the gain do to the output? And to yours?",
            "Which argument do you not use?",
            "It scales what the matrix reads.",
        ),
    ),
    Misconception(
        name="divided",
        answer=code.divided,
        believed="To take the gain out, divide by it.",
        says="You divide by the gain. The norm will no longer multiply by it, so the matrix has to "
        "do that instead.",
        hints=(
            "With gain 2, does the folded matrix have to be larger or smaller?",
            "The gain goes into the matrix; it is not taken out of it.",
            "One sign of arithmetic has to change.",
        ),
    ),
    Misconception(
        name="bias-replaced",
        answer=code.bias_replaced,
        believed="The shift becomes the bias.",
        says="Your new bias leaves out the bias that the layer had. With a shift of 0, yours is 0.",
        hints=(
            "What does the layer give for y = 0 and shift 0?",
            "Which argument do you not use?",
            "The new bias has two parts.",
        ),
    ),
    Misconception(
        name="subtracted",
        answer=code.subtracted,
        believed="What moves to the other side changes its sign.",
        says="You subtract W shift from the bias; the output then lacks it twice.",
        hints=(
            "Multiply W (gain * y + shift) + b out. What sign has each part?",
            "Nothing is moved across an equals sign here.",
            "One sign has to change.",
        ),
    ),
    Misconception(
        name="mean-gain",
        answer=code.mean_gain,
        believed="The gain is one number.",
        says="You multiply the whole matrix by the mean of the gains. Each feature has a gain of "
        "its own.",
        hints=(
            "Take gains 0 and 2. Which column of the matrix should vanish?",
            "gain is a vector with one entry for each input feature.",
            "Scale column by column.",
        ),
    ),
    said(
        "shift-from-the-other-side",
        code.upright,
        "It does not matter on which side a vector stands.",
        "You multiply the shift with the wrong axis of the weight, as shift @ weight does, or a "
        "weight that is reshaped or taken as square. Row i of the weight makes output i, so the "
        "shift meets each row.",
        "How long is W shift, when W is (out, in)?",
        "Row i of the matrix makes output i.",
        "In W shift, the shift is in the place of y: behind the matrix.",
        variants=(code.reshaped,),
    ),
    said(
        "bias-scaled-after",
        code.bias_scaled,
        "The gain acts on all that the layer adds.",
        "You multiply W shift by the gain. The gain belongs to features that come in, and W shift "
        "is what comes out.",
        "Multiply W (gain * y + shift) out. Which product holds both gain and shift?",
        "None does: the shift is added after the gain.",
    ),
    said(
        "bias-first",
        code.bias_first,
        "The order of the two results does not matter.",
        "You return the bias first. The weight comes first, and then the bias.",
        "What shapes have your first and your second result?",
        "Swap them.",
        kind="form",
    ),
    said(
        "gain-added",
        code.gain_added,
        "Folding in means adding.",
        "You add the gain to the weight. The gain multiplies a feature, so it multiplies the "
        "column that reads it.",
        "What should become of a column whose gain is 0?",
        "Multiply in place of adding.",
    ),
    said(
        "one-plus-gain",
        code.one_plus,
        "A gain is stored as its distance from 1.",
        "You multiply by 1 + gain, as for norms that store the gain minus 1. A gain of 0 should "
        "make a column of zeros.",
        "What is your weight for a gain of 1?",
        "The gain itself is the factor.",
    ),
    said(
        "shift-in-the-weight",
        code.shift_in_weight,
        "All that is in the bracket goes into the matrix.",
        "You add the shift to the weight. Then it is multiplied by y; the shift reaches the output "
        "also where y is 0.",
        "What does your layer give for y = 0?",
        "What does not depend on y belongs to the bias.",
    ),
    said(
        "bias-times-gain",
        code.bias_through,
        "The gain scales the whole layer.",
        "You multiply the layer's own bias by the gain. The bias is added behind the matrix, where "
        "no gain acts.",
        "What do norm and layer give for y = 0 and shift 0?",
        "The old bias stays as it is.",
    ),
    said(
        "written-into-the-weight",
        code.written_into,
        "The weight that is given may be changed.",
        "You write into the weight that you were given, so it no longer holds the numbers with "
        "which your function was called.",
        "After your function, what does the weight hold that it was called with?",
        "weight * gain makes a new tensor; *= and mul_ do not.",
        kind="form",
    ),
    said(
        "shift-summed",
        code.shift_summed,
        "The shift adds the same to every output.",
        "You make one number of the whole shift and add it to every output. Each output reads the "
        "shift with weights of its own.",
        "What is row i of the matrix times the shift?",
        "A product with the matrix is missing.",
        variants=(code.mean_of_shift,),
    ),
    said(
        "shift-as-one-number",
        code.shift_averaged,
        "The shift is the same for all features.",
        "You make one number of the whole shift and multiply it by the sums of the rows. Each "
        "feature has its own shift, and it meets its own column of the weight.",
        "With a shift of (1, 0), which column of the weight reaches the bias? And in yours?",
        "Row i times the shift is a sum of products, entry by entry.",
        "Use weight @ shift.",
        variants=(code.entry_times_shift,),
    ),
    said(
        "one-number-for-all-outputs",
        code.all_rows_summed,
        "The shift's part is one number.",
        "You add one and the same number to every output: a sum or a mean over all rows of the "
        "matrix. Row i times the shift belongs to output i alone.",
        "How long is W shift, when W is (out, in)?",
        "Sum over the features that come in, and not over the outputs.",
        variants=(code.all_rows_averaged,),
    ),
    said(
        "summed-down-the-columns",
        code.columns_summed,
        "The sum runs over the first axis.",
        "You multiply each column by its shift, which is right, and then sum down the columns. An "
        "output is a row, so the sum runs along the rows.",
        "How long is your sum, if the matrix is not square? And how long is bias?",
        "Sum over the last axis, or use weight @ shift.",
    ),
    said(
        "mean-along-the-rows",
        code.row_means,
        "The shift's part is an average.",
        "You take the mean of a row times the shift. A matrix adds the products up and divides by "
        "nothing.",
        "With weights and shifts of 1, what does a layer of 4 inputs give? And yours?",
        "Use weight @ shift.",
    ),
    said(
        "shift-divided-by-the-gain",
        code.shift_divided,
        "What goes into the layer has been divided by the gain.",
        "You divide the shift by the gain on its way into the bias. In the norm the shift comes "
        "after the gain, so the gain does not change it.",
        "What does the layer read where the normalised token is 0?",
        "Use weight @ shift, with the old weight.",
    ),
    said(
        "weight-transposed",
        code.weight_transposed,
        "The layout of the weight is (in, out).",
        "Your weight is transposed. It should have the layout (out, in), as the one that is given.",
        "What shape has your weight, and what shape has the one that is given?",
        "Leave out the transpose.",
    ),
    said(
        "bias-as-a-column",
        code.bias_as_column,
        "A bias is a column.",
        "Your bias has two axes. It should have one, like the bias that is given.",
        "What shape has weight @ shift, for a shift of shape (m,)?",
        "Take the shift as it comes, with one axis.",
    ),
    said(
        "weight-summed",
        code.weight_summed,
        "The gain is multiplied with the matrix as a vector is.",
        "You return weight @ gain, which sums over the features. Each column of the weight should "
        "be multiplied by its gain, and stay a column.",
        "What shape has your weight?",
        "weight * gain multiplies column j by gain j.",
    ),
    said(
        "bias-times-the-mean-gain",
        code.bias_times_mean_gain,
        "The gain scales what the layer adds, on average.",
        "You multiply the layer's own bias by the mean of the gains. It is added behind the "
        "matrix, where no gain acts.",
        "What do norm and layer give for y = 0 and shift 0?",
        "The old bias stays as it is.",
        variants=(code.bias_all_times_mean_gain,),
    ),
    said(
        "nothing-folded",
        code.nothing_folded,
        "The norm's part can be left out.",
        "You return weight and bias as they came. The layer has to do the norm's gain and shift "
        "as well.",
        "Which of your arguments do you not use?",
        "Multiply W (gain * y + shift) + b out.",
    ),
)

"""How 06.fold_gain goes wrong."""

from exercise_bank.ch06.mistakes import fold_gain_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="rows-scaled",
        answer=code.rows_scaled,
        believed="A gain belongs to an output of the layer.",
        says="You scale the rows of the matrix, which belong to the outputs. The gain belongs to "
        "the input features, which are the columns.",
        hints=(
            "Is the length of gain the number of inputs of the layer, or of outputs?",
            "Feature j of y is multiplied by entry [i, j] of the weight, for every i.",
            "Scale the columns.",
        ),
    ),
    Misconception(
        name="shift-added-to-bias",
        answer=code.shift_added,
        believed="A shift before the layer is the same as a shift after it.",
        says="You add the shift to the bias as it is. But the shift is added before the matrix, so "
        "it is multiplied by the matrix. If the matrix is not square, shift and bias even differ "
        "in length.",
        hints=(
            "How long is shift, and how long is bias?",
            "Multiply out W (y + shift).",
            "The shift is multiplied by the matrix first.",
        ),
    ),
    Misconception(
        name="shift-scaled-too",
        answer=code.shift_twice_scaled,
        believed="The folded matrix replaces the old one everywhere.",
        says="You multiply the shift by the folded matrix, so it is multiplied by the gain, too. "
        "In the norm, the shift is added after the gain, so it is not scaled by it.",
        hints=(
            "With gain 0, does the output of norm and layer still depend on the shift?",
            "Which of the two matrices multiplies the shift in W (gain * y + shift)?",
            "Use the old matrix for the shift.",
        ),
    ),
    Misconception(
        name="shift-forgotten",
        answer=code.shift_forgotten,
        believed="A norm has a gain only.",
        says="Your layer does not depend on the shift. For y = 0, norm and layer give W shift + b, "
        "but yours gives b.",
        hints=(
            "What do norm and layer give together for y = 0?",
            "Which argument do you not use?",
            "The shift has to become a part of the bias.",
        ),
    ),
    Misconception(
        name="gain-forgotten",
        answer=code.gain_forgotten,
        believed="A gain can be left out, since training would undo it.",
        says="Your weight is the old one, so the gain is lost. That is right only for a gain of 1.",
        hints=(
            "If you double the gain, how does the output of norm and layer change, and how does "
            "yours?",
            "Which argument do you not use?",
            "The gain scales the input of the matrix.",
        ),
    ),
    Misconception(
        name="divided",
        answer=code.divided,
        believed="To remove the gain from the norm, divide by it.",
        says="You divide by the gain. The norm will no longer multiply by it, so the matrix has to "
        "multiply by it instead.",
        hints=(
            "With gain 2, does the folded matrix have to be larger or smaller?",
            "The matrix has to include the gain.",
            "Multiply instead of dividing.",
        ),
    ),
    Misconception(
        name="bias-replaced",
        answer=code.bias_replaced,
        believed="The shift becomes the bias.",
        says="Your new bias leaves out the old bias of the layer. With a shift of 0 yours is 0, "
        "but it should be the old bias.",
        hints=(
            "What does the layer give for y = 0 and shift 0?",
            "Which argument do you not use?",
            "The new bias is a sum of two parts.",
        ),
    ),
    Misconception(
        name="subtracted",
        answer=code.subtracted,
        believed="The shift changes its sign when it moves to the bias.",
        says="You subtract W shift from the bias, but it should be added.",
        hints=(
            "Multiply out W (gain * y + shift) + b. What is the sign of each part?",
            "No term moves across an equals sign here.",
            "One sign has to change.",
        ),
    ),
    Misconception(
        name="mean-gain",
        answer=code.mean_gain,
        believed="The gain is one number.",
        says="You multiply the whole matrix by the mean of the gains, but each feature has a gain "
        "of its own.",
        hints=(
            "For gains 0 and 2, which column of the matrix should become 0?",
            "gain is a vector with one entry for each input feature.",
            "Scale column by column.",
        ),
    ),
    said(
        "shift-from-the-other-side",
        code.upright,
        "It does not matter from which side a vector is multiplied.",
        "You multiply the shift along the wrong axis of the weight, as in shift @ weight, or in a "
        "product with a weight that is reshaped or assumed to be square. Row i of the weight "
        "computes output i, so each row should be multiplied by the shift.",
        "How long is W shift, if W is (out, in)?",
        "Row i of the matrix computes output i.",
        "In W shift, the shift takes the place of y, behind the matrix.",
        variants=(code.reshaped,),
    ),
    said(
        "bias-scaled-after",
        code.bias_scaled,
        "The gain scales the whole bias from the shift.",
        "You multiply W shift by the gain. But the gain belongs to the input features, and W shift "
        "belongs to the outputs.",
        "Multiply out W (gain * y + shift). Which product contains both gain and shift?",
        "No product does, because the shift is added after the gain.",
    ),
    said(
        "bias-first",
        code.bias_first,
        "The order of the two results does not matter.",
        "You return the bias first. The weight should come first, and then the bias.",
        "What are the shapes of your first and your second result?",
        "Swap them.",
        kind="form",
    ),
    said(
        "gain-added",
        code.gain_added,
        "To fold the gain in means to add it.",
        "You add the gain to the weight. The gain multiplies an input feature, so it should "
        "multiply the column of that feature.",
        "What should a column be if its gain is 0?",
        "Multiply instead of adding.",
    ),
    said(
        "one-plus-gain",
        code.one_plus,
        "A gain is stored as its distance from 1.",
        "You multiply by 1 + gain, as for norms that store the gain minus 1. Here a gain of 0 "
        "should give a column of zeros.",
        "For a gain of 1, what is your weight, and what should it be?",
        "Multiply by the gain itself.",
    ),
    said(
        "shift-in-the-weight",
        code.shift_in_weight,
        "Gain and shift both become part of the matrix.",
        "You add the shift to the weight, so it is multiplied by y. But the output depends on the "
        "shift even for y = 0.",
        "What is the output of your layer for y = 0?",
        "Parts of the output that do not depend on y belong to the bias.",
    ),
    said(
        "bias-times-gain",
        code.bias_through,
        "The gain scales the whole layer.",
        "You multiply the layer's own bias by the gain. The bias is added after the matrix, so the "
        "gain does not change it.",
        "What do norm and layer give for y = 0 and shift 0?",
        "Keep the old bias as it is.",
    ),
    said(
        "written-into-the-weight",
        code.written_into,
        "The function may change its argument.",
        "You write into the weight that is your argument, so the caller no longer has the original "
        "numbers.",
        "Which numbers does the argument contain after a call of your function?",
        "weight * gain creates a new tensor, but *= and mul_ do not.",
        kind="form",
    ),
    said(
        "shift-summed",
        code.shift_summed,
        "The shift adds the same to every output.",
        "You reduce the whole shift to one number and add it to every output. Each output should "
        "get the shift multiplied by its own row of weights.",
        "What is row i of the matrix times the shift?",
        "A product with the matrix is missing.",
        variants=(code.mean_of_shift,),
    ),
    said(
        "shift-as-one-number",
        code.shift_averaged,
        "The shift is the same for all features.",
        "You reduce the whole shift to one number and multiply it by the sums of the rows. Each "
        "feature has its own shift, which should be multiplied by its own column of the weight.",
        "For a shift of (1, 0), which column of the weight should be added to the bias, and which "
        "do you add?",
        "Row i times the shift is a sum of products, entry by entry.",
        "Use weight @ shift.",
        variants=(code.entry_times_shift,),
    ),
    said(
        "one-number-for-all-outputs",
        code.all_rows_summed,
        "The shift's part is one number.",
        "You add the same number to every output, a sum or a mean over all rows of the matrix. Row "
        "i times the shift belongs to output i alone.",
        "How long is W shift, if W is (out, in)?",
        "Sum over the input features, not over the outputs.",
        variants=(code.all_rows_averaged,),
    ),
    said(
        "summed-down-the-columns",
        code.columns_summed,
        "The sum runs over the first axis.",
        "You multiply each column by its shift, which is right, but then sum down the columns. An "
        "output is a row, so the sum should run along the rows.",
        "If the matrix is not square, how long is your sum, and how long is the bias?",
        "Sum over the last axis, or use weight @ shift.",
    ),
    said(
        "mean-along-the-rows",
        code.row_means,
        "The shift's part is an average.",
        "You take the mean of a row times the shift. A product with a matrix adds up these "
        "numbers, without a division.",
        "With weights and shifts of 1, what should the part of the shift be for 4 inputs, and what "
        "is yours?",
        "Use weight @ shift.",
    ),
    said(
        "shift-divided-by-the-gain",
        code.shift_divided,
        "The input of the layer has been divided by the gain.",
        "You divide the shift by the gain before you add it to the bias. In the norm the shift is "
        "added after the gain, so the gain does not change it.",
        "What is the input of the layer if the normalised token is 0?",
        "Use weight @ shift, with the old weight.",
    ),
    said(
        "weight-transposed",
        code.weight_transposed,
        "The layout of the weight is (in, out).",
        "Your weight is transposed. It should have the layout (out, in), like the one that you are "
        "given.",
        "What is the shape of your weight, and what is that of the one that you are given?",
        "Leave out the transpose.",
    ),
    said(
        "bias-as-a-column",
        code.bias_as_column,
        "A bias is a column.",
        "Your bias has two axes. It should have one, like the bias that you are given.",
        "For a shift of shape (m,), what is the shape of weight @ shift?",
        "Use the shift as it is, with one axis.",
    ),
    said(
        "weight-summed",
        code.weight_summed,
        "The matrix is multiplied by the gain, as by a vector.",
        "You return weight @ gain, which sums over the features. Each column of the weight should "
        "only be multiplied by its gain, and remain a column.",
        "What is the shape of your weight?",
        "weight * gain multiplies column j by gain j.",
    ),
    said(
        "bias-times-the-mean-gain",
        code.bias_times_mean_gain,
        "On average, the gain scales the bias of the layer.",
        "You multiply the layer's own bias by the mean of the gains. The bias is added after the "
        "matrix, so the gains do not change it.",
        "What do norm and layer give for y = 0 and shift 0?",
        "Keep the old bias as it is.",
        variants=(code.bias_all_times_mean_gain,),
    ),
    said(
        "nothing-folded",
        code.nothing_folded,
        "Gain and shift can be left out.",
        "You return weight and bias unchanged. The new layer also has to apply the gain and the "
        "shift of the norm.",
        "Which of the arguments do you not use?",
        "Multiply out W (gain * y + shift) + b.",
    ),
)

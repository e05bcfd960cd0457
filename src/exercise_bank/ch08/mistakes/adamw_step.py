"""How 08.adamw_step goes wrong."""

from torch import Tensor

from exercise_bank.ch08.mistakes.adamw_step_code import (
    ascends,
    averages_swapped,
    corrected_behind_the_root,
    corrections_swapped,
    coupled,
    decay_added,
    decay_behind,
    decay_divided,
    decay_divided_before_correction,
    decay_without_rate,
    delta_before_the_correction,
    delta_inside,
    first_power,
    half_of_the_decay,
    hands_on_corrected,
    no_correction,
    no_decay,
    no_root,
    old_averages,
    one_step_more,
    only_mean_corrected,
    only_square_corrected,
    raw_gradient,
    shares_swapped,
    square_of_mean,
    textbook_beta,
)
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

State = tuple[Tensor, Tensor, Tensor]

MISCONCEPTIONS = (
    Misconception(
        name="no-correction",
        answer=no_correction,
        believed="The averages can be used as they are.",
        says="Your first step is 0.447 times the rate, because the averages begin at 0 and you do "
        "not correct for that.",
        hints=(
            "By what factor is the mean too small after one step? And the square?",
            "After t steps of a constant gradient g, the mean is (1 − 0.9^t) g.",
            "Two divisions are missing, before the quotient.",
        ),
    ),
    Misconception(
        name="only-mean-corrected",
        answer=only_mean_corrected,
        believed="Only the mean is too small at the start.",
        says="You correct the mean but not the square, so a first step is 4.47 times the rate.",
        hints=(
            "Where does the average of squares begin?",
            "Both averages begin at 0, and each has its own β.",
            "One division is missing, under the root.",
        ),
    ),
    Misconception(
        name="only-square-corrected",
        answer=only_square_corrected,
        believed="Only the square is too small at the start.",
        says="You correct the square but not the mean, so a first step is a tenth of the rate.",
        hints=(
            "Where does the average of gradients begin?",
            "Both averages begin at 0, and each has its own β.",
            "One division is missing, above the root.",
        ),
    ),
    Misconception(
        name="no-root",
        answer=no_root,
        believed="The gradient is divided by the mean square.",
        says="You divide by the mean square itself. If all gradients grow by a factor of 100, your "
        "steps shrink to a hundredth, although they should stay the same.",
        hints=(
            "Scale all gradients by 100. How should the first step change?",
            "A mean over a mean square has the unit 1/gradient.",
            "The size of a gradient is a *root* mean square.",
        ),
    ),
    Misconception(
        name="delta-inside",
        answer=delta_inside,
        believed="δ goes under the root.",
        says="You add δ before you take the root. For gradients near 1e-7 the root of δ, 1e-4, is "
        "far larger than they are, and your steps are far too short.",
        hints=(
            "What is the root of 1e-8?",
            "With ordinary gradients it does not matter. Try one of 1e-7.",
            "Take the root first.",
        ),
        kind="form",
    ),
    Misconception(
        name="delta-before-the-correction",
        answer=delta_before_the_correction,
        believed="The correction may be done after the quotient.",
        says="You add δ to the root before the square is corrected, as a short form of the "
        "formula does. δ is added to the root of the corrected square. It shows where gradients "
        "are near δ.",
        hints=(
            "What is under the root in the formula: the average, or the corrected average?",
            "With ordinary gradients it does not matter. Try one of 1e-8.",
            "Correct both averages first, then take the root and add δ.",
        ),
        kind="corner",
    ),
    Misconception(
        name="coupled",
        answer=coupled,
        believed="Decay is part of the gradient.",
        says="You add decay·weight to the gradient, as L2 does. So the decay, too, is averaged and "
        "divided by the size of the gradient, and your averages depend on it.",
        hints=(
            "Should mean and square change when decay does?",
            "The W of AdamW is for weight decay. Where in the formula is it?",
            "Subtract it from the weight, apart from the step.",
        ),
    ),
    said(
        "decay-divided",
        decay_divided,
        "Decay is part of the step.",
        "Your averages are right, but you add decay·weight to the mean before the division. So the "
        "decay is divided by the size of the gradient as well; if no gradient came, you divide it "
        "by δ.",
        "How far does your weight move if gradient, mean and square are all 0?",
        "Subtract rate · decay · weight by itself, beside the quotient.",
        variants=(decay_divided_before_correction,),
    ),
    Misconception(
        name="decay-without-rate",
        answer=decay_without_rate,
        believed="Each step subtracts the share `decay` of a weight.",
        says="You subtract decay · weight, without the factor of the rate.",
        hints=(
            "At rate 0, how far should the weight move?",
            "PyTorch multiplies the decay by something that the schedule changes.",
            "One factor is missing in the decay.",
        ),
    ),
    Misconception(
        name="hands-on-corrected",
        answer=hands_on_corrected,
        believed="The corrected averages are the state.",
        says="Your weight is right. You return a corrected average, of the gradients or of their "
        "squares, so the next step would correct it again.",
        hints=(
            "What will the next call do with mean and square?",
            "Correct copies, and keep the averages.",
            "Give the corrected averages names of their own.",
        ),
    ),
    Misconception(
        name="averages-swapped",
        answer=averages_swapped,
        believed="0.95 belongs to the mean.",
        says="Your mean keeps 0.95 of its old value, as if the two values of β were exchanged. β₁ "
        "= 0.9 belongs to the mean, and β₂ = 0.95 to the square.",
        hints=(
            "Which average changes more slowly?",
            "β₁ = 0.9 belongs to the gradient.",
            "Exchange the two numbers, in the corrections too.",
        ),
    ),
    said(
        "corrections-swapped",
        corrections_swapped,
        "Either correction works for either average.",
        "Your averages are right, but you correct each with the other's β. Your first step is 2.83 "
        "times the rate; with the right corrections it equals the rate.",
        "The mean of a constant gradient g is (1 − 0.9^t) g after t steps. By which number do you "
        "divide it?",
        "An average is too small by the β that it was made with.",
        "1 − 0.9^t belongs to the mean, 1 − 0.95^t to the square.",
    ),
    said(
        "corrected-behind-the-root",
        corrected_behind_the_root,
        "The root of the square is corrected like the square.",
        "Your averages are right, but you divide the root of the square by 1 − 0.95^t. Your first "
        "step is 0.224 times the rate; with the right correction it equals the rate.",
        "After one step the square is 0.05 g². What is its root, and by which factor is that too "
        "small?",
        "The average of squares is too small by that factor, not its root.",
        "Correct the square, then take the root.",
    ),
    Misconception(
        name="first-power",
        answer=first_power,
        believed="The correction is 1 − β at every step.",
        says="You divide by 1 − β at every step, not by 1 − β^t. The two agree only at the first "
        "step; later, the averages need less and less correction.",
        hints=(
            "By how much is the mean too small after 400 steps?",
            "The correction should become smaller with each step.",
            "The correction depends on t.",
        ),
    ),
    Misconception(
        name="ascends",
        answer=ascends,
        believed="The weight moves along the gradient.",
        says="Your weight moves in the direction of the gradient, in which the loss grows.",
        hints=(
            "In which direction does the loss grow?",
            "Look at the sign of your step.",
            "The step is subtracted.",
        ),
    ),
    said(
        "averages-of-before",
        old_averages,
        "The step uses the averages that it is given.",
        "Your step does not depend on this step's gradient, because you divide the averages as "
        "they were before it.",
        "How far does your weight move in the first step?",
        "Update the two averages first, and use the new ones.",
    ),
    said(
        "beta-of-the-paper",
        textbook_beta,
        "The second β is 0.999.",
        "Your square takes a thousandth of the gradient's square, as with β₂ = 0.999. Here β₂ is "
        "0.95.",
        "What is your square after a first gradient of 1?",
        "Use the numbers of the task.",
    ),
    said(
        "decay-behind-the-step",
        decay_behind,
        "Decay comes last.",
        "You decay the weight after the step, so part of the step decays, too. AdamW subtracts "
        "rate · decay times the weight from before the step.",
        "Which weight should `decay` multiply: the one before the step, or the one after it?",
        "Compute both changes from the old weight, and add them up.",
        kind="form",
    ),
    said(
        "square-of-the-mean",
        square_of_mean,
        "The square is made from the mean.",
        "You average the square of the mean. The square should be the running average of the "
        "gradients' squares.",
        "What is squared: this step's gradient, or the mean?",
        "Use gradient**2.",
    ),
    said(
        "no-decay",
        no_decay,
        "Decay belongs to the loss.",
        "If all gradients are 0, your weights do not change, whatever `decay` is.",
        "Which argument do you not use?",
        "Subtract rate * decay * weight.",
    ),
    said(
        "one-step-ahead",
        one_step_more,
        "Steps count from 0.",
        "Your corrections are those of the next step, but t is already 1 for the first step.",
        "How large is 1 - 0.9 ** t for the first step?",
        "Use t as it is.",
    ),
    said(
        "shares-swapped",
        shares_swapped,
        "β is the share of the new gradient.",
        "Your averages are almost equal to the newest gradient or its square, because you have "
        "exchanged the shares: β is the share of the old average.",
        "What is your mean after a first gradient of 1?",
        "It should be 0.9 of the old mean plus 0.1 of the gradient.",
    ),
    said(
        "decay-added",
        decay_added,
        "Decay is a term that is added.",
        "Your decay makes the weights larger. It should be subtracted from them.",
        "What should happen to a weight of 1 if all gradients are 0?",
        "Change one sign: the decay takes a share of the weight away.",
    ),
    said(
        "half-of-the-decay",
        half_of_the_decay,
        "Decay is the derivative of a half times a square.",
        "Your decay is half as large as it should be. Each step should subtract rate * decay * "
        "weight.",
        "By which share does a weight shrink in one step if all gradients are 0?",
        "Leave out the division by 2.",
    ),
    said(
        "gradient-in-place-of-its-mean",
        raw_gradient,
        "The mean is for the next step.",
        "Your step uses the gradient itself in place of its running average. In the first step the "
        "corrected average is the gradient, but not later.",
        "What does your step do with `mean`?",
        "Divide the corrected new mean by the root.",
    ),
)

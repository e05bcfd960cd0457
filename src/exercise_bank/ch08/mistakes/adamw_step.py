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
    decay_without_rate,
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
        says="Your first step is 0.447 times the rate: the averages begin at 0, and nothing "
        "makes up "
        "for it.",
        hints=(
            "By what factor is the mean too small after one step? And the square?",
            "After t steps of a constant gradient g, the mean is (1 − 0.9^t) g.",
            "Two divisions are missing, before the quotient.",
        ),
    ),
    Misconception(
        name="only-mean-corrected",
        answer=only_mean_corrected,
        believed="Only the mean begins too small.",
        says="You correct the mean and not the square. A first step would be 4.47 times the rate.",
        hints=(
            "Where does the average of squares begin?",
            "Both averages begin at 0, and each has its own β.",
            "One division is missing, under the root.",
        ),
    ),
    Misconception(
        name="only-square-corrected",
        answer=only_square_corrected,
        believed="Only the square begins too small.",
        says="You correct the square and not the mean. A first step would be a tenth of the rate.",
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
        says="You divide by the mean square itself. Gradients a hundred times as large move your "
        "weights a hundredth as far; they should move them as far.",
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
        says="You add δ before you take the root. For gradients near 1e-7 the root of δ, 1e-4, "
        "swallows "
        "them, and your steps are far too short.",
        hints=(
            "What is the root of 1e-8?",
            "Ordinary gradients do not show it. Try one of 1e-7.",
            "Take the root first.",
        ),
        kind="form",
    ),
    Misconception(
        name="coupled",
        answer=coupled,
        believed="Decay is a part of the gradient.",
        says="You add decay·weight to the gradient, as L2 does. Then it is averaged and divided "
        "by the "
        "gradient's size, and your averages depend on the decay.",
        hints=(
            "Should mean and square change when decay does?",
            "The W of AdamW: where is the decay in the formula?",
            "Take it off the weight, beside the step.",
        ),
    ),
    Misconception(
        name="decay-without-rate",
        answer=decay_without_rate,
        believed="Decay takes off its own share at each step.",
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
        says="Your weight is right. You hand on a corrected average, of the gradients or of "
        "their squares, so the next step would correct it again.",
        hints=(
            "What will the next call do with mean and square?",
            "Correct copies, and keep the averages.",
            "Give the corrected ones other names.",
        ),
    ),
    Misconception(
        name="averages-swapped",
        answer=averages_swapped,
        believed="0.95 belongs to the mean.",
        says="Your averages move at each other's pace: the mean keeps 0.95 of itself, the square "
        "0.9.",
        hints=(
            "Which average is the slower one?",
            "β₁ = 0.9 belongs to the gradient.",
            "Exchange the two numbers, in the corrections too.",
        ),
    ),
    said(
        "corrections-swapped",
        corrections_swapped,
        "Either correction does for either average.",
        "Your averages are right, and each is corrected by the other's β. Your first step is 2.83 "
        "times the rate; rightly corrected, it is the rate.",
        "The mean of a constant gradient g is (1 − 0.9^t) g after t steps. What do you divide it "
        "by?",
        "An average is too small by the β that it was made with.",
        "1 − 0.9^t belongs to the mean, 1 − 0.95^t to the square.",
    ),
    said(
        "corrected-behind-the-root",
        corrected_behind_the_root,
        "The root of the square is corrected like the square.",
        "Your averages are right, and you divide the root of the square by 1 − 0.95^t. Your first "
        "step is 0.224 times the rate; rightly corrected, it is the rate.",
        "After one step the square is 0.05 g². What is its root, and by what is that too small?",
        "It is the average of squares that is too small, not its root.",
        "Correct the square, then take the root.",
    ),
    Misconception(
        name="first-power",
        answer=first_power,
        believed="The correction is 1 − β at every step.",
        says="You divide by 1 − β at every step, not by 1 − β^t. The two agree at the first step "
        "only. Later the averages need less and less correction.",
        hints=(
            "By how much is the mean too small after 400 steps?",
            "The correction should fade.",
            "t has to stand somewhere.",
        ),
    ),
    Misconception(
        name="ascends",
        answer=ascends,
        believed="The weight follows the gradient.",
        says="You climb: your weight moves in the direction of the gradient, where the loss grows.",
        hints=(
            "In which direction does the loss grow?",
            "Look at the sign of your step.",
            "The step is subtracted.",
        ),
    ),
    said(
        "averages-of-before",
        old_averages,
        "The step uses the averages that came in.",
        "Your step does not see this step's gradient: you divide the averages as they came in.",
        "How far does your weight move in the first step?",
        "Update the two averages first, and use the new ones.",
    ),
    said(
        "beta-of-the-paper",
        textbook_beta,
        "The second β is 0.999.",
        "Your square moves by a thousandth of the gradient's square: that is β₂ = 0.999. Here it "
        "is 0.95.",
        "What is your square after a first gradient of 1?",
        "Take the numbers of the task.",
    ),
    said(
        "decay-behind-the-step",
        decay_behind,
        "Decay comes last.",
        "You decay the weight after the step, so a part of the step decays, too. AdamW subtracts "
        "rate · decay times the weight from before the step.",
        "Which weight is in the term with `decay`?",
        "Add up both changes of the old weight.",
        kind="form",
    ),
    said(
        "square-of-the-mean",
        square_of_mean,
        "The square is the mean squared.",
        "Your square is fed with the mean's square. It is the running average of the gradients' "
        "squares.",
        "What is squared: this step's gradient, or the mean?",
        "Use gradient**2.",
    ),
    said(
        "no-decay",
        no_decay,
        "Decay is left to the loss.",
        "Your weights do not change where no gradient came, whatever `decay` is.",
        "Which argument do you not use?",
        "Take rate * decay * weight away.",
    ),
    said(
        "one-step-ahead",
        one_step_more,
        "Steps count from 0.",
        "Your corrections are those of the next step: t is 1 for the first step already.",
        "What is 1 - 0.9 ** t for the first step?",
        "Use t as it comes.",
    ),
    said(
        "shares-swapped",
        shares_swapped,
        "β is the share of what is new.",
        "Your averages are nearly the newest gradient: β is the share of the old average that "
        "stays.",
        "What is your mean after a first gradient of 1?",
        "0.9 of the old mean and 0.1 of the gradient.",
    ),
    said(
        "decay-added",
        decay_added,
        "Decay is a term that is added.",
        "Your decay makes the weights longer. It is to be taken off them.",
        "What should become of a weight of 1 if no gradient comes?",
        "Change one sign: weight - rate * decay * weight.",
    ),
    said(
        "half-of-the-decay",
        half_of_the_decay,
        "Decay is the derivative of a half times a square.",
        "Your decay is half as large as it should be. Per step, rate * decay * weight is taken "
        "off.",
        "By what share does a weight shrink in one step if no gradient comes?",
        "Leave out the division by 2.",
    ),
)

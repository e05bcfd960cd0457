"""How 09.hidden_change goes wrong."""

from functools import partial

from exercise_bank.ch09.mistakes import hidden_change_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "one-hidden-direction",
        code.one_direction,
        "There is one direction that does not show.",
        "Your change leaves the sum and the output the same, but it uses a single direction. With "
        "k keys and width e there are at least k − e − 1 directions that do not show, and the "
        "nearest change uses all of them.",
        "How many directions does your function use for 6 keys and values of width 2?",
        "Add up the parts of the wish along all these directions.",
        variants=(
            partial(code.one_direction, which=0),
            partial(code.one_direction, ones_first=True),
            partial(code.one_direction, which=0, ones_first=True),
            partial(code.one_direction, left=True),
            partial(code.one_direction, ones_first=True, left=True),
        ),
    ),
    Misconception(
        name="no-sum",
        answer=code.no_sum,
        variants=(code.no_sum_stretched,),
        believed="Only the output must stay the same.",
        says="Your change leaves the output alone, but it does not sum to 0: the changed weights "
        "no longer sum to 1.",
        hints=(
            "What do weights sum to, before and after?",
            "The sum of the change is its dot product with which vector?",
            "Add a column of ones to the values before you project.",
        ),
    ),
    Misconception(
        name="only-the-sum",
        answer=code.only_the_sum,
        believed="Weights may change as long as they sum to 1.",
        says="Your change sums to 0, but the output moves with it. Subtracting the mean of the "
        "wish fixes the sum alone; the output stays only if the values are used as well.",
        hints=(
            "Where do the values enter your answer?",
            "change @ value must be 0 as well.",
            "Project away from the columns of the values and from the ones, together.",
        ),
    ),
    Misconception(
        name="seen-part-of-the-output",
        answer=code.seen_by_centred_values,
        believed="The projection onto the values is invisible to them.",
        says="Your change is the part of the wish that the output *does* show. The task asks for "
        "the part that neither the output nor the sum shows.",
        hints=(
            "Compute change @ value for your answer.",
            "The wish is the sum of a part that shows and a part that does not.",
            "Take the column of ones beside the values, and subtract the projection from the wish.",
        ),
        variants=(code.seen_by_values,),
    ),
    Misconception(
        name="seen-part",
        answer=code.seen_part,
        believed="The projection onto the values is invisible to them.",
        says="Your change is the part of the wish that the sum and the output *do* show. The task "
        "asks for the rest of the wish.",
        hints=(
            "Compute change @ value for your answer.",
            "The wish is the sum of a part that shows and a part that does not.",
            "Subtract your result from the wish.",
        ),
    ),
    Misconception(
        name="no-inverse",
        answer=code.no_inverse,
        believed="H Hᵀ is the projection onto the columns of H.",
        says="You subtract H Hᵀ wish. That is a projection only if the columns of H have length 1 "
        "and are at right angles to each other; these are not.",
        hints=(
            "Is H Hᵀ H equal to H?",
            "What must be between H and Hᵀ, so that lengths and angles do not matter?",
            "Use H (HᵀH)⁻¹ Hᵀ, or pinv(H) in the place of Hᵀ.",
        ),
    ),
    Misconception(
        name="one-after-the-other",
        answer=code.one_after_the_other,
        believed="Conditions can be met in turn.",
        says="You first subtract the part of the wish that the output shows, and then the mean, so "
        "that the sum is 0. The second step moves the output again.",
        hints=(
            "After your last step, is change @ value still 0?",
            "Ones and values are not at right angles to each other.",
            "Meet all e + 1 conditions in one projection.",
        ),
    ),
    Misconception(
        name="sum-first",
        answer=code.sum_first,
        believed="Conditions can be met in turn.",
        says="You first subtract the mean, so that the sum is 0, and then the part of the wish "
        "that the output shows. The second step changes the sum again.",
        hints=(
            "After your last step, is change.sum() still 0?",
            "Ones and values are not at right angles to each other.",
            "Meet all e + 1 conditions in one projection.",
        ),
    ),
    Misconception(
        name="of-length-one",
        answer=code.of_length_one,
        believed="Only the direction matters.",
        says="Your change has the right direction, but you have scaled it to length 1. The change "
        "nearest to the wish has a length of its own.",
        hints=(
            "Is there a change along your direction that is nearer to the wish?",
            "How long is the part of the wish that does not show?",
            "Do not divide by the length.",
        ),
    ),
    Misconception(
        name="sign-turned",
        answer=code.sign_turned,
        believed="The difference can be taken either way.",
        says="Your change has the right size and the opposite sign, so it moves the weights away "
        "from the wish.",
        hints=(
            "Is your change @ wish positive or negative?",
            "Which of the two terms is subtracted?",
            "wish - seen, not seen - wish.",
        ),
    ),
    Misconception(
        name="nothing",
        answer=code.nothing,
        believed="Every change of the weights changes the output.",
        says="Your change is 0. That is right only if no change can be hidden; with more than e + "
        "1 keys there are changes that no output shows.",
        hints=(
            "How many equations has the change to meet, and how many unknowns has it?",
            "With k keys and width e there are at least k - e - 1 free directions.",
            "Project the wish onto these directions.",
        ),
    ),
    said(
        "change-sums-to-1",
        code.to_sum_1,
        "The returned change sums to 1.",
        "Your change sums to 1. The *weights* must sum to 1 after it, and they did before; so the "
        "change sums to 0.",
        "What is 1 plus the sum of your change?",
        "The last of the e + 1 numbers is 0 as well.",
    ),
    said(
        "any-hidden-change",
        code.any_null_vector,
        "Any change that does not show will do.",
        "Your change does not show, but it does not depend on the wish. The task asks for the one "
        "nearest to the wish.",
        "What does your function return for a different wish?",
        "Project the wish onto all directions that do not show.",
    ),
    said(
        "gram-inverted",
        code.gram_inverted,
        "HᵀH has an inverse.",
        "If one condition follows from the others, as when all values are equal or keys are few, "
        "HᵀH has no inverse, and you get an error or numbers without meaning.",
        "What is the rank of H for two equal values, and how many columns has it?",
        "A pseudo-inverse leaves out a column that adds no direction.",
        variants=(code.of_full_rank,),
        kind="form",
    ),
    said(
        "qr-without-rank",
        code.by_qr_of_ones_first,
        "QR gives a direction for each condition.",
        "If one condition follows from the others, as when all values are equal, your change "
        "keeps the sum and the output, but it is not the one nearest to the wish. QR gives a "
        "direction for such a condition, too, so you subtract too much.",
        "How many different conditions do equal values make, and how many columns does your Q "
        "have?",
        "A pseudo-inverse leaves out a column that adds no direction.",
        variants=(code.by_qr_of_values_first,),
        kind="form",
    ),
    said(
        "centred-values",
        code.of_centred_values,
        "Centred values take care of the sum.",
        "You subtract the part of the wish that the centred values show. Nothing keeps the sum of "
        "your change at 0, so the weights no longer sum to 1.",
        "What does your change sum to if the wish is 1 everywhere?",
        "Subtract the mean of the wish, too, or add a column of ones to the values.",
    ),
    said(
        "mean-of-features",
        code.mean_feature,
        "The output is one number.",
        "You average the features of each value, so only the mean of the output stays the same. "
        "Each of its e features must stay the same.",
        "How many conditions does an output of width e give?",
        "Use the e columns of the values, and the column of ones.",
    ),
    said(
        "no-negative-numbers",
        code.no_negatives,
        "Weights are not negative, so a change is not.",
        "You set the negative numbers of the change to 0. A change that sums to 0 needs negative "
        "numbers.",
        "What does your change sum to?",
        "Leave out the clamp.",
    ),
    said(
        "column-by-column",
        code.by_column,
        "Conditions can be met in turn.",
        "You treat each condition by itself: from the wish you subtract its part along each of the "
        "vectors separately. The vectors are not at right angles to each other, so subtracting the "
        "part along one changes the part along another.",
        "Is the first condition still met at the end?",
        "Make the columns orthogonal first, or meet all conditions at once.",
        variants=(
            code.by_centred_column,
            code.by_column_after_the_sum,
            code.each_column_by_itself,
            code.each_centred_column_by_itself,
        ),
    ),
    said(
        "softmax-of-the-wish",
        code.softmaxed,
        "A softmax fixes the sum.",
        "You put the wish through a softmax. That fixes the sum, but you do not use the values.",
        "Which of your two arguments do you not use?",
        "The output must stay the same as well.",
    ),
    said(
        "the-wish-itself",
        code.wish_itself,
        "The change nearest to a wish is the wish itself.",
        "You return the wish. It changes the sum of the weights, and the output.",
        "What does your change sum to?",
        "Subtract the part of it that the e + 1 conditions show.",
    ),
    said(
        "half-the-way",
        code.half_the_way,
        "Half is safe.",
        "Your change has the right direction and half the right length.",
        "What do you return for a wish that does not show?",
        "Leave out the factor.",
    ),
    said(
        "no-room-by-counting",
        code.nothing_without_spare_keys,
        "With k keys and e + 1 conditions, k − e − 1 numbers are free.",
        "You return zeros if k is at most e + 1. But if values are equal, the conditions depend on "
        "each other, and weight can still be moved.",
        "Two keys have the same value. What can be moved between them?",
        "pinv counts by itself how many conditions are independent.",
        kind="form",
    ),
)

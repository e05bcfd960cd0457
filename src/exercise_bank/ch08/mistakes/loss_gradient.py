"""How 08.loss_gradient goes wrong."""

from functools import partial

from exercise_bank.ch08.mistakes import loss_gradient_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "another-slope-of-ln-z",
        code.rest_of_p,
        "The derivative of ln Z is that of a softmax.",
        "Your term with κ has a factor that is not p. The derivative of ln Z by a logit is the "
        "exponential of the logit over Z, and that is p.",
        "What is the derivative of ln(e^a + e^b) by a?",
        "It is e^a / (e^a + e^b).",
        variants=(code.slope_of_softmax, code.powers_for_p),
    ),
    said(
        "no-even-share",
        code.smoothing_as_a_factor,
        "Smoothing makes the target smaller.",
        "Your result leaves out the share ε/v that every token should get: your targets do not sum "
        "to 1, or you multiply all of p − t by 1 − ε.",
        "What do your targets sum to for ε = 0.4?",
        "Subtract ε/v from every number of a row.",
        variants=(code.even_share_left_out,),
    ),
    Misconception(
        name="upside-down",
        answer=code.upside_down,
        believed="The gradient points towards the right token.",
        says="Your signs are reversed: you return t − p for p − t. A step against it makes the "
        "loss larger.",
        hints=(
            "Which sign does the gradient have at the right token's logit?",
            "Raising that logit lowers the loss.",
            "It is p − t, not t − p.",
        ),
    ),
    Misconception(
        name="a-sum",
        answer=code.a_sum,
        believed="The loss is a sum over guesses.",
        says="You do not divide by the number of guesses. That gives the gradient of the sum of "
        "their losses, but the loss is the mean.",
        hints=(
            "What happens to your result if every guess is repeated?",
            "The loss is a mean over n guesses.",
            "One division is missing.",
        ),
    ),
    Misconception(
        name="over-every-entry",
        answer=code.over_every_entry,
        believed="A mean divides by the number of entries.",
        says="You divide by n·v. But the loss is a mean over guesses, and a guess is a whole row.",
        hints=(
            "How many numbers does the loss average?",
            "The vocabulary is summed over, not averaged.",
            "Divide by the number of rows.",
        ),
    ),
    Misconception(
        name="no-smoothing",
        answer=code.no_smoothing,
        believed="Smoothing does not change the gradient.",
        says="Your result does not depend on smoothing.",
        hints=(
            "For four tokens and ε = 0.4, what is the target distribution?",
            "p minus the target: which target?",
            "Replace the one-hot target by the smoothed one.",
        ),
    ),
    Misconception(
        name="others-only",
        answer=code.others_only,
        believed="ε is shared among the wrong tokens.",
        says="You share ε among the v − 1 other tokens. Here it is spread over the whole "
        "vocabulary, the right token included.",
        hints=(
            "What does the definition give the right token: 1 − ε, or a little more?",
            "[c = y] and ε/v are added.",
            "The right token gets 1 − ε + ε/v.",
        ),
    ),
    Misconception(
        name="right-one-short",
        answer=code.right_one_short,
        believed="The right token gets 1 − ε.",
        says="Your targets sum to less than 1: the right token lacks its own ε/v.",
        hints=(
            "What do your targets sum to?",
            "ε/v goes to every token.",
            "Add to the share of the right token instead of overwriting it.",
        ),
    ),
    Misconception(
        name="no-kappa",
        answer=code.no_kappa,
        believed="The term with κ is a constant.",
        says="Your result does not depend on κ.",
        hints=(
            "Does ln Z change when a logit does?",
            "The derivative of ln Z is in the chapter.",
            "Apply the chain rule to κ ln² Z.",
        ),
    ),
    Misconception(
        name="no-two",
        answer=code.no_two,
        believed="The derivative of x² is x.",
        says="Your term with κ is half as large as it should be.",
        hints=(
            "What is the derivative of x²?",
            "The rest of your term is right.",
            "One factor is missing.",
        ),
    ),
    Misconception(
        name="no-chain",
        answer=code.no_chain,
        believed="The derivative stops at ln Z.",
        says="Your term with κ is the same for every token of a row. But ln Z changes more with a "
        "large logit than with a small one.",
        variants=(code.no_chain_and_no_two,),
        hints=(
            "What is the derivative of ln Z by one logit?",
            "The chain rule has two factors.",
            "Multiply by that derivative.",
        ),
    ),
    Misconception(
        name="no-z",
        answer=code.no_z,
        believed="ln² Z has the derivative 2p.",
        says="Your term with κ does not depend on ln Z. If ln Z is 0, the term should be 0.",
        hints=(
            "What is the derivative of x² at x = 0?",
            "The outer derivative depends on ln Z.",
            "One factor is missing, the same for a whole row.",
        ),
    ),
    said(
        "softmax-over-the-guesses",
        code.over_guesses,
        "The guesses share one distribution.",
        "Your p is a softmax over the guesses. Each guess is a distribution over its own tokens.",
        "What does a row of your p sum to?",
        "The softmax runs over the last axis.",
    ),
    said(
        "z-for-its-logarithm",
        code.z_itself,
        "The derivative of ln² Z holds Z.",
        "Your term with κ has Z where ln Z belongs. The derivative of x² is 2x, and x is ln Z.",
        "What is x in the square?",
        "Use the logsumexp itself.",
    ),
    said(
        "z-without-the-largest",
        code.z_less_the_largest,
        "Subtracting the largest logit changes nothing.",
        "Your ln Z is that of the logits minus the largest one. Subtracting it does not change p, "
        "but it makes ln Z smaller by that logit.",
        "By how much does ln Z change if all logits grow by 1?",
        "Add the largest logit to the logarithm of your sum.",
        variants=(code.z_less_the_largest_of_all,),
    ),
    said(
        "square-kept",
        code.square_kept,
        "The square remains a square.",
        "Your term with κ still has ln² Z. The derivative of x² is 2x.",
        "What is the derivative of x² by x?",
        "It is 2 ln Z, times the derivative of ln Z.",
        variants=(code.square_and_two,),
    ),
    said(
        "share-added-on-top",
        code.share_added,
        "The right token keeps its 1 and gets its share as well.",
        "Your targets sum to more than 1: the right token has 1 + ε/v. Subtract ε from its 1.",
        "What do your targets sum to?",
        "The right token has 1 - ε + ε/v.",
    ),
    said(
        "kappa-with-the-target",
        code.by_the_target,
        "The term with κ changes the right token's logit.",
        "Your term with κ is multiplied by the target. The derivative of ln Z by a logit is its "
        "probability.",
        "Does Z depend on which token is right?",
        "Multiply by p.",
    ),
    said(
        "kappa-taken-away",
        code.taken_away,
        "The minus of the target applies to everything after it.",
        "You subtract the term with κ, but in the loss it is added.",
        "Which sign does κ have in the loss?",
        "One sign has to change.",
    ),
    said(
        "kappa-not-averaged",
        code.kappa_not_averaged,
        "Only the cross-entropy is averaged.",
        "You divide only the first part by n. The mean is over both.",
        "Where does the bracket close in the loss?",
        "Divide both parts by n.",
        kind="form",
    ),
    said(
        "exponentials-overflow",
        code.overflowing,
        "Exponentials can be added as they are.",
        "For large logits your result is nan: exp overflows to inf, in float32 above 88, and "
        "inf / inf is nan, like 0 · inf.",
        "Which number does exp give for 150 in float32?",
        "Use torch.logsumexp and torch.softmax, or subtract the largest logit of a row first.",
        variants=(partial(code.overflowing, p_too=True),),
        kind="corner",
    ),
    said(
        "its-own-logarithm",
        code.own_logarithm,
        "ln Z is the logarithm of the softmax.",
        "Your term with κ has ln p where ln Z belongs. ln Z is one number for a row.",
        "What is ln Z for two logits of 0, and what is ln p?",
        "Use torch.logsumexp.",
    ),
    said(
        "p-smoothed",
        code.smoothed_p,
        "Smoothing applies to the model's probabilities.",
        "You smooth p. But the target is smoothed, and p is the softmax without any change.",
        "Which of the two contains ε in the loss?",
        "Write p minus the smoothed target.",
    ),
    said(
        "shares-exchanged",
        code.shares_exchanged,
        "ε is the share of the right token.",
        "You exchange ε and 1 − ε. Without smoothing, your target gives every token an equal "
        "share.",
        "What is your target for ε = 0?",
        "The right token has 1 − ε + ε/v.",
    ),
    said(
        "times-p-as-well",
        code.times_p,
        "The derivative of a softmax comes in once more.",
        "You multiply p − t by p. The derivative of the softmax is in p − t already: its p is "
        "cancelled by the 1/p of the logarithm.",
        "What is the gradient for two equal logits, if the first is the target?",
        "Leave out a factor.",
    ),
)

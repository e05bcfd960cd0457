"""How 08.loss_gradient goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return"

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def parts(logits: Tensor, targets: Tensor, smoothing: float) -> tuple[Tensor, Tensor, Tensor]:
    p = torch.softmax(logits, dim=-1)
    wanted = torch.full_like(p, smoothing / logits.shape[1])
    wanted[torch.arange(len(targets)), targets] += 1 - smoothing
    return p, wanted, torch.logsumexp(logits, dim=-1, keepdim=True)


def upside_down(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (wanted - p - 2 * kappa * z * p) / len(p)


def a_sum(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return p - wanted + 2 * kappa * z * p


def over_every_entry(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * p) / p.numel()


def no_smoothing(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    p, wanted, z = parts(logits, targets, 0.0)
    return (p - wanted + 2 * kappa * z * p) / len(p)


def others_only(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    n, v = p.shape
    wanted = torch.full_like(p, smoothing / (v - 1))
    wanted[torch.arange(n), targets] = 1 - smoothing
    return (p - wanted + 2 * kappa * z * p) / n


def right_one_short(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    wanted[torch.arange(len(p)), targets] = 1 - smoothing
    return (p - wanted + 2 * kappa * z * p) / len(p)


def no_kappa(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, _ = parts(logits, targets, smoothing)
    return (p - wanted) / len(p)


def no_two(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + kappa * z * p) / len(p)


def no_chain(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z) / len(p)


def no_z(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, _ = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * p) / len(p)


def over_guesses(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    _, wanted, z = parts(logits, targets, smoothing)
    p = torch.softmax(logits, dim=0)
    return (p - wanted + 2 * kappa * z * p) / len(p)


def z_itself(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z.exp() * p) / len(p)


def square_kept(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + kappa * z.square() * p) / len(p)


def share_added(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    wanted[torch.arange(len(p)), targets] += smoothing
    return (p - wanted + 2 * kappa * z * p) / len(p)


def by_the_target(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * wanted) / len(p)


def taken_away(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted - 2 * kappa * z * p) / len(p)


def kappa_not_averaged(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted) / len(p) + 2 * kappa * z * p


def z_less_the_largest(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * (z - logits.amax(dim=-1, keepdim=True)) * p) / len(p)


def z_less_the_largest_of_all(
    logits: Tensor, targets: Tensor, smoothing: float, kappa: float
) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * (z - logits.max()) * p) / len(p)


def no_chain_and_no_two(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + kappa * z) / len(p)


def rest_of_p(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * (1 - p)) / len(p)


def slope_of_softmax(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * p * (1 - p)) / len(p)


def powers_for_p(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, wanted, z = parts(logits, targets, smoothing)
    return (p - wanted + 2 * kappa * z * logits.exp()) / len(p)


def smoothing_as_a_factor(
    logits: Tensor, targets: Tensor, smoothing: float, kappa: float
) -> Tensor:
    p, hot, z = parts(logits, targets, 0.0)
    return ((1 - smoothing) * (p - hot) + 2 * kappa * z * p) / len(p)


def even_share_left_out(logits: Tensor, targets: Tensor, smoothing: float, kappa: float) -> Tensor:
    p, hot, z = parts(logits, targets, 0.0)
    return (p - (1 - smoothing) * hot + 2 * kappa * z * p) / len(p)


MISCONCEPTIONS = (
    said(
        "another-slope-of-ln-z",
        rest_of_p,
        "The derivative of ln Z is that of a softmax.",
        "Your term with κ has another factor than p. The derivative of ln Z by a logit is the "
        "exponential of the logit over Z, and that is p.",
        "What is the derivative of ln(e^a + e^b) by a?",
        "It is e^a / (e^a + e^b).",
        variants=(slope_of_softmax, powers_for_p),
    ),
    said(
        "no-even-share",
        smoothing_as_a_factor,
        "Smoothing makes the target smaller.",
        "Your targets leave out the share ε/v that every token gets, so they do not sum to 1.",
        "What do your targets sum to for ε = 0.4?",
        "Subtract ε/v from every number of a row.",
        variants=(even_share_left_out,),
    ),
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="The gradient points to what came.",
        says="All your signs are turned: yours is t − p. A step against it makes the loss larger.",
        hints=(
            "Which sign has the gradient at the right token's logit?",
            "Raising that logit lowers the loss.",
            "It is p − t, not t − p.",
        ),
    ),
    Misconception(
        name="a-sum",
        answer=a_sum,
        believed="The loss is a sum over guesses.",
        says="You do not divide by the number of guesses. That is the gradient of the sum of their "
        "losses, and the loss is the mean.",
        hints=(
            "What happens to your result if every guess is repeated?",
            "The loss is a mean over n guesses.",
            "One division is missing.",
        ),
    ),
    Misconception(
        name="over-every-entry",
        answer=over_every_entry,
        believed="A mean divides by the number of entries.",
        says="You divide by n·v. The loss is a mean over guesses, and a guess is a whole row.",
        hints=(
            "How many numbers does the loss average?",
            "The vocabulary is summed over, not averaged.",
            "Divide by the number of rows.",
        ),
    ),
    Misconception(
        name="no-smoothing",
        answer=no_smoothing,
        believed="Smoothing does not change the gradient.",
        says="Your result does not depend on smoothing.",
        hints=(
            "What is the target distribution with ε = 0.4 and four tokens?",
            "p minus the target: which target?",
            "Replace the one-hot target by the smoothed one.",
        ),
    ),
    Misconception(
        name="others-only",
        answer=others_only,
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
        answer=right_one_short,
        believed="The right token gets 1 − ε.",
        says="Your targets sum to less than 1: the right token lacks its own ε/v.",
        hints=(
            "What do your targets sum to?",
            "ε/v goes to every token.",
            "Add, do not overwrite.",
        ),
    ),
    Misconception(
        name="no-kappa",
        answer=no_kappa,
        believed="The term with κ is only a number.",
        says="Your result does not depend on κ.",
        hints=(
            "Does ln Z change when a logit does?",
            "The derivative of ln Z is in the chapter.",
            "Apply the chain rule to κ ln² Z.",
        ),
    ),
    Misconception(
        name="no-two",
        answer=no_two,
        believed="The derivative of a square is the thing itself.",
        says="Your term with κ is half of what it should be.",
        hints=(
            "What is the derivative of x²?",
            "The rest of your term is right.",
            "One factor is missing.",
        ),
    ),
    Misconception(
        name="no-chain",
        answer=no_chain,
        believed="The derivative stops at ln Z.",
        says="Your term with κ is the same for every token of a row. But ln Z changes more with a "
        "large logit than with a small one.",
        variants=(no_chain_and_no_two,),
        hints=(
            "What is the derivative of ln Z by one logit?",
            "The chain rule has two factors.",
            "Multiply by that derivative.",
        ),
    ),
    Misconception(
        name="no-z",
        answer=no_z,
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
        over_guesses,
        "Guesses share what there is.",
        "Your p is a softmax over the guesses. Each guess is a distribution over its own tokens.",
        "What does a row of your p sum to?",
        "The softmax runs over the last axis.",
    ),
    said(
        "z-for-its-logarithm",
        z_itself,
        "The derivative of ln² Z holds Z.",
        "Your term with κ has Z where ln Z belongs. The derivative of x² is 2x, and x is ln Z.",
        "What is x in the square?",
        "Use the logsumexp itself.",
    ),
    said(
        "z-without-the-largest",
        z_less_the_largest,
        "Subtracting the largest logit changes nothing.",
        "Your ln Z is that of the logits minus the largest one. Subtracting it leaves p as it is, "
        "but it makes ln Z smaller by that logit.",
        "By how much does ln Z change if all logits grow by 1?",
        "Add the largest logit to the logarithm of your sum.",
        variants=(z_less_the_largest_of_all,),
    ),
    said(
        "square-kept",
        square_kept,
        "The square stays a square.",
        "Your term with κ still has ln² Z. The derivative of x² is 2x.",
        "What is the derivative of x² by x?",
        "It is 2 ln Z, times the derivative of ln Z.",
    ),
    said(
        "share-added-on-top",
        share_added,
        "The right token keeps its 1 and gets its share.",
        "Your targets sum to more than 1: the right token has 1 + ε/v. Subtract ε from its 1.",
        "What do your targets sum to?",
        "The right token has 1 - ε + ε/v.",
    ),
    said(
        "kappa-with-the-target",
        by_the_target,
        "The term with κ pulls at the right token.",
        "Your term with κ is multiplied by the target. The derivative of ln Z by a logit is its "
        "probability.",
        "Does Z depend on which token is right?",
        "Multiply by p.",
    ),
    said(
        "kappa-taken-away",
        taken_away,
        "The target's minus is for everything behind it.",
        "You subtract the term with κ. In the loss it is added.",
        "What sign has κ in the loss?",
        "One sign has to change.",
    ),
    said(
        "kappa-not-averaged",
        kappa_not_averaged,
        "The mean is for the cross-entropy.",
        "Only your first part is divided by n. The mean is over both.",
        "Where does the bracket close in the loss?",
        "Divide the whole by n.",
        kind="form",
    ),
)

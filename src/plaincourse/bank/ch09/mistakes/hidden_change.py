"""How 09.hidden_change goes wrong."""

# mypy: disable-error-code="no-any-return"

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def _held(value: Tensor) -> Tensor:
    return torch.cat([value, torch.ones_like(value[:, :1])], dim=1)


def no_sum(value: Tensor, wish: Tensor) -> Tensor:
    return wish - value @ (torch.linalg.pinv(value) @ wish)


def only_the_sum(value: Tensor, wish: Tensor) -> Tensor:
    return wish - wish.mean()


def seen_part(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return held @ (torch.linalg.pinv(held) @ wish)


def no_inverse(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return wish - held @ (held.T @ wish)


def one_after_the_other(value: Tensor, wish: Tensor) -> Tensor:
    without = wish - value @ (torch.linalg.pinv(value) @ wish)
    return without - without.mean()


def sum_first(value: Tensor, wish: Tensor) -> Tensor:
    without = wish - wish.mean()
    return without - value @ (torch.linalg.pinv(value) @ without)


def nothing(value: Tensor, wish: Tensor) -> Tensor:
    return torch.zeros_like(wish)


def of_length_one(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    change = wish - held @ (torch.linalg.pinv(held) @ wish)
    return change / change.norm().clamp_min(1e-12)


def sign_turned(value: Tensor, wish: Tensor) -> Tensor:
    held = _held(value)
    return held @ (torch.linalg.pinv(held) @ wish) - wish


MISCONCEPTIONS = (
    Misconception(
        name="no-sum",
        answer=no_sum,
        believed="Only the output must stay.",
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
        answer=only_the_sum,
        believed="Weights may change as long as they sum to 1.",
        says="Your change sums to 0, but the output moves with it: you take off the mean of the "
        "wish and never look at the values.",
        hints=(
            "Where do the values enter your answer?",
            "change @ value must be 0 as well.",
            "Project away from the columns of the values and from the ones, together.",
        ),
    ),
    Misconception(
        name="seen-part",
        answer=seen_part,
        believed="The projection onto the values is what they cannot see.",
        says="Yours is the part of the wish that sum and output *do* show. What is asked is the "
        "rest of it.",
        hints=(
            "Compute change @ value for your answer.",
            "The wish is the sum of a part that shows and a part that does not.",
            "Subtract what you have from the wish.",
        ),
    ),
    Misconception(
        name="no-inverse",
        answer=no_inverse,
        believed="H Hᵀ is the projection on the columns of H.",
        says="You take off H Hᵀ wish. That is a projection only if the columns of H have length 1 "
        "and stand at right angles to each other; these do not.",
        hints=(
            "Is H Hᵀ H equal to H?",
            "What must stand between H and Hᵀ, so that lengths and angles do not matter?",
            "Use H (HᵀH)⁻¹ Hᵀ, or pinv(H) in the place of Hᵀ.",
        ),
    ),
    Misconception(
        name="one-after-the-other",
        answer=one_after_the_other,
        believed="Conditions can be met one after the other.",
        says="You first make the output stay, then take off the mean so that the sum is 0. The "
        "second step moves the output again.",
        hints=(
            "After your last step, is change @ value still 0?",
            "Ones and values are not at right angles to each other.",
            "Meet all e + 1 conditions in one projection.",
        ),
    ),
    Misconception(
        name="sum-first",
        answer=sum_first,
        believed="Conditions can be met one after the other.",
        says="You first make the sum 0, then the output stay. The second step changes the sum "
        "again.",
        hints=(
            "After your last step, is change.sum() still 0?",
            "Ones and values are not at right angles to each other.",
            "Meet all e + 1 conditions in one projection.",
        ),
    ),
    Misconception(
        name="of-length-one",
        answer=of_length_one,
        believed="Only the direction matters.",
        says="Yours points in the right direction and has length 1. The change nearest to the wish "
        "has a length of its own.",
        hints=(
            "Is there a change along your direction that is nearer to the wish?",
            "How long is the part of the wish that does not show?",
            "Do not divide by the length.",
        ),
    ),
    Misconception(
        name="sign-turned",
        answer=sign_turned,
        believed="The difference can be taken either way.",
        says="Yours is the right change with the opposite sign: it moves weight away from where "
        "the wish wants it.",
        hints=(
            "Is your change @ wish positive or negative?",
            "Which of the two terms is subtracted?",
            "wish - seen, not seen - wish.",
        ),
    ),
    Misconception(
        name="nothing",
        answer=nothing,
        believed="Only no change at all leaves the output as it is.",
        says="You change nothing. That is right where the values leave no room, but with more keys "
        "than width there are changes that no output shows.",
        hints=(
            "How many equations has the change to meet, and how many unknowns has it?",
            "With k keys and width e there are at least k - e - 1 free directions.",
            "Project the wish onto these directions.",
        ),
    ),
)

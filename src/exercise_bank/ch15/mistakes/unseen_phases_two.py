"""How 15.unseen_phases goes wrong in both lists at once."""

import math
from functools import partial

from torch import Tensor

from exercise_bank.ch15.mistakes.unseen_phases_code import Two, numbers
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

TURN = 2 * math.pi

#: Mistakes about the slow planes: message, question and repair.
SLOW = {
    "trained-steps": (
        "you count `trained` steps for a turn instead of trained − 1",
        "How far apart are the first and the last of 9 tokens?",
        "count turns over trained − 1 steps",
    ),
    "one-turn-is-slow": (
        "a plane that makes exactly one turn up to the longest distance is in your `slow`",
        "Is a plane slow with 8 positions a turn and 9 tokens?",
        "compare with a turn by <",
    ),
    "half-a-turn": (
        "only planes below half a turn are in your `slow`",
        "Which angles has a plane seen after 0.8 turns?",
        "compare with a whole turn",
    ),
}

#: Mistakes about the unseen angles: message and repair.
UNSEEN = {
    "no-wrap": (
        "you do not take whole turns off the angle at `distance`",
        "take whole turns off the angle at `distance`",
    ),
    "no-wrap-of-any": (
        "you do not take whole turns off the angle at `distance`",
        "take whole turns off the angle at `distance`",
    ),
    "end-is-new": (
        "you call the end of the arc unseen",
        "compare with the arc's end by >",
    ),
    "arc-to-trained": (
        "your arcs end at `trained` steps instead of trained − 1",
        "let the arc end at trained − 1 steps",
    ),
    "mirrored": (
        "you call an angle seen if its mirror image was seen",
        "compare the angle itself with the arc's end",
    ),
}

#: Rules that are wrong at the end of an arc only.
ENDS = ("end-is-new", "arc-to-trained")


def in_two_things(slow: str, unseen: str, frequencies: Tensor, trained: int, distance: int) -> Two:
    """Judge both lists by a wrong rule each."""
    last = frequencies * (trained - 1)
    chosen = {
        "trained-steps": frequencies * trained < TURN,
        "one-turn-is-slow": last <= TURN,
        "half-a-turn": last < TURN / 2,
    }[slow]
    angle, far = (frequencies * distance) % TURN, frequencies * distance
    new = {
        "no-wrap": far > last,
        "no-wrap-of-any": far > last,
        "end-is-new": angle >= last,
        "arc-to-trained": angle > frequencies * trained,
        "mirrored": angle.minimum(TURN - angle) > last,
    }[unseen]
    return numbers(chosen), numbers(new if unseen == "no-wrap-of-any" else chosen & new)


def both(slow: str, unseen: str) -> Misconception:
    first, question, repair = SLOW[slow]
    second, also = UNSEEN[unseen]
    return said(
        f"{slow}-and-{unseen}",
        partial(in_two_things, slow, unseen),
        f"{first[:1].upper()}{first[1:]}, and {second}.",
        f"Two things: {first}, and {second}.",
        question,
        "A plane with less than a turn has seen one arc, from 0 to its angle at trained − 1.",
        f"{repair[:1].upper()}{repair[1:]}; {also}.",
        kind="form" if slow != "half-a-turn" and unseen in ENDS else "idea",
    )


#: Pairs with one cause, or already described elsewhere.
KNOWN = {("trained-steps", "arc-to-trained"), ("half-a-turn", "mirrored")}
KNOWN |= {("trained-steps", "no-wrap")}
TWO = tuple(both(slow, unseen) for slow in SLOW for unseen in UNSEEN if (slow, unseen) not in KNOWN)

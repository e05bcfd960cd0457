"""How 08.find_fault goes wrong."""

from collections.abc import Callable

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception

Loop = Callable[[Tensor, Tensor, Tensor, float], Tensor]


def judged(path: Tensor, *, memory: bool = True, rates: bool = True, each: bool = True) -> str:
    """Judge the path of gradients (3, 4), (0.6, 0) at rates 1, 2, clipped at 1."""
    first, second = path[0], path[-1] - path[0]
    if first[0] == 0:
        return "late gradient"
    if first[0] > 0:
        return "climbs"
    if first[0] < -2:
        return "clips late"
    if each and first[0] < -0.8:
        return "clips each"
    if memory and second[1] != 0:
        return "adds up"
    return "late rate" if rates and second[0] > -1 else "none"


def probe(loop: Loop) -> Tensor:
    gradients = torch.tensor([[3.0, 4.0], [0.6, 0.0]])
    return loop(torch.zeros(2), gradients, torch.tensor([1.0, 2.0]), 1.0)


def always_fine(loop: Loop) -> str:
    return "none"


def one_step_only(loop: Loop) -> str:
    path = loop(torch.zeros(2), torch.tensor([[3.0, 4.0]]), torch.tensor([1.0]), 1.0)
    return judged(path, memory=False, rates=False)


def never_long(loop: Loop) -> str:
    gradients = torch.tensor([[0.3, 0.4], [0.6, 0.0]])
    path = loop(torch.zeros(2), gradients, torch.tensor([1.0, 2.0]), 1.0)
    return judged(path, each=False)


def one_weight(loop: Loop) -> str:
    gradients = torch.tensor([[5.0], [-0.6]])
    path = loop(torch.zeros(1), gradients, torch.tensor([1.0, 2.0]), 1.0)
    first, second = float(path[0]), float(path[1] - path[0])
    if first == 0:
        return "late gradient"
    if first > 0:
        return "climbs"
    if first < -2:
        return "clips late"
    if second < 0:
        return "adds up"
    return "late rate" if second < 1 else "none"


def one_rate(loop: Loop) -> str:
    gradients = torch.tensor([[3.0, 4.0], [0.6, 0.0]])
    path = loop(torch.zeros(2), gradients, torch.tensor([2.0, 2.0]), 1.0)
    return judged(path - path[0] / 2, rates=False)


def one_weight_one_rate(loop: Loop) -> str:
    found = judged(probe(loop))
    return "none" if found in ("clips each", "late rate") else found


def one_gradient(loop: Loop) -> str:
    gradients = torch.tensor([[3.0, 4.0], [3.0, 4.0]])
    path = loop(torch.zeros(2), gradients, torch.tensor([1.0, 2.0]), 1.0)
    return judged(path, memory=False)


def names_swapped(loop: Loop) -> str:
    swap = {"clips late": "clips each", "clips each": "clips late"}
    found = judged(probe(loop))
    return swap.get(found, found)


def signs_only(loop: Loop) -> str:
    return "climbs" if bool(probe(loop)[-1].sum() > 0) else "none"


def signs_and_rest(loop: Loop) -> str:
    step = probe(loop)[0].sum()
    return "climbs" if bool(step > 0) else "late gradient" if bool(step == 0) else "none"


def late_for_late(loop: Loop) -> str:
    swap = {"late rate": "late gradient", "late gradient": "late rate"}
    found = judged(probe(loop))
    return swap.get(found, found)


def climbs_or_late(loop: Loop) -> str:
    found = judged(probe(loop))
    return "climbs" if found == "late gradient" else found


MISCONCEPTIONS = (
    Misconception(
        name="always-fine",
        answer=always_fine,
        believed="A loop that runs is right.",
        says='You answer "none" whatever the box does.',
        hints=(
            "Does your function call the box at all?",
            "Hand it gradients for which you know where the right loop stands.",
            "Compare the path with one that you computed by hand.",
        ),
    ),
    Misconception(
        name="one-step-only",
        answer=one_step_only,
        believed="One step shows everything.",
        says="You let the box do one step. What it remembers from the step before cannot show: a "
        "loop "
        "that adds gradients up passes, and one whose rate is late.",
        hints=(
            "Which of the seven differ from the right loop only from the second step on?",
            "At the first step nothing has come before.",
            "Hand it two gradients and two rates.",
        ),
    ),
    Misconception(
        name="never-long",
        answer=never_long,
        believed="Clipping can be seen on any gradient.",
        says="None of your gradients is longer than the clip. Three of the loops do the same then.",
        hints=(
            "When does clipping change nothing?",
            "How long is your longest gradient?",
            "Make one of them several times as long as the clip.",
        ),
    ),
    Misconception(
        name="one-weight",
        answer=one_weight,
        believed="One weight is enough.",
        says="You use one weight. There, clipping each number and clipping the length are the "
        "same.",
        hints=(
            "What is the length of a vector with one entry?",
            "Which fault keeps the length and not the direction, or the reverse?",
            "Use two weights with unequal gradients.",
        ),
        kind="form",
    ),
    Misconception(
        name="one-rate",
        answer=one_rate,
        believed="The rate is one number.",
        says="All your rates are equal, so a rate that comes one step late looks right.",
        hints=(
            "How would you notice yesterday's rate?",
            "It must differ from today's.",
            "Give the two steps different rates.",
        ),
        kind="form",
    ),
    Misconception(
        name="one-gradient",
        answer=one_gradient,
        believed="The same gradient twice is a fair test.",
        says="Your gradients are equal and longer than the clip. A sum of them has the same "
        "direction and "
        "is clipped to the same length, so a loop that adds up looks right.",
        hints=(
            "What is left of twice a gradient after clipping?",
            "The second gradient should point elsewhere.",
            "Let one weight have no gradient at the second step.",
        ),
        kind="form",
    ),
    Misconception(
        name="names-swapped",
        answer=names_swapped,
        believed="To clip late is to clip each number.",
        says="You exchange two names. A loop that clips too late uses the gradient in its full "
        "length; "
        "one that clips each number changes its direction.",
        hints=(
            "How long is a step that was not clipped at all?",
            "Which of the two can be longer than rate times √2?",
            "Swap the names.",
        ),
    ),
    Misconception(
        name="signs-only",
        answer=signs_only,
        variants=(signs_and_rest,),
        believed="A loop is right if it goes downhill.",
        says="You look at the direction alone. Most faults go downhill all the same.",
        hints=(
            "How far should the right loop go?",
            "Compare lengths, not only signs.",
            "Compute the right path by hand, and then the six wrong ones.",
        ),
    ),
    said(
        "one-weight-and-one-rate",
        one_weight_one_rate,
        "The smallest run shows everything.",
        "You call two loops right: the one that clips each number, and the one whose rate comes "
        "one step late. With a single weight and equal rates both do what a right loop does.",
        "What is the length of a gradient of one number?",
        "Take two weights, and two steps with unlike rates.",
    ),
    said(
        "both-late-swapped",
        late_for_late,
        "A box that is late is late with both.",
        "You tell the two boxes that are late from the others, and swap their names.",
        "Which of the two does not move in its first step?",
        "The gradient of a step before the first is none; its rate is its own.",
    ),
    said(
        "no-step-called-climbing",
        climbs_or_late,
        "Who does not go down climbs.",
        "You call a box climbing that does not move in its first step.",
        "Where does a loop stand after its first step if it uses the gradient of the step before?",
        "Ask for a move above 0, and for no move at all.",
        kind="form",
    ),
)

"""How 08.find_fault goes wrong."""

from collections.abc import Callable
from functools import partial
from itertools import combinations, permutations

import torch
from torch import Tensor

from exercise_bank.skills import said, saying
from plaincourse.exercise import Misconception

Loop = Callable[[Tensor, Tensor, Tensor, float], Tensor]


def judged(path: Tensor, *, memory: bool = True, rates: bool = True, each: bool = True) -> str:
    """Classify a box by its path for gradients (3, 4), (0.6, 0), rates 1, 2 and clipping at 1."""
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


def renamed(loop: Loop, names: dict[str, str]) -> str:
    """Give these faults the names of others."""
    found = judged(probe(loop))
    return names.get(found, found)


def renaming(names: dict[str, str]) -> Callable[[Loop], str]:
    return partial(renamed, names=names)


def unseen(*faults: str) -> Callable[[Loop], str]:
    """Return a test that finds no mistake in loops with these faults."""
    return renaming(dict.fromkeys(faults, "none"))


confused = saying(renaming)

SEEN = {
    "none": "steps against each gradient, with its own rate, and clips its length before that",
    "adds up": "still moves after a gradient of zero, by the gradients before it",
    "clips each": "steps further than the given length when two numbers of a gradient are large",
    "clips late": "steps by the whole of a long gradient",
    "climbs": "steps along the gradient, not against it",
    "late gradient": "does not move in its first step",
    "late rate": "still steps if the rate of the step is 0 and that of the step before is not",
}

#: Loops and wrong names that a mistake above already describes.
TREATED = (
    ("clips each", "none"),
    ("late rate", "none"),
    ("adds up", "none"),
    ("late gradient", "climbs"),
    ("clips late", "clips each"),
    ("clips each", "clips late"),
    ("late rate", "adds up"),
    ("adds up", "late rate"),
    ("clips late", "none"),
)

#: Faults with an effect only in the second step, or in no single step.
LATER = ("adds up", "late gradient", "late rate")
#: Pairs of faults whose points add up to those of a wrong idea.
BOTH_MISSED = (
    ("clips each", "climbs"),
    ("clips each", "late gradient"),
    ("adds up", "late gradient"),
    ("late gradient", "late rate"),
)

MISCONCEPTIONS = (
    Misconception(
        name="always-fine",
        answer=always_fine,
        believed="A loop that runs is right.",
        says='You answer "none" whatever the box does.',
        hints=(
            "Does your function call the box at all?",
            "Call it with gradients for which you know the weights of the right loop.",
            "Compare the path with one that you computed by hand.",
        ),
    ),
    Misconception(
        name="one-step-only",
        answer=one_step_only,
        believed="One step shows everything.",
        says="You answer 'none' for a loop that adds gradients up, and for one whose rate comes "
        "one step late. Both show only from the second step on: the first adds up whole gradients "
        "and clips the sum, and the second shows if the rates are not equal.",
        variants=(unseen("adds up", "late rate", "clips each"),),
        hints=(
            "Which of the seven differ from the right loop only from the second step on?",
            "Before the first step there is no gradient and no rate.",
            "Call it with two gradients and two rates.",
        ),
    ),
    Misconception(
        name="never-long",
        answer=never_long,
        believed="Clipping can be seen on any gradient.",
        says="You answer 'none' for a loop that clips each number, and for one that clips late. If "
        "no gradient is longer than the clipping length, both agree with the right loop.",
        variants=(
            unseen("clips each", "clips late", "late rate"),
            unseen("clips each", "clips late", "adds up"),
        ),
        hints=(
            "When does clipping change nothing?",
            "How long is your longest gradient?",
            "Make one of them several times as long as the clipping length.",
        ),
    ),
    Misconception(
        name="one-weight",
        answer=one_weight,
        believed="One weight is enough.",
        says="You answer 'none' for a loop that clips each number. With a single weight, or a "
        "gradient with a single number that is not 0, this is the same as clipping the length.",
        variants=(unseen("clips each", "adds up"),),
        hints=(
            "What is the length of a vector with one entry?",
            "Which fault keeps the length and not the direction, or the reverse?",
            "Use two weights with unequal gradients.",
        ),
    ),
    Misconception(
        name="one-rate",
        answer=one_rate,
        believed="The rate is one number.",
        says="You answer 'none' for a loop whose rate comes one step late. If all rates are equal, "
        "this loop takes the same steps as the right one. Its first step uses its own rate.",
        hints=(
            "How would you notice that a step uses the rate of the step before?",
            "The two rates must differ.",
            "Give the two steps different rates.",
        ),
        kind="form",
    ),
    Misconception(
        name="one-gradient",
        answer=one_gradient,
        believed="The same gradient twice is a fair test.",
        says="You answer 'none' for a loop that adds gradients up. It adds them as they were "
        "passed, and clips the sum. If your gradients are equal and longer than the clipping "
        "length, that gives the step of a right loop.",
        hints=(
            "Which step does this loop take after two equal gradients? When does it clip, and "
            "which vector?",
            "The second gradient should have a different direction.",
            "Give one weight a gradient of 0 at the second step.",
        ),
        kind="form",
    ),
    Misconception(
        name="names-swapped",
        answer=names_swapped,
        believed="To clip late is to clip each number.",
        says="You answer 'clips each' for a loop that clips late, and the reverse. A loop that "
        "clips late uses the gradient in its full length; a loop that clips each number changes "
        "its direction.",
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
        says="You answer 'none' for loops that go down, whatever else they do. But loops with most "
        "of the faults go down, too.",
        hints=(
            "How far should the right loop step?",
            "Compare lengths, not only signs.",
            "Compute the right path by hand, and then the six wrong ones.",
        ),
    ),
    said(
        "one-weight-and-one-rate",
        unseen("clips each", "late rate"),
        "The smallest run shows everything.",
        "You answer 'none' for a loop that clips each number, and for one whose rate comes one "
        "step late. With a single weight and equal rates both agree with a right loop.",
        "What is the length of a gradient of one number?",
        "Take two weights, and two steps with different rates.",
    ),
    confused(
        "both-late-swapped",
        {"late rate": "late gradient", "late gradient": "late rate"},
        "The two late faults are the same.",
        "You answer 'late rate' for a late gradient, and the reverse.",
        "Which of the two does not move in its first step?",
        "A late gradient is 0 in the first step; a late rate is the right one in the first step.",
    ),
    confused(
        "no-step-called-climbing",
        {"late gradient": "climbs"},
        "A loop that does not go down climbs.",
        "You answer 'climbs' for a loop that does not move in its first step.",
        "Which weights does a loop return after its first step if it uses the gradient before?",
        "Treat a move above 0 and no move at all as different cases.",
        kind="form",
    ),
    confused(
        "long-step-called-clips-each",
        {"clips late": "clips each"},
        "A step that is too long comes from clipping number by number.",
        "You answer 'clips each' for a loop that clips late. Both step too far, but a loop that "
        "clips late steps by the whole gradient.",
        "How far can a loop step that clips each of two numbers at 1?",
        "Compare the length of the step with that of the whole gradient.",
        kind="form",
    ),
    confused(
        "clips-each-called-late",
        {"clips each": "clips late"},
        "A step that is longer than the clipping length was not clipped.",
        "You answer 'clips late' for a loop that clips each number. Both step too far, but a loop "
        "that clips each number never moves a weight by more than the rate times the clipping "
        "length.",
        "How far can a loop step that clips each of two numbers at 1?",
        "Look at each number of the step.",
    ),
    confused(
        "late-rate-called-adds-up",
        {"late rate": "adds up"},
        "A second step that is wrong comes from the first gradient.",
        "You answer 'adds up' for a loop whose rate comes one step late. Both differ from the "
        "right loop in the second step, but a late rate does not change its direction.",
        "What does each of the two do if the second gradient is 0?",
        "Give one weight no gradient in the second step, and see whether it moves.",
        kind="form",
    ),
    confused(
        "adds-up-called-late-rate",
        {"adds up": "late rate"},
        "A second step of the wrong length comes from a wrong rate.",
        "You answer 'late rate' for a loop that adds gradients up. Both differ from the right loop "
        "in the second step, but a late rate does not change its direction.",
        "What does each of the two do if the second gradient is 0?",
        "Give one weight no gradient in the second step, and see whether it moves.",
        kind="form",
    ),
    confused(
        "clips-late-not-seen",
        {"clips late": "none"},
        "A loop that goes down by the gradient is right.",
        "You answer 'none' for a loop that clips late. It steps by the whole of a long gradient.",
        "How far should a right loop step for a gradient five times as long as the clipping "
        "length?",
        "Compare the length of a step with the rate times the clipping length.",
        kind="form",
    ),
    *(
        confused(
            f"{one} and {other} not seen".replace(" ", "-"),
            {one: "none", other: "none"},
            "A test that finds some faults finds all.",
            f"You answer 'none' for two kinds of loops that are wrong. One {SEEN[one]}. The other "
            f"{SEEN[other]}.",
            "For each of the seven loops, write down the weights after each of two steps.",
            "Run two steps of two weights, with a gradient that is longer than the clipping "
            "length.",
        )
        for one, other in BOTH_MISSED
    ),
    *(
        confused(
            f"{one} and others not seen".replace(" ", "-"),
            {one: "none", **dict.fromkeys(LATER, "none")},
            "A test that finds some faults finds all.",
            f"You answer 'none' for several kinds of loops that are wrong. One {SEEN[one]}. Make "
            "sure that you find this one, then check again for the others.",
            "For each of the seven loops, write down the weights after each of two steps.",
            "Run two steps of two weights, with a gradient that is longer than the clipping "
            "length.",
            variants=(
                *({one: "none", other: "none"} for other in LATER),
                *({one: "none", **dict.fromkeys(two, "none")} for two in combinations(LATER, 2)),
            ),
        )
        for one in ("climbs", "clips late")
    ),
    *(
        confused(
            f"{true} called {false}".replace(" ", "-"),
            {true: false},
            f"A loop of the kind {true!r} is {false!r}.",
            f"You answer {false!r} for a {true!r} loop. It {SEEN[true]}.",
            "For each of the seven loops, write down the weights after each of two steps.",
            "Run two steps of two weights, with a gradient that is longer than the clipping "
            "length.",
            kind="idea" if true in ("none", "clips each") else "form",
        )
        for true, false in permutations(SEEN, 2)
        if (true, false) not in TREATED
    ),
)

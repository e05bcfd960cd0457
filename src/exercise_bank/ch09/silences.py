"""Exercise 09.silences: find the fault in an ablation."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch09 import ablations
from exercise_bank.ch09.ablations import Ablation, shut
from exercise_bank.ch09.mistakes.silences import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.skills import in_single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def shown(
    g: Generator, *ways: Ablation, head: int = 1, b: int = 2, q: int = 4, size: float = 1.0
) -> list[Inputs]:
    return [
        {"ablate": shut(way), "outputs": size * normal(g, b, 3, q, 2), "head": head} for way in ways
    ]


def zero_or_nothing(g: Generator) -> list[Inputs]:
    ways = shown(g, ablations.first, ablations.fourteenth, head=0)
    return ways + shown(g, ablations.first, ablations.fourteenth)


def sound(g: Generator) -> list[Inputs]:
    ways = ablations.second, ablations.third, ablations.twentieth, ablations.twenty_fourth
    return shown(g, *ways, ablations.first, head=2) + shown(g, ablations.fourteenth)


def one_sequence(g: Generator) -> list[Inputs]:
    """Draw batches of one sequence, whose own mean is one vector, and sequences of one token."""
    single = shown(g, ablations.fourth, ablations.fifth, b=1)
    return single + shown(g, ablations.fifth, ablations.fourth, q=1, head=2)


def something_left(g: Generator) -> list[Inputs]:
    left = ablations.tenth, ablations.twelfth, ablations.thirteenth, ablations.twenty_first
    turned = ablations.nineteenth
    return shown(g, *left, ablations.first) + shown(g, turned, ablations.first, head=2)


def a_leak(g: Generator) -> list[Inputs]:
    ways = ablations.eleventh, ablations.seventeenth, ablations.first
    small = ablations.fourteenth, ablations.twelfth, ablations.first
    near_one = shown(g, *ways, head=0) + shown(g, ablations.seventeenth, ablations.first)
    return near_one + shown(g, *small, size=1e-4)


def a_mean_of_its_own(g: Generator) -> list[Inputs]:
    ways = ablations.fourth, ablations.fifth, ablations.second
    return shown(g, *ways, head=0) + shown(g, *ways)


def other_heads(g: Generator) -> list[Inputs]:
    wrong = ablations.seventh, ablations.eighth, ablations.sixth, ablations.sixteenth
    every = *wrong, ablations.twenty_third, ablations.first
    return shown(g, *every) + shown(g, *every, head=2)


def one_other_head(g: Generator) -> list[Inputs]:
    """Draw ablations that change one other head, or all others by very little."""
    moved = ablations.twenty_second, ablations.twenty_fifth
    ways = ablations.fifteenth, *moved, ablations.first
    return [each for head in range(3) for each in shown(g, *ways, head=head)]


def in_place(g: Generator) -> list[Inputs]:
    return shown(g, ablations.ninth, ablations.eighteenth, ablations.first, head=2)


def yes_or_no(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not a truth value, or is wrong about this ablation."""
    if isinstance(answer, Tensor) or not isinstance(answer, bool):
        return f"return True or False, a bool; yours is of type {type(answer).__name__}"
    way = inputs["ablate"]
    if answer != silences(**inputs):
        return f"your answer is {answer} for this ablation: {ablations.told(way)}"
    return None


def with_its_deed(inputs: Inputs) -> Inputs:
    """Show a description of the ablation in place of its arguments."""
    return {
        "ablate": inputs["ablate"],
        "what it does": ablations.told(inputs["ablate"]),
        "head": inputs["head"],
        "largest of the outputs": float(f"{inputs['outputs'].abs().max():.2g}"),
    }


def silences(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    """Compare the given outputs, the remainder of the head, and all other heads."""
    given = outputs.clone()
    after = ablate(given, head)
    untouched = torch.equal(given, outputs)
    silent = torch.allclose(after[:, head], after[0, head, 0])
    others = [h for h in range(outputs.shape[1]) if h != head]
    return untouched and silent and torch.equal(after[:, others], outputs[:, others])


def by_loops(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after = ablate(given, head)
    if (given - outputs).abs().max() > 0:
        return False
    for b in range(outputs.shape[0]):
        for h in range(outputs.shape[1]):
            for q in range(outputs.shape[2]):
                expected = after[0, head, 0] if h == head else outputs[b, h, q]
                if (after[b, h, q] - expected).abs().max() > 1e-6:
                    return False
    return True


def by_spread(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after = ablate(given, head)
    rest = torch.arange(outputs.shape[1]) != head
    moved = (after - outputs)[:, rest].abs().sum() + (given - outputs).abs().sum()
    left = after[:, head].flatten(0, 1).std(dim=0, correction=0).sum()
    return bool(moved < 1e-6) and bool(left < 1e-6)


TASK = Exercise(
    id="09.silences",
    title="An ablation with a fault",
    level="hard",
    minutes=20,
    concepts=("ablation", "weights-are-not-explanations"),
    reference=silences,
    shown=with_its_deed,
    rungs=(
        Rung(
            name="set to zero, or left alone",
            points=0.25,
            idea="the same vector everywhere",
            draw=zero_or_nothing,
            law=yes_or_no,
        ),
        Rung(
            name="sound ways that leave no zeros",
            points=0.5,
            idea="the same vector everywhere",
            draw=sound,
            law=yes_or_no,
        ),
        Rung(
            name="something of the head is left",
            points=0.5,
            idea="the same vector everywhere",
            draw=something_left,
            law=yes_or_no,
        ),
        Rung(
            name="a hundredth of the head is left, or more of a head with small outputs",
            points=0.5,
            idea="the same vector everywhere",
            draw=a_leak,
            law=yes_or_no,
        ),
        Rung(
            name="means: one over all, or one for each sequence or position",
            points=1.5,
            idea="the same vector everywhere",
            draw=a_mean_of_its_own,
            law=yes_or_no,
        ),
        Rung(
            name="other heads, silenced, exchanged or made larger",
            points=1.0,
            idea="the other heads stay",
            draw=other_heads,
            law=yes_or_no,
        ),
        Rung(
            name="one head too many, or the others moved by a ten thousandth or less",
            points=1.0,
            idea="the other heads stay",
            draw=one_other_head,
            law=yes_or_no,
        ),
        Rung(
            name="the tensor that was given is changed", points=0.25, draw=in_place, law=yes_or_no
        ),
        Rung(
            name="one sequence, or one position, in float32 and float64",
            points=0.5,
            draw=lambda g: [*one_sequence(g), *in_single(one_sequence)(g)],
            law=yes_or_no,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in loops", answer=by_loops),
        Alternative(name="by the spread that is left", answer=by_spread),
    ),
    hints=(
        "If a head is silent, what can a later layer still learn from it about the text?",
        "Three things can be wrong: the head still differs between positions or sequences, another "
        "head has moved, or the tensor that was given has changed.",
        "Give the ablation a clone of the outputs. Afterwards compare the clone with the outputs, "
        "the head with its own first vector, and the other heads with the outputs.",
    ),
    extra=True,
    equivalents={
        **dict.fromkeys(
            (
                "silences: line 4: given and outputs swapped in torch.equal(given, outputs)",
                "silences: line 7: after[:, others] and outputs[:, others] swapped in "
                "torch.equal(…)",
            ),
            "equality has no direction",
        ),
        **dict.fromkeys(
            (
                "silences: line 5: 0 becomes -1 in (0, head, 0)",
                "silences: line 5: 0 becomes -1 in (0, head, 0) (2)",
            ),
            "all of the head's vectors must be the same, so any of them will do to compare with",
        ),
    },
)

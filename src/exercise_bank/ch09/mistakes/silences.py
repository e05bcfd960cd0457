"""How 09.silences goes wrong."""

from itertools import product

from exercise_bank.ch09.mistakes import silences_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

#: Wrong conditions on the head, by the name of the mistake, and the message for each.
HEAD = {
    "zero": "You answer False if a head is silent without being zero, as in mean ablation.",
    "within": "You answer True for an ablation that gives each sequence a mean of its own.",
    "across": "You answer True for an ablation that gives each position a mean of its own.",
    "changed": "You answer True whenever the head's output has changed, whatever is left of it.",
    "small": "You answer True for an ablation that leaves a small part of the head.",
}
#: Other omissions, and the message for each.
BESIDES = {
    "given": "You do not notice an ablation that writes into the tensor that it is given.",
    "none": "You do not notice that other heads change.",
    "some": "You overlook some changes of the other heads.",
}


def together(name: str, says: str, *ways: code.Silences) -> Misconception:
    """Make a mistake that combines two, with a message for both."""
    return said(
        name,
        ways[0],
        "One comparison is enough.",
        says,
        "Which three things can be wrong with an ablation?",
        "Compare the head with its own first vector, the other heads with the outputs, and the "
        "tensor that was given with a copy of it.",
        variants=ways[1:],
    )


def ways(head: str, what: str) -> tuple[code.Silences, ...]:
    if what == "given":
        return (code.way(head, given=False),)
    return tuple(
        code.way(head, others) for others in {"some": ("sum", "roughly")}.get(what, [what])
    )


MISCONCEPTIONS = (
    said(
        "always-true",
        code.always_true,
        "An ablation that runs silences its head.",
        "You answer True for every ablation, even for one that changes nothing.",
        "Does your function call the ablation and use its result?",
        "Compare the head's output after the ablation at two positions.",
    ),
    Misconception(
        name="must-be-zero",
        answer=code.must_be_zero,
        variants=(code.way("zero", own=True),),
        believed="Silent means zero.",
        says="You answer False for every ablation that does not set the head to zero, mean "
        "ablation included. If the vector is the same everywhere, a later layer learns nothing "
        "about the text from it.",
        hints=(
            "What does mean ablation put in the head's place?",
            "Compare the head's vectors with each other, not with 0.",
            "Compare all outputs of the head with its output at the first position of the "
            "first sequence.",
        ),
    ),
    Misconception(
        name="the-head-alone",
        answer=code.the_head_alone,
        variants=(code.way(others="none", own=True),),
        believed="Only the silenced head can go wrong.",
        says="You answer True for ablations that change other heads, even for one that silences "
        "all of them.",
        hints=(
            "What should be true of all heads but this one?",
            "Their outputs should not change.",
            "Compare all heads but this one with the outputs given.",
        ),
    ),
    Misconception(
        name="the-others-alone",
        answer=code.the_others_alone,
        believed="If the other heads do not change, the ablation is sound.",
        says="You answer True for ablations that leave the head as it is. Compare its vectors "
        "with each other; even a hundredth of its output still holds all its information.",
        hints=(
            "Does the head's output after the ablation differ from position to position?",
            "A later layer can multiply by 100.",
            "All vectors of the head must be one and the same.",
        ),
    ),
    Misconception(
        name="no-look-at-what-was-given",
        kind="form",
        answer=code.no_clone,
        believed="A function does not change its arguments.",
        says="You answer True for ablations that write into the tensor that they are given. To "
        "notice this, compare the tensor after the call with a copy made before it. Two names of "
        "one tensor are not a copy.",
        hints=(
            "What happens to a tensor when a function assigns to its entries?",
            "Give the ablation a clone of outputs, and check the clone afterwards.",
            "Compare the clone after the call with outputs.",
        ),
        variants=(code.way(others="sum", given=False), code.way(others="roughly", given=False)),
    ),
    Misconception(
        name="within-sequences",
        answer=code.within_sequences,
        variants=(code.way("within", own=True),),
        believed="A head is silent if it gives the same vector at all positions of a text.",
        says="You answer True for an ablation that gives each sequence a mean of its own. Its "
        "vectors are equal within a sequence, but they still differ between sequences.",
        hints=(
            "May the silenced head give different vectors in different sequences?",
            "The vector is the same in the whole batch.",
            "Compare with the head's output at the first position of the first sequence.",
        ),
    ),
    Misconception(
        name="across-sequences",
        answer=code.across_sequences,
        variants=(code.way("across", own=True),),
        believed="A head is silent if it gives the same vectors in all texts.",
        says="You answer True for an ablation that gives each position a mean of its own. Its "
        "vectors are equal in all sequences, but they still differ between positions.",
        hints=(
            "May the silenced head give different vectors at positions 0 and 1?",
            "The vector is the same at all positions.",
            "Compare with the head's output at the first position of the first sequence.",
        ),
    ),
    Misconception(
        name="has-changed",
        answer=code.has_changed,
        variants=(code.way("changed", own=True),),
        believed="If its output has changed, the head is silenced.",
        says="You answer True whenever the head's output has changed. An output can change and "
        "still hold all its information.",
        hints=(
            "Is an output that is a hundredth as large silent?",
            "Compare the vectors after the ablation with each other, not with those before it.",
            "All vectors of the head must be one and the same.",
        ),
    ),
    Misconception(
        name="nearly-silent",
        answer=code.nearly_silent,
        variants=(code.way("small", own=True),),
        believed="Small differences do not count.",
        says="You answer True for an ablation that leaves a small part of the head. A later layer "
        "can make it large again, so the tolerance may be no wider than rounding.",
        hints=(
            "How large may a difference be that comes from rounding alone?",
            "These are numbers in float64.",
            "Use a tolerance of 1e-9 or less.",
        ),
    ),
    said(
        "silent-to-a-thousandth",
        code.way("to a thousandth"),
        "A difference of a thousandth is rounding.",
        "You answer True for ablations that change nothing if the outputs themselves are small, "
        "near 0.0001. Your tolerance is larger than these outputs; rounding is far smaller.",
        "How large is rounding in a number near 0.0001?",
        "Use a tolerance of 1e-9 or less, or one relative to the outputs.",
        kind="corner",
        variants=(
            code.way("to a thousandth", own=True),
            code.way("to a thousandth", given=False),
        ),
    ),
    said(
        "equal-to-the-last-bit",
        code.way("to the last bit"),
        "One vector everywhere is one and the same to the last bit.",
        "You answer False for a sound ablation whose vectors differ in their last digits only. A "
        "mean that is added up in another order is rounded in another way.",
        "How do torch.equal and torch.allclose differ?",
        "Compare the vectors up to rounding; only the other heads must be exactly the same.",
        kind="form",
    ),
    said(
        "all-numbers-moved",
        code.differs_from_before,
        "A head that has changed everywhere is silenced.",
        "You answer True if every number of the head has changed. If a head is reversed or made "
        "small, every number has changed, but the head still holds all its information.",
        "What can a later layer read from a head that was multiplied by 0.01?",
        "Compare the head after the ablation with itself, at another position.",
    ),
    said(
        "one-number-for-all",
        code.one_number,
        "A silent head gives one number.",
        "You answer False for an ablation whose vector has different numbers in its features. One "
        "and the same *vector* everywhere is enough: a mean may differ from feature to feature.",
        "Which vector does mean ablation put in the head's place?",
        "Compare with the head's output at one position, a whole vector.",
    ),
    said(
        "one-other-head",
        code.next_head,
        "One other head is enough.",
        "You answer True for some ablations that change another head. Any of the other heads may "
        "have changed, so it is not enough to compare one of them.",
        "How many heads should the ablation leave unchanged?",
        "Compare all heads but this one.",
        kind="form",
    ),
    said(
        "others-summed",
        code.way(others="sum"),
        "If the sum of the other heads is the same, all of them are.",
        "You answer True for an ablation that exchanges two other heads. Their sum stays the same, "
        "but the output of each has changed.",
        "What is the sum of two heads after they were exchanged?",
        "Compare the other heads number by number.",
        kind="form",
    ),
    said(
        "others-roughly",
        code.roughly_others,
        "Nearly the same is the same.",
        "You answer True for an ablation that moves the other heads by a ten thousandth or less. "
        "Their outputs should be *exactly* the same as before.",
        "How does torch.equal differ from torch.allclose?",
        "A sound ablation computes nothing with the other heads, so nothing is rounded.",
        variants=(code.way(others="allclose"),),
        kind="form",
    ),
    said(
        "spread-of-one",
        code.by_the_spread,
        "The standard deviation of equal numbers is 0.",
        "You answer False for sound ablations if there is a single sequence or a single position. "
        "If you use torch.std: it is nan for a single number.",
        "What is torch.tensor([5.0]).std()?",
        "Compare for equality instead, or set correction=0.",
        kind="corner",
    ),
    *(
        together(f"{head}-and-{what}", f"{HEAD[head]} {BESIDES[what]}", *ways(head, what))
        for head, what in product(HEAD, BESIDES)
    ),
    together(
        "none-and-given",
        f"{BESIDES['none']} {BESIDES['given']}",
        code.way(others="none", given=False),
    ),
)

"""How 09.silences goes wrong."""

from exercise_bank.ch09.mistakes import silences_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "always-true",
        code.always_true,
        "An ablation that runs silences its head.",
        "You answer True whatever ablation you are given, also to one that changes nothing.",
        "Does your function call the ablation, and look at what it gives?",
        "Compare what is left of the head at two positions.",
    ),
    Misconception(
        name="must-be-zero",
        answer=code.must_be_zero,
        believed="Silent means zero.",
        says="You accuse every ablation that does not set the head to zero, mean ablation too. A "
        "vector that is the same everywhere tells a later layer nothing about the text.",
        hints=(
            "What does mean ablation put in the head's place?",
            "Compare the head's vectors with each other, not with 0.",
            "Compare after[:, head] with after[0, head, 0].",
        ),
    ),
    Misconception(
        name="the-head-alone",
        answer=code.the_head_alone,
        believed="Only the silenced head can go wrong.",
        says="You never look at the other heads. An ablation that silences all of them passes.",
        hints=(
            "What should be true of the heads that are not named?",
            "Their outputs are what they were.",
            "Compare all heads but this one with the outputs given.",
        ),
    ),
    Misconception(
        name="the-others-alone",
        answer=code.the_others_alone,
        believed="If the others stay, the ablation is sound.",
        says="You never look at the head itself. An ablation that makes its output a hundredth as "
        "large passes, though all that the head says is still there.",
        hints=(
            "What is left of the head, and does it differ from place to place?",
            "A later layer can multiply by 100.",
            "All vectors of the head must be one and the same.",
        ),
    ),
    Misconception(
        name="no-look-at-what-was-given",
        kind="form",
        answer=code.no_clone,
        believed="A function returns; what it was given stays.",
        says="You do not look whether the tensor that you handed over has changed. An ablation "
        "that writes into it passes, and the next measurement starts from the damage.",
        hints=(
            "What happens to a tensor that is assigned to in place?",
            "Keep the clone that you hand over, and look at it afterwards.",
            "Compare the clone after the call with outputs.",
        ),
    ),
    Misconception(
        name="within-sequences",
        answer=code.within_sequences,
        believed="A head is silent if it says the same at all positions of a text.",
        says="You compare positions within a sequence. A mean over each sequence's own positions "
        "passes, and still tells the sequences apart.",
        hints=(
            "May the silent head say one thing in one text and another in the next?",
            "There is one vector for the whole batch.",
            "Compare with after[0, head, 0], of the first sequence.",
        ),
    ),
    Misconception(
        name="across-sequences",
        answer=code.across_sequences,
        believed="A head is silent if it says the same in all texts.",
        says="You compare sequences at the same position. A mean over the batch for each position "
        "passes, and still tells the positions apart.",
        hints=(
            "May the silent head say one thing at position 0 and another at position 1?",
            "There is one vector for all positions.",
            "Compare with after[0, head, 0], of the first position.",
        ),
    ),
    Misconception(
        name="has-changed",
        answer=code.has_changed,
        believed="If the output has moved, the head is gone.",
        says="You ask whether the head's output has changed. It can change and still hold all that "
        "it held.",
        hints=(
            "Is an output that is a hundredth as large silent?",
            "Ask what is left, not what has moved.",
            "All vectors of the head must be one and the same.",
        ),
    ),
    Misconception(
        name="nearly-silent",
        answer=code.nearly_silent,
        believed="What is small does not count.",
        says="Your tolerance lets an output pass that is small and not silent. A later layer can "
        "make it large again.",
        hints=(
            "How large may a difference be that comes from rounding alone?",
            "These are numbers in float64.",
            "Use a tolerance of 1e-9 or less.",
        ),
    ),
    said(
        "all-numbers-moved",
        code.differs_from_before,
        "Who is changed everywhere is silenced.",
        "You ask whether every number of the head has changed. A head that is turned round or made "
        "small has changed everywhere, and says as much as before.",
        "What can a later layer read from a head that was multiplied by 0.01?",
        "Compare the head after the ablation with itself, at another position.",
    ),
    said(
        "one-number-for-all",
        code.one_number,
        "A silent head gives one number.",
        "You want one and the same number in all features. One and the same *vector* is enough: a "
        "mean over positions may differ from feature to feature.",
        "What is left of a head whose mean over batch and positions was put in its place?",
        "Compare with after[0, head, 0], a whole vector.",
    ),
    said(
        "one-other-head",
        code.next_head,
        "One other head stands for all others.",
        "You look at one other head. A fault may sit in any of them.",
        "How many heads have to stay as they were?",
        "Compare all heads but this one.",
        kind="form",
    ),
    said(
        "others-roughly",
        code.roughly_others,
        "Nearly the same is the same.",
        "You let the other heads move by a thousandth. They should give *exactly* what they gave.",
        "What does torch.equal ask, and what torch.allclose?",
        "Nothing is computed with the other heads, so nothing is rounded.",
        kind="form",
    ),
    said(
        "spread-of-one",
        code.by_the_spread,
        "The standard deviation of equal numbers is 0.",
        "You take the standard deviation over sequences and positions. Of a single sequence, or a "
        "single position, it is nan, and you call that a fault.",
        "What is torch.tensor([5.0]).std()?",
        "Ask for equality instead, or set correction=0.",
        kind="corner",
    ),
)

"""Essay 02.why_root_d: why scores are divided by the root of d.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="02.why_root_d",
    title="Why the root of d",
    level="medium",
    minutes=15,
    concepts=("sqrt-d-variance", "softmax-saturation"),
    rubric=(
        (
            1.0,
            "How the variance of a dot product depends on d is derived from the components, and "
            "what is assumed of them is said.",
        ),
        (1.0, "What such scores do to the softmax is described, with an example in numbers."),
        (
            1.5,
            "What this does to learning is explained with the derivative of a weight by a score.",
        ),
        (
            1.0,
            "Why the root of d mends it is shown, and why dividing by d itself would be wrong.",
        ),
        (0.5, "It is said when the argument need not hold."),
    ),
)

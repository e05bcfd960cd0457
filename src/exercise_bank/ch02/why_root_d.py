"""Essay 02.why_root_d: one divisor for two widths.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer, with what to look for in detail, is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="02.why_root_d",
    title="One divisor for two heads",
    level="medium",
    minutes=15,
    concepts=("sqrt-d-variance", "softmax-saturation"),
    rubric=(
        (2.0, "It is right about both heads: scores, weights and gradients."),
        (2.0, "It reasons with numbers, and derives them or names their source."),
        (1.0, "It knows the limits of its argument."),
    ),
)

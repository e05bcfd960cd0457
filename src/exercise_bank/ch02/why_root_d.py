"""Essay 02.why_root_d: one divisor for two widths.

The notebook shows the same rubric, so it names the criteria and does not give the answer. A model
answer, with detailed criteria, is in the solution.
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

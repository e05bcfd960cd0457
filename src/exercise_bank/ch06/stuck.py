"""Essay 06.stuck: three runs of a deep stack, two of which have stopped learning."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="06.stuck",
    title="Three runs of forty layers",
    level="medium",
    minutes=15,
    concepts=(
        "gradients-at-depth",
        "why-warm-up",
        "deepnorm",
        "residual-scaling",
        "initialisation",
    ),
    rubric=(
        (
            1.0,
            "The answer infers from the loss of A and B which part of the task they have "
            "learned, and which part not.",
        ),
        (
            1.5,
            "For A and B, and for B and C, the answer names the change between the two runs, and "
            "the cause that it excludes.",
        ),
        (1.0, "The answer names a next run, and the conclusion from each of its outcomes."),
        (
            1.5,
            "The answer compares two remedies by their costs, and by the cases in which they may "
            "fail.",
        ),
    ),
)

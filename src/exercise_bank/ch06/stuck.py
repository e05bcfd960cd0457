"""Essay 06.stuck: three runs of a deep stack, of which two have stopped learning."""

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
        (1.0, "What A and B have learned and what they have not is read off their loss."),
        (
            1.5,
            "For A and B, and for B and C, it is said what changed from one to the other, and "
            "which cause that excludes.",
        ),
        (1.0, "A next run is named, and what each outcome of it would mean."),
        (1.5, "Two remedies are compared: what each costs, and where it may fail."),
    ),
)

"""Essay 06.stuck: a deep stack that has stopped learning."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="06.stuck",
    title="Stuck after thirty steps",
    level="medium",
    minutes=20,
    concepts=(
        "gradients-at-depth",
        "why-warm-up",
        "deepnorm",
        "residual-scaling",
        "initialisation",
    ),
    rubric=(
        (1.0, "What the stack has learned and what it has not is read off the given numbers."),
        (1.5, "A cause is named that explains both numbers, and how it came about in few steps."),
        (1.0, "A measurement is proposed that would come out otherwise if that cause were wrong."),
        (1.5, "Two remedies are compared: what each changes, what it costs, where it may fail."),
    ),
)

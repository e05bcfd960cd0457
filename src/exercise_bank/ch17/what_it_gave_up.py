"""Essay 17.what_it_gave_up: decisions, their evidence and their prices."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="17.what_it_gave_up",
    title="The report",
    level="hard",
    minutes=60,
    concepts=("judged-by-rubric",),
    rubric=(
        (2, "Each decision is named with its price, and at least one number for each was measured "
            "by the author."),
        (2, "One thing was changed at a time, in more than one training, against a baseline. At "
            "least one change that did not help is reported."),
        (2, "Measured results are kept apart from expected ones, and a limit of the measurement "
            "is named."),
        (2, "The report names users for whom this model is right, users for whom a different one "
            "would be, and the author's next experiment with its reason."),
    ),
)  # fmt: skip

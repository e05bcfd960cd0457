"""Essay 17.what_it_gave_up: what was decided, on what evidence, and what it cost."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="17.what_it_gave_up",
    title="What it gave up",
    level="hard",
    minutes=60,
    concepts=("judged-by-rubric",),
    rubric=(
        (2, "Each decision is named with what it gives up, and at least one number of each is the "
            "author's own."),
        (2, "One thing was changed at a time, in more than one training, against a baseline, and a "
            "change that did not help is reported."),
        (2, "What was measured is told from what was only expected, and a limit of the measurement "
            "is named."),
        (2, "It is said for whom this model is right and for whom another would be, and what the "
            "author would try next and why."),
    ),
)  # fmt: skip

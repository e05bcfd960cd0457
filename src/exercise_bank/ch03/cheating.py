"""Essay 03.cheating: a loss that is too good, on text whose floor is unknown."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="03.cheating",
    title="A loss that nobody believes",
    level="hard",
    minutes=15,
    concepts=("cheating-without-mask", "teacher-forcing", "mask-leakage", "debugging-checklist"),
    rubric=(
        (
            2.0,
            "Two leaks are named that leave every row of weights with the sum 1, and each could "
            "explain the observations.",
        ),
        (
            1.5,
            "For each there is a test that needs no training, with the number that it should give.",
        ),
        (1.0, "Why the validation loss did not warn is explained by how it is computed."),
        (0.5, "A way to measure is proposed that would have warned."),
    ),
)

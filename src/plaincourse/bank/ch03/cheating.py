"""Essay 03.cheating: trained without the mask, used with it."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="03.cheating",
    title="The model that cheated",
    level="hard",
    minutes=15,
    concepts=("cheating-without-mask", "teacher-forcing", "mask-leakage"),
    rubric=(
        (
            1.0,
            "Where in the formula the mask acts, and what it does to the weights, is said exactly.",
        ),
        (
            1.5,
            "Why the training loss is near zero is explained by what the input of a later position "
            "is.",
        ),
        (1.5, "Why the same model then fails at generating is explained, path by path."),
        (
            1.0,
            "A test is described that finds the mistake before any training, and why a low loss "
            "alone is no proof.",
        ),
    ),
)

"""Essay 07.three_products: which architecture, and why."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="07.three_products",
    title="One library, three products",
    level="hard",
    minutes=15,
    concepts=("objective-fits-architecture", "bert", "gpt", "t5", "cls-token"),
    rubric=(
        (
            1.5,
            "For each product an architecture is chosen, and the choice is argued from what each "
            "output may see.",
        ),
        (
            1.5,
            "For each an objective on unlabelled text is named, and why it fits the mask of that "
            "architecture.",
        ),
        (
            1.0,
            "It is said how one vector comes out for a whole record, padding included, and what "
            "would go wrong.",
        ),
        (
            1.0,
            "It is argued whether one model could serve all three, with what would be gained and "
            "what lost.",
        ),
    ),
)

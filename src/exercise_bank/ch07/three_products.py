"""Essay 07.three_products: an architecture for each product, with reasons."""

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
            "The answer chooses an architecture for each product, and argues from the tokens that "
            "each output may depend on.",
        ),
        (
            1.5,
            "For each product it names an objective on unlabelled text, and explains why it fits "
            "the mask of that architecture.",
        ),
        (
            1.0,
            "It explains how to get one vector for a whole record, how to treat padding, and what "
            "would go wrong.",
        ),
        (
            1.0,
            "It discusses whether one model could serve all three, and what would be gained and "
            "lost.",
        ),
    ),
)

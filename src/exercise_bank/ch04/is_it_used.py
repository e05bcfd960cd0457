"""Essay 04.is_it_used: three claims about heads, judged."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="04.is_it_used",
    title="Three claims about heads",
    level="medium",
    minutes=12,
    concepts=("head-specialisation", "target-source-alignment", "number-of-heads"),
    rubric=(
        (2.0, "Claim 1: the picture's evidence, its limits, and an experiment that decides."),
        (2.0, "Claim 2: why the conclusion does not follow, and how to prune soundly."),
        (1.0, "Claim 3: the meaning of an average of heads, and of the 61%."),
    ),
)

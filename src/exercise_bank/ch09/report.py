"""Essay 09.report: an argument from a picture of attention, to be judged.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="09.report",
    title="A report to judge",
    level="medium",
    minutes=15,
    concepts=("weights-are-not-explanations", "ablation", "gradient-attribution"),
    rubric=(
        (
            1.0,
            "It is said what the picture does show, and with which baseline it would be a finding.",
        ),
        (
            1.5,
            "Two different reasons are given why the conclusion does not follow, each with a "
            "mechanism.",
        ),
        (
            1.5,
            "An experiment is designed that could refute the conclusion: what is changed, what is "
            "measured, on which texts, against what.",
        ),
        (
            1.0,
            "It is said what the report could honestly claim, and for which model and data.",
        ),
    ),
)

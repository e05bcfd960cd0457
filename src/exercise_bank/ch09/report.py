"""Essay 09.report: judge an argument from a picture of attention.

The notebook shows the same rubric, so it names the criteria and does not give the answer. A model
answer is in the solution.
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
            "The answer states the fact that the picture shows, and the baseline that would make "
            "it a finding.",
        ),
        (
            1.5,
            "It gives two different reasons why the conclusion does not follow, each with a "
            "mechanism.",
        ),
        (
            1.5,
            "It designs an experiment that could refute the conclusion, with the change that is "
            "made, the number that is measured, the texts, and the comparison.",
        ),
        (
            1.0,
            "It states a claim that the report could honestly make, and for which model and data "
            "it holds.",
        ),
    ),
)

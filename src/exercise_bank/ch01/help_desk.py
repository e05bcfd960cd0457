"""Essay 01.help_desk: a lookup of one's own.

The notebook shows the same rubric, so it names the criteria and does not give the answer. A model
answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="01.help_desk",
    title="A help desk that remembers",
    level="medium",
    minutes=15,
    concepts=(
        "query-key-value",
        "keys-are-not-values",
        "learned-projections",
        "cosine-score",
        "temperature",
        "soft-against-hard",
        "differentiable-lookup",
        "fixed-vector-bottleneck",
    ),
    rubric=(
        (1.5, "The parts of the lookup are assigned, and each assignment has a reason."),
        (1.5, "The score and the temperature are chosen from known facts about the texts."),
        (1.0, "The needs of learning and those of answering are distinguished."),
        (1.0, "A case in which the design fails is named, and how one would notice."),
    ),
)

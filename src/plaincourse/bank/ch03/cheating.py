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
            "Where the mask acts: it sets the scores of later keys to −∞ before softmax, so that "
            "their weights are exactly 0 and the rest is renormalised.",
        ),
        (
            1.5,
            "Why the training loss is near zero: under teacher forcing the target of position t is "
            "the input of position t + 1; without a mask the model attends to it and copies it.",
        ),
        (
            1.5,
            "Why it then fails: when generating, the next token does not exist yet; the path that "
            "the model has learnt carries nothing, and it has learnt no other.",
        ),
        (
            1.0,
            "How to find it before it costs anything: change a later token and see whether an "
            "earlier output moves (or a gradient from an earlier output to a later input); a loss "
            "below what the data allows is a symptom, not a proof.",
        ),
    ),
)

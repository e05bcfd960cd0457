"""Question 01.comparisons: the greatest cost of merging."""

from plaincourse.exercise import Misconception, Question

TASK = Question(
    id="01.comparisons",
    title="Merging",
    level="easy",
    minutes=3,
    concepts=("merging",),
    points=2.0,
    answer=15,
    misconceptions=(
        Misconception(
            name="one-for-each",
            answer=16,
            believed="Every number costs a comparison.",
            says="The last number is compared with nothing: it is left over.",
            hints=("What is the last number of all compared with?",),
        ),
        Misconception(
            name="all-pairs",
            answer=64,
            believed="All pairs are compared.",
            says="Each comparison puts one number in its place for good, so it is no product.",
            hints=("How many numbers are in their place after one comparison?",),
        ),
    ),
    hints=("Each comparison puts one number in its place.",),
)

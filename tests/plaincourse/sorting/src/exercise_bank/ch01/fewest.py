"""Question 01.fewest: the least and the greatest cost of merging. An extra task."""

from plaincourse.exercise import Misconception, Question

TASK = Question(
    id="01.fewest",
    title="Merging at best",
    level="medium",
    minutes=4,
    concepts=("merging",),
    points=2.0,
    answer=(8, 15),
    misconceptions=(
        Misconception(
            name="one-list-free",
            answer=(1, 15),
            believed="One comparison shows that all of a list comes first.",
            says="After your one comparison the next number of that list is compared again.",
            hints=("Which numbers are compared after the first one is placed?",),
        ),
    ),
    hints=("When is one of the lists used up?",),
    extra=True,
)

"""What an exercise is: data that a check, a proof and a chapter's page read."""

from plaincourse.exercise.task import (
    Alternative,
    Essay,
    Exercise,
    Inputs,
    Kind,
    Law,
    Level,
    Misconception,
    Project,
    Question,
    Rung,
    Task,
    Worth,
)

__all__ = [
    "Alternative",
    "Essay",
    "Exercise",
    "Inputs",
    "Kind",
    "Law",
    "Level",
    "Misconception",
    "Project",
    "Question",
    "Rung",
    "Task",
    "Worth",
]

"""Exercises as data, for a check, a proof and a chapter's page to read."""

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

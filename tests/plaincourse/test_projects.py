"""A project is called once, its result is measured, and the measurements are reported."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from plaincourse.checking.grader import grade
from plaincourse.classroom.exports import leaderboard
from plaincourse.classroom.model import Classroom, Mark, Student, Work
from plaincourse.exercise import Project, Worth
from plaincourse.exercise.report import NOT_YET


def assess(seed: int, made: Any) -> Worth:
    if type(made) is not int:
        return Worth(earned={}, said=("It is no number.",))
    return Worth(earned={"near": 2.0 - abs(made - seed), "even": 9.0}, facts={"made": float(made)})


PROJECT = Project(
    id="99.work",
    title="Guess the seed",
    level="hard",
    minutes=5,
    concepts=(),
    parts=(("near", 2.0), ("even", 1.0)),
    inputs=lambda seed: {"near": seed + 1},
    assess=assess,
    seconds=0.2,
    hints=("Subtract one.",),
)


def test_parts_add_up_and_what_was_measured_is_told() -> None:
    report = grade(PROJECT, lambda near: near, seed=7)
    assert [(line.name, line.earned) for line in report.rungs] == [("near", 1.0), ("even", 1.0)]
    assert (report.score, report.points) == (2.0, 3.0)
    assert report.facts == {"made": 8.0}
    assert "made 8" in report.text()


def test_a_part_earns_neither_more_than_it_has_nor_less_than_nothing() -> None:
    assert grade(PROJECT, lambda near: near - 1, seed=7).score == 3.0
    assert grade(PROJECT, lambda near: 100, seed=7).score == 1.0


def todo(near: int) -> int:
    raise NotImplementedError


def broken(near: int) -> int:
    raise ValueError("no idea")


def slow(near: int) -> int:
    time.sleep(2)
    return near


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (todo, NOT_YET),
        (None, NOT_YET),
        (broken, "no idea"),
        (slow, "did not come back within 0.2 seconds"),
        (lambda near: "eight", "It is no number."),
        (3, "It should be a function"),
    ],
    ids=["todo", "none", "broken", "slow", "text", "three"],
)
def test_what_cannot_be_measured_earns_nothing_and_says_why(
    answer: Callable[..., Any], says: str
) -> None:
    report = grade(PROJECT, answer, seed=7)
    assert report.score == 0
    assert report.facts == {}
    assert says in report.text()


def test_a_leaderboard_has_a_line_for_each_who_was_measured_best_first() -> None:
    def work(name: str, score: float, facts: dict[str, float]) -> Work:
        mark = Mark(score=score, points=3.0, rungs=(("near", score, 2.0),), facts=facts)
        return Work(student=Student(id=name), marks={("99-work", "work"): mark})

    room = Classroom(
        assignment="99-work",
        items=(),
        works=(work("ada", 1.0, {"made": 2.0}), work("bo", 2.0, {"made": 7.0}), work("cy", 0, {})),
        missing=(),
        ungraded=(),
        notes=(),
    )
    rows = [json.loads(line) for line in leaderboard(room).splitlines()]
    assert [(row["student"], row["score"]) for row in rows] == [("bo", 2.0), ("ada", 1.0)]
    assert rows[0] == {
        "student": "bo",
        "task": "work",
        "score": 2.0,
        "points": 3.0,
        "parts": {"near": 2.0},
        "facts": {"made": 7.0},
    }

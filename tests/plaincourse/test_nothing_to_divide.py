"""Courses in which a divisor is zero: 0 points, 0 students, 0 cells, 0 graded submissions."""

from datetime import UTC, datetime
from typing import Any

import pytest

from plaincourse.classroom.exports import EXPORTS, Options, leaderboard, remarks
from plaincourse.classroom.model import Classroom, Item, Mark, Student, Work
from plaincourse.classroom.page import page
from plaincourse.classroom.tasks import Book
from plaincourse.feedback.page import page as feedback_page
from plaincourse.grading.jobs import Result
from plaincourse.grading.summary import Summary
from tests.plaincourse.test_grading_versions import released, tiny

KEY, OTHER = ("one", "test"), ("one", "essay")
ADA, BOB = Student(id="ada"), Student(id="bob")


def work(student: Student, marks: dict[Any, Mark], **more: Any) -> Work:
    return Work(student=student, marks=marks, **more)


def room(points: float, works: list[Work], keys: list[Any], **more: Any) -> Classroom:
    items = tuple(Item(key=key, points=points) for key in keys)
    return Classroom(assignment="week-1", items=items, works=tuple(works), **more)


ZERO = Mark(score=0.0, points=0.0, rungs=(("shape", 0.0, 0.0),), seconds=0.0, facts={"loss": 0.0})
WAITS = Mark(score=None, points=0.0)
ROOMS = {
    "nobody": room(2, [], [KEY]),
    "nobody and nothing": room(0, [], []),
    "no cells": room(0, [work(ADA, {}), work(BOB, {})], []),
    "one of no points": room(0, [work(ADA, {KEY: ZERO})], [KEY]),
    "all of no points": room(0, [work(ADA, {KEY: ZERO}), work(BOB, {KEY: ZERO})], [KEY, OTHER]),
    "of no points, and waiting": room(0, [work(ADA, {KEY: WAITS})], [KEY]),
    "of no points, and extra credit": room(
        0, [work(ADA, {KEY: Mark(score=1.0, points=0.0)}), work(BOB, {KEY: ZERO})], [KEY]
    ),
    "all failed": room(2, [work(ADA, {KEY: ZERO}, status="failed", why="no")], [KEY]),
    "all missing": room(2, [], [KEY], missing=(ADA, BOB)),
    "none graded": room(2, [], [KEY], ungraded=(ADA,), unknown=frozenset({"ada"})),
    "all equal": room(
        2, [work(each, {KEY: Mark(score=2, points=2)}) for each in (ADA, BOB)], [KEY]
    ),
    "all blank": room(2, [work(ADA, {KEY: Mark(score=0, points=2, blank=True)})], [KEY]),
    "penalty above points": room(0, [work(ADA, {KEY: ZERO}, penalty=3.0)], [KEY]),
}


@pytest.mark.parametrize("name", ROOMS)
def test_every_class_has_a_page_and_exports(name: str) -> None:
    found = ROOMS[name]
    made = page(found, Book(None), made=datetime.now(UTC))
    assert "nan" not in made.lower().replace("nancy", "")
    for kind, export in EXPORTS.items():
        for options in (Options(), Options(provisional=True, zeros=True)):
            export(found, options)
            remarks(found, kind, options)
    leaderboard(found)


def record(*cells: tuple[float | None, float], **more: Any) -> dict[str, Any]:
    rows = {f"c{at}": {"score": score, "max": worth} for at, (score, worth) in enumerate(cells)}
    said = {"status": "graded", "why": "", "seconds": 0.0, "flags": []}
    return {**said, "notebooks": {"one": {"cells": rows}}, **more}


@pytest.mark.parametrize(
    "records",
    [
        [],
        [record()],
        [record(), record()],
        [record((0.0, 0.0))],
        [record((0.0, 0.0)), record((0.0, 0.0), (None, 0.0))],
        [record((1.0, 0.0))],
        [record(status="failed")],
    ],
)
def test_every_summary_can_be_said(records: list[dict[str, Any]]) -> None:
    summary = Summary("week-1", {})
    for at, each in enumerate(records):
        result = Result(student=f"s{at}", assignment="week-1", digest="", record=each)
        summary.add(result)
    said = summary.text()
    assert f"{len(records)} submissions" in said
    assert "nan" not in said


@pytest.mark.parametrize("most", [0.0, None])
def test_feedback_on_nothing_can_be_made(most: float | None) -> None:
    notebook = released(tiny.notebook())
    for cell in notebook.cells:
        cell.metadata.nbgrader.update(points=0, score=0.0, comment=None)
    grades = {"score": 0.0, "max_score": most, "late_penalty": 0.0, "notebook": "one"}
    made = feedback_page(notebook, grades)
    assert "nan" not in made

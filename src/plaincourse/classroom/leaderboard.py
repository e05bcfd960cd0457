"""What was measured of each student's project, a line of JSON each."""

import json
from typing import Any

from plaincourse.classroom.model import Classroom


def leaderboard(room: Classroom) -> str:
    """Return a line for each student whose project was measured, the best first.

    A line holds ``student``, ``task``, ``score``, ``points``, ``parts`` (points earned) and
    ``facts``. It is empty where the assignment has no project.

    Args:
        room: the class.
    """
    rows: list[dict[str, Any]] = [
        {
            "student": work.student.id,
            "task": task,
            "score": mark.score,
            "points": mark.points,
            "parts": {name: earned for name, earned, _ in mark.rungs},
            "facts": dict(mark.facts),
        }
        for work in room.works
        for (_, task), mark in work.marks.items()
        if mark.facts
    ]
    rows.sort(key=lambda row: (-(row["score"] or 0.0), row["student"]))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

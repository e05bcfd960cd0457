"""A simulated class of 120, from a seeded model of ability and difficulty."""

import json
from functools import cache
from pathlib import Path

import numpy as np
from nbgrader.api import (
    Grade,
    Gradebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.api import Student as Row

from plaincourse.classroom.model import Student
from plaincourse.exercise import Essay, Exercise, bank

NAME = "02-scaled-dot-product-attention"
TASKS = bank.chapter("02")
POINTS = {task.id.partition(".")[2]: float(task.points) for task in TASKS}
FIRST = "Ada Björn Chen Dilek Émile Fatou Gita Hye-jin Íris Jürgen Kofi Łucja".split()
LAST = "Abbott Çelik Díaz Eze Fischer García Håkansson Ito Jones Kowalska".split()
HOSTILE = {
    3: Student(id="s003", first="<script>alert(1)</script>", last="<b>Bold", email="b@x.org"),
    4: Student(id="+49171", first='Bob "B"', last="O'Brien, Jr", email="bob@x.org", lms="77"),
    5: Student(id="s005", first='=HYPERLINK("http://evil.example")', last="@SUM(A1)", lms="12ab"),
    6: Student(id="s006", first="Ev\u202ege", last="محمد", email="m@x.org"),
}
MISSING = [Student(id="s900", first="Zoë", last="Absent", email="zoe@x.org")]


def student(number: int) -> Student:
    """Return a student of the class; a few have difficult names."""
    first, last = FIRST[number % len(FIRST)], LAST[number // len(FIRST)]
    id = f"s{number:03d}"
    plain = Student(id=id, first=first, last=last, email=f"{id}@x.org", lms=str(5000 + number))
    return HOSTILE.get(number, plain)


@cache
def records(size: int = 120, seed: int = 7) -> dict[str, dict]:
    """Return a record for each student, in the format that autograding writes."""
    rng = np.random.default_rng(seed)
    hard = dict(zip(POINTS, np.linspace(-1.8, 1.2, len(POINTS)), strict=True))
    made = {}
    for number in range(size):
        ability = rng.normal()
        cells = {task.id[3:]: _cell(task, ability - hard[task.id[3:]], rng) for task in TASKS}
        id = student(number).id
        made[id] = {
            "student": id,
            "assignment": NAME,
            "digest": "0" * 64,
            "graded_at": "2026-01-01T10:00:00+00:00",
            "status": "graded",
            "why": "",
            "seconds": round(float(rng.gamma(4, 0.1)), 3),
            "memory_mb": 300.0 + number,
            "sandbox": "namespaces",
            "split": True,
            "notebooks": {NAME: {"cells": cells}},
            "flags": [],
            "mended": [],
        }
    _trouble(made)
    return made


def _cell(task, strength, rng):
    cell = {"score": None, "max": float(task.points), "seconds": None}
    cell |= {"confirmed": True, "matched": None, "rungs": []}
    if isinstance(task, Essay):
        cell["score"] = float(rng.integers(0, 6)) if rng.random() < 0.5 else None
        return cell
    chance = 1 / (1 + np.exp(-1.6 * strength))
    cell["seconds"] = round(float(rng.gamma(2, 0.02)), 4)
    if isinstance(task, Exercise):
        met = rng.random(len(task.rungs)) < chance
        worth = [rung.points for rung in task.rungs]
        names = [rung.name for rung in task.rungs]
        earned = [float(p * m) for p, m in zip(worth, met, strict=True)]
        cell["rungs"] = [[n, e, p] for n, e, p in zip(names, earned, worth, strict=True)]
        cell["score"] = sum(earned)
    else:
        cell["score"] = float(task.points * (rng.random() < chance))
    if cell["score"] < task.points and rng.random() < 0.6:
        held = [each.name for each in task.misconceptions]
        weights = 1 / np.arange(1, len(held) + 1)
        cell["matched"] = str(rng.choice(held, p=weights / weights.sum()))
    return cell


def _trouble(made):
    if len(made) < 20:
        return
    failed = made["s010"]
    failed |= {"status": "failed", "why": "The notebook <is> not JSON: line 3."}
    failed["notebooks"] = {}
    flag = {"cell": "scores", "kind": "tampered", "why": "It printed <script>x</script> & left."}
    made["s011"] |= {"status": "flagged", "flags": [flag]}
    made["s012"]["flags"] = [{"cell": "", "kind": "late", "why": "Handed in 2 hours late."}]
    made["s013"] |= {"status": "flagged", "flags": [{**flag, "kind": "brand new"}]}


def write_records(course: Path, made: dict[str, dict]) -> None:
    """Write records into the folders in which autograding writes them."""
    for id, record in made.items():
        folder = course / "autograded" / id / NAME
        folder.mkdir(parents=True)
        (folder / "record.json").write_text(json.dumps(record), encoding="utf-8")


def write_gradebook(course: Path, made: dict[str, dict]) -> None:
    """Write a gradebook with the class, its scores, and a student without a submission."""
    ids = {student(number).id: student(number) for number in range(120)}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        assignment = book.add_assignment(NAME)
        notebook = book.add_notebook(NAME, NAME)
        cells = {}
        for name, points in POINTS.items():
            kind = "markdown" if name == "why_root_d" else "code"
            cell = book.add_grade_cell(name, NAME, NAME, max_score=points, cell_type=kind)
            cells[name] = cell.id
        rows = []
        for each in [*(ids[id] for id in made), *MISSING]:
            row = Row(id=each.id, first_name=each.first, last_name=each.last)
            row.email, row.lms_user_id = each.email, each.lms
            rows.append(row)
        for id, record in made.items():
            # Use ids instead of objects, whose relations would need a query for each row.
            handed, work = f"handed-{id}", f"work-{id}"
            rows.append(SubmittedAssignment(id=handed, assignment_id=assignment.id, student_id=id))
            late = 2.0 if id == "s012" else None
            work_row = SubmittedNotebook(id=work, notebook_id=notebook.id, assignment_id=handed)
            work_row.late_submission_penalty = late
            rows.append(work_row)
            graded = record["notebooks"].get(NAME, {"cells": {}})["cells"]
            for name, cell in graded.items():
                grade = Grade(cell_id=cells[name], notebook_id=work, auto_score=cell["score"])
                grade.needs_manual_grade = cell["score"] is None
                rows.append(grade)
        book.db.bulk_save_objects(rows)
        book.db.commit()

"""``plaincourse trial-class``: submit work of simulated students, to try grading without a class.

Writes submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb for students named trial-01, trial-02 and so
on. They differ in ability: each answers every task correctly, with a known mistake, or not at all.
One student edits a locked test, and one has a cell that never ends. The same number of students
always gives the same class. Folders of real students are not changed; --remove deletes the class
and its grades.
"""

import argparse
import contextlib
import datetime
import random
import re
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import MissingEntry

from plaincourse.exercise import Exercise, Project
from plaincourse.grading.course import Course, find_course
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.opening import gradebook_file, opened
from plaincourse.notebooks.page import load
from plaincourse.proving.damage import BROKEN
from plaincourse.proving.submissions import Class, Graded, known

NAME = "trial-{number:02d}"
_ONE_OF_THEM = re.compile(r"trial-\d+")


def add_parser(sub: Any) -> None:
    """Add the command ``trial-class``."""
    parser = sub.add_parser(
        "trial-class",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="such as 03-masks")
    parser.add_argument(
        "--students", metavar="N", type=int, default=12, help="how many; default: %(default)s"
    )
    parser.add_argument("--remove", action="store_true", help="remove this class again")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command in the course's folder.

    Returns:
        0, or 1 if the assignment does not exist or the number of students is below 3.
    """
    try:
        course = find_course(assignment=args.assignment)
        if args.remove:
            _remove(course)
            return 0
        return _hand_in(course, args.students)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _remove(course: Course) -> None:
    """Remove the class's folders and its grades."""
    place, removed = course.place, []
    steps = (place.submitted_directory, place.autograded_directory, place.feedback_directory)
    for step in steps:
        for student, path in course.folders(step).items():
            if not _ONE_OF_THEM.fullmatch(student):
                continue
            shutil.rmtree(path)
            removed += [path] if step == steps[0] else []
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
    file = gradebook_file(place.db_url)
    if file is None or file.exists():
        _forget(course)
    print(f"Removed {len(removed)} submissions of the trial class for {place.assignment_id}.")


def _hand_in(course: Course, number: int) -> int:
    """Write the submissions of a class, and return the exit code."""
    place, name = course.place, course.place.assignment_id
    steps = (place.source_directory, place.release_directory)
    files = [course.folder(step) / f"{name}.ipynb" for step in steps]
    missing = next((path for path in files if not path.exists()), None)
    if missing is not None or number < 3:
        gone = missing and missing.relative_to(course.root)
        why = f"{gone} is not here" if gone else "it takes 3 students"
        print(f"error: {why}: run this in the course's folder, as --help says", file=sys.stderr)
        return 1
    students = Class(*map(load, files))
    if any(isinstance(each.task, Project) for each in students.graded):
        said = f"{name} is measured, so nobody knows what made-up students would earn"
        print(f"error: {said}; take an assignment of exercises", file=sys.stderr)
        return 1
    handed = datetime.datetime.now(datetime.UTC)
    for count, notebook in enumerate(handed_in(students, number), start=1):
        folder = course.folder(place.submitted_directory, NAME.format(number=count))
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{name}.ipynb")
        (folder / "timestamp.txt").write_text(f"{handed:%Y-%m-%d %H:%M:%S} UTC", "utf-8")
        course.group.share_below(folder)
    print(f"Handed in: {number} submissions for {name}, in {place.submitted_directory}/trial-*.")
    return 0


def _forget(course: Course) -> None:
    """Delete the class's grades from the gradebook, and its students without other grades."""
    place = course.place
    with opened(place.db_url, place.course_id) as book:
        for student in [each.id for each in book.students if _ONE_OF_THEM.fullmatch(each.id)]:
            with contextlib.suppress(MissingEntry):
                book.remove_submission(place.assignment_id, student)
            if not book.student_submissions(student):
                book.remove_student(student)


def handed_in(students: Class, number: int) -> Iterator[NotebookNode]:
    """Yield the notebooks of a class.

    Args:
        students: the assignment's class.
        number: the number of students, at least 3.
    """
    dice = random.Random(number)
    for _ in range(number - 2):
        able = dice.betavariate(4, 2)
        answers = {each.cell: _answer(students, each, able, dice) for each in students.graded}
        given = {cell: source for cell, source in answers.items() if source is not None}
        yield students.hand_in("trial", given, {}).notebook
    endless = next(each for each in students.graded if isinstance(each.task, Exercise))
    source = BROKEN["an endless loop in the cell"][0].format(name=endless.name)
    yield students.hand_in("trial", {endless.cell: source}, {}).notebook
    first = students.graded[0]
    edited = students.hand_in("trial", {first.cell: known(first, "misconceptions", 0)}, {}).notebook
    for cell in edited.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == first.cell:
            cell.source = str(first.task.points)
    yield edited


def _answer(students: Class, each: Graded, able: float, dice: random.Random) -> str | None:
    """Draw an answer; None means the right one."""
    if dice.random() < able:
        return None
    if dice.random() < 0.2:
        return students.handed_out(each)
    return known(each, "misconceptions", dice.randrange(len(each.task.misconceptions)))

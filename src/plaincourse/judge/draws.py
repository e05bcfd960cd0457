"""Hidden draws that differ from student to student.

A hidden test draws its inputs from the seed in its cell. With ``c.SplitExecute.by_student = True``,
each student's tests get another seed, computed from that one and from the course, the assignment,
the task and the student. So an answer that lists the results for another student's inputs fails.
Grading again gives the same seed, which cannot be computed without the instructor's seed.

A project is measured on one hidden draw for all, because its score is compared in the class.
"""

import functools
import hashlib
import unicodedata

from nbformat import NotebookNode

from plaincourse.exercise.seeds import BITS, reseeded
from plaincourse.judge.plan import is_test, seconds_declared


def seed_of(seed: int, *, course: str, assignment: str, task: str, student: str) -> int:
    """Return a student's seed, which is as long as one of ``plaincourse reseed``.

    Args:
        seed: the instructor's seed.
        course: the id of the course; may be empty.
        assignment: the name of the assignment.
        task: the grade id of the test.
        student: the id of the student, in any Unicode spelling.
    """
    whole = "\0".join([str(seed), course, assignment, task, unicodedata.normalize("NFC", student)])
    digest = hashlib.sha256(whole.encode(errors="surrogatepass")).digest()
    return (1 << BITS) + int.from_bytes(digest[: BITS // 8], "big")


def by_student(notebook: NotebookNode, *, course: str, assignment: str, student: str) -> None:
    """Write a student's seeds into the hidden part of a notebook's tests, but not into a project's.

    Args:
        notebook: the submission, with hidden tests, and with the seconds that the instructor gives
            to projects; changed in place.
        course: the id of the course; may be empty.
        assignment: the name of the assignment.
        student: the id of the student.
    """
    for cell in notebook.cells:
        if is_test(cell) and not seconds_declared(cell):
            task = cell.metadata.nbgrader.grade_id
            of = {"course": course, "assignment": assignment, "task": task, "student": student}
            cell.source, _ = reseeded(cell.source, functools.partial(seed_of, **of))

"""One run of grading: select the submissions, grade them, and report the results."""

import argparse
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from nbgrader.preprocessors import Execute

from plaincourse.grading.arrival import arrived, borrowed
from plaincourse.grading.assignment import Snapshot, take
from plaincourse.grading.course import Course, find_course, followed
from plaincourse.grading.gradebook import Writer
from plaincourse.grading.jobs import CourseError, Job, Known, Result
from plaincourse.grading.lateness import Lateness
from plaincourse.grading.marks import digest_as_read, failed_result
from plaincourse.grading.one_at_a_time import turn
from plaincourse.grading.opening import sentences
from plaincourse.grading.results import Journal, keep
from plaincourse.grading.settings import Settings
from plaincourse.grading.summary import INTERRUPTED, Progress, Summary, as_entered
from plaincourse.grading.versions import latest_cells, with_earlier

Stopped = Callable[[], bool]


def grade_all(args: argparse.Namespace, workers: Any, stopped: Stopped) -> int:
    """Grade the submissions, print the results, and return the exit code.

    Args:
        args: of ``plaincourse autograde``.
        workers: the pool that grades.
        stopped: returns True if no further submission should begin.

    Raises:
        CourseError: the course cannot be graded as it is.
    """
    here = find_course(assignment=args.assignment)
    logs = here.root / "logs"
    with turn(logs, args.assignment, here.group, stopped) as ours, sentences(here.place.db_url):
        return _grade_all(here, args, workers, stopped) if ours else INTERRUPTED


def _grade_all(here: Course, args: argparse.Namespace, workers: Any, stopped: Stopped) -> int:
    settings = here.settings(one_process=args.one_process, unsandboxed=args.allow_unsandboxed)
    folders = here.submitted(args.student)
    kept = here.converter.exclude_overwriting.get(args.assignment, [])
    try:
        snapshot = take(here.place, keep=kept, latest=latest_cells(here.place))
    finally:
        here.share_gradebook()
    snapshot = with_earlier(snapshot, here.place, kept)
    late = Lateness(config=here.config, snapshot=snapshot)
    late.try_out(folders)
    workers.fail = lambda job, why: failed_result(job, snapshot, why)
    run = _Run(course=here, snapshot=snapshot, settings=settings, late=late, args=args)
    return run.all(folders, workers, stopped)


@dataclass(kw_only=True)
class _Run:
    course: Course
    snapshot: Snapshot
    settings: Settings
    late: Lateness
    args: argparse.Namespace

    def all(self, folders: Any, workers: Any, stopped: Callable[[], bool]) -> int:
        place = self.course.place
        name = self.snapshot.assignment
        journal = Journal(
            graded=self.course.graded,
            log=self.args.json or self.course.root / "logs" / "autograde.jsonl",
            ignore=self.settings.ignore,
            files=self.snapshot.files,
            permissions=int(str(self.course.converter.permissions), 8),
            group=self.course.group,
        )
        with closing(Writer(place.db_url, course_id=place.course_id, assignment=name)) as writer:
            writer.present = {
                (book, cell.name)
                for book, each in self.snapshot.notebooks.items()
                for cell in each.source.cells
            }
            jobs, unchanged = self._sift(writer.spelled(folders), journal, writer)
            known = {job.student: job.known for job in jobs}
            summary = Summary(
                name,
                unchanged,
                one_process=self.args.one_process,
                misplaced=self.course.misplaced(self.args.student),
            )
            summary.passed_over = self.course.passed_over()
            with closing(Progress(len(jobs), quiet=self.args.quiet)) as progress:
                graded = workers.run(
                    jobs,
                    task=(self.snapshot, self.settings),
                    patience=self._patience(),
                    stopped=stopped,
                )

                def say(result: Result) -> None:
                    summary.add(result)
                    progress.add(result)

                results = (each and self.late.add(each, known[each.student]) for each in graded)
                done = keep(results, jobs, journal, writer, say, idle=progress.tick)
            summary.interrupted = len(jobs) - done if stopped() else 0
        print(summary.text(), flush=True)
        return summary.code

    def _sift(
        self, folders: Any, journal: Journal, writer: Writer
    ) -> tuple[list[Job], dict[str, Any]]:
        """Return the jobs, and the records of submissions that need no grading."""
        base = self.snapshot.digest + self.settings.digest()
        known = writer.known()
        strangers = sorted(set(folders) - writer.students)
        if strangers and not self.course.converter.create_student:
            raise CourseError(
                f"the gradebook does not know {', '.join(strangers)}, and "
                "c.Autograde.create_student is False. Run: nbgrader db student add ID"
            )
        jobs, unchanged, times = [], {}, {}
        links = self.course.linked(folders)
        for student, folder in folders.items():
            entered, graded = known.get(student, Known()), self.course.graded(student)
            settled = {cell: digest_as_read(graded, *cell) for cell in entered.settled}
            name = self.course.name(folder) or student
            read = replace(entered, settled=settled)
            # The instructor may keep a student's work elsewhere, and link to it.
            there = followed(folder)
            now = arrived(student, name, there, read, self.snapshot)
            if student in links:
                there, other = links[student]
                shown = os.path.relpath(there, self.course.root)
                now = replace(read, flags=(borrowed(shown, other),))
            job = journal.job(
                student,
                self.snapshot.assignment,
                there,
                base=base + str(now.flags),
                known=now,
            )
            record = journal.record(student) if student in known else None
            done = record is not None and record["digest"] == job.digest
            if record and done and record["status"] != "failed" and not self.args.force:
                unchanged[student], times[student] = as_entered(record, entered), now
            else:
                jobs.append(job)
        self.late.renew(unchanged, times, journal, writer)
        return jobs, unchanged

    def _patience(self) -> float:
        """Return the time after which no submission can still be at work, by its own limits."""
        execute = Execute(config=self.settings.config)
        cells = sum(each.text.count('"code"') for each in self.snapshot.notebooks.values())
        return max(600.0, 60.0 + 3 * cells * float(execute.timeout or 30))

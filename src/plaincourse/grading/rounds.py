"""The submissions of an assignment: which to grade, and what becomes of the results."""

import argparse
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from nbgrader.preprocessors import Execute

from plaincourse.grading.entered import as_read
from plaincourse.grading.jobs import CourseError, Job, Known, Result
from plaincourse.grading.journal import Journal
from plaincourse.grading.keep import keep
from plaincourse.grading.outcome import failed
from plaincourse.grading.plan import Course, course
from plaincourse.grading.settings import Settings
from plaincourse.grading.snapshot import Snapshot, take
from plaincourse.grading.summary import Progress, Summary
from plaincourse.grading.writer import Writer


def grade_all(args: argparse.Namespace, workers: Any, stopped: Callable[[], bool]) -> int:
    """Grade what was handed in, say what came of it, and return the exit code.

    Args:
        args: of ``plaincourse autograde``.
        workers: who grades.
        stopped: tells that no further submission shall begin.

    Raises:
        CourseError: the course cannot be graded as it is.
    """
    here = course(args.assignment)
    settings = here.settings(one_process=args.one_process, unsandboxed=args.allow_unsandboxed)
    folders = here.submitted(args.student)
    kept = here.converter.exclude_overwriting.get(args.assignment, [])
    snapshot = take(here.place, keep=kept)
    workers.fail = lambda job, why: failed(job, snapshot, why)
    run = _Run(course=here, snapshot=snapshot, settings=settings, args=args)
    return run.all(folders, workers, stopped)


@dataclass(kw_only=True)
class _Run:
    course: Course
    snapshot: Snapshot
    settings: Settings
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
            shared=place.groupshared,
        )
        with closing(Writer(place.db_url, course_id=place.course_id, assignment=name)) as writer:
            jobs, unchanged = self._sift(folders, journal, writer)
            summary = Summary(name, unchanged, one_process=self.args.one_process)
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

                done = keep(graded, jobs, journal, writer, say, idle=progress.tick)
            summary.interrupted = len(jobs) - done if stopped() else 0
        print(summary.text(), flush=True)
        return summary.code

    def _sift(
        self, folders: Any, journal: Journal, writer: Writer
    ) -> tuple[list[Job], dict[str, Any]]:
        """Return what is to be graded, and the records of what is not."""
        base = self.snapshot.digest + self.settings.digest()
        known = writer.known()
        strangers = sorted(set(folders) - writer.students)
        if strangers and not self.course.converter.create_student:
            raise CourseError(
                f"the gradebook does not know {', '.join(strangers)}, and "
                "c.Autograde.create_student is False. Run: nbgrader db student add ID"
            )
        jobs, unchanged = [], {}
        for student, folder in folders.items():
            entered, graded = known.get(student, Known()), self.course.graded(student)
            settled = {cell: as_read(graded, *cell) for cell in entered.settled}
            job = journal.job(
                student,
                self.snapshot.assignment,
                folder,
                base=base,
                known=self.course.timed(folder, replace(entered, settled=settled)),
            )
            record = journal.record(student) if student in known else None
            done = record is not None and record["digest"] == job.digest
            if record and done and record["status"] != "failed" and not self.args.force:
                unchanged[student] = record
            else:
                jobs.append(job)
        return jobs, unchanged

    def _patience(self) -> float:
        """Return the time after which no submission can still be at work, by its own limits."""
        execute = Execute(config=self.settings.config)
        cells = sum(each.text.count('"code"') for each in self.snapshot.notebooks.values())
        return max(600.0, 60.0 + 3 * cells * float(execute.timeout or 30))

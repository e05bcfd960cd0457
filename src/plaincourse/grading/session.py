"""One run of ``plaincourse autograde``: from the course's folder to the summary."""

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from nbgrader.preprocessors import Execute

from plaincourse.grading.begin import Begin
from plaincourse.grading.cluster import Cluster
from plaincourse.grading.jobs import CourseError, Job, Known, Result
from plaincourse.grading.journal import Journal
from plaincourse.grading.keep import keep
from plaincourse.grading.outcome import failed
from plaincourse.grading.plan import Course, course
from plaincourse.grading.pool import Pool
from plaincourse.grading.settings import Settings
from plaincourse.grading.snapshot import Snapshot, take
from plaincourse.grading.summary import Progress, Summary
from plaincourse.grading.writer import Writer


def session(args: argparse.Namespace) -> int:
    """Grade as the command line says, and return the exit code.

    Args:
        args: of ``plaincourse autograde``.

    Raises:
        CourseError: the course cannot be graded as it is.
    """
    words = args.allow_unsandboxed
    snapshots: list[Snapshot] = []

    def fail(job: Job, why: str) -> Result:
        return failed(job, snapshots[0], why)

    if args.cluster:
        workers: Any = Cluster(args.cluster, fail=fail)
    else:
        begin = Begin(unsandboxed=words, one_process=args.one_process)
        workers = Pool(begin, size=args.jobs, fail=fail)
        workers.start()  # it imports while this process reads the course
    with closing(workers), _interrupts() as stopped:
        here = course(args.assignment)
        settings = here.settings(one_process=args.one_process, unsandboxed=words)
        folders = here.submitted(args.student)
        keep = here.converter.exclude_overwriting.get(args.assignment, [])
        snapshots.append(take(here.place, keep=keep))
        run = _Run(course=here, snapshot=snapshots[0], settings=settings, args=args)
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
            job = journal.job(
                student,
                self.snapshot.assignment,
                folder,
                base=base,
                known=self.course.timed(folder, known.get(student, Known())),
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
        return max(600.0, 60.0 + 2 * cells * float(execute.timeout or 30))


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Count Ctrl-C and SIGTERM instead of dying of them; the second one ends at once."""
    heard: list[int] = []

    def hear(number: int, frame: object) -> None:
        heard.append(number)
        if len(heard) > 1:
            raise KeyboardInterrupt

    old = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(heard)
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)

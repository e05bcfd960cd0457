"""One run of grading: the course as nbgrader reads it, what to grade, what became of it."""

import argparse
import glob
import os
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbgrader.apps.autogradeapp import AutogradeApp
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute
from traitlets.config import Config

from plaincourse.grading.arrival import arrived, identify
from plaincourse.grading.assignment import Snapshot, take
from plaincourse.grading.collected import NAME as COLLECTED
from plaincourse.grading.gradebook import Writer
from plaincourse.grading.jobs import CourseError, Job, Known, Result
from plaincourse.grading.lateness import Lateness
from plaincourse.grading.marks import digest_as_read, failed_result
from plaincourse.grading.misplaced import MOST, misplaced
from plaincourse.grading.results import RECORD, Journal, keep
from plaincourse.grading.settings import Settings, portable
from plaincourse.grading.summary import Progress, Summary, as_entered


def grade_all(args: argparse.Namespace, workers: Any, stopped: Callable[[], bool]) -> int:
    """Grade what was handed in, say what came of it, and return the exit code.

    Args:
        args: of ``plaincourse autograde``.
        workers: who grades.
        stopped: tells that no further submission shall begin.

    Raises:
        CourseError: the course cannot be graded as it is.
    """
    here = read_course(args.assignment)
    settings = here.settings(one_process=args.one_process, unsandboxed=args.allow_unsandboxed)
    folders = here.submitted(args.student)
    kept = here.converter.exclude_overwriting.get(args.assignment, [])
    snapshot = take(here.place, keep=kept)
    late = Lateness(config=here.config, snapshot=snapshot)
    late.try_out(folders)
    workers.fail = lambda job, why: failed_result(job, snapshot, why)
    run = _Run(course=here, snapshot=snapshot, settings=settings, late=late, args=args)
    return run.all(folders, workers, stopped)


@dataclass(kw_only=True)
class Course:
    """A course folder, as its ``nbgrader_config.py`` describes it.

    Attributes:
        place: nbgrader's ``CourseDirectory``.
        converter: nbgrader's ``Autograde``, configured; it is asked, not run.
    """

    place: Any
    converter: Any
    config: Config = field(default_factory=Config)

    @property
    def root(self) -> Path:
        """The course's folder."""
        return Path(self.place.root)

    def settings(self, *, one_process: bool, unsandboxed: str) -> Settings:
        """Collect what workers need."""
        return Settings(
            config=portable(self.config),
            sanitize=tuple(self.converter.sanitize_preprocessors),
            autograde=tuple(self.converter.autograde_preprocessors),
            ignore=(*self.place.ignore, RECORD, COLLECTED),
            one_process=one_process,
            unsandboxed=unsandboxed,
        )

    def submitted(self, only: Sequence[str] = ()) -> dict[str, Path]:
        """Return the folder of each submission by its student's id.

        Args:
            only: these students, by id or by the name of their folder; all where empty.

        Raises:
            CourseError: there is none, or one of those named handed in nothing.
        """
        step, name = self.place.submitted_directory, self.place.assignment_id
        anywhere = self.place.format_path(glob.escape(step), "*", glob.escape(name))
        excluded = self.place.student_id_exclude.split(",")
        names = {}
        for folder in sorted(self.root.glob(os.path.relpath(anywhere, self.root))):
            student = self.name(folder)
            if student is not None and student not in excluded and folder.is_dir():
                names[student] = folder
        if not names:
            beside = self.misplaced()
            there = f" This lies elsewhere: {', '.join(beside[:MOST])}." if beside else ""
            raise CourseError(
                f"nobody handed in {name!r}: nothing is at "
                f"{os.path.relpath(anywhere, self.root)}.{there} "
                "Put submissions there, or collect them: nbgrader zip_collect, nbgrader collect"
            )
        found = identify(names)
        ids = {folder: student for student, folder in found.items()}
        wanted = {ids[names[each]] if each in names else each for each in only}
        if missing := sorted(wanted - set(found)):
            raise CourseError(f"handed in nothing for {name!r}: {', '.join(missing)}")
        return {student: found[student] for student in (sorted(wanted) or found)}

    def misplaced(self, only: Collection[str] = ()) -> list[str]:
        """Return what may have been handed in and lies where it is not looked for, by its path.

        Args:
            only: the folders of these students; of all where empty.
        """
        step, name = self.place.submitted_directory, self.place.assignment_id
        folder = Path(self.place.format_path(step, "x", name))
        if folder.parts[-2:] != ("x", name):
            return []  # a structure of its own
        source = Path(self.place.format_path(self.place.source_directory, ".", name))
        found = misplaced(
            folder.parents[1],
            name,
            notebooks=[path.stem for path in source.glob("*.ipynb")],
            others=[each.name for each in source.parent.glob("*/") if each.name != name],
        )
        above = os.path.relpath(folder.parents[1], self.root)
        return [f"{above}/{each}" for each in found if not only or each.split("/")[0] in only]

    def name(self, folder: Path) -> str | None:
        """Return the name of the student's folder in which a submission lies."""
        step, name = self.place.submitted_directory, self.place.assignment_id
        pattern = self.place.format_path(
            re.escape(step), "(?P<student>[^/]*)", re.escape(name), escape=True
        )
        match = re.fullmatch(pattern, str(folder), flags=re.DOTALL)
        return match and match["student"]

    def graded(self, student: str) -> Path:
        """Return the folder into which a graded submission goes."""
        return Path(
            self.place.format_path(
                self.place.autograded_directory, student, self.place.assignment_id
            )
        )


def read_course(assignment: str) -> Course:
    """Read the course in this folder with nbgrader's own loader.

    Args:
        assignment: what shall be graded.

    Raises:
        CourseError: there is no ``nbgrader_config.py`` here, or it fails.
    """
    if not Path("nbgrader_config.py").is_file():
        raise CourseError(f"no nbgrader_config.py in {Path.cwd()}. Run this in the course's folder")
    app = AutogradeApp()
    app.raise_config_file_errors = True
    app.log_level = "ERROR"
    try:
        app.initialize([f"--assignment={assignment}", "--log-level=ERROR"])
    except Exception as error:
        raise CourseError(f"nbgrader_config.py fails: {type(error).__name__}: {error}") from error
    converter = Autograde(coursedir=app.coursedir, parent=app)
    return Course(place=app.coursedir, converter=converter, config=app.config)


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
            shared=place.groupshared,
        )
        with closing(Writer(place.db_url, course_id=place.course_id, assignment=name)) as writer:
            jobs, unchanged = self._sift(folders, journal, writer)
            known = {job.student: job.known for job in jobs}
            summary = Summary(
                name,
                unchanged,
                one_process=self.args.one_process,
                misplaced=self.course.misplaced(self.args.student),
            )
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
        """Return what is to be graded, and the records of what is not."""
        base = self.snapshot.digest + self.settings.digest()
        known = writer.known()
        strangers = sorted(set(folders) - writer.students)
        if strangers and not self.course.converter.create_student:
            raise CourseError(
                f"the gradebook does not know {', '.join(strangers)}, and "
                "c.Autograde.create_student is False. Run: nbgrader db student add ID"
            )
        jobs, unchanged, times = [], {}, {}
        for student, folder in folders.items():
            entered, graded = known.get(student, Known()), self.course.graded(student)
            settled = {cell: digest_as_read(graded, *cell) for cell in entered.settled}
            name = self.course.name(folder) or student
            read = replace(entered, settled=settled)
            now = arrived(student, name, folder, read, self.snapshot)
            job = journal.job(
                student,
                self.snapshot.assignment,
                folder,
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

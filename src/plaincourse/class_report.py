"""``plaincourse report``: a report on one assignment of a class, as a page and as CSV.

The page shows the distribution of grades, the difficulty and discrimination of each exercise, how
many students each misconception affects, topics to teach again, submissions that need your
attention, and the cost of grading. It is one file that needs no network. The CSV files are for
Canvas, Moodle and Gradescope.
"""

import argparse
import contextlib
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from plaincourse import settings
from plaincourse.classroom import exports, into
from plaincourse.classroom.model import Classroom
from plaincourse.exercise.course import distribution

_EPILOG = """\
examples:
  plaincourse report 02-scaled-dot-product-attention
  plaincourse report 02-scaled-dot-product-attention --csv canvas --column "Attention (12345)"
  plaincourse report 02-scaled-dot-product-attention --into ~/Downloads/grades.csv

where to upload: Canvas: Grades, Import. Moodle: Grades, Import, CSV file. Gradescope takes a roster
(Roster, Add Students or Staff), and has no upload for grades that were given elsewhere.
"""


def add_parser(sub: Any) -> None:
    """Add the command ``report``."""
    parser = sub.add_parser(
        "report",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="its name, as in the gradebook")
    parser.add_argument(
        "--out", metavar="FILE.html", type=Path, help="the page (reports/ASSIGNMENT.html)"
    )
    parser.add_argument(
        "--csv",
        nargs="+",
        action="extend",
        default=[],
        choices=[*exports.EXPORTS, "all"],
        help="write grades beside the page",
    )
    parser.add_argument(
        "--into",
        nargs="+",
        metavar="FILE.csv",
        type=Path,
        default=[],
        help="copies of these files of Canvas or Moodle, with the grades in their column",
    )
    parser.add_argument("--column", default="", help="the assignment's column in the CSV files")
    parser.add_argument(
        "--canvas-id",
        choices=["login", "sis"],
        default="login",
        help="what the gradebook's student ids are in Canvas: SIS Login ID, or SIS User ID",
    )
    parser.add_argument(
        "--provisional", action="store_true", help="export totals that lack ungraded essays"
    )
    parser.add_argument("--zeros", action="store_true", help="export 0 where nothing was handed in")
    parser.add_argument(
        "--similar", action="store_true", help="list submissions whose code is alike, too"
    )
    parser.add_argument(
        "--course", metavar="FOLDER", type=Path, default=Path(), help="the course folder (.)"
    )
    parser.add_argument(
        "--db", metavar="URL", default="", help="the gradebook (as nbgrader_config.py says)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        1 if there is nothing to report or a file could not be written, else 0. Submissions that
        failed do not change the status, because the report is meant to show them.
    """
    try:
        # Imported here so that `plaincourse --help` needs neither torch nor nbgrader.
        from plaincourse.cards.concepts import ConceptError
        from plaincourse.classroom.page import page
        from plaincourse.classroom.reading import ReadingError, find, read_course
        from plaincourse.classroom.tasks import Book
    except ModuleNotFoundError as error:
        return _error(f"this needs {error.name}: pip install '{distribution()}[instructor]'")
    out = args.out or args.course / "reports" / f"{args.assignment}.html"
    try:
        found = find(args.course, args.assignment, url=args.db)
        room = read_course(found)
        home = _home(args.course)
        made = datetime.now().astimezone()
        alike = _alike(found, home) if args.similar else None
        _write(out, page(room, Book(home), made=made, alike=alike))
        print(f"{out}: {len(room.works)} submissions")
        for note in room.notes:
            print(f"warning: {note}", file=sys.stderr)
        board = out.with_name(f"{out.stem}-leaderboard.jsonl")
        old = {out.with_name(f"{out.stem}-{kind}.csv") for kind in exports.EXPORTS} | {board}
        written = _csv(room, out, args)
        for file in args.into:
            written.add(_into(file, room, found, out.with_name(_copy(file, out, written)), args))
        if lines := exports.leaderboard(room):
            written.add(board)
            _write(board, lines)
            print(f"{board}: what was measured of {lines.count(chr(10))} projects")
        for path in sorted(each for each in old - written if each.exists()):
            path.unlink()
            print(f"{path}: removed, because it was written by an earlier run")
        found.group.share(out, *written)
    except (ReadingError, settings.SettingsError, ConceptError, OSError, into.IntoError) as error:
        return _error(error)
    return 0


def _alike(found: Any, home: Path | None) -> tuple[Any, ...]:
    """Return the pairs of similar submissions in an assignment."""
    from plaincourse.classroom import similar

    place = found.place
    students = found.folders(place.autograded_directory)
    own = {student: similar.answers(folder) for student, folder in students.items()}
    given = list(found.folder(place.release_directory).glob("*.ipynb"))
    if home:
        given.append(home / "book" / f"{place.assignment_id}.ipynb")
    return similar.pairs(own, similar.code(given))


def _error(what: object) -> int:
    print(f"error: {what}", file=sys.stderr)
    return 1


def _csv(room: Classroom, out: Path, args: argparse.Namespace) -> set[Path]:
    """Write the requested CSV files and return their paths."""
    written = set()
    options = _options(args)
    for kind in exports.EXPORTS if "all" in args.csv else dict.fromkeys(args.csv):
        path = out.with_name(f"{out.stem}-{kind}.csv")
        _write(path, exports.EXPORTS[kind](room, options))
        print(f"{path}: for {kind.capitalize()}")
        for said in exports.remarks(room, kind, options):
            print(f"  {said}")
        written.add(path)
    return written


def _options(args: argparse.Namespace) -> exports.Options:
    return exports.Options(
        column=args.column,
        canvas_id=args.canvas_id,
        provisional=args.provisional,
        zeros=args.zeros,
    )


def _copy(path: Path, out: Path, written: set[Path]) -> str:
    """Return a name for the copy of a platform's file that no other file of this run has."""
    names = {each.name for each in written}
    stems = [path.stem, *(f"{path.stem}-{number}" for number in range(2, len(names) + 3))]
    return next(name for stem in stems if (name := f"{out.stem}-into-{stem}.csv") not in names)


def _into(path: Path, room: Classroom, found: Any, target: Path, args: argparse.Namespace) -> Path:
    """Write a copy of a platform's file with the grades, and return the path of the copy."""
    from plaincourse.grading.collected import Collected, read_collected
    from plaincourse.grading.ids import normal

    folders = found.folders(found.place.submitted_directory)
    came = {normal(student): read_collected(folder) for student, folder in folders.items()}
    try:
        filled = into.fill(
            into.read(path.read_bytes()),
            exports.grades(room, _options(args)),
            assignment=room.assignment,
            most=room.points,
            column=args.column,
            came=lambda student: came.get(normal(student.id), Collected()),
        )
    except into.IntoError as error:
        raise into.IntoError(f"{path}: {error}") from error
    _write(target, filled.text)
    print(f"{target}: {len(filled.written)} grades, for {filled.platform.capitalize()}")
    parts = {
        "another grade before": filled.replaced,
        "not changed": filled.refused,
        "in the file, and not in the gradebook": filled.strangers,
        "with a grade, and not in the file": [student.id for student in filled.absent],
    }
    for said, rows in parts.items():
        for row in rows:
            print(f"  {said}: {row}")
    return target


def _home(course: Path) -> Path | None:
    """Return the root of the repository around the course or the current folder, or ``None``."""
    for start in (course, Path()):
        try:
            return settings.root(start)
        except settings.SettingsError:
            continue  # For a course outside a repository, the report omits the book.
    return None


def _write(path: Path, text: str) -> None:
    """Write a whole file, or leave the previous file unchanged.

    Raises:
        OSError: it could not be written; the message gives a remedy.
    """
    data = text.encode("utf-8", errors="replace")
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # for example /dev/stdout
        return
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_bytes(data)
        half.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise OSError(
            f"{path} could not be written ({error.strerror}); an earlier report is as it was. "
            "Make room, or see who may write there, and run the command again"
        ) from error

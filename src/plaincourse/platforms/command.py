"""``plaincourse export``: pack an assignment's grader for a platform on which your class is.

Writes one zip file with this course's own tests, judge and sandbox, for

  gradescope     the autograder that you upload under "Configure Autograder"
  prairielearn   a question with external grading, for the folder questions/ of your course there
  classroom50    an autograder for the folder CLASSROOM/autograders/ASSIGNMENT/

It contains the solutions and the hidden tests, so do not give it to students. The points are those
of `plaincourse autograde`. Answers that a person grades are named, and are not in the score.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

from plaincourse.exercise.course import NAME, distribution, folder, subject
from plaincourse.grading.course import Course, find_course
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.text import headings
from plaincourse.notebooks.page import PageError, load
from plaincourse.platforms import grade, scripts
from plaincourse.sandbox import CONSENT

FORMS = ("gradescope", "prairielearn", "classroom50")
#: Minutes that each platform gives a submission: by default, and at most.
MINUTES = {"gradescope": (10, 40), "prairielearn": (10, 10), "classroom50": (15, 15)}
VISIBILITY = ("visible", "after_due_date", "after_published")
#: The size of an archive in bytes at which an upload may be refused.
LARGEST = 5 * 10**6
#: Seconds of the limit that are left for starting the grader, which half a processor does slowly.
_STARTING = 90
_EXTRAS = "notebook student instructor".split()
#: Packages for reading notebooks in a browser, which grading does not need.
_NOT_NEEDED = frozenset({"jupyterlab"})
#: Packages that others bring, and whose version may change a grade.
_BESIDES = ("ipython", "nbclient")
_REQUIRED = re.compile(r"([\w.-]+)(\[[^\]]*\])?[^;]*(?:;(.*))?")
_EXTRA = re.compile(r"extra *== *[\"']([\w-]+)[\"']")
_TIME = (1980, 1, 1, 0, 0, 0)


def add_parser(sub: Any) -> None:
    """Add the command ``export``."""
    parser = sub.add_parser(
        "export", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("form", metavar="PLATFORM", choices=FORMS, help=", ".join(FORMS))
    parser.add_argument("assignment", metavar="CHAPTER", help="such as 02, or its whole name")
    parser.add_argument("--out", metavar="FILE.zip", type=Path, help="(PLATFORM-ASSIGNMENT.zip)")
    parser.add_argument(
        "--minutes", metavar="N", type=float, help="the platform's limit on the time of a grading"
    )
    parser.add_argument(
        "--visibility",
        choices=VISIBILITY,
        default="visible",
        help="Gradescope: when students see the tests; default: %(default)s",
    )
    parser.add_argument(
        "--image",
        default=f"{distribution()}:latest",
        help="PrairieLearn: the image that has this course; default: %(default)s",
    )
    parser.add_argument(
        "--torch-index",
        metavar="ADDRESS",
        default="",
        help="a package index with smaller builds of PyTorch, for processors only",
    )
    parser.add_argument(
        "--allow-unsandboxed",
        metavar="WORDS",
        default="",
        help=f'grade also where no sandbox is available; the words are "{CONSENT}"',
    )
    parser.set_defaults(run=run, usage=parser)


def run(args: argparse.Namespace) -> int:
    """Run the command in the course's folder.

    Returns:
        0 if the archive was written, 1 if not.
    """
    if args.allow_unsandboxed not in ("", CONSENT):
        args.usage.error(f'--allow-unsandboxed: expected the words "{CONSENT}"')
    if re.search(r"['\"\s\\]", args.torch_index):
        args.usage.error(f"--torch-index: {args.torch_index!r} is not an address")
    usual, most = MINUTES[args.form]
    minutes = usual if args.minutes is None else args.minutes
    if not 3 <= minutes <= most:
        args.usage.error(f"--minutes: {minutes:g}; {args.form} allows 3 to {most}")
    try:
        return _export(args, seconds=round(60 * minutes))
    except (CourseError, PageError, LookupError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _export(args: argparse.Namespace, *, seconds: int) -> int:
    course = find_course(assignment=_assignment(args.assignment))
    name = course.place.assignment_id
    home = course.folder(course.place.source_directory)
    sources = [cell for path in sorted(home.glob("*.ipynb")) for cell in load(path).cells]
    by_hand, tested = _points(sources)
    if not tested:
        raise CourseError(f"{name}: no points of it are given by a test, so there is no score")
    declared = sum(
        float(cell.metadata.get("plaincourse", {}).get("seconds") or 0) for cell in sources
    )
    _refuse_slow(declared, name, args.form, seconds)
    budget = round(max(60, seconds - _STARTING - 2 * declared))
    settings = {
        "form": args.form,
        "assignment": name,
        "seconds": seconds,
        "by_hand": list(by_hand),
        "visibility": args.visibility,
        "unsandboxed": args.allow_unsandboxed,
    }
    content = {**dict(_course_files(course, budget)), **dict(_packages())}
    content[grade.SETTINGS] = json.dumps(settings, indent=1).encode()
    content[grade.REQUIREMENTS] = "\n".join([*_requirements(), ""]).encode()
    lock = course.root / "requirements.lock"
    content["constraints.txt"] = lock.read_bytes() if lock.is_file() else b""
    title = next(iter(headings("\n".join(cell.source for cell in sources))), name)
    whole = _in_form(args, content, name=name, title=title, seconds=seconds)
    out = args.out or Path(f"{args.form}-{name}.zip")
    size = _write(out, whole)
    print(f"{out}: {size / 1e6:.1f} MB. It holds the solutions: do not give it to students.")
    print(f"points by tests: {tested:g}; set this number as the maximum of the autograder")
    if by_hand:
        named = ", ".join(f"{cell} ({points:g} points)" for cell, points in by_hand.items())
        print(f"graded by a person, and not in the score: {named}")
    if size > LARGEST:
        print(f"warning: it is larger than {LARGEST / 1e6:g} MB", file=sys.stderr)
    return 0


def _assignment(asked: str) -> str:
    """Return the whole name of an assignment, from that name or its number.

    Raises:
        CourseError: there is no such assignment, or there are several.
    """
    course = find_course()
    place = course.place
    above = Path(place.format_path(place.source_directory, ".", "x")).parent
    known = sorted(each.parent.name for each in above.glob("*/*.ipynb"))
    fits = [each for each in known if each == asked] or [
        each for each in known if each.startswith(f"{asked}-")
    ]
    if len(set(fits)) != 1:
        what = "fits several" if fits else "is not an assignment"
        raise CourseError(f"{asked!r} {what}; expected one of {', '.join(fits or known)}")
    return fits[0]


def _points(cells: list[Any]) -> tuple[dict[str, float], float]:
    """Return the points of each answer that a person grades, and the points of all tests."""
    by_hand: dict[str, float] = {}
    tested = 0.0
    for cell in cells:
        meta = cell.metadata.get("nbgrader", {})
        if meta.get("task") or (meta.get("grade") and meta.get("solution")):
            name = meta["grade_id"]
            by_hand[name] = by_hand.get(name, 0.0) + float(meta["points"])
        elif meta.get("grade"):
            tested += float(meta["points"])
    return by_hand, tested


def _refuse_slow(declared: float, name: str, form: str, seconds: int) -> None:
    """Refuse an assignment whose tests may take longer than the platform allows.

    Args:
        declared: the seconds that its tests are allowed to take.
        name: of the assignment.
        form: the platform.
        seconds: the platform's limit.

    Raises:
        CourseError: they may.
    """
    if declared > seconds - _STARTING:
        raise CourseError(
            f"{name}: its tests may take {declared / 60:g} minutes, and {form} stops after "
            f"{seconds / 60:g}. Give it more with --minutes (at most {MINUTES[form][1]}), or grade "
            "it with plaincourse autograde"
        )


def _course_files(course: Course, budget: int) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a course with this assignment alone, and with a new gradebook.

    Args:
        course: the whole course.
        budget: the seconds that a notebook may take, besides those that its tests declare.

    Raises:
        CourseError: the assignment cannot be generated, or differs from the release.
    """
    place, name = course.place, course.place.assignment_id
    with tempfile.TemporaryDirectory(prefix="plaincourse-export-") as made:
        new = Path(made)
        for each in (course.folder(place.source_directory), course.root / "handed_out" / name):
            if each.is_dir():
                there = new / each.resolve().relative_to(course.root.resolve())
                shutil.copytree(each, there, ignore=shutil.ignore_patterns("*.md", ".*"))
        config = (course.root / "nbgrader_config.py").read_text(encoding="utf-8")
        ours = f"get_config().SplitExecute.budget = {budget}"
        ours += '\nget_config().CourseDirectory.db_url = "sqlite:///gradebook.db"'
        text = f"{config}\n# As exported: within the platform's limit on time.\n{ours}\n"
        (new / "nbgrader_config.py").write_text(text, encoding="utf-8")
        _generate(new, name)
        released = course.folder(place.release_directory)
        again = new / released.relative_to(course.root)
        for path in again.glob("*.ipynb"):
            given = released / path.name
            if not given.is_file() or given.read_bytes() != path.read_bytes():
                raise CourseError(
                    f"{given.relative_to(course.root)} is not the release of the present solution. "
                    f"Run: nbgrader generate_assignment {name} --force, and give students that "
                    "notebook"
                )
        shutil.rmtree(again)
        for path in sorted(new.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"course/{path.relative_to(new).as_posix()}", path.read_bytes()


def _generate(course: Path, name: str) -> None:
    """Enter an assignment into a new gradebook.

    Raises:
        CourseError: nbgrader cannot do it.
    """
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", name],
        cwd=course,
        env={**os.environ, "JUPYTER_PLATFORM_DIRS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CourseError(f"{name} cannot be generated:\n{done.stderr[-2000:]}")


def _packages() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the course's packages, and of the record of their installation."""
    for package in ("plaincourse", NAME, *subject()):
        home = folder(package)
        for path in sorted(home.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".md":
                yield f"packages/{package}/{path.relative_to(home).as_posix()}", path.read_bytes()
    about = metadata.distribution(distribution())
    record = f"packages/{distribution().replace('-', '_')}-{about.version}.dist-info"
    for name in ("METADATA", "entry_points.txt"):
        yield f"{record}/{name}", (about.read_text(name) or "").encode()


def _requirements() -> list[str]:
    """Return the packages that grading needs, with the versions that are installed here."""
    own, found = distribution(), set()
    for each in metadata.requires(own) or []:
        name, _, marker = _REQUIRED.fullmatch(each).groups()  # type: ignore[union-attr]
        extra = _EXTRA.search(marker or "")
        if name != own and (extra is None or extra[1] in _EXTRAS):
            found.add(name)
    found = (found | set(_BESIDES)) - _NOT_NEEDED
    return [f"{each}=={metadata.version(each).partition('+')[0]}" for each in sorted(found)]


def _in_form(
    args: argparse.Namespace,
    content: Mapping[str, bytes],
    *,
    name: str,
    title: str,
    seconds: int,
) -> dict[str, bytes]:
    """Return all files of the archive, at the paths that the platform expects."""
    below = ""
    if args.form == "gradescope":
        texts = scripts.for_gradescope(index=args.torch_index)
    elif args.form == "classroom50":
        texts = scripts.for_classroom50(index=args.torch_index)
    else:
        below = f"{name}/tests/"
        made = scripts.for_prairielearn(
            title=escape(title), name=name, image=args.image, seconds=seconds
        )
        texts = {f"{name}/{path}": text for path, text in made.items()}
    whole = {f"{below}{path}": text for path, text in content.items()}
    return {**whole, **{path: text.encode() for path, text in texts.items()}}


def _write(out: Path, content: Mapping[str, bytes]) -> int:
    """Write an archive whole or not at all, and return its size in bytes."""
    new = out.with_name(f".{out.name}.new")
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, text in sorted(content.items()):
            about = zipfile.ZipInfo(path, _TIME)
            about.compress_type = zipfile.ZIP_DEFLATED
            runs = text.startswith(b"#!")
            about.external_attr = (0o100755 if runs else 0o100644) << 16
            archive.writestr(about, text)
    new.replace(out)
    return out.stat().st_size

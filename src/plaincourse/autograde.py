"""``plaincourse autograde``: grade a class's submissions with nbgrader's gradebook and formats.

It reads nbgrader_config.py in this folder, grades submitted/STUDENT/ASSIGNMENT with one process per
core, and writes autograded/STUDENT/ASSIGNMENT and the gradebook. Student code runs in a sandbox
without network, without access to the course, and with limits on time and memory. If no sandbox is
available, the command refuses to run, unless you pass the words shown below.

Submissions that are already graded are skipped until the submission, the assignment or the course's
code changes. So the same command goes on where it stopped after Ctrl-C or a power cut. A submission
that failed is tried again.

  plaincourse autograde 02-scaled-dot-product-attention
  plaincourse autograde 02-scaled-dot-product-attention --student ada --student grace --force
"""

import argparse
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from plaincourse import startup
from plaincourse.exercise.course import NAME, distribution, subject

_END = """\
exit codes:
  0    all are graded
  1    the course cannot be graded as it is, no worker can begin, or nothing can be written
  2    wrong usage
  3    some are flagged: they have grades, and a person should look
  4    some failed: they have 0 points, and wait for a person
  130  interrupted; what was done is kept
"""
_SWITCHES = ("force", "one_process", "quiet")
#: The words that the user must type to run student code without a sandbox.
WORDS = "yes, run student code with my rights"


def add_parser(sub: Any) -> None:
    """Add the command ``autograde``."""
    _declare(
        sub.add_parser(
            "autograde",
            description=__doc__,
            epilog=_END,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
    )


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="its name in nbgrader")
    who = parser.add_argument_group("what to grade")
    who.add_argument(
        "--student", metavar="ID", action="append", default=[], help="only this one; repeatable"
    )
    who.add_argument("--force", action="store_true", help="grade again what has not changed")
    how = parser.add_argument_group("how to grade")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    how.add_argument(
        "--jobs", metavar="N", type=_positive, default=cores, help="processes; default: %(default)s"
    )
    how.add_argument(
        "--one-process",
        action="store_true",
        help="run tests in the student's kernel, as nbgrader does, where no pass can be "
        "confirmed; without this they run in a process that student code cannot touch",
    )
    how.add_argument(
        "--container", choices=("docker", "podman"), help="run all of this in one container"
    )
    how.add_argument(
        "--image",
        default=f"{distribution()}:latest",
        help="the container's image, which has this package; default: %(default)s",
    )
    how.add_argument(
        "--dry-run", action="store_true", help="with --container: only print its command line"
    )
    how.add_argument(
        "--allow-unsandboxed",
        metavar="WORDS",
        default="",
        help=f'run student code without a sandbox; the words are "{WORDS}"',
    )
    said = parser.add_argument_group("what is said")
    said.add_argument(
        "--json",
        metavar="LOG",
        type=Path,
        help="file that gets a line of JSON for each submission; default: logs/autograde.jsonl",
    )
    said.add_argument("--quiet", action="store_true", help="only the summary")
    parser.set_defaults(run=run, usage=parser)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}: expected at least 1")
    return number


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        The exit code, as listed in ``--help``.
    """
    if args.allow_unsandboxed not in ("", WORDS):
        args.usage.error(f'--allow-unsandboxed: expected the words "{WORDS}"')
    if args.dry_run and not args.container:
        args.usage.error("--dry-run needs --container")
    if args.container:
        return _contained(args)
    try:
        return _here(args)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in {"", "plaincourse", NAME, *subject()}:
            raise
        extra = f"pip install '{distribution()}[instructor]'"
        print(f"error: grading needs {package}, which is not installed: {extra}", file=sys.stderr)
        return 1


def _here(args: argparse.Namespace) -> int:
    """Run the command on this machine."""
    from plaincourse.grading.jobs import CourseError

    try:
        return _grade(args)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _grade(args: argparse.Namespace) -> int:
    """Grade as the command line asks, and return the exit code.

    Args:
        args: the arguments of ``plaincourse autograde``.

    Raises:
        CourseError: the course cannot be graded as it is.
        ModuleNotFoundError: a package that grading needs is not installed.
    """
    from plaincourse.grading.workers import Begin, Pool

    begin = Begin(unsandboxed=args.allow_unsandboxed, one_process=args.one_process)
    with closing(Pool(begin, size=args.jobs)) as pool, _interrupts() as stopped:
        pool.start()
        # The import takes a second. Meanwhile the first worker starts the process that forks the
        # others.
        from plaincourse.grading.run import grade_all

        return grade_all(args, pool, stopped)


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Count Ctrl-C and SIGTERM instead of exiting; the second signal raises KeyboardInterrupt."""
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


def _contained(args: argparse.Namespace) -> int:
    """Run the same command in a container."""
    from plaincourse.sandbox.container import command

    if args.json is not None and args.json.is_absolute():
        args.usage.error("--json: with --container, give a path below the course's folder")
    words = [args.assignment, f"--jobs={args.jobs}"]
    words += [f"--student={each}" for each in args.student]
    words += [f"--{name.replace('_', '-')}" for name in _SWITCHES if getattr(args, name)]
    words += [f"--json={args.json}"] if args.json is not None else []
    words += [f"--allow-unsandboxed={WORDS}"] if args.allow_unsandboxed else []
    try:
        line = command(args.container, Path.cwd(), args.image, words)
        if args.dry_run:
            print(shlex.join(line))
            return 0
        return subprocess.run(line, check=False).returncode
    except FileNotFoundError:
        print(f"error: {args.container} is not installed, or not on the PATH", file=sys.stderr)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
    return 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command on its own: ``python -m plaincourse.autograde``."""
    startup.begin()
    parser = argparse.ArgumentParser(
        prog="plaincourse autograde",
        description=__doc__,
        epilog=_END,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _declare(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

"""``plaincourse``: the commands that keep the course consistent."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from plaincourse import startup
from plaincourse.exercise.course import NAME, distribution, subject

#: For each command: its module, the extra that installs its further dependencies, its purpose.
_COMMANDS = {
    "sync": (
        "notebooks.sync",
        "book",
        "run and write the notebooks whose text changed, and the exercise release",
    ),
    "configure": (
        "configure",
        None,
        "set the repository's owner and address, and rewrite what follows from them",
    ),
    "doctor": ("doctor", None, "print versions, devices and lock agreement, for a bug report"),
    "cards": ("cards.command", "book", "check the question cards, or export them to Anki"),
    "lab": ("lab", "dev", "open your own copy of the notebooks in JupyterLab"),
    "tutor": (
        "tutor",
        "student",
        "print the report of a notebook's check on an answer, or its next hint",
    ),
    "autograde": (
        "autograde",
        "instructor",
        "grade what a class handed in, in a sandbox, on all cores",
    ),
    "report": (
        "class_report",
        "instructor",
        "one page on what a class did in an assignment; grades as CSV",
    ),
    "export": (
        "platforms.command",
        "instructor",
        "pack an assignment's grader for Gradescope, PrairieLearn or Classroom 50",
    ),
    "trial-class": (
        "proving.trial_class",
        "instructor",
        "hand in for a made-up class, to try the grading",
    ),
    "syllabus": (
        "syllabus",
        "book",
        "print a syllabus with dates, from the minutes of the chapters",
    ),
    "reseed": ("reseed", None, "draw other hidden seeds, for the next term"),
}
_EPILOG = """\
a day's work:
  plaincourse sync            after editing text: run and write the notebooks it changed
  plaincourse sync --check    what CI asks: do text, notebooks and releases agree?
  plaincourse cards --anki    the question cards as an Anki deck

a reader's:
  plaincourse lab             your own copy of the notebooks, in JupyterLab
  plaincourse tutor 02.softmax_rows    the check of an answer in it; --hint gives the next hint

a class:
  plaincourse autograde NN    grade what was handed in, in a sandbox, on all cores
  plaincourse report NN       how the class did, as a page; --csv for your platform
  plaincourse export gradescope NN   the same grader, as an upload for Gradescope

a new term:
  plaincourse syllabus --start 2027-02-01    a plan with dates, to complete
  plaincourse reseed          other hidden seeds in solutions/; then sync

a fork's first day:
  plaincourse configure --owner NAME && plaincourse sync

when something is wrong:
  plaincourse doctor          what to paste into a bug report
"""


class _Missing:
    """Placeholder for a command whose packages are not installed."""

    def __init__(self, extra: str, package: str) -> None:
        self.message = (
            f"this command needs {package}, which is not installed. "
            f"Run: python -m pip install '{distribution()}[{extra}]' (in a clone: pip install -e "
            f"'.[{extra}]', or any make target)"
        )

    def __call__(self, args: argparse.Namespace) -> int:
        print(f"error: {self.message}", file=sys.stderr)
        return 1


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of one command, or a list of all commands that imports none of them.

    Each command is a module with ``add_parser(sub)``, which adds its own parser and sets ``run``
    as its default: a function from the parsed arguments to an exit status.

    Args:
        asked: a command; any other word has the same effect as ``None``.
    """
    top = argparse.ArgumentParser(
        prog="plaincourse",
        description="Keep the course in step: text, notebooks, exercises, grades and addresses.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sub = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (file, extra, purpose) in _COMMANDS.items():
        if asked not in _COMMANDS:
            sub.add_parser(name, help=purpose)
        if asked != name:
            continue
        try:
            module = importlib.import_module(f"plaincourse.{file}")
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if extra is None or package in {"", "plaincourse", NAME, *subject()}:
                raise
            stub = sub.add_parser(name, add_help=False)
            stub.set_defaults(run=_Missing(extra, package))
        else:
            module.add_parser(sub)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after ``plaincourse``; by default those of this process.

    Returns:
        0 on success.
    """
    startup.begin()
    argv = sys.argv[1:] if argv is None else argv
    commands = parser(argv[0] if argv else None)
    args, unknown = commands.parse_known_args(argv)
    if unknown and not isinstance(args.run, _Missing):
        commands.error(f"unrecognized arguments: {' '.join(unknown)}")
    status: int = args.run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Grade one submission on a platform: ``python -m plaincourse.platforms.grade``.

This runs in the platform's container, from the files that ``plaincourse export`` packed. It lays
out a course of one student, runs ``plaincourse autograde`` in it, and writes the results in the
platform's form. So the tests, the judge, the sandbox and the points are those of a class that is
graded at home.

  python -m plaincourse.platforms.grade BUNDLE SUBMISSION RESULTS    grade
  python -m plaincourse.platforms.grade --ready BUNDLE               exit 0 if all packages are here
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

STUDENT = "student"
#: The settings of an export, beside the course in it.
SETTINGS = "platform.json"
REQUIREMENTS = "requirements.txt"
#: Seconds of the platform's limit that are left for starting and for writing the results.
SPARE = 30
_NOT_HERE = (
    "The grader could not run here, so this score says nothing about your notebook. Please tell "
    "your instructor."
)
_TOO_LONG = (
    "Grading took longer than the {minutes:g} minutes that this platform allows, so no test could "
    "finish. Run your notebook from the top: a cell may never end. If it runs in a few minutes, "
    "please tell your instructor."
)
_UNREAD = "unread"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The choices made when the course was exported.

    Attributes:
        form: the platform.
        assignment: its name in nbgrader.
        seconds: the platform's time limit.
        by_hand: the grade ids of answers that only a person grades.
        visibility: when Gradescope shows the tests to students.
        unsandboxed: the words that allow student code to run without a sandbox, or none.
    """

    form: str
    assignment: str
    seconds: int
    by_hand: tuple[str, ...] = ()
    visibility: str = "visible"
    unsandboxed: str = ""

    @classmethod
    def read(cls, bundle: Path) -> "Settings":
        """Read the settings of an export."""
        found = json.loads((bundle / SETTINGS).read_text(encoding="utf-8"))
        return cls(**{**found, "by_hand": tuple(found["by_hand"])})


def missing(bundle: Path) -> list[str]:
    """List the required packages that are not installed.

    Args:
        bundle: the folder of the export.
    """
    wanted = (bundle / REQUIREMENTS).read_text(encoding="utf-8").split()
    gone = []
    for each in wanted:
        name = each.partition("==")[0]
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            gone.append(name)
    return gone


def grade(bundle: Path, submission: Path, settings: Settings) -> Any:
    """Grade a submission and return its `Outcome`.

    Args:
        bundle: the folder of the export.
        submission: the folder with the student's files, which is only read.
        settings: of the export.
    """
    from plaincourse.platforms.forms import Outcome

    with tempfile.TemporaryDirectory(prefix="plaincourse-platform-") as home:
        course = Path(home, "course")
        shutil.copytree(bundle / "course", course)
        place = course / "submitted" / STUDENT
        place.mkdir(parents=True)
        (place / settings.assignment).symlink_to(submission.resolve(), target_is_directory=True)
        done = _autograde(course, settings)
        if done is None:
            said = _TOO_LONG.format(minutes=settings.seconds / 60)
            return Outcome(ran=False, notes=(said,), staff=(said,))
        status, said = done
        graded = course / "autograded" / STUDENT / settings.assignment
        if not (graded / "record.json").is_file():
            return Outcome(ran=False, notes=(_NOT_HERE,), staff=(f"exit code {status}", said))
        return read_outcome(graded, settings)


def _autograde(course: Path, settings: Settings) -> tuple[int, str] | None:
    """Run the course's command; return its exit code and output, or None if time was up."""
    words = [sys.executable, "-m", "plaincourse.autograde", settings.assignment, "--jobs=1"]
    words += [f"--allow-unsandboxed={settings.unsandboxed}"] if settings.unsandboxed else []
    with subprocess.Popen(
        words,
        cwd=course,
        env=_environment(course.parent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=max(settings.seconds - SPARE, 1))
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return None
    return process.returncode, said.decode(errors="replace")


def _environment(home: Path) -> dict[str, str]:
    """Return the environment of the command, with a home folder that can be written."""
    ours = {"OMP_NUM_THREADS": "1", "JUPYTER_PLATFORM_DIRS": "1"}
    if not os.access(os.path.expanduser("~"), os.W_OK):  # noqa: PTH111 - without a home it is "~"
        ours["HOME"] = str(home)
    return {**os.environ, **ours}


def read_outcome(graded: Path, settings: Settings) -> Any:
    """Return the `Outcome` of a graded submission, with texts that its author may see.

    Args:
        graded: the folder ``autograded/STUDENT/ASSIGNMENT``.
        settings: of the export.
    """
    import nbformat

    from plaincourse.feedback.tell import TellPlainly
    from plaincourse.platforms import plain_text
    from plaincourse.platforms.forms import Answered, Outcome

    record = json.loads((graded / "record.json").read_text(encoding="utf-8"))
    tests = []
    for name, told in record["notebooks"].items():
        page = nbformat.read(graded / f"{name}.ipynb", as_version=4)
        page, _ = TellPlainly().preprocess(page, {})
        cells = {each.metadata.get("nbgrader", {}).get("grade_id"): each for each in page.cells}
        for cell, mark in told["cells"].items():
            shown = cells.get(cell, nbformat.v4.new_code_cell())
            tests.append(
                Answered(
                    name=plain_text.title(shown) or cell,
                    score=mark["score"],
                    points=mark["max"],
                    by_hand=cell in settings.by_hand,
                    said=plain_text.output_text(shown),
                )
            )
    kinds = [flag["kind"] for flag in record["flags"]]
    marks = [mark for told in record["notebooks"].values() for mark in told["cells"].values()]
    ran = any(mark["seconds"] for mark in marks) or _UNREAD not in kinds
    failed = record["status"] == "failed"
    return Outcome(
        tests=tuple(tests),
        ran=ran and not failed,
        notes=(*([_NOT_HERE] if failed else []), *record["mended"]),
        staff=(*filter(None, [record["why"]]), *(flag["why"] for flag in record["flags"])),
        flags=tuple(dict.fromkeys(kinds)),
        sandbox=record["sandbox"],
    )


def write(outcome: Any, settings: Settings, path: Path, given: Mapping[str, str]) -> None:
    """Write the results where the platform reads them, whole or not at all.

    Args:
        outcome: the results.
        settings: of the export.
        path: the file.
        given: the environment variables.
    """
    from plaincourse.platforms import forms

    if settings.form == "gradescope":
        made = forms.gradescope(outcome, visibility=settings.visibility)
    elif settings.form == "prairielearn":
        made = forms.prairielearn(outcome)
    else:
        made = forms.classroom50(outcome, given=given)
        _put(path.with_name("release-body.md"), forms.release_body(outcome))
    _put(path, json.dumps(made, indent=1))


def _put(path: Path, text: str) -> None:
    """Replace a file, also where the student has put a folder or a link of that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    handle, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(text + "\n")
    os.chmod(new, 0o644)  # noqa: PTH101 - mkstemp gives a name, not a Path
    os.replace(new, path)  # noqa: PTH105


def main(argv: list[str]) -> int:
    """Run the module's command.

    Returns:
        0 if the results were written, or all packages are here; 1 otherwise.
    """
    if argv[:1] == ["--ready"]:
        gone = missing(Path(argv[1]))
        print(f"not installed: {', '.join(gone)}" if gone else "all packages are installed")
        return int(bool(gone))
    bundle, submission, results = (Path(each).absolute() for each in argv)
    settings = Settings.read(bundle)
    outcome = grade(bundle, submission, settings)
    write(outcome, settings, results, os.environ)
    if settings.form != "classroom50":  # there, students read this output
        from plaincourse.sandbox import probe

        print(f"sandbox: {probe().level.value}. {probe().why}", *outcome.staff, sep="\n")
    lost = settings.form == "classroom50" and not outcome.tests
    return int(lost)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

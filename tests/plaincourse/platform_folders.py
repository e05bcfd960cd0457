"""Folders laid out as platforms do, in which an exported grader runs."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from plaincourse import cli

GIVEN = {
    "CLASSROOM": "spring",
    "ASSIGNMENT": "week-1",
    "USERNAME": "ada",
    "SUBMISSION_TAG": "submit/2027-02-01T10-00-00Z-abc",
    "COMMIT_URL": "https://example.org/commit",
    "RELEASE_URL": "https://example.org/release",
}


def export(course: Path, form: str, assignment: str, out: Path, *words: str) -> str:
    """Run ``plaincourse export`` in a course, and return its output."""
    said = io.StringIO()
    with contextlib.chdir(course), contextlib.redirect_stdout(said):
        assert cli.main(["export", form, assignment, f"--out={out}", *words]) == 0
    return said.getvalue()


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive with its permissions, as a platform does."""
    with zipfile.ZipFile(archive) as zipped:
        for each in zipped.infolist():
            Path(zipped.extract(each, folder)).chmod(each.external_attr >> 16)


def run(script: Path, root: Path, here: Path | None = None) -> str:
    """Run a platform's script with another root folder, and return its output."""
    own = {"PLAINCOURSE_ROOT": str(root), "PLAINCOURSE_PYTHON": sys.executable}
    done = subprocess.run(
        [script] if script.suffix != ".py" else [sys.executable, script],
        cwd=here or root,
        env={**os.environ, **GIVEN, **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


class Gradescope:
    """The folder of Gradescope's container, after its image was built.

    Args:
        root: the folder in place of the platform's.
        archive: the export.
    """

    def __init__(self, root: Path, archive: Path) -> None:
        self.root = root
        unpack(archive, root / "source")
        shutil.copy(root / "source" / "run_autograder", root)
        for name in ("submission", "results"):
            (root / name).mkdir()
        run(root / "source" / "setup.sh", root)
        self.printed = ""

    def grade(self, files: dict[str, bytes]) -> dict[str, Any]:
        """Hand in files, and return the results."""
        shutil.rmtree(self.root / "submission")
        fill(self.root / "submission", files)
        self.printed = run(self.root / "run_autograder", self.root)
        return read(self.root / "results" / "results.json")


def fill(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a new folder."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def read(path: Path) -> dict[str, Any]:
    """Read results."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


class PrairieLearn:
    """The folder of a job of PrairieLearn. See `Gradescope`."""

    def __init__(self, root: Path, archive: Path) -> None:
        unpack(archive, root.with_name(f"{root.name}-questions"))
        (question,) = root.with_name(f"{root.name}-questions").iterdir()
        root.mkdir()
        (question / "tests").rename(root / "tests")
        self.root = root

    def grade(self, files: dict[str, bytes]) -> dict[str, Any]:
        """Hand in files, and return the results."""
        for name in ("student", "results"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        fill(self.root / "student", files)
        run(self.root / "tests" / "run.sh", self.root)
        return read(self.root / "results" / "results.json")


class Classroom50:
    """The checkout in which Classroom 50 runs a grader. See `Gradescope`."""

    def __init__(self, root: Path, archive: Path) -> None:
        unpack(archive, root / "bundle")
        self.root = root

    def grade(self, files: dict[str, bytes]) -> dict[str, Any]:
        """Hand in files, and return the results."""
        checkout = self.root / "checkout"
        shutil.rmtree(checkout, ignore_errors=True)
        fill(checkout, files)
        run(self.root / "bundle" / "autograder.py", self.root, checkout)
        return read(checkout / "result.json")

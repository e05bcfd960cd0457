"""A course that is surrounded by secrets, traps and sentinels, in which attacks are graded."""

import json
import os
import secrets
import shutil
import sqlite3
import subprocess
import sys
import time
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from plaincourse.proving.course import Course
from tests.attacks import arena
from tests.attacks.attack import Attack
from tests.attacks.corpus.honest import Honest
from tests.attacks.traps import Traps

ROOT = Path(__file__).parents[2]
VICTIM = "victim"
_COMMAND = (sys.executable, "-m", "plaincourse.cli", "autograde", arena.NAME)
_SETTINGS = """
c.Execute.timeout = {timeout}
"""


def secret(kind: str) -> str:
    """Make a unique word; attacks can use its format but not its value."""
    return f"secret-{kind}-{secrets.token_hex(6)}"


class Court:
    """A course folder with its class; nothing outside of it may change.

    Args:
        folder: an empty folder.
        timeout: the limit on a cell's run time in seconds.
    """

    def __init__(self, folder: Path, *, timeout: int = 4) -> None:
        self.secrets = {
            kind: secret(kind) for kind in ("solution", "book", "env", "victim", "home")
        }
        self.traps = Traps(folder / "traps")
        self.attacks: dict[str, Attack] = {}
        self.honest: list[str] = []
        self.seconds = 0.0
        solutions = folder / "made" / arena.NAME
        solutions.mkdir(parents=True)
        notebook = arena.solution(self.secrets["solution"])
        nbformat.write(notebook, solutions / f"{arena.NAME}.ipynb")
        home = folder / "course"
        home.mkdir()
        self.course = Course(home, config=ROOT / "nbgrader_config.py", solutions=solutions.parent)
        with (home / "nbgrader_config.py").open("a", encoding="utf-8") as file:
            file.write(_SETTINGS.format(timeout=timeout))
        self.course.nbgrader("generate_assignment", arena.NAME)
        with Gradebook(f"sqlite:///{home / 'gradebook.db'}") as book:
            book.update_or_create_student(VICTIM, last_name=self.secrets["book"])
        self.release: NotebookNode = self.course.notebook("exercises", arena.NAME)
        outside, own = folder / "outside.txt", folder / "home"
        outside.write_text("untouched\n")
        own.mkdir()
        (own / ".netrc").write_text(self.secrets["home"])
        self.places: dict[str, Any] = {
            "course": str(home),
            "solution": str(home / "solutions" / arena.NAME / f"{arena.NAME}.ipynb"),
            "gradebook": str(home / "gradebook.db"),
            "victim": str(self.submitted(VICTIM) / f"{arena.NAME}.ipynb"),
            "outside": str(outside),
            "home": str(own),
            "source": str(ROOT / "src"),
            "pid namespace": _link("/proc/self/ns/pid"),
            "group": os.getpgid(0) if hasattr(os, "getpgid") else 0,
            "parent may die": False,
            "survivor": secret("survivor"),
            **self.traps.places,
        }
        self._hand_in(VICTIM, arena.fill(self.release, {}), note=self.secrets["victim"])
        self.honest.append(VICTIM)

    def submitted(self, student: str) -> Path:
        return self.course.folder / "submitted" / student / arena.NAME

    def attack(self, attack: Attack) -> None:
        """Submit an attack."""
        places = {**self.places, "me": attack.name}
        folder = self.submitted(attack.name)
        arena.write(arena.handed_in(attack, self.release, places), folder)
        if attack.plant:
            attack.plant(folder, places)
        self.attacks[attack.name] = attack

    def honour(self, honest: Honest) -> None:
        """Submit honest work."""
        notebook = arena.fill(self.release, honest.answers)
        honest.edit(notebook)
        folder = self.submitted(honest.name)
        arena.write(notebook, folder)
        for name, text in honest.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        self.honest.append(honest.name)

    def _hand_in(self, student: str, notebook: NotebookNode, *, note: str) -> None:
        notebook.cells[-2].source += f"\n# {note}"
        arena.write(notebook, self.submitted(student))

    def grade(self, *arguments: str) -> float:
        """Grade everything with ``plaincourse autograde``, and return the time in seconds."""
        begun = time.perf_counter()
        self.said = self.run(_COMMAND + arguments)
        return time.perf_counter() - begun

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """Start grading in the background."""
        nowhere = subprocess.DEVNULL
        return subprocess.Popen(_COMMAND + arguments, **self._room, stdout=nowhere, stderr=nowhere)

    def run(self, command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        """Run a command in the course's folder, with a secret in its environment.

        Its output goes to files: a pipe would stay open as long as a process that an attack leaves.
        """
        with (
            TemporaryFile("w+", errors="replace") as out,
            TemporaryFile("w+", errors="replace") as err,
        ):
            done = subprocess.run(
                command, **self._room, stdout=out, stderr=err, check=False, timeout=3600
            )
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(command, done.returncode, out.read(), err.read())

    @property
    def _room(self) -> dict[str, Any]:
        environment = {**os.environ, "COURSE_TOKEN": self.secrets["env"], "OMP_NUM_THREADS": "1"}
        return {
            "cwd": self.course.folder, "env": environment, "text": True, "errors": "replace",
        }  # fmt: skip

    def pages(self) -> None:
        """Write the feedback of the attacks whose page is checked."""
        kinds = {name.partition("-")[0] for name, each in self.attacks.items() if each.page}
        for kind in sorted(kinds):
            self.course.nbgrader("generate_feedback", arena.NAME, f"--student={kind}-*")

    def record(self, student: str) -> dict[str, Any]:
        path = self.course.folder / "autograded" / student / arena.NAME / "record.json"
        found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return found

    @cached_property
    def scores(self) -> dict[str, dict[str, float | None]]:
        """Points by student and test; None if a person must grade it."""
        query = """select s.id, b.name, g.auto_score, g.manual_score, g.needs_manual_grade
            from grade g join submitted_notebook n on g.notebook_id = n.id
            join submitted_assignment a on n.assignment_id = a.id
            join student s on a.student_id = s.id join base_cell b on g.cell_id = b.id"""
        found: dict[str, dict[str, float | None]] = {}
        with sqlite3.connect(self.places["gradebook"]) as book:
            for student, cell, auto, manual, asks in book.execute(query):
                score = manual if manual is not None else auto
                found.setdefault(student, {})[cell] = None if asks else score
        return found

    @cached_property
    def names(self) -> list[str]:
        """The names in the gradebook."""
        with sqlite3.connect(self.places["gradebook"]) as book:
            return [name for (name,) in book.execute("select last_name from student") if name]

    def close(self) -> None:
        self.traps.close()
        shutil.rmtree(self.course.folder.parent, ignore_errors=True)


def _link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""

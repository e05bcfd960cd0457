"""A class that two graders grade: the same submissions, in a course folder of each grader's own."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import nbformat

from plaincourse.proving.course import Course
from plaincourse.proving.submissions import Class, Submission

ROOT = Path(__file__).parents[1]
NAME = "02-scaled-dot-product-attention"
#: So many submissions ours grades while its servers still import, in their spare time.
COLD = 16
#: What stock nbgrader is given: where things lie and one thread, nothing of ours.
STOCK = """\
import os

os.environ["OMP_NUM_THREADS"] = "1"
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.ignore.append("*.md")
c.Execute.timeout = 30
"""
#: Runs a module, and says at the end how long its own process computed, without its children.
TIMED = """\
import atexit, runpy, sys, time
atexit.register(lambda: print("own", time.process_time(), file=sys.stderr))
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one run of a grader took.

    Attributes:
        each: seconds for a submission, once the grader is under way.
        first: seconds from its start to the first graded notebook.
        total: seconds from its start to its end.
        own: seconds that the process which was started computed, without its children.
    """

    each: float
    first: float
    total: float
    own: float


def _without_further_tasks(path: Path) -> None:
    """Take out the checks that are worth 0 points: stock nbgrader refuses credit for them."""
    notebook = nbformat.read(path, as_version=4)
    of = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    further = [said.get("grade") and said.get("points") == 0 for said in of]
    pairs = zip(notebook.cells, further, strict=True)
    notebook.cells = [cell for cell, out in pairs if not out]
    nbformat.write(notebook, path)


class Term:
    """A course with a class that has handed in.

    Args:
        folder: an empty folder.
        ours: whether it has our nbgrader_config.py, or the stock one.
        size: how many students; every fifth hands in the same.
    """

    def __init__(self, folder: Path, *, ours: bool, size: int) -> None:
        config = folder / "stock_config.py"
        config.write_text(STOCK, "utf-8")
        chosen = ROOT / "nbgrader_config.py" if ours else config
        self.course = Course(folder, config=chosen, solutions=ROOT / "solutions")
        _without_further_tasks(folder / "solutions" / NAME / f"{NAME}.ipynb")
        self.course.nbgrader("generate_assignment", NAME)
        notebooks = (self.course.notebook(step, NAME) for step in ("solutions", "exercises"))
        kinds = list(islice(Class(*notebooks).honest(), 4))
        self.class_ = [
            Submission(name=f"s{i:04}", notebook=kind.notebook, scores=kind.scores)
            for i, kind in ((i, kinds[i % len(kinds)]) for i in range(size))
        ]
        self.course.hand_in(NAME, self.class_)

    def grade(self, *command: str, cores: int) -> Run:
        """Grade the whole class on so many pinned cores.

        Args:
            command: the words after ``python -m``.
            cores: how many.

        Raises:
            RuntimeError: it fails; the message is what it said.
        """
        core = sorted(os.sched_getaffinity(0))[-cores:]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        start = time.time()
        done = subprocess.run(
            [sys.executable, "-c", TIMED, *command],
            cwd=self.course.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: os.sched_setaffinity(0, core),
        )
        end = time.time()
        if done.returncode not in (0, 3):  # 3: some are flagged
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        graded = self.course.folder.glob(f"autograded/*/{NAME}/{NAME}.ipynb")
        times = sorted(path.stat().st_mtime for path in graded)
        if len(times) != len(self.class_):
            raise RuntimeError(f"{len(times)} of {len(self.class_)} were graded\n{done.stdout}")
        cold = 0 if len(times) <= COLD else COLD
        return Run(
            each=(times[-1] - times[cold]) / (len(times) - 1 - cold),
            first=times[0] - start,
            total=end - start,
            own=float(done.stderr.rpartition("own ")[2]),
        )

    def wrong(self) -> list[str]:
        """Name the students whose points are not what they should be, in any cell."""
        found = ((each, self.course.scores(NAME, each.name)) for each in self.class_)
        return [
            each.name
            for each, scores in found
            if any(scores.get(cell) != points for cell, points in each.scores.items())
        ]

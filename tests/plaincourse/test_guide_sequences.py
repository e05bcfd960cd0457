"""The guide's commands for instructors, end to end, as an ordinary user with a minimal PATH."""

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from tests.plaincourse.test_instructors import BLOCKS, GUIDE, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="grading is Linux's"),
]

NAME = "02-scaled-dot-product-attention"
#: Users that exist on every Linux; nbgrader looks up their names.
TEACHER, STUDENT = "daemon", "nobody"
#: Blocks that this test does not run: their requirements, and where they are tested instead.
ELSEWHERE = {
    "make check": "Git and the whole repository: test_configure, test_sync",
    "git pull": "Git and the whole repository: test_sync",
    "make sync": "the whole repository: test_reseed, test_sync",
    "docker build": "Docker: test_sandbox_container",
}


class User:
    """A user with a home and a folder, without root's rights."""

    def __init__(self, name: str, home: Path, folder: Path) -> None:
        self.name, self.home, self.folder = name, home, folder
        for each in (home, folder):
            each.mkdir(exist_ok=True, parents=True)

    def types(self, line: str, *, ends: tuple[int, ...] = (0,)) -> str:
        """Run a line, with `.venv/bin/` in front unless an environment is activated."""
        words = ["bash", "-c", re.sub(r"^(nbgrader|plaincourse|python)\b", r".venv/bin/\1", line)]
        if os.geteuid() == 0:  # a user who owns root's files but lacks root's rights
            number = pwd.getpwnam(self.name).pw_uid
            user = f"--map-user={number}", f"--map-group={number}"
            words = ["unshare", "-U", *user, *words]
        bare = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        environment = {**bare, "HOME": str(self.home), "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}
        environment |= {"USER": self.name, "LOGNAME": self.name}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        done = subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600
        )
        said = done.stdout + done.stderr
        assert done.returncode in ends, f"{line}: {done.returncode}\n{said[-3000:]}"
        assert "Traceback" not in said, said[-3000:]
        return said


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that every user can access."""
    with tempfile.TemporaryDirectory(prefix="guide-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def teacher(place: Path) -> User:
    """An instructor in the course's folder, in which the guide's commands run."""
    course = place / "course"
    course.mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", course)
    for step in ("solutions", "exercises"):
        shutil.copytree(ROOT / step / NAME, course / step / NAME)
    (course / ".venv").symlink_to(Path(sys.prefix))
    return User(TEACHER, place / "teacher", course)


def lines(*, holding: str) -> list[str]:
    """Return the commands of the guide's block that contains a text, without comments."""
    (block,) = [each for each in BLOCKS if holding in each]
    return [line.partition("  #")[0].strip() for line in block.splitlines() if line.strip()]


def alone(line: str) -> str:
    """Return a line that is a whole block of the guide."""
    assert f"{line}\n" in BLOCKS
    return line


def test_every_block_of_the_guide_is_typed_here_or_elsewhere() -> None:
    typed = ("trial-class", "generate_assignment", "autograde", "report", "--csv", "zip_collect")
    for block in BLOCKS:
        known = [each for each in (*typed, *ELSEWHERE, "--duedate") if each in block]
        assert known, block


def test_the_first_class_from_release_to_feedback(teacher: User) -> None:
    generate, grade = (
        alone(line)
        for line in (
            f"nbgrader generate_assignment {NAME} --force",
            f"plaincourse autograde {NAME}",
        )
    )
    before = (teacher.folder / "exercises" / NAME / f"{NAME}.ipynb").read_bytes()
    teacher.types(generate)
    assert (teacher.folder / "exercises" / NAME / f"{NAME}.ipynb").read_bytes() == before
    (trial,) = lines(holding="trial-class")
    teacher.types(trial.replace("--students 12", "--students 4"))
    teacher.types(grade, ends=(0, 3, 4))
    for line in lines(holding="generate_feedback"):
        teacher.types(line)
    assert len(list(teacher.folder.glob(f"feedback/*/{NAME}/*.html"))) == 4
    (export,) = lines(holding="--csv canvas moodle")
    teacher.types(export)
    assert len(list(teacher.folder.glob("reports/*.csv"))) == 2
    (due,) = lines(holding="--duedate")
    teacher.types(due)
    assert "`--remove`" in GUIDE
    teacher.types(trial.replace("--students 12", "--remove"))
    assert not list(teacher.folder.glob("submitted/*"))


def answered(release: Path) -> str:
    notebook = nbformat.read(release, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "markdown":
            cell.source = "Because."
    return str(nbformat.writes(notebook))


def test_an_archive_is_collected_and_graded(teacher: User) -> None:
    release = teacher.folder / "exercises" / NAME / f"{NAME}.ipynb"
    downloads = teacher.home / "Downloads"
    downloads.mkdir()
    with zipfile.ZipFile(downloads / "submissions.zip", "w") as archive:
        archive.writestr(
            f"Ada Lovelace_4711_assignsubmission_file_/{NAME}.ipynb", answered(release)
        )
    for line in lines(holding="zip_collect"):
        teacher.types(line)
    teacher.types(f"plaincourse autograde {NAME}", ends=(0, 3))
    (graded,) = teacher.folder.glob(f"autograded/*/{NAME}/record.json")
    assert "Ada" in graded.parts[-3]
    for step in ("submitted", "autograded", "feedback"):
        shutil.rmtree(teacher.folder / step, ignore_errors=True)
    (teacher.folder / "gradebook.db").unlink()


def test_a_hub_carries_there_and_back(teacher: User, place: Path) -> None:
    exchange = place / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    settings = (
        GUIDE.partition("(sec-teach-hub)=")[2].partition("```python\n")[2].partition("```")[0]
    )
    assert "/srv/nbgrader/exchange" in settings
    settings = settings.replace("/srv/nbgrader/exchange", str(exchange))
    with (teacher.folder / "nbgrader_config.py").open("a") as config:
        config.write(settings)
    student = User(STUDENT, place / "student", place / "student" / "work")
    (student.folder / ".venv").symlink_to(Path(sys.prefix))
    (student.folder / "nbgrader_config.py").write_text("c = get_config()\n" + settings)
    teacher.types(f"nbgrader generate_assignment {NAME} --force")
    teacher.types(f"nbgrader release_assignment {NAME}")
    student.types(f"nbgrader fetch_assignment {NAME}")
    mine = student.folder / NAME / f"{NAME}.ipynb"
    mine.write_text(answered(mine))
    student.types(f"nbgrader submit {NAME}")
    teacher.types(f"nbgrader collect {NAME}")
    teacher.types(f"plaincourse autograde {NAME}", ends=(0, 3))
    teacher.types(f"nbgrader generate_feedback {NAME}")
    teacher.types(f"nbgrader release_feedback {NAME}")
    student.types(f"nbgrader fetch_feedback {NAME}")
    (page,) = student.folder.glob(f"{NAME}/feedback/*/*.html")
    assert "points" in page.read_text()
    assert not list((student.folder / NAME / "feedback").rglob("*secret*"))

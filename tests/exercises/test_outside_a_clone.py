"""A chapter and an exercise without a clone: from the wheel alone, and as Colab installs it.

A fresh environment gets the versions that Colab publishes. Its PyTorch is hard-linked from the one
that runs these tests, which takes no space; everything else comes from the package index. GitHub is
replaced by a repository on this disk, through git's configuration.
"""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import files as files_of
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest

from plaincourse import lab
from plaincourse.exercise import Essay
from plaincourse.exercise.bank import chapter
from plaincourse.notebooks import setup_cell
from plaincourse.settings import Settings
from tests.house.tree import ROOT, files
from tests.plaincourse.elsewhere import failed, kernel, printed
from tests.plaincourse.test_lab import relative_links

pytestmark = pytest.mark.slow

NAME = "02-scaled-dot-product-attention"
OWNER = Settings(owner="someone", name="plainformer", branch="main")
#: Colab's packages, which its notebooks must keep.
COLAB = {
    "torch": version("torch"),
    "numpy": "2.1.3",
    "ipython": "7.34.0",
    "ipykernel": "6.17.1",
    "matplotlib": "3.10.0",
}
#: All packages that a student's installation adds. Colab has some of these, too.
ADDED = {
    "plainformer", "beartype", "einops", "jaxtyping", "safetensors", "tqdm", "wadler-lindig",
}  # fmt: skip


def link(start: str, end: str) -> None:
    try:
        os.link(start, end)
    except OSError:  # another disk
        shutil.copy2(start, end)


class Machine:
    """An environment with Colab's published versions, and without the course."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        self.python = folder / "venv" / "bin" / "python"
        (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        for top in sorted({path.parts[0] for path in files_of("torch") if path.parts[0] != ".."}):
            here = Path(str(files_of("torch")[0].locate().parents[1]), top)
            if here.is_dir():
                shutil.copytree(here, packages / top, copy_function=link, symlinks=True)
        self.pip("install", "-q", *(f"{name}=={number}" for name, number in COLAB.items()))
        self.before = self.freeze()

    def pip(self, *words: str) -> str:
        return subprocess.run(
            [self.python, "-m", "pip", "--disable-pip-version-check", *words],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def freeze(self) -> dict[str, str]:
        listed = json.loads(self.pip("list", "--format=json"))
        return {each["name"].lower().replace("_", "-"): each["version"] for each in listed}

    def forget(self) -> None:
        """Remove the added packages."""
        if new := set(self.freeze()) - set(self.before):
            self.pip("uninstall", "-q", "-y", *new)

    def empty(self, name: str) -> tuple[Path, Path]:
        """Make an empty working folder, and one for the kernel's settings."""
        places = self.folder / name, self.folder / f"{name}-private"
        for place in places:
            place.mkdir()
        return places


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository that a reader's pip finds on GitHub: this tree, as it would be committed."""
    place = tmp_path_factory.mktemp("repository")
    wanted = ("src/", "book/", "exercises/", "tools/", "pyproject.toml", "README.md", "LICENSE")
    for path in files():
        name = path.relative_to(ROOT)
        if str(name).startswith(wanted):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place / name)
    git = ["git", "-C", place, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], check=True)
    return place


@pytest.fixture(scope="module")
def wheel(machine: Machine, repository: Path) -> str:
    """The address of the built wheel."""
    machine.pip("wheel", "-q", "--no-deps", "-w", machine.folder / "dist", repository)
    (wheel,) = (machine.folder / "dist").glob("*.whl")
    return wheel.as_uri()


@pytest.fixture
def installed(machine: Machine, wheel: str) -> Machine:
    """The machine after ``pip install`` of the wheel with the requirements of an open notebook."""
    if "plainformer" not in machine.freeze():
        machine.pip("install", "-q", f"plainformer[notebook] @ {wheel}")
    return machine


def run_all(notebook, run):
    """Run every code cell, and return it with its outputs here."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield cell, run(cell.source)


def shown(cell) -> str:
    """Return the text that a cell shows, without pictures."""
    parts = []
    for each in cell.outputs:
        data = each.get("data", {})
        if not any(kind.startswith("image/") for kind in data):
            parts += [each.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")]
    return "".join(parts)


def scores(cells) -> list[float]:
    """Return the scores of a notebook's checks, in order."""
    return [
        float(each.data["text/plain"])
        for source, cell in cells
        if source.metadata.get("nbgrader", {}).get("grade") and source.cell_type == "code"
        for each in cell.outputs
        if each.output_type in {"execute_result", "display_data"}
    ]


def exercise():
    """Return the exercise as students get it from a copy of the course that has an owner."""
    notebook = nbformat.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", as_version=4)
    (first,) = (cell for cell in notebook.cells if "setup" in cell.metadata.get("tags", []))
    first.source = setup_cell.source(OWNER, exercise=True)
    return notebook


def answered():
    """Return the exercise with the reference answers, and otherwise unchanged."""
    whole = nbformat.read(ROOT / "solutions" / NAME / f"{NAME}.ipynb", as_version=4)
    answers = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in whole.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    notebook = exercise()
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            lines = answers[cell.metadata.nbgrader.grade_id].split("\n")
            cell.source = "\n".join(line for line in lines if "### " not in line)
    return notebook


def test_the_first_cell_on_colab_installs_and_leaves_what_is_there(machine, repository):
    place, private = machine.empty("colab")
    github = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": f"{OWNER.repository}.git",
    }
    versions = "import torch, numpy, IPython; print(torch.__version__, numpy.__version__)"
    with kernel(machine.python, place, private, colab=True, **github) as run:
        before = printed(run(versions))
        first = run(setup_cell.source(OWNER, exercise=True))
        assert failed(first) is None, printed(first)
        seen = run("import plaincourse, plainformer; print(plainformer.__file__)")
        assert str(machine.folder) in printed(seen)
        assert printed(run(versions)) == before
        run("torch.cuda.is_available = lambda: True")
        assert printed(run("print(plainformer.device())")) == "cuda\n"
    after = machine.freeze()
    machine.forget()
    assert {name: after[name] for name in COLAB} == COLAB
    assert {name: after[name] for name in machine.before} == machine.before
    assert set(after) - set(machine.before) <= ADDED


def test_the_students_extra_brings_the_notebooks_and_what_opens_them(machine, wheel):
    machine.pip("install", "-q", f"plainformer[student] @ {wheel}")
    place, _ = machine.empty("student")
    # JupyterLab prints its version and exits, after the notebooks were copied.
    command = [machine.python.with_name("plaincourse"), "lab", "--", "--version"]
    said = subprocess.run(command, cwd=place, capture_output=True, text=True)
    dead = [
        (name, link)
        for name in lab.notebooks(ROOT)
        for link in relative_links(place / "work" / name)
        if not (place / "work" / name).parent.joinpath(link).exists()
    ]
    after = machine.freeze()
    machine.forget()
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1] == after["jupyterlab"]
    for name in lab.notebooks(ROOT):
        assert (place / "work" / name).is_file(), name
    page = (place / "work" / lab.START).read_text("utf-8")
    assert all(f"]({name})" in page for name in lab.notebooks(ROOT))
    assert dead == []
    assert {name: after[name] for name in machine.before} == machine.before


def test_the_notebooks_extra_is_all_that_is_needed_and_no_more(installed):
    after = installed.freeze()
    assert {name: after[name] for name in installed.before} == installed.before
    assert set(after) - set(installed.before) <= ADDED
    installed.pip("check")


def test_a_chapter_shows_in_an_empty_folder_what_its_page_shows(installed):
    place, private = installed.empty("chapter")
    notebook = nbformat.read(ROOT / "book" / f"{NAME}.ipynb", as_version=4)
    with kernel(installed.python, place, private) as run:
        cells = list(run_all(notebook, run))
    assert len(cells) > 50
    assert [failed(cell) for _, cell in cells if failed(cell)] == []
    exact = [
        (shown(committed), shown(cell))
        for committed, cell in cells
        if "nbval-ignore-output" not in committed.metadata.get("tags", [])
    ]
    assert len([page for page, _ in exact if page]) > 20
    assert [(page, here) for page, here in exact if page != here] == []


def test_an_untouched_exercise_runs_and_earns_nothing(installed):
    place, private = installed.empty("untouched")
    with kernel(installed.python, place, private) as run:
        cells = list(run_all(exercise(), run))
    errors = {each.ename for _, cell in cells if (each := failed(cell))}
    assert errors <= {"NotImplementedError", "NameError"}
    assert set(scores(cells)) == {0.0}
    (total,) = (cell for source, cell in cells if source.source.startswith('total("02")'))
    assert failed(total) is None
    (shown,) = (each["data"]["text/plain"] for each in total.outputs if "data" in each)
    assert "Chapter 02: 0 of the " in shown


def test_the_reference_answers_earn_all_on_colab_and_come_down(installed):
    place, private = installed.empty("answered")
    notebook = answered()
    notebook.cells[-1].source = notebook.cells[-1].source.removeprefix("# ")
    browser, downloads = place / "open.ipynb", installed.folder / "downloads"
    nbformat.write(notebook, browser)
    downloads.mkdir()
    there = {"COLAB_BROWSER": str(browser), "COLAB_DOWNLOADS": str(downloads)}
    with kernel(installed.python, place, private, colab=True, **there) as run:
        cells = list(run_all(notebook, run))
        assert [failed(cell) for _, cell in cells if failed(cell)] == []
    worth = [task.points for task in chapter("02") if not isinstance(task, Essay)]
    assert scores(cells) == worth
    (arrived,) = downloads.iterdir()
    assert arrived.name == f"{NAME}.ipynb"
    assert nbformat.read(arrived, as_version=4) == notebook

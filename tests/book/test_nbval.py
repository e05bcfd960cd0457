"""Strict nbval holds every printed number: a notebook that prints another one fails."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plaincourse import pairs, settings
from plaincourse.notebooks import dumps, load
from tests.book.committed import CHAPTERS, ROOT
from tests.plaincourse.pages import HEADER, cell

TIMED = "tags: [nbval-ignore-output]"
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def nbval(folder, *options):
    """Run nbval in a folder beside the book's own conftest; return which cells failed."""
    shutil.copy(ROOT / "book" / "conftest.py", folder)
    words = ["--nbval", "-q", "-rf", "--color=no", "-p", "no:cacheprovider", *options, "."]
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    failed = re.findall(r"^FAILED .*::Cell (\d+)", done.stdout, re.MULTILINE)
    assert done.returncode == bool(failed), done.stdout + done.stderr
    return {int(number) for number in failed}


def change_numbers(text):
    """Make every number another one."""
    return NUMBER.sub(lambda found: found[0][:-1] + str((int(found[0][-1]) + 1) % 10), text)


def falsify(path):
    """Change every number that a notebook prints; return the code cells that print one."""
    notebook, changed = load(path), set()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for count, each in enumerate(code):
        if "nbval-ignore-output" in each.metadata.get("tags", []):
            continue
        for output in each.outputs:
            place, key = (output, "text") if "text" in output else (output.data, "text/plain")
            if "image/png" not in output.get("data", {}) and NUMBER.search(place[key]):
                place[key] = change_numbers(place[key])
                changed.add(count)
    path.write_text(dumps(notebook))
    return changed


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """One notebook that prints, shows, measures and draws, run once."""
    page = tmp_path_factory.mktemp("executed") / "02-small.md"
    page.write_text(
        HEADER
        + cell("print(f'{6 * 7}')")
        + cell("(1 / 3, 2)")
        + cell("import time\nassert time.time() > 0\nprint(time.time())", TIMED)
        + cell("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
        + cell("import os\nprint(os.environ['PLAINFORMER_DEVICE'])")
    )
    pairs.sync_page(page, settings.Settings())
    return page.with_suffix(".ipynb")


@pytest.fixture
def small(executed, tmp_path):
    """A copy of that notebook, in a folder of its own."""
    return Path(shutil.copy(executed, tmp_path))


def test_an_untouched_notebook_passes(small):
    assert nbval(small.parent) == set()


def test_every_changed_number_is_found_and_no_other_cell_fails(small):
    assert falsify(small) == {1, 2}
    assert nbval(small.parent) == {1, 2}


def test_outputs_that_were_thrown_away_are_found_where_the_cell_counts_as_run(small):
    data = json.loads(small.read_text())
    for each in data["cells"]:
        if each["cell_type"] == "code":
            each["outputs"] = []
    small.write_text(json.dumps(data))
    assert nbval(small.parent) == {1, 2, 4, 5}, "the figure, too; only the measurement is let pass"


def test_pictures_are_not_compared_since_fonts_differ_between_machines(small):
    text = small.read_text()
    data = json.loads(text)
    pictures = [o for c in data["cells"] for o in c.get("outputs", []) if "image/png" in str(o)]
    pictures[0]["data"]["image/png"] = "iVBORw0KGgo="
    small.write_text(json.dumps(data))
    assert json.loads(text) != data
    assert nbval(small.parent) == set()


def test_the_device_can_be_set_from_outside_and_lax_compares_nothing(small, monkeypatch):
    monkeypatch.setenv("PLAINFORMER_DEVICE", "elsewhere")
    assert nbval(small.parent) == {5}
    assert nbval(small.parent, "--nbval-lax") == set()


@pytest.mark.parametrize("chapter", CHAPTERS, ids=[page.stem for page in CHAPTERS])
def test_changing_any_number_that_a_chapter_prints_fails(chapter, tmp_path):
    copy = tmp_path / chapter.with_suffix(".ipynb").name
    shutil.copy(chapter.with_suffix(".ipynb"), copy)
    changed = falsify(copy)
    assert len(changed) > 10
    assert nbval(tmp_path) == changed


def test_the_numbers_that_are_changed_are_all_of_them():
    assert change_numbers("0.25, -1, 1e9 and 129") == "0.26, -2, 2e0 and 120"

"""Strict nbval checks every printed number: a notebook that prints a different one fails."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbval.plugin import IPyNbFile

from plaincourse import settings
from plaincourse.notebooks import pairs
from plaincourse.notebooks.page import dumps, load
from tests.book.committed import CHAPTERS, ROOT
from tests.plaincourse.pages import HEADER, cell

TIMED = "tags: [nbval-ignore-output]"
TRANSPORT = """\
import ipykernel, json
with open(ipykernel.get_connection_file()) as file:
    assert json.load(file)["transport"] == "ipc"
"""
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def nbval(folder, *options):
    """Run nbval in a folder, with the book's conftest; return each notebook's failed cells."""
    shutil.copy(ROOT / "book" / "conftest.py", folder)
    words = ["--nbval", "-q", "-rf", "--color=no", "-p", "no:cacheprovider", *options, "."]
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    failed = {path.stem: set() for path in folder.glob("*.ipynb")}
    for name, number in re.findall(r"^FAILED .*?([^/]+)\.ipynb::Cell (\d+)", done.stdout, re.M):
        failed[name].add(int(number))
    assert done.returncode == any(failed.values()), done.stdout + done.stderr
    return failed


def change_numbers(text):
    """Change every number."""
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


def cells_of(path, session):
    """Return the code cells of a notebook, as nbval collects them."""
    return list(IPyNbFile.from_parent(session, path=path).collect())


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook that prints, shows, measures and draws, run once."""
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


def empty(path):
    """Delete the outputs of a notebook's cells, but keep their execution counts."""
    data = json.loads(path.read_text())
    for each in data["cells"]:
        if each["cell_type"] == "code":
            each["outputs"] = []
    path.write_text(json.dumps(data))


def repaint(path):
    """Replace a notebook's picture by a different one."""
    text = path.read_text()
    other = re.sub(r'("image/png": )"[^"]*"', r'\1"iVBORw0KGgo="', text)
    assert other != text
    path.write_text(other)


@pytest.fixture(scope="module")
def verdict(executed, tmp_path_factory):
    """The results of one nbval run on the notebook and on altered copies."""
    folder = tmp_path_factory.mktemp("copies")
    copies = {n: folder / f"{n}.ipynb" for n in ("untouched", "numbers", "emptied", "repainted")}
    for copy in copies.values():
        shutil.copy(executed, copy)
    falsify(copies["numbers"])
    empty(copies["emptied"])
    repaint(copies["repainted"])
    nbformat.write(new_notebook(cells=[new_code_cell(TRANSPORT)]), folder / "sockets.ipynb")
    return nbval(folder)


def test_an_untouched_notebook_passes(verdict):
    assert verdict["untouched"] == set()


def test_every_changed_number_is_found_and_no_other_cell_fails(verdict):
    assert verdict["numbers"] == {1, 2}


def test_outputs_that_were_thrown_away_are_found_where_the_cell_counts_as_run(verdict):
    assert verdict["emptied"] == {1, 2, 4, 5}, "the figure, too; only the measurement is let pass"


def test_pictures_are_not_compared_since_fonts_differ_between_machines(verdict):
    assert verdict["repainted"] == set()


def test_kernels_talk_through_sockets_of_their_own_so_no_two_take_one_port(verdict):
    assert verdict["sockets"] == set()


def test_the_device_can_be_set_from_outside_and_lax_compares_nothing(
    executed, tmp_path, monkeypatch
):
    shutil.copy(executed, tmp_path)
    monkeypatch.setenv("PLAINFORMER_DEVICE", "elsewhere")
    assert nbval(tmp_path) == {executed.stem: {5}}
    assert nbval(tmp_path, "--nbval-lax") == {executed.stem: set()}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_nbval_tells_each_chapter_from_one_with_other_numbers(chapter, request, tmp_path):
    """Use nbval's own comparison of printed and expected outputs, without running cells again."""
    notebook = chapter.with_suffix(".ipynb")
    copy = Path(shutil.copy(notebook, tmp_path))
    changed = falsify(copy)
    assert len(changed) > 10
    printed, other = (cells_of(path, request.session) for path in (notebook, copy))
    held = {each.cell_num for each in printed if each.options["check"]}
    found = {
        one.cell_num
        for one, two in zip(printed, other, strict=True)
        if not one.compare_outputs(two.cell.outputs, one.cell.outputs)
    }
    assert found == changed <= held


def test_the_numbers_that_are_changed_are_all_of_them():
    assert change_numbers("0.25, -1, 1e9 and 129") == "0.26, -2, 2e0 and 120"

"""Stock nbgrader reads, finds and runs what it would give up on."""

import os
from types import SimpleNamespace

import nbformat
import pytest
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader.preprocessors import Execute

from plaincourse.grading.going import KeepGoing
from plaincourse.grading.intake import RefusedError, find, plain_name, read, take_in
from plaincourse.grading.preprocess import MendCells, ReadAnything, prepare


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course folder in which we are, with one assignment and one student's folder."""
    (tmp_path / "solutions" / "a").mkdir(parents=True)
    (tmp_path / "solutions" / "a" / "n.ipynb").write_text("{}")
    (tmp_path / "submitted" / "me" / "a").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return SimpleNamespace(root=tmp_path, folder=tmp_path / "submitted" / "me" / "a")


def hook(course):
    notebooks = [str(path) for path in sorted(course.folder.glob("*.ipynb"))]
    prepare("solutions")(assignment="a", student="*", notebooks=notebooks)
    return notebooks


def test_a_renamed_notebook_is_copied_and_the_students_file_stays(course):
    other = course.folder / "Copy of n.ipynb"
    other.write_bytes(b"mine")
    assert str(course.folder / "n.ipynb") in hook(course)
    assert (course.folder / "n.ipynb").read_bytes() == other.read_bytes() == b"mine"


def test_what_has_its_name_is_not_touched(course):
    (course.folder / "n.ipynb").write_bytes(b"right")
    (course.folder / "n (1).ipynb").write_bytes(b"older")
    hook(course)
    assert (course.folder / "n.ipynb").read_bytes() == b"right"


def test_links_and_pipes_give_way_to_a_text_and_lead_nowhere(course):
    secret = course.root / "gradebook.db"
    secret.write_text("all the grades")
    (course.folder / "n.ipynb").write_text("{}")
    (course.folder / "data").mkdir()
    (course.folder / "data" / "x.csv").symlink_to(secret)
    os.mkfifo(course.folder / "pipe")
    hook(course)
    for name in ("data/x.csv", "pipe"):
        path = course.folder / name
        assert not path.is_symlink()
        assert "not followed" in path.read_text()
    assert secret.read_text() == "all the grades"


@pytest.mark.parametrize("make", ["link", "pipe", "folder", "missing"])
def test_only_plain_files_are_read(course, make):
    path = course.folder / "n.ipynb"
    if make == "link":
        path.symlink_to(course.root / "solutions" / "a" / "n.ipynb")
    elif make == "pipe":
        os.mkfifo(path)
    elif make == "folder":
        path.mkdir()
    with pytest.raises(RefusedError):
        read(path)


def test_of_a_large_file_no_more_than_the_limit_is_read(course):
    path = course.folder / "n.ipynb"
    path.write_bytes(b"x" * 100)
    assert len(read(path, limit=10)) == 11


@pytest.mark.parametrize(
    "name",
    ["Copy of a-b.ipynb", "a-b (1).ipynb", "a-b-Copy2.ipynb", "A_B.ipynb", "a-b copy.ipynb",
     "Copy of Copy of a-b(3).ipynb", "Kopie von a b.ipynb", "a-b.ipynb.txt", "a-b.IPYNB.json"],
)  # fmt: skip
def test_names_that_computers_give_to_copies_are_known(name):
    assert plain_name(name) == "a-b"


def test_a_notebook_of_another_name_is_not_taken_where_there_are_two_to_find(course):
    (course.folder / "x.ipynb").write_text("{}")
    assert [each.path for each in find(course.folder, ["n", "m"]).values()] == [None, None]
    assert find(course.folder, ["n"])["n"].path == course.folder / "x.ipynb"


def test_a_folder_that_is_not_there_is_told(course):
    from plaincourse.grading.source import Source

    taken = take_in(course.folder / "gone", {"n": Source(notebook="n", cells=())})
    assert "was not handed in" in taken["n"].unread


class Probe(MendCells):
    """Keeps what the reader found, and asks no gradebook."""

    def preprocess(self, nb, resources):
        self.__class__.seen = resources["plaincourse_reading"]
        return nb, resources


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04", b'{"cells": [{}]}', b"\xff\xfe{\x00}\x00"])
def test_the_reader_raises_nothing_and_tells_the_other_name(course, raw):
    (course.folder / "n.ipynb").write_bytes(raw)
    (course.folder / "n (1).ipynb").write_bytes(raw)
    reader = ReadAnything()
    reader.register_preprocessor(Probe, enabled=True)
    reader.from_filename(str(course.folder / "n.ipynb"), resources={"nbgrader": {}})
    reading, notes = Probe.seen
    assert (reading.notebook is None) == (b"cells" not in raw)
    assert "`n (1).ipynb`" in notes[0]


def test_without_mending_the_reader_is_nbconverts_own(course):
    nbformat.write(new_notebook(cells=[new_code_cell("1")]), course.folder / "n.ipynb")
    text, _ = ReadAnything().from_filename(str(course.folder / "n.ipynb"))
    assert nbformat.reads(text, as_version=4).cells[0].source == "1"


def test_points_before_a_crash_are_kept_and_the_rest_says_why(monkeypatch):
    def run(self, cell, resources, index):
        if cell.source == "crash":
            raise DeadKernelError("Kernel died")
        cell.outputs = [new_output("execute_result", {"text/plain": "2.0"})]
        return cell, resources

    def every(self, nb, resources):
        for index, cell in enumerate(nb.cells):
            self.preprocess_cell(cell, resources, index)
        return nb, resources

    monkeypatch.setattr(Execute, "preprocess_cell", run)
    monkeypatch.setattr(Execute, "preprocess", every)
    cells = [new_code_cell(source) for source in ("1", "crash", "2")]
    nb, _ = KeepGoing().preprocess(new_notebook(cells=cells), {})
    assert nb.cells[0].outputs[0].data["text/plain"] == "2.0"
    assert "ended the program" in nb.cells[1].outputs[0].evalue
    assert "did not run" in nb.cells[2].outputs[0].evalue


def test_where_nothing_could_be_read_nothing_is_run(monkeypatch):
    monkeypatch.setattr(Execute, "preprocess", lambda *args: pytest.fail("it was run"))
    notebook = new_notebook(metadata={"plaincourse": {"unread": "It is empty."}})
    assert KeepGoing().preprocess(notebook, {}) == (notebook, {})

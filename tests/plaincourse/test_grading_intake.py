"""Notebooks are found under other names, and only regular files are read."""

import os
from types import SimpleNamespace

import pytest

from plaincourse.grading.files import find_notebooks, plain_name, read_notebook
from plaincourse.grading.long_notebooks import RefusedError
from plaincourse.grading.mend import mend_folder


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course folder as the working directory, with one assignment and one student's folder."""
    (tmp_path / "solutions" / "a").mkdir(parents=True)
    (tmp_path / "solutions" / "a" / "n.ipynb").write_text("{}")
    (tmp_path / "submitted" / "me" / "a").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return SimpleNamespace(root=tmp_path, folder=tmp_path / "submitted" / "me" / "a")


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
        read_notebook(path)


def test_of_a_large_file_no_more_than_the_limit_is_read(course):
    path = course.folder / "n.ipynb"
    path.write_bytes(b"x" * 100)
    assert len(read_notebook(path, limit=10)) == 11


@pytest.mark.parametrize(
    "name",
    ["Copy of a-b.ipynb", "a-b (1).ipynb", "a-b-Copy2.ipynb", "A_B.ipynb", "a-b copy.ipynb",
     "Copy of Copy of a-b(3).ipynb", "Kopie von a b.ipynb", "a-b.ipynb.txt", "a-b.IPYNB.json"],
)  # fmt: skip
def test_names_that_computers_give_to_copies_are_known(name):
    assert plain_name(name) == "a-b"


def test_a_notebook_of_another_name_is_not_taken_where_there_are_two_to_find(course):
    (course.folder / "x.ipynb").write_text("{}")
    assert [each.path for each in find_notebooks(course.folder, ["n", "m"]).values()] == [
        None,
        None,
    ]
    assert find_notebooks(course.folder, ["n"])["n"].path == course.folder / "x.ipynb"


def test_a_folder_that_is_not_there_is_told(course):
    from plaincourse.grading.assignment import Source

    taken = mend_folder(course.folder / "gone", {"n": Source(notebook="n", cells=())})
    assert "was not handed in" in taken["n"].unread

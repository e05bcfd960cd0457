"""Files that an instructor copied to a wrong folder are reported with the right one."""

import os
from pathlib import Path

import pytest

from plaincourse.grading.misplaced import misplaced, not_looked_at
from plaincourse.grading.summary import FLAGGED, Summary
from tests.plaincourse.autograde_course import NAME, RIGHT, autograde, hand_in, make

CHAPTER = "02-masks"
OTHERS = ["01-dots", "03-heads"]


def put(root: Path, *names: str, content: bytes = b"{}") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def found(root: Path) -> list[str]:
    return misplaced(root, CHAPTER, notebooks=[CHAPTER], others=OTHERS)


@pytest.mark.parametrize(
    "name",
    [
        f"ada/{CHAPTER}.ipynb",
        f"ada/{CHAPTER.title()}/{CHAPTER}.ipynb",
        f"ada/{CHAPTER.replace('-', '_')}/Untitled.ipynb",
        f"ada/week 2/mine/{CHAPTER}.ipynb",
        f"ada/hw2/{CHAPTER} (1).ipynb",
        f"ada/{CHAPTER}-ada.ipynb",
        f"ada/{CHAPTER}.zip",
        "ada/Untitled.ipynb",
        "ada/week2/final.ipynb",
        f"{CHAPTER}.ipynb",
        "loose.lars.ipynb",
        "final.ipynb.txt",
        "lars.zip",
        "lars.tar.gz",
        f"ada/{CHAPTER}.rar",
        f"ada_{CHAPTER}.ipynb",
        f"{CHAPTER}/ada/{CHAPTER}.ipynb",
        f"ada/01-dots.old/{CHAPTER}.ipynb",
    ],
)
def test_a_notebook_where_nobody_looks_is_found(name, tmp_path):
    put(tmp_path, name, f"bob/{CHAPTER}/{CHAPTER}.ipynb")
    assert found(tmp_path) == [name]


@pytest.mark.parametrize(
    "name",
    [
        f"ada/{CHAPTER}/{CHAPTER}.ipynb",
        f"ada/{CHAPTER}/deeper/{CHAPTER}.ipynb",
        "ada/01-dots/01-dots.ipynb",
        "ada/01-dots.ipynb",
        f"ada/01-dots/{CHAPTER}.ipynb",
        "ada/notes.txt",
        f"ada/.ipynb_checkpoints/{CHAPTER}-checkpoint.ipynb",
        ".DS_Store",
        "README.md",
        "01-dots.ipynb",
        "lars_03-heads (1).ipynb",
        "01-dots.tar.gz",
    ],
)
def test_what_lies_in_its_place_or_is_of_another_assignment_is_not(name, tmp_path):
    put(tmp_path, name)
    assert found(tmp_path) == []


def test_a_copy_of_what_is_graded_is_not_worth_a_word(tmp_path):
    put(tmp_path, f"ada/{CHAPTER}/{CHAPTER}.ipynb", f"ada/{CHAPTER}.ipynb")
    assert found(tmp_path) == []
    put(tmp_path, f"ada/{CHAPTER}.ipynb", content=b'{"later": 1}')
    assert found(tmp_path) == [f"ada/{CHAPTER}.ipynb"]


def test_links_pipes_and_folders_that_cannot_be_opened_stop_nothing(tmp_path):
    put(tmp_path, f"bob/{CHAPTER}.ipynb")
    (tmp_path / "ada").symlink_to(tmp_path)
    (tmp_path / "bob" / "up").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "bob" / f"{CHAPTER}.zip")
    assert f"bob/{CHAPTER}.ipynb" in found(tmp_path)
    assert misplaced(tmp_path / "none", CHAPTER, notebooks=[], others=[]) == []


def test_the_summary_names_each_and_where_it_belongs():
    summary = Summary(CHAPTER, {}, misplaced=["submitted/ada/x\x1b.ipynb"] * 23)
    said = summary.text()
    assert summary.code == FLAGGED
    assert "not graded: 23 files were not looked at" in said
    assert f"Submissions lie in submitted/STUDENT/{CHAPTER}/; move there" in said
    assert "\n  submitted/ada/x?.ipynb\n" in said
    assert said.endswith("  and 3 more")


def test_the_report_names_them_in_a_sentence():
    assert not_looked_at([], CHAPTER) == []
    (said,) = not_looked_at(["submitted/loose.ipynb"], CHAPTER)
    assert said.startswith("1 file was not looked at: submitted/loose.ipynb. Submissions lie in ")


def test_autograding_names_them_beside_what_it_grades_and_where_there_is_nothing_else(tmp_path):
    folder = make(tmp_path / "course")
    place = hand_in(folder, "ada", square=RIGHT)
    place.rename(place.with_name("Week-1"))
    said = autograde(folder, status=1)
    assert f"nobody handed in '{NAME}'" in said
    assert "submitted/ada/Week-1/one.ipynb" in said
    hand_in(folder, "bob", square=RIGHT)
    (folder / "submitted" / "bob" / "two.ipynb").write_text("{}")
    said = autograde(folder, status=FLAGGED)
    assert "not graded: 3 files were not looked at" in said
    assert "submitted/bob/two.ipynb" in said
    assert "submitted/ada" not in autograde(folder, "--student=bob", status=FLAGGED)

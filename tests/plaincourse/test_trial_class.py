"""A trial class has submissions like a real one, is reproducible, and does not affect others."""

from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.utils import parse_utc

from plaincourse.cli import main
from plaincourse.notebooks.page import load
from plaincourse.proving.submissions import Class
from plaincourse.proving.trial_class import handed_in

ROOT = Path(__file__).parents[2]
NAME = "03-masks"
CONFIG = """c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
"""


@pytest.fixture(scope="module")
def students() -> Class:
    return Class(
        *(load(ROOT / step / NAME / f"{NAME}.ipynb") for step in ("solutions", "exercises"))
    )


def test_a_class_is_mixed_and_the_same_each_time(students):
    notebooks = list(handed_in(students, 9))
    again = list(handed_in(students, 9))
    assert [nbformat.writes(n) for n in notebooks] == [nbformat.writes(n) for n in again]
    texts = ["\n".join(cell.source for cell in n.cells) for n in notebooks]
    assert len(set(texts)) > 5
    assert any("while True" in text for text in texts)
    stubs = {students.handed_out(each) for each in students.graded}
    blanks = [sum(cell.source in stubs for cell in n.cells) for n in notebooks]
    assert 0 < sum(blanks) < len(students.graded) * 4


def test_the_class_is_handed_in_and_taken_away_and_others_stay(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    for step in ("solutions", "exercises"):
        (tmp_path / step).symlink_to(ROOT / step)
    other = tmp_path / "submitted/trial-and-error" / NAME
    other.mkdir(parents=True)
    assert main(["trial-class", NAME, "--students", "4"]) == 0
    made = sorted(path.parent.parent.name for path in tmp_path.glob(f"submitted/*/{NAME}/*.ipynb"))
    assert made == ["trial-01", "trial-02", "trial-03", "trial-04"]
    for path in tmp_path.glob(f"submitted/trial-0*/{NAME}/timestamp.txt"):
        made.remove(path.parent.parent.name)  # release_feedback reads it
        assert parse_utc(path.read_text()).tzinfo is None
    assert made == []
    page = tmp_path / "feedback/trial-01" / NAME
    page.mkdir(parents=True)
    assert main(["trial-class", NAME, "--remove"]) == 0
    assert not page.exists()
    assert "Removed 4" in capsys.readouterr().out
    assert not list(tmp_path.glob(f"submitted/*/{NAME}/*.ipynb"))
    assert other.exists()
    assert not (tmp_path / "submitted/trial-01").exists()


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # from nbgrader's add_submission
def test_a_class_that_is_taken_away_has_no_grades_any_more(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        for assignment in (NAME, "other"):
            book.add_assignment(assignment)
        for student in ("trial-01", "trial-02", "trial-and-error"):
            book.add_student(student)
            book.add_submission(NAME, student)
        book.add_submission("other", "trial-02")
    assert main(["trial-class", NAME, "--remove"]) == 0
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        assert [each.id for each in book.students] == ["trial-02", "trial-and-error"]
        assert [each.student_id for each in book.assignment_submissions(NAME)] == [
            "trial-and-error"
        ]
        assert len(book.assignment_submissions("other")) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([NAME], "solutions/03-masks/03-masks.ipynb is not here"),
        ([NAME, "--students=1"], "not here"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    assert main(["trial-class", *arguments]) == 1
    assert said in capsys.readouterr().err


def test_what_is_measured_has_no_made_up_class(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    for step in ("solutions", "exercises"):
        (tmp_path / step).symlink_to(ROOT / step)
    assert main(["trial-class", "17-capstone", "--students=4"]) == 1
    assert "17-capstone is measured" in capsys.readouterr().err
    assert not (tmp_path / "submitted").exists()

"""``plaincourse tutor`` finds an answer, runs it as the notebook does, and counts its hints."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from plaincourse import cli, lab, tutor
from plaincourse.tutor import GIVEN, TutorError, find, run_check, tell
from tests.house.tree import ROOT

ID = "02.softmax_rows"
NAME = "02-scaled-dot-product-attention"
RIGHT = """\
def softmax_rows(scores: Float[Tensor, "*batch q k"]) -> Float[Tensor, "*batch q k"]:
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
"""
COLUMNS = RIGHT.replace("dim=-1", "dim=-2")
AS_IT_IS = RIGHT.replace(
    "torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))", "scores"
)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Leave the clone, and keep the course's notebooks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab, "places", lambda: (ROOT, tmp_path / "work"))


def notebook(path, answer, *, own=(), check=True):
    """Write the released notebook with an answer, and cells of the student's own above it."""
    page = nbformat.read(ROOT / f"exercises/{NAME}/{NAME}.ipynb", as_version=4)
    place = next(
        i
        for i, cell in enumerate(page.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "softmax_rows-answer"
    )
    page.cells[place].source = answer
    if not check:
        page.cells[place + 1].source = "pass"
    page.cells[place:place] = [nbformat.v4.new_code_cell(each) for each in own]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(page, path)
    return path


def said(path, **more):
    return tell(ID, find(ID, str(path)), **more)


def test_a_notebook_and_a_cell_get_the_same_text(tmp_path):
    cell = tmp_path / "my answer [1] é.py"
    cell.write_text(COLUMNS, encoding="utf-8")
    text = said(notebook(tmp_path / "Kopie von 02 (1).ipynb", COLUMNS))
    assert text == said(cell) == tell(ID, find(ID, None, COLUMNS))
    assert "Your columns sum to 1" in text
    assert "expected =" in text
    assert "of 4 points" in text


def test_without_a_file_the_readers_own_copy_is_checked(tmp_path):
    with pytest.raises(TutorError, match="plaincourse lab"):
        find(ID, None)
    notebook(tmp_path / f"work/exercises/{NAME}/{NAME}.ipynb", COLUMNS)
    assert "Your columns sum to 1" in tell(ID, find(ID, None))
    notebook(tmp_path / f"{NAME}.ipynb", RIGHT)
    assert "4 of 4 points" in tell(ID, find(ID, None))


def test_the_cells_above_the_check_run_in_the_folder_of_the_notebook(tmp_path):
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b/mine.py").write_text("axis = -2\n")
    later = f'assert check("{ID}", 3).headline == "Checked later."'
    own = ("from mine import axis", later, "1 / 0")
    path = notebook(tmp_path / "a b/x.ipynb", COLUMNS.replace("dim=-2", "dim=axis"), own=own)
    report, errors = run_check(ID, find(ID, str(path)))
    assert report is not None
    assert report.diagnosis[0].startswith("Your columns sum to 1")
    assert errors == [
        "The cell that begins `1 / 0` stopped with ZeroDivisionError: division by zero"
    ]
    assert Path.cwd() == tmp_path
    sys.modules.pop("mine")


def test_an_answer_that_does_not_run_gets_the_error_that_the_notebook_shows(tmp_path):
    text = said(notebook(tmp_path / "x.ipynb", "def softmax_rows(scores)\n    return 1\n"))
    assert "SyntaxError: expected ':'" in text
    assert "The check of `softmax_rows` stopped with NameError" in text
    assert "requirement" not in text


def test_a_tensor_of_the_wrong_shape_names_its_axes(tmp_path):
    text = said(
        notebook(
            tmp_path / "x.ipynb", RIGHT.replace("return ", "return 1 + 0 * scores[..., :1] or ")
        )
    )
    assert "jaxtyping" in text or "shape" in text


@pytest.mark.parametrize(
    "name", ["no.ipynb", "folder", "x.txt", "empty.ipynb", "other.ipynb", "latin.py"]
)
def test_a_file_that_is_no_answer_is_refused_with_what_was_expected(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "x.txt").write_text(RIGHT)
    (tmp_path / "empty.ipynb").write_text("")
    (tmp_path / "latin.py").write_bytes("# é\n".encode("latin-1"))
    notebook(tmp_path / "other.ipynb", RIGHT, check=False)
    with pytest.raises(TutorError, match=r"expected|save it"):
        find(ID, name)


def test_hints_come_one_at_a_time_and_start_again_with_another_mistake(tmp_path):
    path = notebook(tmp_path / "x.ipynb", COLUMNS)
    assert [said(path, hint=True).partition(":")[0] for _ in range(2)] == [
        "Hint 1 of 3",
        "Hint 2 of 3",
    ]
    said(path)
    assert said(path, hint=True).startswith("Hint 3 of 3: ")
    assert said(path, hint=True).startswith("That was the last of 3 hints.")
    notebook(path, AS_IT_IS)
    assert said(path, hint=True).startswith("Hint 1 of ")
    notebook(path, COLUMNS)
    assert said(path, hint=True).startswith("Hint 1 of 3: ")
    said(notebook(path, AS_IT_IS))
    notebook(path, COLUMNS)
    assert said(path, hint=True).startswith("Hint 1 of 3: ")


def test_a_damaged_count_of_hints_begins_anew(tmp_path):
    path = notebook(tmp_path / "x.ipynb", COLUMNS)
    said(path, hint=True)
    kept = tmp_path / GIVEN
    for damage in ("{", "[]", f'{{"{ID}": 3}}', kept.read_text().replace("1", '"x"')):
        kept.write_text(damage)
        assert said(path, hint=True).startswith("Hint 1 of 3")


def test_in_the_readers_folder_one_file_counts_all_hints(tmp_path):
    work = tmp_path / "work"
    (work / lab.RECORD).parent.mkdir(parents=True)
    (work / lab.RECORD).write_text("{}")
    said(notebook(work / f"exercises/{NAME}/{NAME}.ipynb", COLUMNS), hint=True)
    assert json.loads((work / GIVEN).read_text())[ID]["given"] == 1
    assert not (work / f"exercises/{NAME}/.lab").exists()


def test_an_answer_in_words_is_left_to_its_reader(capsys):
    assert cli.main(["tutor", "02.why_root_d"]) == 0
    assert "read by a person" in capsys.readouterr().out
    assert cli.main(["tutor", "02.why_root_d", "--hint"]) == 0
    assert "no hints for this one" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "which task"),
        (["02.softmax_row"], "did you mean 02.softmax_rows"),
        (["softmax_rows"], "an id looks like"),
        (["../x"], "an id looks like"),
        ([ID, "none.ipynb"], "does not exist"),
    ],
)
def test_a_mistyped_command_says_what_was_meant(words, message, capsys):
    assert cli.main(["tutor", *words]) == 1
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_only_the_check_reaches_the_standard_output(tmp_path, monkeypatch):
    cell = (
        "import os, sys, warnings\nos.write(1, b'noise')\nos.write(2, b'noise')\nprint('noise')\n"
    )
    cell += "!echo noise\nwarnings.warn('noise')\n"
    shutil.copytree(ROOT / "exercises" / NAME, tmp_path / "there")
    run = subprocess.run(
        [sys.executable, "-m", "plaincourse.cli", "tutor", ID, "-"],
        input=cell + RIGHT,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert run.stdout.startswith("From scores to weights: 4 of 4 points\n")
    assert "noise" not in run.stdout + run.stderr
    assert not (ROOT / ".lab").exists()


def test_the_tutor_is_for_ones_own_work():
    assert "no sandbox" in (tutor.__doc__ or "")

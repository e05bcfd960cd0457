"""Submitting: the notebook is downloaded from Colab; elsewhere its file is found and read."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes

from plaincourse import hand_in
from plaincourse.checking.check import LATER
from plaincourse.collecting.names import read_names, split_titles
from tests.house.tree import ROOT
from tests.plaincourse.elsewhere import kernel, printed

NAME = "02-scaled-dot-product-attention"
FILE = f"{NAME}.ipynb"
CALL = f'hand_in("{NAME}")'
IMPORT = "from plaincourse import hand_in"
ANSWER = "def scores(x):\n    return x"


def notebook(*sources):
    return new_notebook(cells=[new_markdown_cell("# Übung"), *map(new_code_cell, sources)])


@pytest.fixture
def place(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def start(place, **how):
    private = place.parent / f"private-{len(list(place.parent.glob('private-*')))}"
    private.mkdir()
    how = {"PYTHONPATH": str(ROOT / "src")} | how
    return kernel(Path(sys.executable), place, private, **how)


def told(place, *ran, **how):
    """Run cells and then the call; return the call's output."""
    with start(place, **how) as run:
        for source in (IMPORT, *ran):
            run(source)
        return printed(run(CALL))


def save(path, *sources):
    path.write_text(writes(notebook(*sources)), encoding="utf-8")
    return path


# On Colab.


@pytest.fixture
def browser(place, tmp_path):
    (tmp_path / "downloads").mkdir()
    open_there = save(tmp_path / "Copy of 02 (1).ipynb", ANSWER, CALL)
    return {
        "colab": True,
        "COLAB_BROWSER": str(open_there),
        "COLAB_DOWNLOADS": str(tmp_path / "downloads"),
    }


def test_on_colab_the_notebook_comes_down_as_it_stands_in_the_browser(place, browser, tmp_path):
    said = told(place, **browser)
    (arrived,) = (tmp_path / "downloads").iterdir()
    assert json.loads(arrived.read_bytes()) == json.loads(
        Path(browser["COLAB_BROWSER"]).read_bytes()
    )
    assert f"downloads {FILE}\n" in said


def test_the_name_that_comes_down_is_the_one_that_the_collection_finds(place, browser, tmp_path):
    told(place, **browser)
    (arrived,) = (tmp_path / "downloads").iterdir()
    for platform in (
        "x_ada_attempt_2026-11-20-10-00-00_",
        "ada_1_2_",
        "ada_1_assignsubmission_file/",
    ):
        path = f"{platform}{arrived.name}"
        named = read_names([path], titles=["x"])
        found = split_titles(named, titles=["x"], receipts={}, students=[])[path]
        assert found.file == FILE
        assert found.name == "ada"
    assert (ROOT / "solutions" / NAME / FILE).exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"COLAB_BROWSER": ""}, "TimeoutError: no answer within 60 seconds"),
        ({"COLAB_BROWSER": "/nowhere"}, "FileNotFoundError"),
        ({"COLAB_DOWNLOADS": "/nowhere"}, "FileNotFoundError"),
    ],
)
def test_when_colab_does_not_answer_the_way_by_hand_is_told(place, browser, change, reason):
    said = told(place, **browser | change)
    assert reason in said
    assert "Choose File → Download → Download .ipynb instead" in said
    assert FILE in said


def test_an_answer_without_cells_is_not_handed_in(place, browser, tmp_path):
    Path(browser["COLAB_BROWSER"]).write_text('{"cells": []}')
    assert "its answer holds no cells" in told(place, **browser)
    assert list((tmp_path / "downloads").iterdir()) == []


# Elsewhere.


def test_the_file_that_holds_what_ran_is_ready(place):
    file = save(place / FILE, IMPORT, ANSWER, CALL)
    said = told(place, ANSWER)
    assert said.startswith(f"{file}\nwas saved at ")
    assert "save once more, and hand in this file" in said


@pytest.mark.parametrize(
    "ran", ["def scores(x):\n    return 2 * x", "scores = 3", "scores: int = 3"]
)
def test_an_answer_that_was_changed_and_not_saved_is_named(place, ran):
    save(place / FILE, IMPORT, ANSWER, "width = 1", CALL)
    said = told(place, "width = 1", ANSWER, ran)
    assert "Do not hand it in yet. What you ran last is not what it holds of `scores`." in said


def session(monkeypatch, *ran):
    """Simulate a session in which some cells ran, the call last."""
    history = SimpleNamespace(input_hist_raw=["", *ran, CALL])
    shell = SimpleNamespace(history_manager=history, user_ns={})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


@pytest.mark.parametrize(
    ("saved", "last"),
    [
        (ANSWER, "def scores(x):\n    return 0"),
        (ANSWER, "scores = None"),
        ("def scores(x):\n    return 2 * x", "def scores(x): return 2*x"),  # a formatter saved it
        (f"{ANSWER}\n\nwidth = 3", ANSWER),
    ],
)
def test_the_advice_leads_out_where_what_ran_last_is_in_no_cell(
    place, monkeypatch, capsys, saved, last
):
    save(place / FILE, IMPORT, saved, CALL)
    monkeypatch.chdir(place)
    session(monkeypatch, IMPORT, saved, last)
    hand_in(NAME)
    said = capsys.readouterr().out
    assert "Do not hand it in yet" in said
    assert "run the cell of `scores` once more" in said
    session(monkeypatch, IMPORT, saved, last, saved)
    hand_in(NAME)
    assert "save once more, and hand in this file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("import pandas as pd", "`pandas`"),
        ("from sklearn.metrics import f1_score", "`sklearn`"),
        ("import pandas\nimport sympy", "`pandas`, `sympy`"),
        ("import einops\nfrom jaxtyping import Float\nimport safetensors.torch", ""),
        (
            "from tqdm import tqdm\nimport matplotlib.pyplot as plt\nfrom beartype import beartype",
            "",
        ),
        ("import torch, math\nfrom plaincourse import check", ""),
        ("import mine", ""),
        ("# import pandas", ""),
    ],
)
def test_packages_that_grading_may_lack_are_named(place, monkeypatch, capsys, line, named):
    save(place / FILE, IMPORT, line, CALL)
    (place / "mine.py").write_text("")
    monkeypatch.chdir(place)
    session(monkeypatch, line)
    hand_in(NAME)
    said = capsys.readouterr().out
    assert f"It imports {named}. " in said if named else "It imports" not in said


@pytest.mark.parametrize("release", sorted(ROOT.glob("exercises/*/*.ipynb")), ids=lambda p: p.stem)
def test_no_notebook_is_told_that_grading_lacks_what_it_was_handed_out_with(
    release, tmp_path, monkeypatch, capsys
):
    (tmp_path / release.name).write_bytes(release.read_bytes())
    monkeypatch.chdir(tmp_path)
    session(monkeypatch)
    hand_in(release.stem)
    assert "It imports" not in capsys.readouterr().out


def test_what_was_tried_before_the_saved_answer_does_not_count(place):
    save(place / FILE, IMPORT, ANSWER, CALL)
    said = told(place, "scores = 1", "%time 1", "mine = 2", "hint = 3", ANSWER)
    assert "save once more, and hand in this file" in said


def test_a_notebook_under_another_name_is_to_be_renamed(place):
    file = save(place.parent / "Copy of 02.ipynb", IMPORT, 'check("02.scores", scores)', CALL)
    said = told(place, JPY_SESSION_NAME=str(file))
    assert said.startswith(f"{file}\n")
    assert f"Rename it to {FILE}\n" in said


def test_a_notebook_of_another_chapter_is_not_to_be_renamed(place):
    file = save(place.parent / "03-masks.ipynb", IMPORT, 'check("03.causal_mask", mask)', CALL)
    said = told(place, JPY_SESSION_NAME=str(file))
    assert f"It holds no check of {NAME}: run this cell in that notebook." in said
    assert "Rename" not in said


def test_vs_code_names_its_file(place):
    file = save(place.parent / FILE, IMPORT, CALL)
    said = told(place, f"__vsc_ipynb_file__ = {str(file)!r}", JPY_SESSION_NAME="gone.ipynb")
    assert said.startswith(f"{file}\n")


def test_a_missing_file_and_one_that_is_no_notebook_are_said(place):
    assert told(place).startswith(f"There is no {FILE} in {place}")
    (place / FILE).write_text("[]")
    assert "cannot be read as a notebook (TypeError: " in told(place)


@pytest.mark.parametrize("name", ["02", "Copy of 02-x", FILE, 2, None])
def test_what_is_no_name_of_an_assignment_is_refused(name):
    with pytest.raises(ValueError, match=rf"{re.escape(repr(name))}\): expected the name of this"):
        hand_in(name)


def test_while_a_notebook_is_graded_it_does_nothing(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(LATER, "1")
    hand_in(NAME)
    hand_in(7)
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []

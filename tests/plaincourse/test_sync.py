"""``plaincourse sync``: commands, written files, refusals and their messages."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from plaincourse.notebooks import sync
from tests.plaincourse.pages import (
    HEADER,
    NOTEBOOK,
    PAGE,
    cell,
    printed,
    refusal,
    replace,
    state,
)


def test_a_page_in_order_is_neither_run_nor_written(course, ran):
    sync.main([str(PAGE)])
    before = state()
    assert sync.main([str(PAGE)]) == 0
    assert state() == before
    assert len(ran) == 1


def test_changed_code_is_run_again(course, ran):
    sync.main([str(PAGE)])
    replace(PAGE, "a = 6", "a = 5")
    assert sync.main([str(PAGE)]) == 0
    assert printed() == ["run 2\n"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Six sevens.", "Six times seven."),
        ("python\na = 6", "python\n:tags: [hide-input]\na = 6"),
        ("kernelspec:", "accelerator: GPU\nkernelspec:"),
    ],
)
def test_changed_prose_or_metadata_is_written_and_the_code_not_run(course, ran, old, new):
    sync.main([str(PAGE)])
    replace(PAGE, old, new)
    assert sync.main([str(PAGE)]) == 0
    assert (len(ran), printed()) == (1, ["run 1\n"])
    assert sync.main([str(PAGE), "--check"]) == 0


def test_a_new_owner_reaches_text_and_notebook_and_the_code_is_not_run(course, ran):
    sync.main([str(PAGE)])
    replace(Path("pyproject.toml"), 'owner = ""', 'owner = "someone"')
    assert sync.main([str(PAGE)]) == 0
    for path in (PAGE, NOTEBOOK):
        assert "https://github.com/someone/plainformer.git@main" in path.read_text()
    assert sync.main(["--check", str(PAGE)]) == 0, "a notebook with an owner breaks no rule"
    assert len(ran) == 1


def test_a_notebook_edited_by_hand_is_refused_naming_cell_line_and_remedy(course, ran, capsys):
    sync.main([str(PAGE)])
    before = NOTEBOOK.read_text()
    replace(NOTEBOOK, "print(a * 7)", "print(a * 8)")
    wrong = state()
    for flag in ([], ["--check"], ["--check", "--force"]):
        said = refusal(capsys, PAGE, *flag)
        assert "book/02-small.ipynb: edited by hand in cell 5: cell 5, line 1 is" in said
        assert "`print(a * 8)`, in the text `print(a * 7)`" in said
        assert "plaincourse sync --force book/02-small.md" in said
        assert state() == wrong
    assert sync.main([str(PAGE), "--force"]) == 0
    assert NOTEBOOK.read_text() == before.replace("run 1", "run 2")


def test_a_cell_added_by_hand_is_refused(course, ran, capsys):
    sync.main([str(PAGE)])
    notebook = nbformat.read(NOTEBOOK, 4)
    notebook.cells.append(nbformat.v4.new_code_cell("extra"))
    nbformat.write(notebook, NOTEBOOK)
    assert "edited by hand in cell 6: cell 6: it has 6 cells, the text 5" in refusal(capsys, PAGE)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: NOTEBOOK.unlink(), "book/02-small.ipynb: missing"),
        (
            lambda: replace(PAGE, "a = 6", "a = 5"),
            r"cell 3, line 1 is `a = 6`, in the text `a = 5`",
        ),
        (lambda: replace(PAGE, "a = 6", "a = 6\nb = 7"), r"cell 3, line 2 is missing, .* `b = 7`"),
        (
            lambda: replace(PAGE, "Six ", "6 "),
            r"cell 4, line 1 is `Six sevens.`, in the text `6 se",
        ),
        (
            lambda: PAGE.write_text(PAGE.read_text() + cell("1")),
            "cell 6: it has 5 cells, the text 6",
        ),
        (lambda: replace(PAGE, "import sys", "import os"), r"02-small\.md: the setup cell is not"),
        (
            lambda: replace(PAGE, "kernelspec:", "colab: {}\nkernelspec:"),
            "its metadata is .*'colab'",
        ),
        (
            lambda: replace(PAGE, "python\na = 6", "python\n:tags: [hide-input]\na = 6"),
            r"cell 3 has the metadata \{\}, in the text \{.*'tags': \['hide-input'\]\}",
        ),
        (lambda: unrun(), "its cells were not all run, in order"),
    ],
)
def test_check_names_what_disagrees_and_changes_nothing(course, ran, capsys, change, said):
    sync.main([str(PAGE)])
    change()
    before = state()
    message = refusal(capsys, PAGE, "--check")
    assert re.search(said, message), message
    assert "Run: plaincourse sync book/02-small.md" in message
    assert state() == before
    assert len(ran) == 1
    assert sync.main([str(PAGE)]) == 0, "the command it names mends it"
    assert sync.main([str(PAGE), "--check"]) == 0


def unrun():
    data = json.loads(NOTEBOOK.read_text())
    for each in data["cells"]:
        if each["cell_type"] == "code":
            each["execution_count"], each["outputs"] = None, []
    NOTEBOOK.write_text(json.dumps(data))


def test_a_page_goes_on_after_another_failed(course, ran, capsys):
    Path("book/01-bad.md").write_text(HEADER.replace("setup, ", ""))
    assert "1 of 2 pages are not in order" in refusal(capsys)
    assert NOTEBOOK.exists()


def test_a_broken_rule_is_told_when_writing_and_fails_the_check(course, ran, capsys):
    PAGE.write_text(HEADER + cell("a = 6;"))
    assert sync.main([str(PAGE)]) == 0
    assert "rule: book/02-small.ipynb: cell 3: ends in a semicolon" in capsys.readouterr().err
    assert "error: book/02-small.ipynb: cell 3: ends in" in refusal(capsys, PAGE, "--check")


def test_a_notebook_without_a_text_is_refused(course, capsys):
    Path("book/09-lost.ipynb").write_text("{}")
    assert "book/09-lost.ipynb: has no text. Expected 09-lost.md" in refusal(capsys)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("book/07-none.md", "book/07-none.md: no such page"),
        ("plain.md", r"plain.md: not a notebook: its header has no `jupytext:`"),
        ("empty", "empty: no page in it is a notebook"),
    ],
)
def test_a_path_that_means_no_page_is_refused(course, capsys, path, said):
    Path("plain.md").write_text("# Plain\n")
    Path("empty").mkdir()
    assert said in refusal(capsys, path)


def test_outside_a_course_it_says_where_to_go(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert "not inside the course" in refusal(capsys)


def test_a_page_may_be_named_by_its_notebook_or_folder(course, ran):
    assert sync.main([str(NOTEBOOK)]) == sync.main(["book"]) == 0
    assert len(ran) == 1

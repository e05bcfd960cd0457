"""For every recorded mistake the tutor prints the notebook's words, and no part of a solution.

Some mistakes are tried always, and all of them in the slow tests.
"""

import inspect
import io
import re
import textwrap
import tokenize
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from plaincourse import lab, tutor
from plaincourse.checking.cells import checked
from plaincourse.exercise import Exercise, Task, bank
from plaincourse.exercise.course import rules_for_assistants
from plaincourse.exercise.report import Report
from plaincourse.proving.submissions import Class, Graded, known
from plaincourse.tutor import find, run_check, tell
from plaincourse.tutor_server import TOOLS
from tests.house.tree import ROOT

#: Without the capstone, which is measured and has no solution.
CHAPTERS = [f"{number:02d}" for number in range(1, 17)]
TASKS = [each for n in CHAPTERS for each in bank.chapter(n) if hasattr(each, "misconceptions")]
#: Some tasks, one of a chapter, whose first mistakes are tried always.
ALWAYS = [[each.id for each in TASKS if each.id[:2] == n][int(n) % 4] for n in CHAPTERS[::2]]
#: Tokens of Python, and single characters where a text has none.
TOKEN = re.compile(
    r"[^\W\d]\w*|\d[\d_]*\.?\d*(?:e[-+]?\d+)?|\*\*=?|//=?|->|:=|[-+*/%@&|^=!<>]=|\.\.\.|\S"
)
#: A string that follows one of these is a docstring.
STARTS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
#: The number of consecutive tokens that count as a part of a solution.
MANY = 6


def runs(text: str) -> set[tuple[str, ...]]:
    """Return every run of a few consecutive tokens."""
    tokens = TOKEN.findall(text)
    return {tuple(tokens[i : i + MANY]) for i in range(len(tokens) - MANY + 1)}


def code(source: str) -> str:
    """Return a solution without comments and docstrings, which are not code."""
    kept, after = [], tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        sentence = token.type == tokenize.STRING and after in STARTS
        if token.type != tokenize.COMMENT and not sentence:
            kept.append(token.string)
        if token.type != tokenize.NL:
            after = token.type
    return " ".join(kept)


@cache
def notebook(folder: str, chapter: str) -> NotebookNode:
    (path,) = (ROOT / folder).glob(f"{chapter}-*/{chapter}-*.ipynb")
    return nbformat.read(path, as_version=4)


@cache
def students(chapter: str) -> Class:
    return Class(notebook("solutions", chapter), notebook("exercises", chapter))


@cache
def secrets(id: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of a task's solution that the released notebook does not show."""
    task, (chapter, _, name) = bank.load(id), id.partition(".")
    released = "\n".join(cell.source for cell in notebook("exercises", chapter).cells)
    (cell,) = (
        cell
        for cell in notebook("solutions", chapter).cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == f"{name}-answer"
    )
    found = runs(code(cell.source))
    if isinstance(task, Exercise):
        for answer in (task.reference, *(each.answer for each in task.alternatives)):
            if inspect.isfunction(answer) or inspect.isclass(answer):
                found |= runs(code(textwrap.dedent(inspect.getsource(answer))))
    return frozenset(found - runs(released))


def given_away(id: str, told: str) -> set[tuple[str, ...]]:
    """List the parts of a task's solution in a text."""
    return runs(told) & secrets(id)


def own(each: Graded, number: int) -> set[tuple[str, ...]]:
    """List the parts of the code of a student with a mistake, who may hear of them."""
    return runs(code(known(each, "misconceptions", number)))


def ladder(each: Graded, work: tutor.Work) -> list[str]:
    """Return all hints, as they are given one at a time, and the reply after the last."""
    said = [tell(each.task.id, work, hint=True)]
    while said[-1].startswith("Hint "):
        said.append(tell(each.task.id, work, hint=True))
    return said


def expected(task: Task, report: Report | None) -> list[str]:
    """Return the ladder of the report, which the notebook shows."""
    steps = report.hints if report and report.aimed else getattr(task, "hints", ())
    return [f"Hint {i} of {len(steps)}: {step}" for i, step in enumerate(steps, start=1)]


def try_mistake(each: Graded, number: int, patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Ask the tutor about one mistake: for the check, and for all hints."""
    (folder / tutor.GIVEN).unlink(missing_ok=True)
    patch.chdir(folder)
    patch.setattr(lab, "places", lambda: (ROOT, folder / "work"))
    task = each.task
    work = find(task.id, None, known(each, "misconceptions", number))
    report, errors = run_check(task.id, work)
    assert report is not None, errors
    patch.setattr(tutor, "run_check", lambda *_: (report, errors))
    text, hints = tell(task.id, work), ladder(each, work)
    assert errors == []
    assert text == report.text()
    assert hints[:-1] == expected(task, report)
    found = given_away(task.id, "\n".join([text, *hints]))
    assert not found or not found - own(each, number)


def mistakes(id: str) -> list[tuple[Graded, int]]:
    (each,) = (each for each in students(id[:2]).graded if each.task.id == id)
    return [(each, number) for number in range(len(each.task.misconceptions))]


@pytest.mark.parametrize("id", ALWAYS)
def test_some_mistakes_get_the_words_and_the_ladder_of_the_notebook_and_no_solution(
    id: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    try_mistake(*mistakes(id)[0], monkeypatch, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("id", [task.id for task in TASKS])
def test_all_mistakes_get_the_words_and_the_ladder_of_the_notebook_and_no_solution(
    id: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for each, number in mistakes(id):
        with monkeypatch.context() as patch:
            try_mistake(each, number, patch, tmp_path)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_the_bank_says_holds_no_part_of_a_solution(chapter: str) -> None:
    fixed = f"{TOOLS} {rules_for_assistants().read_text('utf-8')}"
    for id in (task.id for task in TASKS if task.id.startswith(f"{chapter}.")):
        assert not given_away(id, "\n\n".join([*bank.load(id).hints, fixed]))
        for each, number in mistakes(id):
            mistake = each.task.misconceptions[number]
            found = given_away(id, "\n\n".join([mistake.says, *mistake.hints]))
            assert not found or not found - own(each, number), mistake.name


def test_a_part_of_a_solution_would_be_found() -> None:
    id, line = "02.softmax_rows", "powers / powers.sum(dim=-1, keepdim=True)"
    assert given_away(id, f"Try `{line}` instead.")
    assert not given_away(id, "The weights have the dtype of the scores, float32 or float64.")


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_notebook_that_a_kernel_runs_shows_the_same(chapter: str, tmp_path: Path) -> None:
    page = list(students(chapter).honest(most=1))[2].notebook
    cells = []
    for cell in page.cells:
        cells.append(cell)
        for id in checked(cell.source) if cell.cell_type == "code" else ():
            cells.append(new_code_cell(f'for _ in range(9):\n    hint("{id}")'))
    path = tmp_path / "a.ipynb"
    nbformat.write(page, path)
    page.cells = cells
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(page, timeout=300, kernel_name="python3", resources=resources).execute()
    tried = 0
    for cell, after in zip(page.cells, page.cells[1:], strict=False):
        for id in checked(cell.source) if cell.cell_type == "code" else ():
            work = find(id, str(path))
            report, _ = run_check(id, work)
            assert report is not None
            assert report._repr_html_() == cell.outputs[-1].data["text/html"]
            shown = after.outputs[0].text.splitlines()
            (each,) = (each for each in students(chapter).graded if each.task.id == id)
            told = ladder(each, work)
            assert told == shown[: len(told)]
            tried += 1
    assert tried == len(students(chapter).graded)

"""Released notebooks have no solutions and no hidden tests, and are what nbgrader generates."""

import re
from pathlib import Path

import nbformat
import pytest

from plaincourse.exercise.course import RULES, rules_for_assistants
from plaincourse.notebooks.release import sync_release

ROOT = Path(__file__).parents[2]
NAMES = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())
EACH = pytest.mark.parametrize("name", NAMES)
MARK = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1", re.DOTALL)


def solution(name):
    return nbformat.read(ROOT / "solutions" / name / f"{name}.ipynb", as_version=4)


def released(name):
    return (ROOT / "exercises" / name / f"{name}.ipynb").read_text(encoding="utf-8")


def words(text):
    return " ".join(text.split())


def secrets(notebook):
    """Return the lines of solutions and hidden tests that occur nowhere else in the notebook."""
    secret, public = set(), ""
    for cell in notebook.cells:
        meta = cell.metadata.get("nbgrader", {})
        hidden = "\n".join(body for _, body in MARK.findall(cell.source))
        whole = meta.get("solution") and not hidden
        secret |= set((cell.source if whole else hidden).splitlines())
        public += "" if whole else MARK.sub("", cell.source)
    return {words(line) for line in secret if len(line.strip()) > 8 and line.strip() not in public}


def test_secrets_are_found_where_they_are():
    cells = [
        nbformat.v4.new_code_cell("a = 1\n### BEGIN SOLUTION\nanswer = 42\n### END SOLUTION\n"),
        nbformat.v4.new_markdown_cell("the essay", metadata={"nbgrader": {"solution": True}}),
        nbformat.v4.new_code_cell("### BEGIN HIDDEN TESTS\nf(seed=77)\n### END HIDDEN TESTS"),
        nbformat.v4.new_markdown_cell("Public prose"),
    ]
    assert secrets(nbformat.v4.new_notebook(cells=cells)) == {
        "answer = 42", "the essay", "f(seed=77)",
    }  # fmt: skip


@EACH
def test_a_release_holds_no_line_of_a_solution_or_hidden_test(name):
    kept = secrets(solution(name))
    assert len(kept) > 20, "the solution has lines that a student must not see"
    text = words(released(name).replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\"))
    assert [line for line in kept if line in text] == []


@EACH
@pytest.mark.parametrize("mark", ["BEGIN SOLUTION", "END SOLUTION", "HIDDEN", "seed"])
def test_a_release_holds_no_mark(name, mark):
    assert mark not in released(name)


@EACH
def test_a_release_has_a_stub_for_every_answer_and_a_check_for_every_test(name):
    release = nbformat.reads(released(name), as_version=4)
    for cell in release.cells:
        meta = cell.metadata.get("nbgrader", {})
        if meta.get("solution"):
            value = re.search(r"^answer_\w+ = \.\.\.  # YOUR ANSWER$", cell.source, re.MULTILINE)
            stub = "raise NotImplementedError()  # YOUR CODE"
            if cell.cell_type == "code":
                assert value or f"    {stub}" in cell.source, "a cell that raises by itself"
            else:
                assert "Write your answer here" in cell.source
        elif meta.get("grade"):
            assert re.fullmatch(r'check\("[\w.]+", \w+\)', cell.source)
        assert not cell.get("outputs")


def test_nothing_but_releases_lies_in_exercises():
    there = sorted(p.relative_to(ROOT) for p in (ROOT / "exercises").rglob("*") if p.is_file())
    there = [path for path in there if not any(part.startswith(".") for part in path.parts)]
    wanted = [(Path("exercises", n, f"{n}.ipynb"), Path("exercises", n, RULES)) for n in NAMES]
    assert there == sorted(path for both in wanted for path in both)
    rules = rules_for_assistants().read_text(encoding="utf-8")
    assert all((ROOT / path).read_text(encoding="utf-8") == rules for _, path in wanted)


def test_exercises_are_what_nbgrader_generates_from_the_solutions():
    assert sync_release(ROOT, check=True) == []

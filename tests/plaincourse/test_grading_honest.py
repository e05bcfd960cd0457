"""Honest but unusual submissions lose no points, and unreadable ones get a reason."""

import time
from pathlib import Path

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from plaincourse.grading.assignment import from_notebooks
from plaincourse.grading.mend import mend_folder
from plaincourse.proving.honest import honest, unreadable
from plaincourse.proving.submissions import Class, grade_id

ROOT = Path(__file__).parents[2]
NAME = "03-masks"


def notebook(step):
    return nbformat.read(ROOT / step / NAME / f"{NAME}.ipynb", as_version=4)


STUDENTS = Class(notebook("solutions"), notebook("exercises"))
SOURCE = from_notebooks(NAME, solution=notebook("solutions"), release=notebook("exercises"))
HONEST = {each.name: each for each in honest(STUDENTS, NAME)}
UNREADABLE = {each.name: each for each in unreadable(STUDENTS, NAME)}


def taken(odd, folder):
    odd.write(folder)
    return mend_folder(folder, {NAME: SOURCE})[NAME]


@pytest.mark.parametrize("name", [*HONEST, *UNREADABLE])
def test_what_was_mended_is_told_and_flagged_and_nothing_else_is(name, tmp_path):
    odd = (HONEST | UNREADABLE)[name]
    mended = taken(odd, tmp_path)
    assert len(mended.notes) == len(odd.tells), mended.notes
    for piece in odd.tells:
        assert any(piece in note for note in mended.notes), mended.notes
    assert {(flag["cell"], flag["kind"]) for flag in mended.flags} == odd.flags
    assert bool(mended.unread) == (name in UNREADABLE)


@pytest.mark.parametrize("name", [*HONEST, *UNREADABLE])
def test_what_is_mended_is_a_sound_notebook_with_each_cell_of_the_assignment(name, tmp_path):
    mended = taken((HONEST | UNREADABLE)[name], tmp_path)
    nbformat.validate(mended.notebook)
    MetadataValidator().validate_nb(mended.notebook)
    names = [grade_id(cell) for cell in mended.notebook.cells if grade_id(cell)]
    assert len(set(names)) == len(names)
    fixed = {cell.name: cell for cell in SOURCE.cells if cell.grade or cell.locked}
    assert set(fixed) <= set(names)
    for cell in mended.notebook.cells:
        if grade_id(cell) in fixed and fixed[grade_id(cell)].locked:
            assert cell.source == fixed[grade_id(cell)].source
            assert compute_checksum(cell) == cell.metadata.nbgrader["checksum"]
        assert not cell.get("outputs")


@pytest.mark.parametrize("name", list(HONEST))
def test_what_the_tests_test_is_the_students_answer(name, tmp_path):
    """The answers are above their tests, without a stub in between."""
    cells = taken(HONEST[name], tmp_path).notebook.cells
    places = {grade_id(cell): index for index, cell in enumerate(cells)}
    for each in STUDENTS.graded:
        written = STUDENTS.own(each).strip()
        above = [cell.source for cell in cells[: places[each.cell]] if cell.cell_type == "code"]
        stub = SOURCE.by_name[f"{each.cell}-answer"].source
        at = max(index for index, source in enumerate(above) if written in source)
        assert stub not in above[at + 1 :]


@pytest.mark.parametrize("name", list(HONEST))
def test_an_answer_in_words_waits_for_a_person(name, tmp_path):
    for cell in taken(HONEST[name], tmp_path).notebook.cells:
        if is_grade(cell) and is_solution(cell):
            assert determine_grade(cell)[0] is None


@pytest.mark.parametrize("name", list(UNREADABLE))
def test_what_cannot_be_read_earns_0_in_words_too(name, tmp_path):
    for cell in taken(UNREADABLE[name], tmp_path).notebook.cells:
        if is_grade(cell) and is_solution(cell):
            assert determine_grade(cell)[0] == 0


def test_the_corpus_is_large_and_its_names_differ():
    assert len(HONEST) >= 25
    assert len(HONEST) == len(honest(STUDENTS, NAME))
    assert len(UNREADABLE) == len(unreadable(STUDENTS, NAME)) >= 12


def test_an_ordinary_notebook_is_mended_in_the_time_of_a_few_readings(tmp_path):
    HONEST["plain"].write(tmp_path)
    (path,) = tmp_path.rglob("*.ipynb")
    mends, reads = [], []
    for _ in range(9):
        mends.append(seconds(lambda: mend_folder(tmp_path, {NAME: SOURCE})))
        reads.append(seconds(lambda: nbformat.read(path, as_version=4)))
    assert min(mends) < 10 * min(reads)


def seconds(act):
    begun = time.process_time()
    act()
    return time.process_time() - begun

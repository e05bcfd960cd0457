"""The repair of notebooks reports its changes correctly, and never raises or hangs."""

import json
import random
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.utils import compute_checksum, determine_grade

from plaincourse.grading.assignment import from_notebooks
from plaincourse.grading.jobs import status
from plaincourse.grading.mend import mend
from plaincourse.grading.notebook import parse

ROOT = Path(__file__).parents[2]
PATHS = sorted((ROOT / "exercises").glob("*/*.ipynb"))


def source_of(path):
    solution = nbformat.read(ROOT / "solutions" / path.parent.name / path.name, as_version=4)
    return from_notebooks(path.stem, solution=solution, release=nbformat.read(path, as_version=4))


SOURCE = source_of(PATHS[0])
RAW = PATHS[0].read_bytes()
TEST = next(cell for cell in SOURCE.cells if cell.locked)


def changed(change):
    notebook = nbformat.read(PATHS[0], as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == TEST.name:
            cell.source = change(cell.source)
    return mend(nbformat.writes(notebook).encode(), SOURCE)


def corrected(*, text=lambda text: text, points=lambda points: points, editor=lambda text: text):
    """Repair a notebook of an earlier release, whose test had a different text and points."""
    notebook = nbformat.read(PATHS[0], as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == TEST.name:
            cell.source = text(cell.source)
            cell.metadata.nbgrader.points = points(cell.metadata.nbgrader.points)
            cell.metadata.nbgrader.checksum = compute_checksum(cell)
            cell.source = editor(cell.source)
    return mend(nbformat.writes(notebook).encode(), SOURCE)


@pytest.mark.parametrize(
    ("older", "said"),
    [
        (
            {"text": lambda text: f"{text}  # shapes first"},
            f"# shapes first` became `{TEST.visible}`",
        ),
        ({"text": lambda text: "assert False"}, f"`assert False` became `{TEST.visible}`"),
        ({"text": lambda text: f"{text}\nassert spread"}, "`assert spread` was taken out"),
        ({"points": lambda points: points + 2}, f"is worth {TEST.points:g} now, and was worth"),
        (
            {"text": lambda text: f"import a\n{text}", "editor": lambda text: f"{text}  \n"},
            "`import a` was taken out",
        ),
        (
            {
                "text": lambda text: f"import a\n{text}",
                "editor": lambda text: text.replace("\n", "\r\n"),
            },
            "`import a` was taken out",
        ),
    ],
)
def test_what_the_course_changed_after_the_release_is_not_said_of_the_student(older, said):
    mended = corrected(**older)
    (note,) = mended.notes
    assert note.startswith(f"The course changed the cell `{TEST.name}`")
    assert said in note
    assert [flag["kind"] for flag in mended.flags] == ["corrected"]
    assert status(mended.flags) == "graded"


@pytest.mark.parametrize("editor", [lambda text: "4.0", lambda text: f"{text}\nprint(1)"])
def test_what_a_student_changed_in_an_older_release_is_told(editor):
    mended = corrected(text=lambda text: f"import a\n{text}", editor=editor)
    assert [flag["kind"] for flag in mended.flags] == ["tampered"]
    assert "had been changed" in mended.notes[0]


@pytest.mark.parametrize(
    "meta", [{"checksum": 5}, {"points": "all"}, {"grade": None}, {"points": {}}]
)
def test_metadata_of_no_release_counts_as_changed(meta):
    notebook = nbformat.read(PATHS[0], as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == TEST.name:
            cell.source = "4.0"
            cell.metadata.nbgrader.update(meta)
    mended = mend(json.dumps(notebook).encode(), SOURCE)
    assert "tampered" in [flag["kind"] for flag in mended.flags]


ESSAY = next(cell for cell in SOURCE.cells if cell.solution and cell.grade)
ONE = {"grade": True, "solution": False, "locked": True, "points": 50, "schema_version": 3}


def with_roles(*, more=(), **roles):
    """Grade a notebook with changed data in some cells, and with further cells."""
    notebook = nbformat.read(PATHS[0], as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.metadata.get("nbgrader", {}).update(roles.get(name, {}))
        if name == ESSAY.name:
            cell.source = "What I think of it, in words."
    for role, fits in more:
        cell = new_code_cell("1 + 1", metadata={"nbgrader": {**ONE, "cell_type": "code", **role}})
        if fits:
            cell.metadata.nbgrader.checksum = compute_checksum(cell)
        notebook.cells.append(cell)
    return mend(nbformat.writes(notebook).encode(), SOURCE)


@pytest.mark.parametrize(
    "forged",
    [
        {TEST.name: {"points": 500}},
        {TEST.name: {"points": "500", "checksum": "none"}},
        {ESSAY.name: {"points": 40}},
        {"more": [({"grade_id": "bonus"}, False)]},
        {"more": [({"grade_id": f"{TEST.name} ", "checksum": TEST.released_checksum}, False)]},
        {"more": [({"grade_id": "essay2", "solution": True, "locked": False}, False)]},
        {"more": [({"grade_id": "../../x", "points": "all of them"}, False)]},
    ],
    ids=str,
)
def test_forged_points_and_made_up_cells_for_points_are_flagged(forged):
    made = with_roles(**forged)
    assert [flag["kind"] for flag in made.flags].count("tampered") == 1
    assert status(made.flags) == "flagged"


@pytest.mark.parametrize(
    "honest",
    [
        {},
        {TEST.name: {"points": None}},
        {TEST.name: {"points": float(TEST.points)}},
        {ESSAY.name: {"points": 40, "checksum": "of a release in which it was worth 40"}},
        {"more": [({"grade_id": "of-another-notebook"}, True)]},
        {"more": [({"grade_id": "essay", "solution": True, "checksum": "another's"}, False)]},
        {"more": [({"grade_id": "no-points", "grade": False}, False)]},
    ],
    ids=str,
)
def test_cells_and_points_of_other_releases_are_not_forged(honest):
    assert status(with_roles(**honest).flags) == "graded"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "the file is empty"), (b" \n", "the file is empty"), (b"\0" * 2048, "(2,048 in all)")],
)
def test_a_file_of_nul_bytes_is_not_called_empty(content, said):
    assert said in mend(content, SOURCE).unread


def test_a_text_of_many_lines_is_compared_in_little_time():
    began = time.process_time()
    mended = changed(lambda text: "\n".join(f"x{i % 7} = {i}" for i in range(30_000)))
    assert "it has 30000 lines in place of" in mended.notes[0]
    assert time.process_time() - began < 10


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_release_needs_no_mending_and_its_ids_are_known(path):
    source = source_of(path)
    mended = mend(path.read_bytes(), source)
    assert (mended.notes, mended.flags) == ([], [])
    ids = {cell.id for cell in nbformat.read(path, as_version=4).cells}
    assert {cell.id for cell in source.cells} <= ids


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "4.0", f"`{TEST.visible}` became `4.0`"),
        (lambda text: f"{text}\n1 + 1", "`1 + 1` was added"),
        (lambda text: "", f"`{TEST.visible}` was taken out"),
        (lambda text: "x" * 500, "became `" + "x" * 79 + "…`"),
        (lambda text: "`<b>`", "became `'<b>'`"),
    ],
)
def test_a_real_change_of_a_locked_cell_is_told_with_what_changed(change, said):
    mended = changed(change)
    assert said in mended.notes[0]
    assert [flag["kind"] for flag in mended.flags] == ["tampered"]


def moved(source):
    """Submit with the first test at the top and its answer written; return the cells' names."""
    notebook = nbformat.read(PATHS[0], as_version=4)
    names = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in notebook.cells]
    at = names.index(TEST.name)
    notebook.cells[at - 1].source = source or notebook.cells[at - 1].source
    notebook.cells.insert(0, notebook.cells.pop(at))
    mended = mend(nbformat.writes(notebook).encode(), SOURCE)
    roles = (cell.metadata.get("nbgrader", {}) for cell in mended.notebook.cells)
    return mended, [role["grade_id"] for role in roles if "grade_id" in role]


def test_a_test_above_its_answer_is_put_back_below_it_and_told():
    mended, names = moved("def blend(query, key, value, temperature):\n    return value[0]")
    assert names == [cell.name for cell in SOURCE.cells]
    told = f"The cell `{TEST.name}` stood above your answer, which it tests. It was put back below"
    assert mended.notes[0].startswith(told)
    assert [flag["kind"] for flag in mended.flags] == ["mended"]


def test_a_test_stays_above_an_answer_that_was_left_as_it_was():
    mended, names = moved("")
    assert names[0] == TEST.name
    assert mended.notes == []


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_deleted_answer_cell_is_named_unless_another_cell_holds_the_answer(elsewhere):
    notebook = nbformat.read(PATHS[0], as_version=4)
    cells = {each.metadata.get("nbgrader", {}).get("grade_id"): each for each in notebook.cells}
    answers = [each.name for each in SOURCE.cells if each.solution and each.cell_type == "code"]
    lost, other = cells[answers[0]], cells[answers[1]]
    notebook.cells.remove(lost)
    if elsewhere:
        answer = lost.source.replace("raise NotImplementedError()", "return value[0]")
        other.source = f"{answer}\n\n\n{other.source}"
    mended = mend(nbformat.writes(notebook).encode(), SOURCE)
    told = (
        f"The cell `{answers[0]}`, for your answer, was missing from the submission, and no other "
        "cell holds the answer."
    )
    below = (
        f"The cell `{TEST.name}` stood above your answer, which it tests. It was put back below it."
    )
    assert mended.notes == [below if elsewhere else told]


@pytest.mark.parametrize(
    "change", [lambda text: f"\n {text}\t\r\n", lambda text: TEST.source, lambda text: text + " "]
)
def test_white_space_and_line_ends_are_no_change(change):
    assert changed(change).flags == []


def test_what_a_student_claims_in_metadata_of_ours_is_dropped():
    notebook = nbformat.read(PATHS[0], as_version=4)
    notebook.metadata["plaincourse"] = {"mended": ["full points, please"], "unread": "x"}
    notebook.cells[3].metadata["plaincourse"] = {"one_process": "please"}
    mended = mend(nbformat.writes(notebook).encode(), SOURCE)
    assert mended.notebook.metadata["plaincourse"] == {"mended": [], "flags": [], "unread": ""}
    assert all("plaincourse" not in cell.metadata for cell in mended.notebook.cells)


def test_the_kernel_is_the_assignments():
    raw = RAW.replace(b'"python3"', b'"evil"')
    assert mend(raw, SOURCE).notebook.metadata.kernelspec == dict(SOURCE.kernelspec)
    assert SOURCE.kernelspec["name"] == "python3"


def test_a_file_over_the_limit_is_refused_with_both_sizes():
    why = parse(b"{" * (2**21 + 1), limit=2**21).why
    assert "2 MB; at most 2 MB" in why
    assert "Clear its outputs" in why


def test_bytes_at_random_raise_nothing():
    chance = random.Random(0)
    for _ in range(300):
        raw = bytearray(RAW)
        for _ in range(chance.choice([1, 5, 200])):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        mended = mend(bytes(raw[: chance.choice([len(raw), chance.randrange(len(raw))])]), SOURCE)
        nbformat.validate(mended.notebook)
        assert mended.unread or mended.notebook.cells


def replaced(value, number, by):
    """Return a copy of JSON in which the n-th value is replaced."""
    count = 0

    def walk(each):
        nonlocal count
        count += 1
        if count == number:
            return by
        if isinstance(each, dict):
            return {key: walk(inner) for key, inner in each.items()}
        return [walk(inner) for inner in each] if isinstance(each, list) else each

    return walk(value)


def test_values_of_any_type_anywhere_raise_nothing():
    small = json.loads(RAW)
    small["cells"] = small["cells"][3:8]
    for by in (None, 7, "text", [], {}, [[1]], {"a": None}, True, -1.5):
        for number in range(1, 140):
            mended = mend(json.dumps(replaced(small, number, by)).encode(), SOURCE)
            nbformat.validate(mended.notebook)


def test_a_notebook_without_any_answer_in_words_left_leaves_no_blank_one_unseen():
    notebook = new_notebook(cells=[new_code_cell("1"), new_markdown_cell("My answer is long.")])
    mended = mend(nbformat.writes(notebook).encode(), SOURCE)
    essay = next(cell.name for cell in SOURCE.cells if cell.solution and cell.grade)
    assert any(f"`{essay}`" in note for note in mended.notes)
    texts = [cell.source for cell in mended.notebook.cells if cell.cell_type == "markdown"]
    assert "My answer is long." in texts


@pytest.mark.parametrize("text", ["", " \n\t\n", "\N{NO-BREAK SPACE}"])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_empty_answer_in_words_earns_0_as_if_untouched_unless_it_stands_below(text, elsewhere):
    notebook = nbformat.read(PATHS[0], as_version=4)
    essay = next(cell.name for cell in SOURCE.cells if cell.solution and cell.grade)
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    place = names.index(essay)
    notebook.cells[place].source = text
    if elsewhere:
        notebook.cells.insert(place + 1, new_markdown_cell("My answer is long."))
    mended = mend(nbformat.writes(notebook).encode(), SOURCE)
    answer = next(
        c for c in mended.notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == essay
    )
    assert determine_grade(answer)[0] == (None if elsewhere else 0)
    assert bool(mended.notes) == elsewhere
    assert answer.source.strip()

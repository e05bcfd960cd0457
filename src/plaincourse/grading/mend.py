"""Repair a submission so that it can be graded: pure, and without the gradebook.

Afterwards each cell of the assignment exists once, in its place, with its own type, points and
locked text, whatever the student's editor did to it.

- A test above the answer that it tests is moved below it.
- A locked text is reported as changed only if it differs in more than white space. Editors' changes
  to metadata and line ends are not reported.
- Missing graded and locked cells are restored. Stock nbgrader leaves the score of a deleted test
  cell undefined, neither 0 nor the points of the answer. Its own ``add_missing_cells`` changes the
  text of the cells that it adds, and fails if the cell above is missing too.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from nbformat import NotebookNode

from plaincourse.grading.assignment import Source, SourceCell
from plaincourse.grading.checkpoints import checkpoints, kept_aside
from plaincourse.grading.choose import Candidate, Choice, beside, choose, documents
from plaincourse.grading.copies import keep_one_copy
from plaincourse.grading.elsewhere import (
    answers_in,
    find_answers,
    join_split,
    tell_what_is_left,
)
from plaincourse.grading.files import (
    LARGEST_NOTEBOOK,
    find_notebooks,
    list_files,
    read_instead,
    read_notebook,
    shown,
)
from plaincourse.grading.given_contents import put_contents_right
from plaincourse.grading.given_imports import put_imports_back
from plaincourse.grading.long_notebooks import RefusedError
from plaincourse.grading.notebook import EARNED, Reading, missing, parse, put_aside, refused, unique
from plaincourse.grading.notes import add_note, is_notes, notes_cell
from plaincourse.grading.own_work import is_blank
from plaincourse.grading.packages import leave_out_missing
from plaincourse.grading.recognise import (
    Item,
    Submitted,
    by_grade_id,
    recognise,
    what_else,
)
from plaincourse.grading.text import grade_id
from plaincourse.grading.unreached import free_answers, tell_what_stops, uncover_answers

#: The key of a graded notebook's metadata for its repairs, and for the reason why it earns nothing.
KEY = "plaincourse"

_MOVED = "The cell `{name}` stood above your answer, which it tests. It was put back below it."
_MISSING = "The cell `{name}` was missing from the submission. It was put back for grading."
_NO_ANSWER = (
    "The cell `{name}`, for your answer, was missing from the submission, and no other cell holds "
    "the answer."
)
_STRANGE = (
    "The notebook has none of the assignment's cells as they were handed out. What defines the "
    "names that the checks look for was graded, and a person looks at the rest."
)

#: The number of words from which a notebook counts as having some text.
_WORDS = 20
#: Sentences, each with the kind of its flag.
Notes = Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Mended:
    """A notebook that can be graded.

    Attributes:
        notebook: each cell of the assignment once, in today's format, with the assignment's own
            metadata, locked text and kernel; without outputs, which are put aside. Its metadata
            under ``plaincourse`` holds the notes, the flags and ``unread``.
        notes: the repairs, in sentences for the student and the instructor.
        flags: the same for the record: cell, kind, why.
        unread: why nothing could be read, in a sentence; all points are 0 then. Else empty.
        answers: the answers that were given, by the names of their cells.
        blank: the names of the cells for answers that were left unchanged, or are missing.
        holds: whether it is a notebook of the assignment.
        below: the folder in the submission in which it was found; empty for the submission's own.
    """

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list)
    flags: list[dict[str, str]] = field(default_factory=list)
    unread: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    holds: bool = False
    below: str = ""


def mend_folder(
    folder: Path,
    sources: Mapping[str, Source],
    *,
    remarks: Notes = (),
    given: Collection[str] = (),
    limit: int = LARGEST_NOTEBOOK,
) -> dict[str, Mended]:
    """Read and repair every notebook of an assignment from a student's folder; never raise.

    Args:
        folder: the submission.
        sources: the assignment's notebooks by name.
        remarks: known irregularities of the folder: sentences, and kinds of flags.
        given: names of files that were handed out with the assignment.
        limit: the maximal number of bytes of a notebook that are read.
    """
    taken: dict[str, Mended] = {}
    for name, found in find_notebooks(folder, list(sources)).items():
        more = () if taken else tuple(remarks)
        notes = tuple((note, "mended") for note in found.notes)
        take = partial(_taken, source=sources[name], limit=limit, folder=folder)
        made = take(found.path, found.why, (*notes, *more))
        if made.unread and found.notes and found.path:
            found = replace(found, notes=(read_instead(folder, name, found.path),))
            notes = tuple((note, "mended") for note in found.notes)
            made = take(found.path, found.why, (*notes, *more))
        looked = {path: take(path) for path in found.others if path != found.path}
        candidates = {path: _candidate(each, sources[name]) for path, each in looked.items()}
        choice = choose(folder, found, _candidate(made, sources[name]), candidates)
        if choice != Choice(found.path, notes, found.why):
            made = take(choice.path, choice.why, (*choice.notes, *more))
        if blank := _counting(made.blank, sources[name]):
            copies = {path: take(path) for path in checkpoints(folder)}
            answers = {path: each.answers for path, each in copies.items() if each.holds}
            if said := kept_aside(folder, blank, answers):
                made = _told_besides(made, *said)
        loose = [path for path, each in looked.items() if path != choice.path and _is_loose(each)]
        more_files = [shown(folder, path) for path in loose]
        made = _with_documents(made, sources[name], folder, given, more_files)
        below = "" if choice.path is None else shown(folder, choice.path).rpartition("/")[0]
        taken[name] = replace(made, below=below)
    return taken


def mend(
    raw: bytes,
    source: Source,
    *,
    notes: Notes = (),
    limit: int = LARGEST_NOTEBOOK,
    folder: Path | None = None,
) -> Mended:
    """Read a notebook and repair it; never raise.

    An unreadable notebook earns 0, and the result gives the reason.

    Args:
        raw: the file's content.
        source: the assignment's cells.
        notes: known irregularities, such as the file's name: sentences, and kinds of flags.
        limit: the maximal number of bytes that are read.
        folder: files that were submitted with it, such as modules that it imports.
    """
    return mended(parse(raw, limit=limit), source, notes=notes, folder=folder)


def mended(
    reading: Reading, source: Source, *, notes: Notes = (), folder: Path | None = None
) -> Mended:
    """Repair a notebook; for an unreadable one, make a blank notebook that earns nothing."""
    if reading.notebook is None:
        return _blank(reading.why, source, notes)
    work = by_grade_id(reading.notebook.cells, source)
    if why := what_else(work):
        return _blank(f"{why[0].upper()}{why[1:]}. {EARNED}", source, notes)
    work.notes += reading.notes
    for note, kind in notes:
        work.tell(note, "", kind=kind)
    if not work.recognised:
        work.tell(_STRANGE, "", kind="elsewhere")
    recognise(work)
    keep_one_copy(work)
    join_split(work)
    free_answers(work)
    find_answers(work, folder)
    put_imports_back(work)
    _put_tests_below(work)
    uncover_answers(work)
    tell_what_is_left(work)
    tell_what_stops(work)
    answers, blank = answers_in(work)
    leave_out_missing(work, folder)  # an import may be an answer
    put_contents_right(work)
    _add_missing(work)
    cells = [item.cell for item in work.items]
    made = _finished(cells, source, work.notes, work.flags, "")
    code = any(source.by_name[name].cell_type == "code" for name in answers)
    return replace(made, answers=answers, blank=blank, holds=code or work.recognised)


def _put_tests_below(work: Submitted) -> None:
    """Move each test down to its answer, if that is further down and not blank.

    An answer's cell without any text of the student's stays where it is, and so does its test. Each
    cell occurs at most once here.
    """
    below: dict[int, Item] = {}  # the cell that was last put below a cell
    for cell in work.source.cells:
        answer = work.source.answer_of(cell)
        if answer is None or not work.places(cell.name):
            continue
        own = next((work.items[place] for place in work.places(answer.name)), None)
        item = work.elsewhere.get(answer.name, own)
        if item is None or (item is own and is_blank(item.cell.source, answer)):
            continue
        (test,), place = work.places(cell.name), work.items.index(item)
        if test < place:
            last = below.get(id(item), item)
            below[id(item)] = moved = work.items.pop(test)
            work.items.insert(work.items.index(last) + 1, moved)
            work.tell(_MOVED.format(name=cell.name), cell.name)


def _add_missing(work: Submitted) -> None:
    """Add missing cells in their original places: below the answer that they test.

    Answers in code are not restored: a stub below code that a student moved to another cell would
    undo it. If no other cell has the answer, this is reported. If the answer's own cell is gone
    too, the test goes as far down as it may.
    """
    order = work.source.cells
    for number, cell in enumerate(order):
        if cell.solution and cell.cell_type == "code" and not work.places(cell.name):
            if cell.name not in work.elsewhere:
                work.tell(_NO_ANSWER.format(name=cell.name), cell.name)
            continue
        if not (cell.grade or cell.locked or cell.task) or work.places(cell.name):
            continue
        at = _where(work, order, number)
        made = cell.node()
        made["id"] = f"restored-{number}"
        work.items.insert(at, Item(cell=made, source=cell, meta={}))
        work.tell(_MISSING.format(name=cell.name), cell.name, kind="restored")


def _where(work: Submitted, order: tuple[SourceCell, ...], number: int) -> int:
    """Return the index below the cell above it, else above the next existing cell, else the end."""
    above = work.places(order[number - 1].name) if number else []
    if above:
        return above[0] + 1
    below = (work.places(cell.name) for cell in order[number + 1 :])
    return next((places[0] for places in below if places), len(work.items))


def _taken(
    path: Path | None,
    why: str = "",
    notes: Notes = (),
    *,
    source: Source,
    limit: int,
    folder: Path,
) -> Mended:
    """Read and repair one file."""
    try:
        if path is None:
            return mended(missing(why), source, notes=notes)
        raw = read_notebook(path, limit=limit)
        return mend(raw, source, notes=notes, limit=limit, folder=folder)
    except RefusedError as error:
        return mended(refused(str(error)), source, notes=notes)


def _candidate(made: Mended, source: Source) -> Candidate:
    """Return the answers and the code of a notebook, by which one is chosen."""
    tests = _tests(source)
    answers = {tests.get(name, name): text for name, text in made.answers.items()}
    code = [cell.source for cell in made.notebook.cells if cell.cell_type == "code"]
    return Candidate(answers if made.holds else None, code, made.unread)


def _tests(source: Source) -> dict[str, str]:
    """Return the names of the checks of answers in code, by the names of their cells."""
    return {answer.name: cell.name for cell in source.cells if (answer := source.answer_of(cell))}


def _counting(names: Sequence[str], source: Source) -> list[str]:
    """Return those of some answers that carry points, by the names of their cells."""
    tests = {answer: source.by_name[test] for answer, test in _tests(source).items()}
    return [name for name in names if tests.get(name, source.by_name[name]).points != 0]


def _is_loose(made: Mended) -> bool:
    """Return whether a notebook does not belong to the course, and has some text in words."""
    texts = [
        cell.source.split()
        for cell in made.notebook.cells
        if cell.cell_type == "markdown" and not is_notes(cell)
        if not cell.metadata or grade_id(cell) in made.answers
    ]
    return not (made.holds or made.unread) and sum(map(len, texts)) >= _WORDS


def _with_documents(
    made: Mended,
    source: Source,
    folder: Path,
    given: Collection[str],
    notebooks: Sequence[str],
) -> Mended:
    """Report the files next to a notebook with missing answers that may hold them.

    A missing answer in words gets a line that names the files, so that it waits for a person.

    Args:
        made: the notebook.
        source: the assignment's cells.
        folder: the submission's.
        given: names of files that were handed out.
        notebooks: names of other notebooks that contain some text.
    """
    blank = _counting(made.blank, source)
    files = list_files(folder).files if blank and folder.is_dir() else ()
    code = [cell.source for cell in made.notebook.cells if cell.cell_type == "code"]
    told = {name for name in files if any(f"`{name}`" in note for note in made.notes)}
    tests = _tests(source)
    tasks = [tests.get(name, name) for name in blank]
    found = [*documents(files, code, {*given, *told}), *notebooks]
    if not blank or not (why := beside(found, tasks)):
        return made
    note = beside(found, tasks, student=True)
    for cell in made.notebook.cells if not made.unread else ():
        if cell.cell_type == "markdown" and grade_id(cell) in blank:
            cell["source"] = f"*Nothing was written here.* {note}"
    return _told_besides(made, note, why)


def _told_besides(made: Mended, note: str, why: str) -> Mended:
    """Add a sentence for the student and one for the instructor."""
    add_note(made.notebook, note)
    made.notebook.metadata[KEY]["mended"].append(note)
    flag = {"cell": "", "kind": "elsewhere", "why": why}
    return replace(made, notes=[*made.notes, note], flags=[*made.flags, flag])


def _blank(why: str, source: Source, notes: Notes) -> Mended:
    cells = [cell.node() for cell in source.cells]
    # nothing was repaired, so nothing here is only an explanation
    told = [(note, "unread" if kind == "mended" else kind) for note, kind in notes]
    told = [(why, "unread"), *told]
    flags = [{"cell": "", "kind": kind, "why": note} for note, kind in told]
    made = _finished(cells, source, [note for note, _ in told], flags, why)
    return replace(made, blank=tuple(cell.name for cell in source.cells if cell.solution))


def _finished(
    cells: list[NotebookNode],
    source: Source,
    notes: list[str],
    flags: list[dict[str, str]],
    unread: str,
) -> Mended:
    if notes:
        cells = [notes_cell(notes), *cells]
    put_aside(cells)
    notebook = NotebookNode(
        cells=unique(cells),
        metadata=NotebookNode(
            {
                "kernelspec": NotebookNode(source.kernelspec),
                KEY: NotebookNode(mended=notes, flags=flags, unread=unread),
            }
        ),
        nbformat=4,
        nbformat_minor=5,
    )
    return Mended(notebook=notebook, notes=list(notes), flags=list(flags), unread=unread)

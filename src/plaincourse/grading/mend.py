"""Mend what a student handed in, so that it can be graded: pure, and without the gradebook.

Each cell of the assignment is then there once, in its place, with its own type, points and locked
text, whatever became of it in the student's editor.

- A test that stands above the answer that it tests is put back below it.
- Only a locked text that differs in more than white space is reported as changed. What editors do
  to metadata and line ends is not worth a word.
- Graded and locked cells that are missing are put back. Stock nbgrader leaves the score of a
  deleted test cell undefined, neither 0 nor what the answer earns. Its own ``add_missing_cells``
  changes the text of what it adds, and fails where the cell above is missing too.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from nbformat import NotebookNode

from plaincourse.grading.assignment import Source, SourceCell
from plaincourse.grading.changed_text import binds_names, what_changed
from plaincourse.grading.checkpoints import checkpoints, kept_aside
from plaincourse.grading.choose import Choice, beside, choose, documents
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
    read_notebook,
)
from plaincourse.grading.given_imports import put_imports_back
from plaincourse.grading.long_notebooks import RefusedError
from plaincourse.grading.notebook import Reading, cast, missing, parse, put_aside, refused, unique
from plaincourse.grading.notes import add_note, notes_cell
from plaincourse.grading.own_work import is_blank
from plaincourse.grading.packages import leave_out_missing
from plaincourse.grading.recognise import (
    Item,
    Submitted,
    by_grade_id,
    recognise,
    what_else,
)
from plaincourse.grading.released import is_as_released
from plaincourse.grading.text import bare
from plaincourse.grading.unreached import free_answers, tell_what_stops

#: Where a graded notebook's metadata keeps what was mended, and why it earns nothing.
KEY = "plaincourse"

_MOVED = "The cell `{name}` stood above your answer, which it tests. It was put back below it."
_MISSING = "The cell `{name}` was missing from the submission. It was put back for grading."
_NO_ANSWER = (
    "The cell `{name}`, for your answer, was missing from the submission, and no other cell holds "
    "the answer."
)
#: The student's cell is as it was released to them.
_CORRECTED = (
    "The course changed the cell `{name}` after this notebook was released: {said}. You did not "
    "change it. It was graded as it is now."
)
_STRANGE = (
    "The notebook has none of the assignment's cells as they were handed out. What defines the "
    "names that the checks look for was graded, and a person looks at the rest."
)

#: Sentences, each with the kind of its flag.
Notes = Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Mended:
    """A notebook that can be graded.

    Attributes:
        notebook: each cell of the assignment once, in today's format, with the assignment's own
            metadata, locked text and kernel; without outputs, which are put aside. Its metadata
            under ``plaincourse`` holds the notes, the flags and ``unread``.
        notes: what was mended, in sentences for the student and the instructor.
        flags: the same for the record: cell, kind, why.
        unread: why nothing could be read, in a sentence; all points are 0 then. Else empty.
        answers: the answers that were given, by the names of their cells.
        blank: the names of the cells for answers that were left as they were, or are missing.
        holds: whether it is a notebook of the assignment.
    """

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list)
    flags: list[dict[str, str]] = field(default_factory=list)
    unread: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    holds: bool = False


def mend_folder(
    folder: Path,
    sources: Mapping[str, Source],
    *,
    remarks: Notes = (),
    given: Collection[str] = (),
    limit: int = LARGEST_NOTEBOOK,
) -> dict[str, Mended]:
    """Read and mend every notebook of an assignment from a student's folder; never raise.

    Args:
        folder: what the student handed in.
        sources: the assignment's notebooks by name.
        remarks: what is already known to be odd about the folder: sentences, and kinds of flags.
        given: names of files that were handed out with the assignment.
        limit: how many bytes of a notebook are read at most.
    """
    taken: dict[str, Mended] = {}
    for name, found in find_notebooks(folder, list(sources)).items():
        more = () if taken else tuple(remarks)
        notes = tuple((note, "mended") for note in found.notes)
        take = partial(_taken, source=sources[name], limit=limit, folder=folder)
        made = take(found.path, found.why, (*notes, *more))
        looked = {path: take(path) for path in found.others if path != found.path}
        others = {path: each.answers for path, each in looked.items() if each.holds}
        choice = choose(folder, found, made.answers if made.holds else None, others)
        if choice != Choice(found.path, notes, found.why):
            made = take(choice.path, choice.why, (*choice.notes, *more))
        if made.blank:
            copies = {path: take(path) for path in checkpoints(folder)}
            answers = {path: each.answers for path, each in copies.items() if each.holds}
            if said := kept_aside(folder, made.blank, answers):
                add_note(made.notebook, said[0])
                flag = {"cell": "", "kind": "elsewhere", "why": said[1]}
                made = replace(made, notes=[*made.notes, said[0]], flags=[*made.flags, flag])
        taken[name] = _with_documents(made, sources[name], folder, given)
    return taken


def mend(
    raw: bytes,
    source: Source,
    *,
    notes: Notes = (),
    limit: int = LARGEST_NOTEBOOK,
    folder: Path | None = None,
) -> Mended:
    """Read a notebook and mend it. It never raises: what cannot be read earns 0, and says why.

    Args:
        raw: the file's content.
        source: the assignment's cells.
        notes: what is already known to be odd, such as the file's name: sentences, and kinds of
            flags.
        limit: how many bytes are read at most.
        folder: what was handed in with it, such as modules that it imports.
    """
    return mended(parse(raw, limit=limit), source, notes=notes, folder=folder)


def mended(
    reading: Reading, source: Source, *, notes: Notes = (), folder: Path | None = None
) -> Mended:
    """Mend what was read; of what was not, make a blank notebook that earns nothing."""
    if reading.notebook is None:
        return _blank(reading.why, source, notes)
    work = by_grade_id(reading.notebook.cells, source)
    if why := what_else(work):
        return _blank(f"{why[0].upper()}{why[1:]}. It earns 0 points.", source, notes)
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
    tell_what_is_left(work)
    tell_what_stops(work)
    answers, blank = answers_in(work)
    leave_out_missing(work, folder)  # an import may be an answer
    _put_contents_right(work)
    _add_missing(work)
    cells = [item.cell for item in work.items]
    made = _finished(cells, source, work.notes, work.flags, "")
    code = any(source.by_name[name].cell_type == "code" for name in answers)
    return replace(made, answers=answers, blank=blank, holds=code or work.recognised)


def _put_tests_below(work: Submitted) -> None:
    """Move each test down to its answer, if that stands further down and is an answer.

    An answer's cell that holds nothing of the student's stays where it is, and so does its test.
    Each cell is there once, if at all.
    """
    below: dict[int, Item] = {}  # what was last put below a cell, by the cell
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


def _put_contents_right(work: Submitted) -> None:
    """Make every cell of the assignment what it was, except for the student's answers."""
    items: list[Item] = []
    for item in work.items:
        if item.source is None:
            items.append(item)
            continue
        released = is_as_released(item.cell, item.meta)
        _give_type_back(work, item, item.source)
        _tell_claims(work, item, item.source, released)
        rescued = None
        if item.source.locked:
            rescued = _give_text_back(work, item, item.source, released)
        if item.source.solution and item.source.cell_type != "code":
            _give_stub_back(item, item.source)
        items += [rescued, item] if rescued else [item]
        item.cell.metadata = type(item.cell.metadata)(nbgrader=item.source.metadata)
    work.items = items


def _give_type_back(work: Submitted, item: Item, cell: SourceCell) -> None:
    if item.cell.cell_type == cell.cell_type:
        return
    was = "a text cell" if item.cell.cell_type != "code" else "a code cell"
    now = "code" if cell.cell_type == "code" else "text"
    work.tell(
        f"The cell `{cell.name}` had been turned into {was}. It was read as {now}.", cell.name
    )
    cast(item.cell, cell.cell_type)


def _tell_claims(work: Submitted, item: Item, cell: SourceCell, released: bool) -> None:
    """Tell where the submission's metadata gives other points or another role."""
    claimed = item.meta.get("points", cell.points)
    if cell.points is not None and claimed != cell.points and released:
        said = f"is worth {cell.points:g} now, and was worth {claimed:g}"
        work.tell(_CORRECTED.format(name=cell.name, said=said), cell.name, kind="corrected")
    elif cell.points is not None and claimed != cell.points:
        said = str(claimed)[:20].replace("`", "'")
        work.tell(
            f"The cell `{cell.name}` said that it is worth {said} "
            f"{'point' if said == '1' else 'points'}. It is worth {cell.points:g}.",
            cell.name,
        )
    for key, known in (("grade", cell.grade), ("solution", cell.solution)):
        if key in item.meta and bool(item.meta[key]) != known:
            work.tell(
                f"The cell `{cell.name}` had another role in its metadata ({key}). It was graded "
                "in the role that it was given.",
                cell.name,
            )
            return


def _give_text_back(work: Submitted, item: Item, cell: SourceCell, released: bool) -> Item | None:
    """Put a locked text back; return the lines that were added to it, as a cell."""
    got = item.cell.source
    item.cell["source"] = cell.source
    if bare(got) in cell.known:
        return None
    if released:
        what, _ = what_changed(got, cell.visible)
        work.tell(_CORRECTED.format(name=cell.name, said=what), cell.name, kind="corrected")
        return None
    what, added = what_changed(cell.visible, got)
    code = "\n".join(added)
    keeps = cell.cell_type == "code" and binds_names(code)
    also = " What you had written there was run above it." if keeps else ""
    work.tell(
        f"The locked cell `{cell.name}` had been changed: {what}. It was graded as it was given."
        + also,
        cell.name,
        kind="tampered",
    )
    if not keeps:
        return None
    # An answer written into the test's own cell is an answer still.
    kept = type(item.cell)(cell_type="code", source=code, metadata=type(item.cell.metadata)())
    kept["id"] = f"kept-{len(work.items)}-{item.number}"
    cast(kept, "code")
    return Item(cell=kept, source=None, meta={})


def _give_stub_back(item: Item, cell: SourceCell) -> None:
    """Make an empty answer in words what it was, which earns 0."""
    if not item.cell.source.strip():
        item.cell["source"] = cell.source


def _add_missing(work: Submitted) -> None:
    """Add missing cells where they were: below the answer that they test.

    Answers in code are not put back: a stub below what a student moved to another cell would undo
    it. Where no other cell has the answer, that is told. Where the answer's own cell is gone too,
    the test goes as far down as it may.
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
    """Return the index below the cell above it, else above the next that is there, else the end."""
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
    """Read and mend one file."""
    try:
        if path is None:
            return mended(missing(why), source, notes=notes)
        raw = read_notebook(path, limit=limit)
        return mend(raw, source, notes=notes, limit=limit, folder=folder)
    except RefusedError as error:
        return mended(refused(str(error)), source, notes=notes)


def _with_documents(made: Mended, source: Source, folder: Path, given: Collection[str]) -> Mended:
    """Flag what lies beside a notebook with missing answers, and may hold them."""
    files = list_files(folder).files if made.blank and folder.is_dir() else ()
    code = [cell.source for cell in made.notebook.cells if cell.cell_type == "code"]
    told = {name for name in files if any(f"`{name}`" in note for note in made.notes)}
    tests = {answer.name: cell.name for cell in source.cells if (answer := source.answer_of(cell))}
    tasks = [tests.get(name, name) for name in made.blank]
    if not (why := beside(documents(files, code, {*given, *told}), tasks)):
        return made
    return replace(made, flags=[*made.flags, {"cell": "", "kind": "elsewhere", "why": why}])


def _blank(why: str, source: Source, notes: Notes) -> Mended:
    cells = [cell.node() for cell in source.cells]
    told = [(note, kind) for note, kind in (*notes, (why, "mended"))]
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

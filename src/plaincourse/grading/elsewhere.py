"""Find answers in cells other than their own, and report text that may be one.

A cell for an answer that was left unchanged earns 0. Before that, the rest of the notebook is
searched for the student's answer.

- Code that defines the requested names is taken as the answer, in any cell.
- An answer in words gets all text of the student's own that is in no other answer, and waits for
  the person who reads it.
- Any other text with evidence that it belongs to the answer is reported, with its place, and
  flagged.
"""

import textwrap
from collections.abc import Iterable
from pathlib import Path

from plaincourse.grading.assignment import SourceCell
from plaincourse.grading.copies import cells_said, seen_by_check
from plaincourse.grading.evidence import (
    FEW,
    Given,
    Piece,
    is_about,
    is_code_of,
    may_be_words,
    words_beside_code,
    zone,
)
from plaincourse.grading.notebook import cast
from plaincourse.grading.own_work import (
    Writing,
    as_code,
    defines,
    gives_again,
    imports,
    is_blank,
    makes_function,
    own_writing,
    parsed,
    same_code,
    texts_outside,
    wanted,
)
from plaincourse.grading.recognise import Item, Submitted, listed
from plaincourse.grading.run_files import RUNS, run_file
from plaincourse.grading.stubs import is_stub, without_stub
from plaincourse.grading.text import bare, with_and

_FOUND = "Your {answers} to {names} stood in cell {number}. The check was run on what stands there."
_IMPORTED = "Your answer to `{name}` was imported from `{module}` in cell {number}."
_RUN = "Your answer to `{name}` was taken from the file `{file}`, which cell {number} runs."
_MERGED = "In cell {number}, code and the text of the question had become one. The code was run."
_JOINED = "Cell {number} goes on with your answer `{name}` in the cell above it. They were joined."
_POINTER = "# The answer stands in another cell: cell {number} of the notebook as it was handed in."
_WORDS = "*Nothing was written here. This stands elsewhere in the notebook:*"
_READ = (
    "The cell for your answer `{name}` was left as it was. A person reads {places} of your "
    "notebook for it."
)
_READ_WHY = (
    "The cell for the answer `{name}` was left as it was, and {places} of the submission may hold "
    "the answer. It was put where you read the answer."
)
_LOOK = (
    "The cell for your answer `{name}` was left as it was, and earned what the check gives it. A "
    "person looks at {places} of your notebook, which may belong to it."
)
_LOOK_WHY = (
    "The answer to `{name}` was left as it was, and {places} of the submission may hold it. If the "
    "check gave it no points, read what stands there, and give points by hand."
)
_REMARK = (
    "The cell for your answer `{name}` holds no answer in code, only what you wrote in {places}. "
    "It earned what the check gives it. A person looks at it."
)
_REMARK_WHY = (
    "The cell for the answer `{name}` holds no answer in code, only {places} of the submission. If "
    "the check gave it no points, read that, and give points by hand."
)
_UNDEFINED = (
    "Your answer in `{name}` does not define {wanted}, which the check looks for, and no other "
    "cell does. A person looks at it."
)
_UNDEFINED_WHY = (
    "The answer in `{name}` does not define {wanted}, and no other cell does, so the check had "
    "nothing to run. Read it, and give points by hand."
)
_AGAIN = (
    "`{wanted}` is {again} in {places}, below its check. What stands in the cell for the answer "
    "was graded. A person looks at both."
)
_AGAIN_WHY = (
    "`{wanted}` is {again} in {places}, below its check. What stands in the cell for the answer "
    "was graded. Read both: if the other was meant, give points by hand."
)
_SEVERAL = (
    "There were several answers to `{name}`. The one in cell {number} was graded, because it is "
    "{why}. A person looks at {cells}."
)
_SEVERAL_WHY = (
    "There were several answers to `{name}`. The one in cell {number} was graded, because it is "
    "{why}. Read {cells} of the submission, and give points by hand if the answer that was meant "
    "is there."
)
#: The number of characters of the student's own text that are put into an answer in words.
_MOST = 50_000


def join_split(work: Submitted) -> None:
    """Join answers that were split in the middle, and separate those merged with a question."""
    asked = _all_wanted(work)
    for item in work.items:
        if item.source and not (item.source.solution and item.source.cell_type == "code"):
            continue
        text = item.cell.source
        if bare(text) in work.source.given_texts or (
            item.cell.cell_type == "code" and parsed(text) is not None
        ):
            continue
        code = as_code(text, work.source)
        merged = item.cell.cell_type == "code" and bare(code) != bare(text)
        if not (merged or (item.source is None and item.cell.cell_type != "code")):
            continue
        if parsed(code) is None or not defines(code, asked):
            continue
        if item.cell.cell_type != "code":
            cast(item.cell, "code")
        item.cell["source"] = code
        work.tell(_MERGED.format(number=item.number), item.name)
    for answer, rest in zip(work.items[:-1], work.items[1:], strict=True):
        if answer.source and answer.source.solution and _goes_on(answer, rest):
            answer.cell["source"] = f"{answer.cell.source.rstrip()}\n{rest.cell.source}"
            rest.cell["source"] = ""
            name = work.test_name(answer.source)
            work.tell(_JOINED.format(number=rest.number, name=name), answer.name)


def find_answers(work: Submitted, folder: Path | None = None) -> None:
    """Find code that answers a blank task, and let it count.

    Args:
        work: the notebook.
        folder: the submission's files, which the notebook may run.
    """
    found: dict[int, tuple[Item, list[SourceCell]]] = {}
    for cell in work.source.cells:
        if not (cell.solution and cell.cell_type == "code"):
            continue
        own = next((work.items[place] for place in work.places(cell.name)), None)
        names, left = wanted(cell, work.source), own.cell.source if own else ""
        begun = own is not None and not is_blank(left, cell)
        another = begun and not names & Writing(left, code=True).names
        if begun and not another and not is_stub(left, cell.source, names):
            continue
        others = [
            item
            for item in work.items
            if item is not own
            and item.cell.cell_type == "code"
            and not (item.source and item.source.locked)
            and bare(item.cell.source) not in work.source.given_texts
            and defines(text := item.cell.source, names)
            and (imports(text, names) or not is_blank(text, item.source or cell))
        ]
        file = ""
        if not others and (ran := run_file(work, names, folder)):
            others, file = [ran[0]], ran[1].replace("`", "'")
        if not others:
            continue
        kept = _chosen(work, cell, others)
        work.elsewhere[cell.name] = kept
        name, number = work.test_name(cell), kept.number
        if file:
            work.tell(_RUN.format(name=name, file=file, number=number), name)
        elif module := imports(kept.cell.source, names):
            work.tell(_IMPORTED.format(name=name, number=number, module=module), name)
        if another or kept is own:
            # the cell may hold another answer, or its helper, and runs too
            found.setdefault(id(kept), (kept, []))[1].append(cell)
        elif own is not None:
            writing = own_writing(own.cell, cell, work.source)
            lines = [_POINTER.format(number=kept.number)]
            if begun:
                lines.append(without_stub(left, cell.source, names))
            else:
                lines += [f"# {line}" for line in (writing.text.split("\n") if writing else ())]
            own.cell["source"] = "\n".join(lines)
            found.setdefault(id(kept), (kept, []))[1].append(cell)
    for item, cells in found.values():
        tests = [work.test_name(cell) for cell in cells]
        many = "answers" if len(cells) > 1 else "answer"
        note = _FOUND.format(answers=many, names=listed(tests), number=item.number)
        work.tell(note, *tests)
        _put_imports_above(work, item)


def _chosen(work: Submitted, cell: SourceCell, found: list[Item]) -> Item:
    """Return which of several cells with an answer counts, and report the others."""
    places = [work.items.index(item) for item in found]
    names, own = wanted(cell, work.source), work.places(cell.name)
    texts = {place: Writing(work.items[place].cell.source, code=True) for place in own}
    stub = max((place for place in own if names & texts[place].binds), default=-1)
    kept, others, why = seen_by_check(work, cell, places, stub=stub)
    if others and work.counts(cell):
        name = work.test_name(cell)
        cells = cells_said([work.items[place].number for place in others])
        said = {"name": name, "number": work.items[kept].number, "why": why, "cells": cells}
        flag = _SEVERAL_WHY.format(**said)
        work.tell(_SEVERAL.format(**said), name, kind="elsewhere", why=flag)
    return work.items[kept]


def tell_what_is_left(work: Submitted) -> None:
    """Report text that may be a missing answer, and flag it or assign it to a person."""
    blank = [cell for cell in work.source.cells if _is_left_blank(work, cell)]
    _tell_undefined(work, blank)
    if not blank:
        return
    asked = _all_wanted(work)
    answered = asked - {name for cell in blank for name in wanted(cell, work.source)}
    given, pieces = Given.of(work, asked, answered), list(_pieces(work))
    code = {id(each): is_code_of(each, asked, asked - answered) for each in pieces}
    for cell in blank:
        if cell.cell_type != "code":
            words = [each for each in pieces if not code[id(each)] or words_beside_code(each) >= 5]
            with work.settled():
                words = [each for each in words if may_be_words(work, cell, each)]
            _give_words(work, cell, words)
            continue
        if not work.counts(cell):
            continue
        names = wanted(cell, work.source)
        own = [each for each in pieces if not (code[id(each)] and not code[id(each)] & names)]
        with work.settled():
            near = given.at(work, cell)
            about = [each for each in own if is_about(work, cell, each, near)]
        if about:
            name, places = work.test_name(cell), _places(about)
            here = all(each.item.source is cell for each in about)
            note, why = (_REMARK, _REMARK_WHY) if here else (_LOOK, _LOOK_WHY)
            said = {"name": name, "places": places}
            work.tell(note.format(**said), name, kind="elsewhere", why=why.format(**said))


def answers_in(work: Submitted) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the answers that were given, by their cells' names, and the names of the others."""
    given, blank = {}, []
    for cell in work.source.cells:
        if cell.solution and _is_left_blank(work, cell):
            blank.append(cell.name)
        elif cell.solution:
            own = (work.items[place] for place in work.places(cell.name))
            item = work.elsewhere.get(cell.name) or next(own)
            given[cell.name] = bare(item.cell.source)
    return given, tuple(blank)


def _pieces(work: Submitted) -> Iterable[Piece]:
    for place, item in enumerate(work.items):
        cell = item.source
        if item in work.elsewhere.values():
            continue
        if cell and cell.solution and not is_blank(item.cell.source, cell):
            if cell.cell_type != "code" or item.cell.cell_type != "code":
                continue
            # An answer in code is one; long texts outside of it may be another.
            writing = Writing(texts_outside(_as_left(work, item), cell.source), code=True)
            if writing.words >= FEW:
                yield Piece(item, place, writing)
            continue
        own = own_writing(item.cell, cell, work.source)
        if own and cell and cell.name in work.elsewhere:
            own = Writing(_as_left(work, item), code=True)
            if own.words < FEW and RUNS.search(work.elsewhere[cell.name].cell.source):
                continue  # it gives the place of the answer
        if own and not (own.is_label or own.is_stub) and (own.pictures or bare(own.text)):
            yield Piece(item, place, own)


def _as_left(work: Submitted, item: Item) -> str:
    """Return the text of an answer's cell without the line that was added for its reader."""
    text, other = str(item.cell.source), work.elsewhere.get(item.source.name if item.source else "")
    return text.removeprefix(_POINTER.format(number=other.number)) if other else text


def _is_left_blank(work: Submitted, cell: SourceCell) -> bool:
    if not cell.solution or cell.name in work.elsewhere:
        return False
    texts = [work.items[place].cell.source for place in work.places(cell.name)]
    return all(is_blank(text, cell) for text in texts)


def _give_words(work: Submitted, cell: SourceCell, pieces: list[Piece]) -> None:
    """Move a student's own text into the cell for an answer in words, so that a person reads it."""
    if not pieces:
        return
    parts, pictures = [_WORDS], {}
    for each in pieces:
        code = each.writing.code and not each.writing.is_prose
        text = f"```python\n{each.writing.text}\n```" if code else each.writing.text
        parts.append(f"**Cell {each.item.number}:**\n\n{text}")
        pictures.update(each.writing.pictures)
    item = next((work.items[place] for place in work.places(cell.name)), None)
    if item is None:
        places = zone(work, cell)
        item = Item(cell=cell.node(), source=cell, meta={})
        item.cell["id"] = f"restored-{cell.name}"[:64]
        work.items.insert(max(places.start, 0), item)
    if item.cell.cell_type != cell.cell_type:
        cast(item.cell, cell.cell_type)
    item.cell["source"] = "\n\n".join(parts)[:_MOST]
    if pictures:
        item.cell["attachments"] = {**item.cell.get("attachments", {}), **pictures}
    places_said = _places(pieces)
    why = _READ_WHY.format(name=cell.name, places=places_said)
    work.tell(_READ.format(name=cell.name, places=places_said), cell.name, kind="restored", why=why)


def _tell_undefined(work: Submitted, blank: list[SourceCell]) -> None:
    """Report answers that define none of the requested names, and answers given twice."""
    for cell in work.source.cells:
        if not cell.solution or cell.cell_type != "code" or cell in blank:
            continue
        if not work.counts(cell):
            continue
        names, own = wanted(cell, work.source), work.places(cell.name)
        if not own or cell.name in work.elsewhere:
            continue
        text = work.items[own[0]].cell.source
        writing, test = Writing(text, code=True), work.test_name(cell)
        if not (names & writing.names):
            said = {"name": test, "wanted": listed(sorted(names)[:1])}
            why = _UNDEFINED_WHY.format(**said)
            work.tell(_UNDEFINED.format(**said), test, kind="elsewhere", why=why)
            continue
        _tell_again(work, cell, names, own[0])


def _tell_again(work: Submitted, cell: SourceCell, names: set[str], own: int) -> None:
    """Report an answer that is given again below its check, in different code."""
    text, test = work.items[own].cell.source, work.test_name(cell)
    below = max(work.places(test), default=own)
    is_value = not makes_function(cell.source)
    again = [
        Piece(item, place, Writing(item.cell.source, code=True))
        for place, item in enumerate(work.items)
        if place > below
        and item.cell.cell_type == "code"
        and (item.source is None or item.source.solution)
        and item.copied is not cell  # reported when one of the copies was chosen
        and defines(item.cell.source, names)
        and (is_value or gives_again(item.cell.source, names))
        and not same_code(item.cell.source, text)
    ]
    if again:
        said = {"wanted": min(names), "places": _places(again)}
        said["again"] = "given another value" if is_value else "defined again"
        why = _AGAIN_WHY.format(**said)
        work.tell(_AGAIN.format(**said), test, kind="elsewhere", why=why)


def _put_imports_above(work: Submitted, item: Item) -> None:
    """Move the given imports above an answer that precedes them."""
    place = work.items.index(item)
    below = [
        each
        for each in work.items[place + 1 :]
        if each.source is None
        and each.cell.cell_type == "code"
        and bare(each.cell.source) in work.source.given_texts
        and Writing(each.cell.source, code=True).binds
    ]
    for each in below:
        work.items.remove(each)
        work.items.insert(place, each)
        place += 1


def _goes_on(answer: Item, rest: Item) -> bool:
    """Return whether a cell is the second half of the answer in code above it."""
    text, code = rest.cell.source, answer.cell.cell_type == rest.cell.cell_type == "code"
    if not code or rest.source or not text.strip():
        return False
    if not text.lstrip("\n").startswith((" ", "\t")):
        return False
    whole = f"{answer.cell.source.rstrip()}\n{text}"
    alone = parsed(textwrap.dedent(text))
    ends = alone is None or any(line.strip().startswith("return") for line in text.split("\n"))
    return ends and parsed(whole) is not None


def _all_wanted(work: Submitted) -> set[str]:
    cells = [cell for cell in work.source.cells if cell.solution and cell.cell_type == "code"]
    return {name for cell in cells for name in wanted(cell, work.source)}


def _places(pieces: list[Piece]) -> str:
    shown = [each.shown() for each in pieces[:4]]
    more = [f"{len(pieces) - 4} more"] if len(pieces) > 4 else []
    return with_and(shown + more)

"""Attribute a student's other writing to the blank answers, by evidence.

Much of a notebook answers nothing: printed versions, plots, loops for trying things out. Such a
cell counts as an answer only with evidence: the name of the answer or the number of its question,
text at the question, a function with its parameters, or a value if a value is asked for.
"""

import ast
import re
from dataclasses import dataclass, replace

from plaincourse.grading.assignment import SourceCell
from plaincourse.grading.own_work import (
    Writing,
    bound_by,
    defines,
    is_answer,
    is_text,
    parsed,
    wanted,
)
from plaincourse.grading.recognise import Item, Submitted

#: Shorter comments, in words, are not an answer in words if their code does something.
FEW = 25
_QUOTED = 50
#: A longer text, in words, is not just a labelled value.
_VALUE_WORDS = 12
_VALUE = re.compile(r"\(\s*-?[\d.]+\s*,|=\s*-?[\d.(\[]|-?\d+\.\d+|\d+\s*[,/]\s*-?\d")
_NUMBERED = re.compile(r"^#+\s*(\d+)[.:)]", flags=re.MULTILINE)
_CALLED = r"(?:questions?|tasks?|exercises?|problems?|ex|q|no|nr)[\s.#]*{0}\b"
_FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", flags=re.DOTALL | re.MULTILINE)
_SHOWS = {"print", "display"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PUT_OFF = (ast.Pass, ast.Return, ast.Expr)
#: Names that a line of arithmetic may use besides its own.
_ARITHMETIC = {"math", "np", "numpy", "torch", "fractions", "Fraction", "sympy", "sp"}
_ARITHMETIC |= {"abs", "float", "int", "len", "max", "min", "pow", "round", "sum", "tuple", "list"}


@dataclass
class Piece:
    """A student's writing outside of their answers.

    Attributes:
        item: the cell.
        place: its index in the notebook.
        writing: the student's own part of it.
    """

    item: Item
    place: int
    writing: Writing

    def shown(self) -> str:
        """Return its place, and quote its beginning."""
        text = " ".join(self.writing.text.split()).replace("`", "'")
        begins = text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"
        return f"cell {self.item.number} (`{begins or 'a picture'}`)"


def zone(work: Submitted, cell: SourceCell) -> range:
    """Return the places from the check of the answer above to the answer below."""
    order = work.source.cells
    number = order.index(cell)
    above = [each for each in order[:number] if work.places(each.name)]
    below = [each for each in order[number + 1 :] if each.solution and work.places(each.name)]
    first = work.places(above[-1].name)[-1] + 1 if above else 0
    last = work.places(below[0].name)[0] if below else len(work.items)
    return range(first, last)


def may_be_words(work: Submitted, cell: SourceCell, piece: Piece) -> bool:
    """Return whether a piece may be an answer in words, which can be anywhere."""
    writing = piece.writing
    given = piece.item.source
    if not writing.words:
        return False
    if given and given.cell_type == "code" and writing.words < (5 if given.locked else FEW):
        return False  # in the cell of an answer in code, a few words are about that answer
    if given and given.locked:
        return writing.is_prose and writing.words >= 5
    if piece.place in zone(work, cell):
        return writing.is_prose or writing.words >= 5
    if _is_signature(work, piece):
        return False
    return writing.is_prose or writing.tree is None or writing.words >= FEW


def is_code_of(piece: Piece, asked: set[str], lacking: set[str]) -> set[str]:
    """Return the missing answers that code in a text cell defines, if it defines nothing else.

    Args:
        piece: a student's writing.
        asked: the names of all answers in code.
        lacking: the names of the blank answers.
    """
    if piece.writing.code:
        return set()
    trees = map(parsed, _FENCED.findall(piece.item.cell.source))
    defined = {
        name
        for tree in trees
        for each in (tree.body if tree else ())
        if not isinstance(each, ast.ImportFrom)
        for name in bound_by(each)
    }
    return defined if defined <= asked and defined & lacking else set()


def words_beside_code(piece: Piece) -> int:
    """Return the number of words of a text outside of its code."""
    code = {line for block in _FENCED.findall(piece.item.cell.source) for line in block.split("\n")}
    lines = [line for line in piece.writing.text.split("\n") if line not in code]
    return Writing("\n".join(lines), code=False).words


@dataclass(frozen=True)
class Given:
    """Evidence from a notebook on whether a piece belongs to a blank answer.

    Attributes:
        asked: the names of all answers in code.
        answered: the names of the answers that were given.
        used: all names in the cells of given answers.
        near: the places that belong to the question.
    """

    asked: set[str]
    answered: set[str]
    used: set[str]
    near: range = range(0)

    @classmethod
    def of(cls, work: Submitted, asked: set[str], answered: set[str]) -> "Given":
        """Collect the evidence in one pass through all cells."""
        used: set[str] = set()
        for item in work.items:
            if item.cell.cell_type == "code" and defines(item.cell.source, answered):
                used |= Writing(item.cell.source, code=True).names
        return cls(asked, answered, used)

    def at(self, work: Submitted, cell: SourceCell) -> "Given":
        """Return the same for one answer."""
        return replace(self, near=_near(work, cell, self.answered))


def is_about(work: Submitted, cell: SourceCell, piece: Piece, given: Given) -> bool:
    """Return whether there is evidence that a piece belongs to an answer in code.

    Args:
        work: the notebook.
        cell: of the answer, which was left blank.
        piece: the writing that may belong to it.
        given: the evidence from all answers.
    """
    item, writing, names = piece.item, piece.writing, wanted(cell, work.source)
    if item.source and item.source is not cell:
        return False  # comments in another answer, or a changed test, which is reported anyway
    own = writing.tree.body if item.source is cell and writing.code and writing.tree else []
    idle = own and all(isinstance(each, _PUT_OFF) and not is_answer(each) for each in own)
    if idle and writing.words < 5:
        return False  # a `pass` in place of the stub's own line
    if writing.code and not writing.is_prose and not writing.does_something(given.asked):
        return False
    named = writing.names & {*names, cell.name, work.test_name(cell)}
    if named and (writing.binds or not writing.code or writing.is_prose):
        return True
    if item.source is cell:
        return True
    if _is_signature(work, piece):
        return False
    if writing.is_prose:
        numbered = _is_numbered(work, cell, writing)
        outside = _is_outside(work, piece) and _fits_in_words(writing, cell)
        return numbered or piece.place in given.near or outside
    if writing.names & given.answered or writing.binds & given.used:
        return False  # a given answer uses it, or it tries one
    if piece.place in given.near:
        return _fits(writing, cell)
    return _is_outside(work, piece) and _fits_from_afar(work, piece, cell)


def _near(work: Submitted, cell: SourceCell, answered: set[str]) -> range:
    """Return the places of student writing that belong to a question.

    Writing between the check of a given answer and the next question belongs to that answer.
    Writing at or below the next question does not belong to this one.
    """
    places, order = zone(work, cell), work.source.cells
    above = [each for each in order[: order.index(cell)] if each.solution]
    below = [each for each in order[order.index(cell) + 1 :] if each.solution]
    first, last = places.start, places.stop
    given = not above or above[-1].cell_type != "code" or wanted(above[-1], work.source) & answered
    if given and (question := _question(work, cell)) is not None:
        first = question
    if below and (question := _question(work, below[0])) is not None:
        last = min(last, question)
    return range(first, last)


def _question(work: Submitted, cell: SourceCell) -> int | None:
    """Return the place of the question of an answer; None if it is missing."""
    own = work.places(cell.name)
    places = zone(work, cell)
    for place in reversed(range(places.start, own[0] if own else places.stop)):
        item = work.items[place]
        if item.source is None and item.cell.cell_type != "code":
            lines = {line.strip() for line in item.cell.source.split("\n") if line.strip()}
            if lines & work.source.given_lines:
                return place
    return None


def _is_numbered(work: Submitted, cell: SourceCell, writing: Writing) -> bool:
    """Return whether a text names the number of an answer's question."""
    place = _question(work, cell)
    found = None if place is None else _NUMBERED.search(work.items[place].cell.source)
    if found is None:
        return False
    text = writing.text.strip().lower()
    alone = "\n" not in text and re.match(rf"\W*{found[1]}\s*[:.)]", text)
    return bool(alone or re.search(rf"\b{_CALLED.format(found[1])}", text))


def _fits_in_words(writing: Writing, cell: SourceCell) -> bool:
    """Return whether a short text gives a value, if one is asked for."""
    short = writing.words <= _VALUE_WORDS and not writing.pictures
    return short and not _functions(cell.source) and bool(_VALUE.search(writing.text))


def _fits(writing: Writing, cell: SourceCell) -> bool:
    """Return whether code at a question may answer it."""
    if writing.tree is None:
        return True
    asked = _functions(cell.source)
    if not asked:
        return _computes(writing, writing.tree)
    defines_one = any(
        isinstance(each, (ast.Lambda, ast.ClassDef, *_FUNCTIONS)) for each in ast.walk(writing.tree)
    )
    return defines_one or bool(writing.names & {name for each in asked for name in each})


def _fits_from_afar(work: Submitted, piece: Piece, cell: SourceCell) -> bool:
    """Return whether code far from a question may answer it: by its parameters, or as a value."""
    writing, asked = piece.writing, _functions(cell.source)
    if writing.tree is None:
        return False
    if not asked:
        ends = max(place for each in work.source.cells for place in work.places(each.name))
        return piece.place > ends and _is_constant(writing.tree)
    return any(
        bool(set(own) & set(theirs)) or len(own) == len(theirs) > 1
        for own in _functions(writing.text)
        for theirs in asked
    )


def _functions(text: str) -> list[tuple[str, ...]]:
    """List the parameters of each function that code defines."""
    tree = parsed(text)
    found = [each for each in ast.walk(tree) if isinstance(each, _FUNCTIONS)] if tree else []
    return [
        tuple(each.arg for each in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs))
        for one in found
    ]


def _values(tree: ast.Module) -> list[ast.expr] | None:
    """List the values that code assigns, shows or ends with; None if it does anything else."""
    found: list[ast.expr] = []
    for each in tree.body:
        if isinstance(each, ast.Import | ast.ImportFrom | ast.Pass) or is_text(each):
            continue
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            if getattr(each.value.func, "id", "") not in _SHOWS:
                return None
            found += each.value.args
        elif isinstance(each, ast.Expr | ast.Assign | ast.AnnAssign) and each.value is not None:
            found.append(each.value)
        else:
            return None
    return found


def _computes(writing: Writing, tree: ast.Module) -> bool:
    """Return whether code computes a value from numbers and names of its own."""
    nodes = [inner for each in _values(tree) or () for inner in ast.walk(each)]
    names = {each.id for each in nodes if isinstance(each, ast.Name)}
    numbers = any(isinstance(each, ast.Constant) and _is_number(each.value) for each in nodes)
    return numbers and names <= writing.binds | _ARITHMETIC


def _is_constant(tree: ast.Module) -> bool:
    """Return whether code consists only of several numbers, or of one with a fraction."""
    found = []
    for each in _values(tree) or ():
        try:
            value = ast.literal_eval(each)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return False
        several = isinstance(value, tuple | list) and len(value) > 1 and all(map(_is_number, value))
        found.append(several or isinstance(value, float))
    return any(found)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def _is_outside(work: Submitted, piece: Piece) -> bool:
    """Return whether a piece is above or below all answers."""
    places = [place for cell in work.source.cells for place in work.places(cell.name)]
    if piece.item.source:
        return False
    return not (places and min(places) < piece.place < max(places))


def _is_signature(work: Submitted, piece: Piece) -> bool:
    """Return whether a piece is a name and a number at the top of the notebook."""
    first = min(
        (place for cell in work.source.cells for place in work.places(cell.name)), default=0
    )
    return piece.place < first and piece.writing.is_signature and piece.place < 3

"""Distinguish a student's own writing from the given text, anywhere in a notebook.

In a cell that is not an answer, the lines that are not in the assignment are the student's. Cells
of an older release are identified by their ids, which the course derives from their texts.
"""

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from nbformat import NotebookNode

from plaincourse.grading.assignment import Source, SourceCell
from plaincourse.grading.text import bare
from plaincourse.judge.source_names import given, read
from plaincourse.notebooks.page import identity

#: A longer text is not read as code.
_LONGEST = 200_000
#: The metadata of the course's cells that are neither answers nor tests.
_METADATA: tuple[dict[str, Any], ...] = ({}, {"tags": ["setup", "hide-cell"]})
_DEFINES = re.compile(
    r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", flags=re.MULTILINE
)
_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", flags=re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", flags=re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", flags=re.DOTALL)
_COMMENT_ENDS = "-->"
_HEADING = re.compile(r"#{1,6} ")
_PICTURE = re.compile(r"!\[|<img\b", flags=re.IGNORECASE)
_IDEOGRAMS = "\u2e80-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_IDEOGRAMS}]|[^\W{_IDEOGRAMS}]+")
#: Data in a string: a long run without a space, or a number.
_PACKED = re.compile(rf"[^\s{_IDEOGRAMS}]{{40,}}|\S*\d\S*")
_VALUE = re.compile(r"[=()\[\]]|\d[.,/]\d")
#: Calls that only look something up, or show it.
_SHOW = {"print", "display", "pprint"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Writing:
    """A piece of a student's writing.

    Attributes:
        text: their own lines.
        code: whether it is in a code cell.
        pictures: pasted pictures, by name.
    """

    text: str
    code: bool
    pictures: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def tree(self) -> ast.Module | None:
        """Its syntax tree, also of lines from within a function; None if it is not code."""
        return parsed(self.text) or parsed(textwrap.dedent(self.text))

    @cached_property
    def words(self) -> int:
        """The number of words of prose; in code, those of comments and of longer strings."""
        if not self.code or self.tree is None:
            return len(_WORD.findall(self.text)) + (20 if self._pictured else 0)
        texts = [_words_in(_PACKED.sub(" ", text)) for text in _strings(self.tree)]
        return sum(map(_words_in, _comments(self.text))) + sum(n for n in texts if n > 3)

    @cached_property
    def is_prose(self) -> bool:
        """Whether it is text, or comments and strings of a cell in which nothing runs."""
        if not self.code:
            return True
        runs = self.tree is None or any(map(_runs, self.tree.body))
        return not runs and self.words > 0

    @cached_property
    def is_label(self) -> bool:
        """Whether it is only a short heading."""
        lines = [line for line in self.text.split("\n") if line.strip()]
        short = self.words <= 6 and not self.code
        return short and all(_HEADING.match(line.strip()) for line in lines)

    @cached_property
    def is_stub(self) -> bool:
        """Whether it is code that does nothing yet, without any words."""
        idle = self.tree is not None and not any(map(is_answer, self.tree.body))
        return self.code and idle and not self.words

    @cached_property
    def is_signature(self) -> bool:
        """Whether it may be a name and a number, as people write at the top of their work."""
        return self.is_prose and self.words <= 12 and not _VALUE.search(self.text)

    @cached_property
    def names(self) -> set[str]:
        """The names that it reads."""
        return {*_safely(read, _code(self.text)), *re.findall(r"\w+", self.text)}

    @cached_property
    def binds(self) -> set[str]:
        """The names that it binds."""
        return {*_safely(given, _code(self.text)), *_defined(self.text)}

    def does_something(self, asked: set[str]) -> bool:
        """Return whether it is more than imports, magics, and calls that try something.

        Args:
            asked: the names of all answers in code.
        """
        if not self.code:
            return bool(self.words)
        if self.tree is None:
            return bool(bare(_code(self.text)))
        return any(_makes(each, asked) for each in self.tree.body)

    @cached_property
    def _pictured(self) -> bool:
        return bool(self.pictures or _PICTURE.search(self.text))


def own_writing(cell: NotebookNode, source: SourceCell | None, of: Source) -> Writing | None:
    """Return a student's writing in a cell that is not an answer, or in an unchanged answer.

    Args:
        cell: as submitted.
        source: the corresponding cell of the assignment, if there is one.
        of: the assignment's notebook.

    Returns:
        None if all of it was handed out.
    """
    code, text = cell.cell_type == "code", without_comments(cell.source)
    pictures = {} if code else dict(cell.get("attachments", {}))
    known = source.known if source else of.given_texts
    if bare(text) in {"", *known} or (source is None and is_the_courses(cell)):
        return Writing("", code=code, pictures=pictures) if pictures else None
    if source is None and not of.given and not code and _HEADING.search(text):
        return None  # questions are unknown here, and they have headings
    lines = [line for line in text.split("\n") if line.strip()]
    own = [line for line in lines if line.strip() not in of.given_lines]
    if source is None and code and 2 * len(own) >= len(lines):
        own = text.split("\n")
    if not own and not pictures:
        return None
    return Writing("\n".join(own), code=code, pictures=pictures)


def without_comments(text: str) -> str:
    """Return a text without comments of HTML.

    An unclosed comment is not a comment, and is not searched for at each opening mark.
    """
    head, end, tail = text.rpartition(_COMMENT_ENDS)
    return _COMMENT.sub("", head + end) + tail


def is_the_courses(cell: NotebookNode) -> bool:
    """Return whether a cell is an unchanged one from any release of the course, by its id."""
    name = str(cell.get("id", "")).partition("-")[0]
    if len(name) != 12:
        return False
    said = {"cell_type": cell.cell_type, "source": cell.source}
    return any(identity({**said, "metadata": metadata}) == name for metadata in _METADATA)


def is_blank(text: str, cell: SourceCell) -> bool:
    """Return whether a text in the place of an answer answers nothing."""
    if bare(text) in {"", *cell.known}:
        return True
    if cell.cell_type != "code":
        return False
    return _is_blank_code(text, cell.source)


@lru_cache(maxsize=256)
def _is_blank_code(text: str, stub: str) -> bool:
    """Return whether code does no more than the given stub does."""
    tree, given = parsed(text), parsed(stub)
    if tree is None or imports(text, set(_defined(stub)[:1])):
        return False
    done, known = _doing(tree), [] if given is None else _doing(given)
    return len(done) <= len(known) and {*map(ast.dump, done)} <= {*map(ast.dump, known)}


def defines(text: str, names: set[str]) -> bool:
    """Return whether code defines one of some names, other than by a stub."""
    tree = parsed(text)
    if tree is None:
        return bool(names & set(_defined(text)))
    if not names & _safely(given, _code(text)):
        return False
    binders = [each for each in tree.body if names & bound_by(each)]
    found = (is_answer(each) or isinstance(each, ast.ImportFrom) for each in binders)
    return any(found) if binders else True


def same_code(text: str, other: str) -> bool:
    """Return whether two cells differ at most in white space and comments."""
    one, two = parsed(text), parsed(other)
    if one is None or two is None:
        return bare(text) == bare(other)
    return bare(text) == bare(other) or ast.dump(one) == ast.dump(two)


def makes_function(stub: str) -> bool:
    """Return whether a stub is that of a function or a class."""
    tree = parsed(stub)
    return tree is not None and any(isinstance(each, _DEFINITIONS) for each in tree.body)


def gives_again(text: str, names: set[str]) -> bool:
    """Return whether code rebinds the name of a function to a function, and not to a plain value.

    Students also write ``entropy = entropy(p)`` when they try an answer.
    """
    tree = parsed(text)
    if tree is None:
        return True
    for each in tree.body:
        if names & bound_by(each) and not isinstance(each, ast.Assign | ast.AnnAssign):
            return True
        value = getattr(each, "value", None) if names & bound_by(each) else None
        if isinstance(value, ast.Lambda | ast.Name | ast.Attribute):
            return True
    return False


def bound_by(node: ast.stmt) -> set[str]:
    """Return the names that a definition, an assignment or an import from a module binds."""
    if isinstance(node, ast.ImportFrom):
        return {each.asname or each.name for each in node.names}
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    return _targets(node) if isinstance(node, ast.Assign | ast.AnnAssign) else set()


def imports(text: str, names: set[str]) -> str:
    """Return the module from which code imports one of some names at its top; else empty."""
    tree = parsed(text)
    for each in tree.body if tree else ():
        if isinstance(each, ast.ImportFrom) and names & bound_by(each):
            return "." * each.level + (each.module or "")
    return ""


def wanted(cell: SourceCell, of: Source) -> set[str]:
    """Return the possible names of an answer in code."""
    if found := _defined(cell.source)[:1]:
        return set(found)
    tests = [each for each in of.cells[of.cells.index(cell) + 1 :] if each.locked][:1]
    return {name for test in tests for name in re.findall(r"\w+", test.visible)}


def texts_outside(code: str, stub: str) -> str:
    """Return the comments and strings of an answer that explain none of its lines.

    Those inside a definition explain it, and given text is left out.
    """
    tree, given = parsed(code), {line.strip("# ") for line in stub.split("\n")}
    if tree is None:
        return ""
    strings = [(each.lineno, each.end_lineno or 0) for each in tree.body if is_text(each)]
    lines = enumerate(code.split("\n"), start=1)
    return "\n".join(
        line
        for number, line in lines
        if line.strip("# ") not in given
        and (line.startswith("#") or any(first <= number <= end for first, end in strings))
    )


def as_code(text: str, of: Source) -> str:
    """Return the code in a text into which parts of the assignment were merged."""
    lines = [line for line in text.split("\n") if line.strip() not in of.given_prose]
    return _FENCE.sub("", "\n".join(lines)).strip("\n")


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of a cell's code, without magics; None if it has none."""
    return _parsed(text)[1]


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[str, ast.Module | None]:
    """Return code in a form that Python can parse, and its tree; unchanged if there is none."""
    for code in (text, _MAGIC.sub(r"\1pass", text)) if len(text) <= _LONGEST else ():
        try:
            return code, ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return text, None


def _code(text: str) -> str:
    return _parsed(text)[0]


@lru_cache(maxsize=256)
def _safely(look: Callable[[str], set[str]], text: str) -> frozenset[str]:
    try:
        return frozenset(look(text)) if len(text) <= _LONGEST else frozenset()
    except (RecursionError, MemoryError):
        return frozenset()


def _defined(code: str) -> list[str]:
    return [one or other for one, other in _DEFINES.findall(code)]


def _words_in(text: str) -> int:
    return len(_WORD.findall(text))


def _comments(text: str) -> list[str]:
    """Return the comments of code, as far as it can be read."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string.lstrip("# "))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found


def _strings(tree: ast.Module) -> list[str]:
    return [
        each.value
        for each in ast.walk(tree)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


def is_text(node: ast.stmt) -> bool:
    """Return whether a statement is a string and nothing else."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_nothing(node: ast.expr | None) -> bool:
    """Return whether an expression is ``None`` or ``...``."""
    return isinstance(node, ast.Constant) and node.value in (..., None)


def _runs(node: ast.stmt) -> bool:
    return not (is_text(node) or isinstance(node, ast.Pass))


def is_answer(node: ast.stmt) -> bool:
    """Return whether a statement is more than a stub, an import or a text."""
    if isinstance(node, ast.Pass | ast.Import | ast.ImportFrom) or is_text(node):
        return False
    if isinstance(node, ast.Expr):
        return not is_nothing(node.value)
    if isinstance(node, ast.Raise):
        return "NotImplementedError" not in ast.dump(node)
    if isinstance(node, ast.AnnAssign | ast.Assign):
        return not (node.value is None or is_nothing(node.value))
    if isinstance(node, _DEFINITIONS):
        return any(map(is_answer, node.body))
    return True


def _doing(node: ast.Module | ast.stmt) -> list[ast.stmt]:
    """List the statements in code and its definitions that are more than a stub."""
    found: list[ast.stmt] = []
    for each in getattr(node, "body", ()):
        if isinstance(each, _DEFINITIONS):
            found += _doing(each)
        elif is_answer(each):
            found.append(each)
    return found


def _targets(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    found = (inner for each in targets for inner in ast.walk(each))
    return {inner.id for inner in found if isinstance(inner, ast.Name)}


def _makes(node: ast.stmt, asked: set[str]) -> bool:
    """Return whether a statement may be part of an answer."""
    if isinstance(node, ast.Pass | ast.Import | ast.ImportFrom | ast.Assert) or is_text(node):
        return False
    if not isinstance(node, ast.Expr):
        return True
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    if isinstance(node.value, ast.Call):
        called = node.value.func
        shows = isinstance(called, ast.Name) and called.id in _SHOW
        constants = any(isinstance(each, ast.Constant) for each in ast.walk(node))
        return shows and constants and not names & asked
    return not isinstance(node.value, ast.Name | ast.Attribute) and not names & asked

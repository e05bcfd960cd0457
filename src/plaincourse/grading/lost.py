"""Report answers that lost points to another cell, or to something missing in grading.

A correct answer earns nothing if a name that it reads is missing or has another meaning: because a
cell above stopped with an error, because the helper is further down, because the names were wiped,
or because a cell overwrote `int`. The same holds for an answer with another name than the one that
the check requires. The points are not changed; a person looks.
"""

import ast
import builtins
import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import unescape

from nbformat import NotebookNode
from nbgrader import utils

from plaincourse.exercise.report import UNREADABLE
from plaincourse.grading.own_work import Writing, bound_by, is_answer, parsed
from plaincourse.grading.text import is_newer_syntax, syntax_error, with_and
from plaincourse.judge.source_names import deleted, read

_MISSING = re.compile(r"name '(\w+)' is not defined")
#: Errors for the lack of a package, a person, a file or the network.
_ABSENT = (
    "ModuleNotFoundError",
    "ImportError",
    "StdinNotImplementedError",
    "PackageNotFoundError",
    "FileNotFoundError",
    "URLError",
    "HTTPError",
    "gaierror",
    "ConnectionError",
    "ConnectionRefusedError",
)
#: IPython's messages for a ``%run`` of a missing file, or of a file that is not a notebook.
_NOT_RUN = re.compile(r"File `.*` not found|Notebook does not appear to be JSON")
_NO_FILE = re.compile(
    r"\b(?:FileNotFoundError|URLError|gaierror|Connection(?:Refused)?Error): "
    r"(?:<urlopen )?[^\n<]{1,120}"
)
#: The first line of a cell whose names are gone after it has run.
CELL_MAGIC = re.compile(r"^%%(?!(?:time|capture|prun|debug)\b)(\w+)")
_WIPES = re.compile(r"^[ \t]*%reset(?:_selective)?\b", flags=re.MULTILINE)
_LOST = "{tasks} lost points, and the cause may lie elsewhere: {cause}. Read {what}."
_HERE = "{tasks} lost points, and {whose} shows why: {cause}. Read {what}."
_STOPPED = "{cell} stopped with {error}, so that `{name}` was missing"
_BELOW = "`{name}` is made only further down, in {cell}"
_WIPED = "{cell} wipes all names with `%reset`, so that `{name}` was missing"
_DELETED = "{cell} deletes `{name}`, so that it was missing"
_KEPT = "{cell} leaves no names behind, so that `{name}` was missing"
_OWN = "{cell} stopped with {error}"
_ASKED = "{cell} stopped with {error}, because nobody answers when a notebook is graded"
_CALLED = "the answer asks for what grading does not have (`{said}`)"
_NEWER = "{cell} is no code for Python {ours}, which grades; newer ones may read it"
_UNREAD = "{cell} is not code that Python reads ({error})"
_FORM = "{cell} gives numbers or a letter in a form that the check does not read"
_REUSED = "{cell} gives `{name}` another value before the check"
_OVERWRITTEN = "{cell} gives `{name}` another meaning, and the answer uses it"
_INSIDE = "{cell} defines `{name}` only inside `{outer}`, where the check does not see it"
_PASSED = "{cell} ran, and did not reach the line that defines `{name}`"
_ANOTHER = "{cell} defines {others}, and not `{name}`, which the check looks for"
_NAMELESS = "{cell} gives nothing the name `{name}`, which the check looks for"
_ONLY_INSIDE = "It is defined only inside `{outer}`, where the check does not see it: move it out"
_NOWHERE = (
    "No cell defines it, or assigns it, outside of a function: give your answer this very name"
)
_MAY_HIDE = "One cause may be that {cell} gives `{name}` another meaning"
#: Modules whose star imports overwrite names of Python's own.
_STARS = ("torch", "numpy", "math", "cmath", "os", "io", "codecs", "operator")
_BUILTIN = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_DEEPEST = 4
_LINE = re.compile(r"\(\w+\.py, line")  # IPython's name of a cell means nothing to a reader
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def lost(
    notebook: NotebookNode, earned: Mapping[str, tuple[float | None, float]]
) -> list[dict[str, str]]:
    """Return a flag for each cause that cost answers points, at the first task affected.

    Args:
        notebook: after it was run.
        earned: points, and the maximal points, by the names of tests.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    tasks: dict[tuple[str, bool], list[str]] = {}
    for place, test in enumerate(cells):
        name = test.metadata.get("nbgrader", {}).get("grade_id")
        points, most = earned.get(name, (None, 0.0))
        if not utils.is_grade(test) or points is None or points >= most:
            continue
        if cause := _cause(cells, place, _version(notebook)):
            own = _answer(cells, place)
            here = own is not None and cause.startswith(_shown(own))
            tasks.setdefault((cause, here), []).append(name)
    return [
        {"cell": names[0], "kind": "lost", "why": _in_words(names, cause, here)}
        for (cause, here), names in tasks.items()
    ]


def _in_words(names: list[str], cause: str, here: bool) -> str:
    tasks = with_and([f"`{name}`" for name in names])
    what = "the answer" if len(names) == 1 else "the answers"
    whose = "the answer's own cell" if len(names) == 1 else "the cell of each answer"
    said = _HERE if here else _LOST
    return said.format(tasks=tasks, cause=cause, what=what, whose=whose)


def _answer(cells: list[NotebookNode], test: int) -> NotebookNode | None:
    """Return the cell of the answer that a test is for, the last one above it."""
    return next((each for each in reversed(cells[:test]) if utils.is_solution(each)), None)


def _cause(cells: list[NotebookNode], test: int, version: tuple[int, ...]) -> str:
    """Return the cause outside its answer that cost a test its points; empty if there is none."""
    answer = max((i for i in range(test) if utils.is_solution(cells[i])), default=None)
    own = cells[answer] if answer is not None else None
    wanted = set(re.findall(r"\w+", cells[test].source))
    if own is not None and (stopped := _error(own)):
        named = set(Writing(own.source, code=True).binds) & wanted
        if _is_absent(stopped):
            how = _ASKED if stopped[0] == "StdinNotImplementedError" else _OWN
            return how.format(cell=_shown(own), error=_said(stopped))
        if named and _is_newer(own, stopped, version):
            return _NEWER.format(cell=_shown(own), ours=_ours())
        if stopped[0] in _SYNTAX and syntax_error(own.source):
            return _UNREAD.format(cell=_shown(own), error=_LINE.sub("(line", _said(stopped)))
    for name in _missing(cells[test]) or ([] if own is None else _missing(own)):
        if cause := _why_missing(cells, name, test, own, version):
            return cause
    if said := _NO_FILE.search(" ".join(_texts(cells[test]))):
        return _CALLED.format(said=" ".join(said[0].split()).replace("`", "'"))
    if own is None or answer is None:
        return ""
    if any(UNREADABLE in said for said in _texts(cells[test])):
        return _FORM.format(cell=_shown(own))
    sources = [cell.source for cell in cells[:test] if not _is_test(cell)]
    if found := overwritten(sources, own.source):
        return _OVERWRITTEN.format(cell=_begun(found[0]), name=found[1])
    return (
        _reused(cells, answer, test, wanted)
        or _misnamed(cells[test], own)
        or _stopped_while_defining(own)
    )


def overwritten(sources: Sequence[str], own: str) -> tuple[str, str] | None:
    """Return a cell that gives another meaning to a name that an answer reads, and the name.

    The name is one of Python's own, or was imported further up.

    Args:
        sources: the texts of the cells above the test, without the tests among them.
        own: the text of the answer.
    """
    names = _read(own)
    names |= {name for text in sources if names & Writing(text, code=True).binds
              for name in _read(text)}  # fmt: skip
    brought: set[str] = set()
    for place, text in enumerate(sources):
        tree = parsed(text)
        body = tree.body if tree else []
        binds = Writing(text, code=True).binds
        imported = {each for node in body if isinstance(node, _IMPORTS) for each in _named(node)}
        given = {*binds, *_starred(body)} & _BUILTIN | (binds - imported) & brought
        gone = {name for later in sources[place:] for name in deleted(later)}
        if text != own and (found := sorted((given & names) - gone)):
            return text, found[0]
        brought |= imported
    return None


def _read(text: str) -> set[str]:
    """Return the global names that a cell reads, also if it has magics."""
    try:
        return read(ast.unparse(parsed(text) or ast.Module([], [])))
    except (RecursionError, MemoryError):  # too deeply nested
        return set()


def _named(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {each.asname or each.name.partition(".")[0] for each in node.names}


def _starred(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that star imports of well-known modules bring."""
    modules = {
        node.module
        for node in body
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    }
    found: set[str] = set()
    for name in modules & {*_STARS}:
        module = importlib.import_module(str(name))
        found |= {*getattr(module, "__all__", dir(module))}
    return found


def why_undefined(name: str, texts: Sequence[str], test: str) -> str:
    """Return why a name is not defined, judged by the texts of cells alone; or an empty text.

    Args:
        name: a name that a test needs.
        texts: of all cells of code.
        test: the text of the test.
    """
    makers = [text for text in texts if name in Writing(text, code=True).binds]
    if makers:
        above = [*texts][: texts.index(test)] if test in texts else [*texts]
        found = overwritten(above, makers[-1])
        return _MAY_HIDE.format(cell=_begun(found[0]), name=found[1]) if found else ""
    for text in texts:
        if outer := _outer(text, name):
            return _ONLY_INSIDE.format(outer=outer)
    unread = any(parsed(text) is None and re.search(rf"\b{name}\b", text) for text in texts)
    return "" if unread else _NOWHERE


def _outer(text: str, name: str) -> str:
    """Return the function or class inside which a name is defined, if there is one."""
    todo: list[tuple[ast.AST, str]] = [(tree, "")] if (tree := parsed(text)) else []
    while todo:
        node, outer = todo.pop()
        if outer and isinstance(node, ast.stmt) and name in bound_by(node):
            return outer
        inner = node.name if isinstance(node, _DEFINITIONS) else outer
        todo += [(each, inner) for each in ast.iter_child_nodes(node)]
    return ""


def _misnamed(test: NotebookNode, own: NotebookNode) -> str:
    """Return the cause if an answer ran without defining the name that its test needs."""
    tree, stopped = parsed(own.source), _error(test)
    found = _MISSING.search(stopped[1]) if stopped else None
    if found is None or tree is None or _error(own) or not any(map(is_answer, tree.body)):
        return ""
    name, cell = found[1], _shown(own)
    if name not in re.findall(r"\w+", own.source) or name not in test.source:
        return ""  # reported by `mend`, or not the name of the answer
    if name in Writing(own.source, code=True).binds:
        return _PASSED.format(cell=cell, name=name)
    if outer := _outer(own.source, name):
        return _INSIDE.format(cell=cell, name=name, outer=outer)
    others = sorted(each for node in tree.body for each in bound_by(node))
    said = with_and([f"`{each}`" for each in others[:3]])
    return (_ANOTHER if others else _NAMELESS).format(cell=cell, others=said, name=name)


def _stopped_while_defining(own: NotebookNode) -> str:
    """Return the cause if an answer that only defines things stopped with an error."""
    tree, stopped = parsed(own.source), _error(own)
    if tree is None or stopped is None or stopped[0] in ("NameError", "SyntaxError"):
        return ""
    plain = all(isinstance(each, (*_DEFINITIONS, *_IMPORTS)) for each in tree.body)
    return _OWN.format(cell=_shown(own), error=_said(stopped)) if plain else ""


def _is_test(cell: NotebookNode) -> bool:
    return utils.is_grade(cell) and not utils.is_solution(cell)


def _why_missing(
    cells: list[NotebookNode],
    name: str,
    test: int,
    own: NotebookNode | None,
    version: tuple[int, ...],
    depth: int = 0,
) -> str:
    """Return why a name was missing when a test needed it."""
    makers = [i for i, cell in enumerate(cells) if name in Writing(cell.source, code=True).binds]
    for place in reversed([i for i in makers if i < test]):
        cell, stopped = cells[place], _error(cells[place])
        if CELL_MAGIC.match(cell.source.lstrip()):
            return _KEPT.format(cell=_shown(cell), name=name)
        if stopped is None:
            wiped = (each for each in cells[place:test] if _WIPES.search(each.source))
            if wiper := next(wiped, None):
                return _WIPED.format(cell=_shown(wiper), name=name)
            gone = (each for each in cells[place + 1 : test] if name in deleted(each.source))
            if deleter := next(gone, None):
                return _DELETED.format(cell=_shown(deleter), name=name)
            continue
        deeper = _MISSING.search(stopped[1]) if stopped[0] == "NameError" else None
        if deeper and depth < _DEEPEST and deeper[1] != name:
            found = _why_missing(cells, deeper[1], place, own, version, depth + 1)
            if found or cell is own:
                return found
        elif _is_newer(cell, stopped, version):
            return _NEWER.format(cell=_shown(cell), ours=_ours())
        if cell is not own or _is_absent(stopped):
            return _STOPPED.format(cell=_shown(cell), error=_said(stopped), name=name)
    below = (cells[i] for i in makers if i > test and _error(cells[i]) is None)
    if own is not None and (helper := next(below, None)):
        return _BELOW.format(name=name, cell=_shown(helper))
    return ""


def _reused(cells: list[NotebookNode], answer: int, test: int, wanted: set[str]) -> str:
    """Return which cell between an answer and its test rebinds the answer's name."""
    tree = parsed(cells[answer].source)
    defined = {each.name for each in (tree.body if tree else ()) if isinstance(each, _DEFINITIONS)}
    for cell in cells[answer + 1 : test]:
        tree = parsed(cell.source)
        assigned = {
            target.id
            for each in (tree.body if tree else ())
            if isinstance(each, ast.Assign)
            for target in each.targets
            if isinstance(target, ast.Name)
        }
        if names := sorted(defined & wanted & assigned):
            return _REUSED.format(cell=_shown(cell), name=names[0])
    return ""


def _missing(cell: NotebookNode) -> list[str]:
    """Return the names that a cell's outputs report as undefined."""
    said = " ".join(_texts(cell))
    return list(dict.fromkeys(_MISSING.findall(said)))


def _texts(cell: NotebookNode) -> Iterator[str]:
    for output in cell.get("outputs", []):
        yield from (str(output.get(key, "")) for key in ("evalue", "text"))
        yield from (unescape(str(each)) for each in output.get("data", {}).values())


def _error(cell: NotebookNode) -> tuple[str, str] | None:
    """Return the name and the message of the error with which a cell stopped, if it did."""
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            return str(output.get("ename", "")), str(output.get("evalue", ""))
    return None


def _is_absent(error: tuple[str, str]) -> bool:
    """Return whether a cell stopped because of something that grading lacks."""
    return error[0] in _ABSENT or bool(_NOT_RUN.match(error[1]))


def _said(error: tuple[str, str]) -> str:
    text = " ".join(f"{error[0]}: {error[1]}".split()).replace("`", "'")
    return f"`{text[:120]}`"


def _shown(cell: NotebookNode) -> str:
    """Name a cell by its first line."""
    return _begun(cell.source)


def _begun(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return f"the cell that begins with `{first[:60].replace('`', chr(39))}`"


def _version(notebook: NotebookNode) -> tuple[int, ...]:
    """Return a notebook's own version of Python according to its metadata, or an empty tuple."""
    said = notebook.metadata.get("language_info", {})
    found = re.match(r"(\d+)\.(\d+)", str(said.get("version", "")))
    return (int(found[1]), int(found[2])) if found else ()


def _is_newer(cell: NotebookNode, error: tuple[str, str], version: tuple[int, ...]) -> bool:
    """Return whether a cell that is not valid code here may be valid in a newer Python."""
    newer = version > sys.version_info[:2] or is_newer_syntax(cell.source, error[1])
    return error[0] == "SyntaxError" and newer


def _ours() -> str:
    return ".".join(map(str, sys.version_info[:2]))

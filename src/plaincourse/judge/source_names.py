"""The names in the text of cells: those that a cell binds or reads, and forbidden names in answers.

The student's process reports the names that its own answers use, and could lie. The search of the
text can be deceived too, in other ways; it flags an answer and costs no points.
"""

import ast
import symtable
from collections.abc import Iterator, Sequence
from functools import lru_cache

_IMPORT = "import "


def bound(source: str) -> set[str]:
    """Return the global names that a cell binds in any way. Empty if its syntax is invalid."""
    try:
        table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found = {each.get_name() for each in table.get_symbols() if _binds(each)}
    for inner in _inside(table):
        for each in inner.get_symbols():
            if each.is_declared_global() and _binds(each):
                found.add(each.get_name())
    return found


def given(source: str) -> set[str]:
    """Return the global names to which a cell gives a value, without names that only `del` binds.

    :func:`bound` includes those. The result is empty if the cell's syntax is invalid.
    """
    if "del" not in source:
        return bound(source)
    try:
        tree = _Undeleted().visit(ast.parse(source))
        return bound(ast.unparse(ast.fix_missing_locations(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return bound(source)


def deleted(source: str) -> set[str]:
    """Return the names that a cell deletes at its top level."""
    parts = (each for each in statements(source) if isinstance(each, ast.Delete))
    targets = (target for each in parts for target in each.targets)
    found = (inner for each in targets for inner in ast.walk(each))
    return {e.id for e in found if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Del)}


class _Undeleted(ast.NodeTransformer):
    """Replaces each `del` by a statement without effect."""

    def visit_Delete(self, node: ast.Delete) -> ast.Pass:
        return ast.Pass()


def read(source: str) -> set[str]:
    """Return the global names that a cell reads, including those in its functions."""
    try:
        table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found = {each.get_name() for each in table.get_symbols() if each.is_referenced()}
    for inner in _inside(table):
        found |= {each.get_name() for each in inner.get_symbols() if each.is_global()}
    return found


def imported(source: str) -> list[str]:
    """Return the import statements at the top level of a cell."""
    return [ast.unparse(each) for each in statements(source) if _is_import(each)]


def definitions(source: str) -> list[str]:
    """Return the top-level statements of a cell that define or import, one by one."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        ast.unparse(each)
        for each in statements(source)
        if _is_import(each) or isinstance(each, kinds)
    ]


def suspect(code: Sequence[str], name: str, forbid: Sequence[str]) -> str | None:
    """Return a forbidden name in the definition of an answer, or in own functions that it calls.

    Args:
        code: the cells of a submission.
        name: the name of the answer.
        forbid: names that it may not use, and words of :func:`importing`.
    """
    own, brought = _named(code)
    seen: set[str] = set()
    for word in _words(name, own, brought, seen):
        if word in forbid:
            return word
    return None


def reached(code: Sequence[str], name: str) -> list[ast.AST]:
    """Return the code that runs when an answer is used, including its own functions and variables.

    Args:
        code: the cells of a submission.
        name: the name of the answer.
    """
    own, brought = _named(code)
    seen: set[str] = set()
    for _ in _words(name, own, brought, seen):
        pass
    return [node for each in sorted(seen) for top in own.get(each, []) for node in _code(top)]


def importing(package: str) -> str:
    """Return the word with which :func:`suspect` recognises an import of a package."""
    return f"{_IMPORT}{package}"


def imported_by(word: str) -> str:
    """Return the package for a word of :func:`importing`; any other word unchanged."""
    return word.removeprefix(_IMPORT)


def _named(code: Sequence[str]) -> tuple[dict[str, list[ast.AST]], dict[str, list[str]]]:
    """Return the statements that define each name, and the parts of the names that are imported."""
    own: dict[str, list[ast.AST]] = {}
    brought: dict[str, list[str]] = {}
    for top in (each for cell in code for each in statements(cell)):
        for each in _defined(top):
            own.setdefault(each, []).append(top)
        if isinstance(top, (ast.Import, ast.ImportFrom)):
            for alias in top.names:
                parts = [*(getattr(top, "module", None) or "").split("."), *alias.name.split(".")]
                parts.append(importing(next(filter(None, parts), "")))
                brought[alias.asname or alias.name.split(".")[0]] = parts
    return own, brought


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()


def _inside(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for each in table.get_children():
        yield each
        yield from _inside(each)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


@lru_cache(maxsize=64)  # each test cell examines all cells of a submission
def statements(source: str) -> list[ast.stmt]:
    """Return the statements at the top level of a cell; none if its syntax is invalid."""
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last: too deeply nested
        return []


def _defined(top: ast.stmt) -> list[str]:
    if isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [top.name]
    if isinstance(top, ast.Assign):
        return [each.id for each in top.targets if isinstance(each, ast.Name)]
    if isinstance(top, ast.AnnAssign) and isinstance(top.target, ast.Name):
        return [top.target.id]
    return []


def _words(
    name: str, own: dict[str, list[ast.AST]], brought: dict[str, list[str]], seen: set[str]
) -> Iterator[str]:
    todo = [name]
    while todo:
        if (name := todo.pop()) in seen:
            continue
        seen.add(name)
        for top in own.get(name, []):
            local = _locals(top)
            for node in _code(top):
                if isinstance(node, ast.Name) and node.id in own and node.id not in local:
                    todo.append(node.id)
                elif isinstance(node, ast.Name) and node.id not in local:
                    yield from brought.get(node.id, [])
                else:
                    yield from _said(node)


def _said(node: ast.AST) -> Iterator[str]:
    """Yield the words of one part of a definition that may be a forbidden name."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        module = (getattr(node, "module", None) or "").split(".")
        for alias in node.names:
            parts = [*filter(None, module), *alias.name.split(".")]
            yield from (*parts, importing(parts[0]))
    elif isinstance(node, ast.Constant) and str(node.value).isidentifier():
        yield str(node.value)


def _locals(top: ast.AST) -> set[str]:
    """Return the names that a definition binds inside, which hide global ones."""
    inside = {each.arg for each in ast.walk(top) if isinstance(each, ast.arg)}
    if isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names = (each for each in ast.walk(top) if isinstance(each, ast.Name))
        inside |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return inside


def _code(top: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run when a definition is used, in order.

    Annotations and docstrings are left out.

    No recursion is used, because a sum of many terms is deeper than Python's stack.
    """
    todo = [top]
    while todo:
        node = todo.pop()
        yield node
        below = []
        for field, value in ast.iter_fields(node):
            if field in {"annotation", "returns"}:
                continue
            for each in value if isinstance(value, list) else [value]:
                said = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
                if isinstance(each, ast.AST) and not said:
                    below.append(each)
        todo += reversed(below)

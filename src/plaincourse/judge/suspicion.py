"""Look through the text of a submission for names that an answer may not use.

The student's process says what its own answers use, and could lie. This look at the text can be
fooled too, in other ways; it flags an answer and takes no points.
"""

import ast
from collections.abc import Iterator, Sequence


def suspect(code: Sequence[str], name: str, forbid: Sequence[str]) -> str | None:
    """Return a forbidden name in the definition of an answer, or in what it calls of its own.

    Args:
        code: the cells of a submission.
        name: what the answer is called.
        forbid: names that it may not use.
    """
    own: dict[str, list[ast.AST]] = {}
    brought: dict[str, list[str]] = {}
    for top in _statements(code):
        for each in _defined(top):
            own.setdefault(each, []).append(top)
        if isinstance(top, (ast.Import, ast.ImportFrom)):
            for alias in top.names:
                parts = [*(getattr(top, "module", None) or "").split("."), *alias.name.split(".")]
                brought[alias.asname or alias.name.split(".")[0]] = parts
    seen: set[str] = set()
    for word in _words(name, own, brought, seen):
        if word in forbid:
            return word
    return None


def _statements(code: Sequence[str]) -> Iterator[ast.stmt]:
    for cell in code:
        try:
            yield from ast.parse(cell).body
        except (SyntaxError, ValueError, RecursionError):
            continue


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
    if name in seen:
        return
    seen.add(name)
    for top in own.get(name, []):
        local = _locals(top)
        for node in _code(top):
            if isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from (getattr(node, "module", None) or "").split(".")
                for alias in node.names:
                    yield from alias.name.split(".")
            elif isinstance(node, ast.Constant) and str(node.value).isidentifier():
                yield str(node.value)
            elif isinstance(node, ast.Name) and node.id not in local:
                if node.id in own:
                    yield from _words(node.id, own, brought, seen)
                else:
                    yield from brought.get(node.id, [])


def _locals(top: ast.AST) -> set[str]:
    """Return the names that a definition binds inside: its own, whatever else bears them."""
    inside = {each.arg for each in ast.walk(top) if isinstance(each, ast.arg)}
    if isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names = (each for each in ast.walk(top) if isinstance(each, ast.Name))
        inside |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return inside


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs when a definition is used: no annotation, no docstring."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns"}:
            continue
        for each in value if isinstance(value, list) else [value]:
            said = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if isinstance(each, ast.AST) and not said:
                yield from _code(each)
